"""The installed programs as processes: started, heard, signalled, and ended whatever a test does.

async with serving(home) as server, started("paiute-client", server.place, "--bot", home=home) as bot:
    await bot.hear("It sits at the table")
    bot.signal(signal.SIGTERM)
    assert (await bot.end()).status == 0
"""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGINT, SIGTERM
from tempfile import TemporaryFile
from typing import IO, Any, Final, NamedTuple

import pytest
import trio

from tests.support.leak import cards_in
from tests.support.raw_client import RawClient, connect

__all__ = [
    "LOOPBACK",
    "PATIENCE",
    "Ended",
    "Program",
    "ServerProgram",
    "check_left",
    "command",
    "environment",
    "read_some",
    "run",
    "serving",
    "started",
]

LOOPBACK: Final = "127.0.0.1"
PATIENCE: Final = 30.0
"""Seconds after which a program that says nothing has failed, however busy the machine is."""
_ROOT: Final = Path(__file__).resolve().parents[2]
_AT_ONCE: Final = 65_536


class Ended(NamedTuple):
    """What a program left: its exit status (minus the signal, if one killed it) and what it wrote."""

    status: int
    output: str
    complaints: str


def command(name: str) -> str:
    """The path of an installed program; Windows has other ways to hear and to end one."""
    if sys.platform == "win32":
        pytest.skip("programs are heard and ended as on POSIX systems")
    path = Path(sysconfig.get_path("scripts")) / name
    assert path.exists(), f"{path} is missing: install the project first, for example with pip install -e ."
    return str(path)


def environment(home: Path, **more: str) -> dict[str, str]:
    """For a program to run this code, keep its files in ``home``, and say what it forgot to close.

    Else it runs as for somebody who has set nothing: with PYTHONUNBUFFERED, say, output ends in another way.
    """
    foreign = ("XDG_", "LC_", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    code = os.pathsep.join(str(_ROOT / folder) for folder in (".", "server", "client"))
    own = {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTHONPATH": code,
        "PYTHONWARNINGS": "default::ResourceWarning",
    }
    return {**kept, **own, **more}


class Program:
    """A running program whose input and output are pipes, or those that are handed in.

    Attributes:
      heard: what it has written so far and was read by `hear`.
    """

    def __init__(self, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> None:
        self.heard = ""
        self.process: Final = process
        self._complaints: Final = complaints
        self._read_to = 0

    async def hear(self, pattern: str) -> re.Match[str]:
        """Wait until it has written what ``pattern`` matches, beyond what was heard before.

        Raises:
          AssertionError: it has ended, or says nothing like it.
        """
        with trio.move_on_after(PATIENCE):
            while (found := re.compile(pattern).search(self.heard, self._read_to)) is None:
                if not await self._read():
                    break
            else:
                self._read_to = found.end()
                return found
        raise AssertionError(f"{pattern!r} was not heard, but {self.heard!r} and {self.complaints()!r}")

    async def _read(self) -> bool:
        """Whether there was something left to read."""
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        await trio.lowlevel.wait_readable(descriptor)
        data = read_some(descriptor)
        self.heard += data.decode()
        return bool(data)

    def say(self, line: str) -> None:
        """Type a line; a pipe holds more than any test types."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def hang_up(self) -> None:
        """End its input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def complaints(self) -> str:
        """What it has written to standard error so far."""
        return os.pread(self._complaints.fileno(), 1 << 24, 0).decode()

    async def end(self) -> Ended:
        """Wait until it has ended."""
        with trio.fail_after(PATIENCE):
            await self._drain()
            status = await trio.to_thread.run_sync(self.process.wait, abandon_on_cancel=True)
        return Ended(status, self.heard, self.complaints())

    async def _drain(self) -> None:
        """Read to the end."""
        while await self._read():
            pass

    def abandon(self) -> None:
        """End it at once if it has not ended."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._complaints):
            if stream is not None:
                stream.close()


def read_some(descriptor: int) -> bytes:
    """``b""`` at the end, which a terminal tells by an error."""
    try:
        return os.read(descriptor, _AT_ONCE)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        return b""


@contextmanager
def started(
    name: str, *arguments: str | bytes, home: Path, settings: dict[str, str] | None = None
) -> Generator[Program]:
    """A program, which is ended with the block if it has not ended by itself."""
    complaints = TemporaryFile()  # noqa: SIM115 -- closed with the program
    process = subprocess.Popen(
        [command(name), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=complaints,
        env=environment(home, **(settings or {})),
        cwd=home,
    )
    program = Program(process, complaints)
    try:
        yield program
    finally:
        program.abandon()


async def run(name: str, *arguments: str | bytes, home: Path) -> Ended:
    """Run a program with nothing to read, until it ends by itself."""
    with started(name, *arguments, home=home) as program:
        program.hang_up()
        return await program.end()


# --- the server -----------------------------------------------------------------------------------------


@dataclass
class ServerProgram:
    """A server that is ready for clients on ``port`` of this machine."""

    program: Program
    port: int
    clients: list[RawClient] = field(default_factory=list[RawClient])

    @property
    def place(self) -> str:
        """What a client types."""
        return f"{LOOPBACK}:{self.port}"

    async def stranger(self) -> RawClient:
        """A client that has connected and said nothing."""
        client = await connect(self.port)
        self.clients.append(client)
        return client

    async def client(self, name: str | None = None, **fields: object) -> RawClient:
        """A client that has connected and said hello."""
        client = await self.stranger()
        await client.greet(name, **fields)
        return client

    async def stop(self, number: int = SIGINT) -> Ended:
        """End it by a signal, and hold what it left to what every server has to leave."""
        self.program.signal(number)
        ended = await self.program.end()
        check_left(ended)
        return ended

    def hang_up(self) -> None:
        """Close all connections of clients."""
        while self.clients:
            self.clients.pop().close()


@contextmanager
def starting_server(home: Path, *arguments: str, port: int = 0) -> Generator[Program]:
    """A server whose log can be read by programs, not yet ready."""
    fixed = ("--host", LOOPBACK, "--port", str(port), "--log-format", "json")
    with started("paiute-server", *fixed, *arguments, home=home) as program:
        program.hang_up()
        yield program


async def ready(program: Program) -> ServerProgram:
    """The server, once it is ready."""
    return ServerProgram(program, int((await program.hear(r"Ready on port (\d+)\.\n"))[1]))


@asynccontextmanager
async def serving(home: Path, *arguments: str, port: int = 0) -> AsyncGenerator[ServerProgram]:
    """A server; unless the test has ended it, it ends well with the block."""
    with starting_server(home, *arguments, port=port) as program:
        server = await ready(program)
        try:
            yield server
        finally:
            server.hang_up()  # else it would wait for them to go
        if program.process.poll() is None:
            await server.stop(SIGTERM)


def check_left(ended: Ended) -> None:
    """Hold that a server ended well, that nothing went wrong in it, and that its log has no card."""
    assert ended.status == 0, ended
    for line in ended.complaints.splitlines():
        logged: dict[str, Any] = json.loads(line)
        assert logged["level"] in {"info", "warning"}, line
        assert not list(cards_in(logged)), f"the log names a card: {line}"
