"""Players of line mode for tests: a terminal that a test holds, and one who reads lines and answers them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import trio

__all__ = ["LinePlayer", "ScriptedTerminal"]


PATIENCE: Final = 100.0
"""Seconds that a line may take; longer than any that the client waits for something by itself."""


class LinePlayer:
    """Plays by what is written alone: does what the last line of each question says can be typed.

    Args:
      hands: how many hands to start, after which it quits; None leaves both to others.
    """

    def __init__(self, *, hands: int | None = 1) -> None:
        self._left = hands

    def answer(self, line: str) -> str | None:
        """What to type after ``line``; None for nothing."""
        if line == "Type start to begin a hand." and self._left is not None:
            self._left -= 1
            return "start" if self._left >= 0 else "quit"
        for question, typed in _ANSWERS:
            if (found := question.search(line)) is not None:
                return found.expand(typed)
        return None


_ANSWERS: Final = (
    (re.compile(r"^It is for you to cut the pack: .* for example (cut [0-9]+)\.$"), r"\1"),
    (re.compile(r"^Type draw to draw from the stock"), "draw"),
    (re.compile(r"^(?:You|With all six cards you) can call .*: type call\.$"), "call"),
    (re.compile(r"^Type discard and a card, for example (discard \w+)\.$"), r"\1"),
)


class ScriptedTerminal:
    """A terminal in a test's hands: what is written can be read, and what the test types is read."""

    def __init__(self, on_line: Callable[[str], str | None] = lambda _: None) -> None:
        self.lines: Final[list[str]] = []
        self._on_line: Final = on_line
        self._send, self._typed = trio.open_memory_channel[str | Exception](1000)
        self._written = trio.Event()
        self._gone: Final = trio.Event()

    def type(self, *lines: str) -> None:
        """Type lines, one after the other."""
        for line in lines:
            self._send.send_nowait(line)

    def fail(self, error: Exception) -> None:
        """Have the next read raise ``error``."""
        self._send.send_nowait(error)

    def hang_up(self) -> None:
        self._gone.set()

    def count(self, line: str) -> int:
        """How often such a line has been written."""
        return self.lines.count(line)

    async def until(self, part: str, after: int = 0) -> str:
        """The first line written, from number ``after`` on, that holds ``part``, once it is there.

        Raises:
          AssertionError: it does not come.
        """
        with trio.move_on_after(PATIENCE):
            while True:
                found = next((line for line in self.lines[after:] if part in line), None)
                if found is not None:
                    return found
                await self._written.wait()
        raise AssertionError("\n".join((f"no line has {part!r}:", *self.lines)))

    async def read(self) -> str:
        typed = await self._typed.receive()
        if isinstance(typed, Exception):
            raise typed
        return typed

    def write(self, line: str) -> None:
        self.lines.append(line)
        self._written.set()
        self._written = trio.Event()
        answer = self._on_line(line)
        if answer is not None:
            self.type(answer)

    async def wait_gone(self) -> None:
        await self._gone.wait()
