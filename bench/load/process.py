"""Starting a server under load in a process of its own, and asking it what it uses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import IO, Any, Final

__all__ = ["DRIVER_CORE", "SERVER_CORE", "Subject", "paiute"]

ROOT: Final = Path(__file__).resolve().parents[2]
READY: Final = re.compile(r"Ready on port (\d+)")
MANY: Final = "20000"
ANSWER: Final = "answer: "


def _cores() -> tuple[int, int]:
    if not hasattr(os, "sched_getaffinity"):
        return -1, -1
    mine = sorted(os.sched_getaffinity(0))
    return mine[0], mine[-1]


DRIVER_CORE, SERVER_CORE = _cores()
"""As this process found them, before it was held to one; -1 where processes cannot be."""


class Subject:
    """A running server, ``server`` being its name among `bare.WAYS`, or ``paiute``."""

    def __init__(self, server: str, *options: str) -> None:
        self.server: Final = server
        self._process = subprocess.Popen(  # noqa: S603 - the program is this one
            [sys.executable, "-m", "bench.load.subject", str(SERVER_CORE), server, *options],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        ready = READY.search(self._line())
        if ready is None:
            raise RuntimeError(f"the first line of {server} does not say its port")
        self.port: Final = int(ready[1])

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        if pipe is None:
            raise AssertionError("the process has been started with pipes")
        return pipe

    def _line(self) -> str:
        line = self._pipe(self._process.stdout).readline()
        if not line:
            raise RuntimeError(f"{self.server} has ended, with status {self._process.wait()}")
        return line

    @property
    def cpu(self) -> float:
        """Seconds of CPU used so far."""
        return float(self.ask("cpu"))

    @property
    def memory(self) -> int:
        """Bytes of memory, without garbage."""
        return int(self.ask("memory"))

    def ask(self, question: str) -> Any:  # noqa: ANN401 - what JSON can hold
        """The answer to a question of `bench.load.subject`."""
        to = self._pipe(self._process.stdin)
        to.write(question + "\n")
        to.flush()
        while not (line := self._line()).startswith(ANSWER):
            pass  # what the server says to people
        return json.loads(line.removeprefix(ANSWER))

    def kill(self) -> None:
        """End it at once, as a fault would."""
        self._process.kill()
        self._process.communicate()


def paiute(data: Path) -> Subject:
    """Our server as it runs by default, but for limits that one machine with all players would meet."""
    most = (f"--max-connections={MANY}", f"--max-connections-per-address={MANY}")
    options = ("--host=127.0.0.1", "--port=0", f"--data={data}", "--log-level=warning", *most)
    return Subject("paiute", *options)
