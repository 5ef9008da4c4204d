"""``paiute-server`` that dies by ``kill -9`` at a named point of its n-th step.

::

    python -m tests.support.crash_server POINT N [option of paiute-server ...]

It is the real program; only its journal and its connections are wrapped, to count and to die.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import ClassVar, Final
from unittest.mock import patch

from paiute_net.game.events import CardDiscarded, CardDrawn, CombinationCalled, HandStarted, PackCut
from paiute_server import daemon
from paiute_server.cli import main as serve
from paiute_server.journal import Batch, SqliteJournal
from paiute_server.link import Transport
from paiute_server.server import Server

__all__ = ["AFTER_SEND", "POINTS", "Crash"]

AFTER_SEND: Final = "after-send-"
"""And the number of the send, from 1: each seat that is told of the step is one."""
POINTS: Final = ("before-commit", "within-commit", "after-commit")
"""Decided and not yet written; being written; committed and told to nobody."""
INSTRUCTIONS: Final = 10
"""Of SQLite's, after which it is in the middle of writing: storing a step takes some seventeen."""
_STEPS: Final = (HandStarted, PackCut, CardDrawn, CardDiscarded, CombinationCalled)


class Crash:
    """Counts the steps of hands, and the sends after the last of them."""

    def __init__(self, point: str, step: int) -> None:
        if not (point in POINTS or point.removeprefix(AFTER_SEND).isdigit()):
            raise ValueError(f"{point} is no point; there are {', '.join(POINTS)} and {AFTER_SEND}1, 2, ...")
        self._point = point
        self._step = step
        self._steps = 0
        self._sends = 0

    def begins(self, batches: Sequence[Batch]) -> None:
        """Batches are about to be stored, of which each is a step."""
        self._steps += sum(
            any(isinstance(event, _STEPS) for entry in batch.tables for event in entry.events)
            for batch in batches
        )

    def reaches(self, point: str) -> None:
        """Die if this is the point, and the step has come."""
        if self._steps >= self._step and point == self._point:
            os.kill(os.getpid(), signal.SIGKILL)

    def sent(self) -> None:
        """Something was sent to somebody."""
        if self._steps >= self._step:
            self._sends += 1
            self.reaches(f"{AFTER_SEND}{self._sends}")


class CrashingJournal(SqliteJournal):
    """The journal in its file, whose commits have points to die at."""

    crash: ClassVar[Crash]

    def store(self, batches: Sequence[Batch]) -> None:
        self.crash.begins(batches)
        self.crash.reaches("before-commit")
        self._writer.set_progress_handler(lambda: self.crash.reaches("within-commit"), INSTRUCTIONS)
        super().store(batches)
        self.crash.reaches("after-commit")


class CrashingServer(Server):
    """The server, each send of which is a point to die at."""

    def admit(self, transport: Transport, address: str) -> None:
        super().admit(CrashingTransport(transport, CrashingJournal.crash), address)


class CrashingTransport:
    """A client's connection, whose sends are counted."""

    def __init__(self, inner: Transport, crash: Crash) -> None:
        self.peer = inner.peer
        self.descriptor = inner.descriptor
        self.receive: Final = inner.receive
        self.readable: Final = inner.readable
        self.writable: Final = inner.writable
        self.end: Final = inner.end
        self.close: Final = inner.close
        self._send: Final = inner.send
        self._crash: Final = crash

    def send(self, data: bytes | bytearray) -> int:
        sent = self._send(data)
        self._crash.sent()
        return sent


def main() -> int:
    """Serve until the point is reached."""
    point, step, *options = sys.argv[1:]
    CrashingJournal.crash = Crash(point, int(step))
    with patch.multiple(daemon, SqliteJournal=CrashingJournal, Server=CrashingServer):
        return serve(options)


if __name__ == "__main__":
    sys.exit(main())
