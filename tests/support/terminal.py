"""A program at a terminal of its own: what it shows is read from the screen, as a person reads it."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

import pyte
import trio

from tests.support.programs import PATIENCE, Program, command, environment, read_some

__all__ = ["COLUMNS", "ROWS", "AtTerminal", "at_terminal"]

ROWS: Final = 24
COLUMNS: Final = 80
PROMPT: Final = ">"
_SCROLLED: Final = 10_000
_TAKE_TERMINAL: Final = """
import os, sys
os.close(os.open(os.ttyname(0), os.O_RDWR))
os.execv(sys.argv[1], sys.argv[1:])
"""
"""The first terminal that the leader of a new session opens is the one whose keys send it signals."""


class AtTerminal(Program):
    """A program that has a terminal for its input and output; ``heard`` is all that its screen has shown."""

    def __init__(self, process: subprocess.Popen[bytes], complaints: IO[bytes], master: int) -> None:
        super().__init__(process, complaints)
        self._master: Final = master
        self._is_there = True
        self._screen: Final = pyte.HistoryScreen(COLUMNS, ROWS, history=_SCROLLED, ratio=0.5)
        self._stream: Final = pyte.ByteStream(self._screen)
        self._before: Final = self._state()

    def say(self, line: str) -> None:
        self.press(f"{line}\r")

    def press(self, keys: str) -> None:
        """Press keys, of which the terminal makes these characters."""
        os.write(self._master, keys.encode())

    async def see(self, pattern: str) -> re.Match[str]:
        """Wait until the screen shows what ``pattern`` matches, however often it is drawn anew."""
        with trio.fail_after(PATIENCE):
            while (found := re.search(pattern, self.heard)) is None:
                assert await self._read(), f"{pattern!r} was not seen, but {self.heard!r}"
        return found

    async def see_change(self) -> None:
        """Wait until the screen shows something else."""
        before = self.heard
        with trio.fail_after(PATIENCE):
            while self.heard == before:
                assert await self._read(), f"it has ended, having shown {before!r}"

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal another size, which the program is told by a signal."""
        self._screen.resize(rows, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    async def hear_prompt(self) -> None:
        """Wait until the program is ready for the next line; what was heard is still to be heard."""
        with trio.fail_after(PATIENCE):
            while not self.heard.endswith(PROMPT):
                assert await self._read(), f"it has ended, having said {self.heard!r}"

    @property
    def is_restored(self) -> bool:
        """Whether the terminal is as it was before the program: its settings, its modes and its cursor."""
        return self._state() == self._before

    def hang_up(self) -> None:
        """Take the terminal away."""
        os.close(self._master)
        self._is_there = False

    def abandon(self) -> None:
        super().abandon()
        if self._is_there:
            self.hang_up()

    def _state(self) -> tuple[object, ...]:
        return termios.tcgetattr(self._master), frozenset(self._screen.mode), self._screen.cursor.hidden

    async def _read(self) -> bool:
        if not self._is_there:
            return False
        await trio.lowlevel.wait_readable(self._master)
        data = read_some(self._master)
        self._stream.feed(data)
        self.heard = " ".join(filter(None, self._rows()))
        return bool(data)

    def _rows(self) -> Iterator[str]:
        """What has been shown, from the first row on; whatever stood on the screen for a moment is gone."""
        for line in self._screen.history.top:
            yield "".join(line[column].data for column in range(COLUMNS)).rstrip()
        yield from (row.rstrip() for row in self._screen.display)


@contextmanager
def at_terminal(name: str, *arguments: str, home: Path) -> Generator[AtTerminal]:
    """A program at a terminal; it is ended with the block if it has not ended by itself."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    complaints = TemporaryFile()  # noqa: SIM115 -- closed with the program
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", _TAKE_TERMINAL, command(name), *arguments],
        stdin=slave,
        stdout=slave,
        stderr=complaints,
        env=environment(home, TERM="xterm-256color"),
        cwd=home,
        start_new_session=True,
    )
    os.close(slave)
    program = AtTerminal(process, complaints, master)
    try:
        yield program
    finally:
        program.abandon()
