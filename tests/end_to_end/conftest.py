"""A server for all tests that do not ask for one of their own."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Generator

import pytest
import trio

from tests.support.programs import ServerProgram, ready, starting_server

if sys.platform == "win32":  # these tests speak to programs by signals and terminals of POSIX systems
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def shared_house(tmp_path_factory: pytest.TempPathFactory) -> Generator[ServerProgram]:
    """A server that plays on whatever single tests do to it, and in the end must end well."""
    with starting_server(tmp_path_factory.mktemp("house"), "--ephemeral") as program:
        server = trio.run(ready, program)
        yield server
        trio.run(server.stop)


@pytest.fixture
async def house(shared_house: ServerProgram) -> AsyncGenerator[ServerProgram]:
    """The same; what a test connects to it is closed after it.

    Whoever plays there takes no name that another test might take.
    """
    yield shared_house
    shared_house.hang_up()
