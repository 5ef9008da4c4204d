"""The process of a server under load: it holds to its core, and answers questions on its standard input.

Each line is a question: ``cpu`` for the seconds that the process has used so far, ``memory`` for the bytes
that it has, ``sample`` to begin noting where its CPU time goes, ``samples`` for what was noted. Each answer
is a line: the word ``answer:``, then JSON.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread
from types import CodeType, FrameType
from typing import Any, Final

import trio

from bench.load import bare
from paiute_server.cli import main as serve_paiute

SAMPLE_S: Final = 0.001
"""Of CPU time, between two samples; most systems take longer, up to 20 ms."""
_LIBRARIES: Final = sysconfig.get_path("purelib")
_ROOTS: Final[Mapping[str, str]] = {
    str(Path(_LIBRARIES, "trio")): "trio",
    **{
        str(Path(str(sys.modules[package].__file__)).parent): package
        for package in ("paiute_server", "paiute_net", "bench.load")
    },
}
"""Folders, and the packages in them. Time in any other is that of whoever called it."""


def main() -> None:
    """``subject CORE SERVER [OPTION ...]``: core -1 for any; a bare server, or ``paiute`` and its options."""
    core, server, *options = sys.argv[1:]
    if int(core) >= 0:
        os.sched_setaffinity(0, {int(core)})
    sampler = Sampler()
    Thread(target=answer, args=(sampler,), daemon=True).start()
    if server in bare.WAYS:
        trio.run(bare.serve, server)
    else:
        sys.exit(serve_paiute(options))


def answer(sampler: Sampler) -> None:
    """Answer questions until there are no more; then whoever asked is gone, and the process with him."""
    answers: Mapping[str, Callable[[], Any]] = {
        "cpu": time.process_time,
        "memory": resident,
        "sample": sampler.start,
        "samples": sampler.stop,
    }
    for question in sys.stdin:
        print("answer:", json.dumps(answers[question.strip()]()), flush=True)
    os.kill(os.getpid(), signal.SIGTERM)


def resident() -> int:
    """The memory that the process has; where the system does not tell, the most that it has had."""
    gc.collect()
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource  # noqa: PLC0415 -- not there on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class Sampler:
    """Counts in which function the process is, again and again."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._names: dict[CodeType, str | None] = {}
        self._can = hasattr(signal, "setitimer")
        if self._can:
            signal.signal(signal.SIGPROF, self._note)

    def start(self) -> None:
        self._counts.clear()
        if self._can:
            signal.setitimer(signal.ITIMER_PROF, SAMPLE_S, SAMPLE_S)

    def stop(self) -> dict[str, int]:
        if self._can:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return dict(self._counts)

    def _note(self, _: int, frame: FrameType | None) -> None:
        while frame is not None:
            name = self._name(frame.f_code)
            if name is not None:
                self._counts[name] += 1
                return
            frame = frame.f_back
        self._counts["other"] += 1

    def _name(self, code: CodeType) -> str | None:
        if code not in self._names:
            self._names[code] = name_of(code)
        return self._names[code]


def name_of(code: CodeType) -> str | None:
    """Module and function, ``trio`` for all of trio; None for a function of another package."""
    file = Path(code.co_filename)
    for root, package in _ROOTS.items():
        if file.is_relative_to(root):
            module = ".".join((package, *file.relative_to(root).with_suffix("").parts))
            return package if package == "trio" else f"{module}.{code.co_qualname}"
    return None


if __name__ == "__main__":
    main()
