"""Where log lines go, so that the server never waits for whoever reads them.

A thread of its own writes them. Only so many wait for it: while nobody reads, further lines are lost. They
are counted, and the first line after them says how many they were.
"""

from __future__ import annotations

import os
from contextlib import suppress
from queue import Full, Queue
from threading import Thread
from typing import Final, Protocol, TextIO

from structlog.typing import EventDict, WrappedLogger

__all__ = ["LogOutput", "StreamOutput", "ThreadOutput", "output_to"]

MAX_WAITING: Final = 1_000
"""Lines, mostly of some hundred bytes."""


class LogOutput(Protocol):
    """Takes whole lines; ``lost`` counts those that were never written."""

    lost: int

    def write(self, text: str) -> None: ...

    def flush(self) -> None: ...

    def note_losses(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        """A processor for structlog: say in this line how many before it were lost."""
        ...

    def close(self, within_s: float) -> None:
        """Write what waits, if that can be done in time."""
        ...


class StreamOutput:
    """Straight to a stream, which nobody may be reading any more."""

    def __init__(self, stream: TextIO) -> None:
        self.lost = 0
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()

    def note_losses(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return event

    def close(self, within_s: float) -> None:
        self.flush()


class ThreadOutput:
    """To a file descriptor, in a thread; in UTF-8, but to a terminal in its own encoding.

    It is written to directly: a thread that waited inside a buffered stream would hold that stream's lock,
    and the interpreter could not end.
    """

    def __init__(self, descriptor: int, max_waiting: int = MAX_WAITING) -> None:
        self.lost = 0
        self._told = 0
        self._descriptor = descriptor
        self._encoding = os.device_encoding(descriptor) or "utf-8"
        self._waiting: Queue[str | None] = Queue(max_waiting)
        self._thread = Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        try:
            self._waiting.put_nowait(text)
        except Full:
            self.lost += 1

    def flush(self) -> None:
        """The thread does that."""

    def note_losses(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        if self.lost > self._told and not self._waiting.full():
            event["lines_lost"] = self.lost - self._told
            self._told = self.lost
        return event

    def close(self, within_s: float) -> None:
        with suppress(Full):
            self._waiting.put_nowait(None)
            self._thread.join(within_s)

    def _run(self) -> None:
        while (text := self._waiting.get()) is not None:
            data = text.encode(self._encoding, errors="backslashreplace")
            with suppress(OSError):  # nobody reads any more
                while data:
                    data = data[os.write(self._descriptor, data) :]


def output_to(stream: TextIO) -> LogOutput:
    """To ``stream``; in a thread, unless it is one in memory."""
    try:
        return ThreadOutput(stream.fileno())
    except (OSError, ValueError):
        return StreamOutput(stream)
