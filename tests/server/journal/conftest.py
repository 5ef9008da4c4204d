"""A journal of each kind, opened anew as a restarted server would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paiute_server.journal import Journal, MemoryJournal, SqliteJournal

CLOCK = 1_700_000_000.0


def clock() -> float:
    return CLOCK


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A data directory that is not there yet."""
    return tmp_path / "club" / "data"


@pytest.fixture(params=["memory", "normal", "full"])
def journal(request: pytest.FixtureRequest, directory: Path) -> Iterator[Journal]:
    opened: Journal
    match request.param:
        case "memory":
            opened = MemoryJournal()
        case durability:
            opened = SqliteJournal.open(directory, durability, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def stored(directory: Path) -> Iterator[SqliteJournal]:
    opened = SqliteJournal.open(directory, clock=clock)
    yield opened
    opened.close()


Reopen = Callable[[], SqliteJournal]


@pytest.fixture
def reopen(stored: SqliteJournal, directory: Path) -> Iterator[Reopen]:
    """Closes the journal and opens its directory again."""
    opened = [stored]

    def again() -> SqliteJournal:
        opened[-1].close()
        opened.append(SqliteJournal.open(directory, clock=clock))
        return opened[-1]

    yield again
    opened[-1].close()
