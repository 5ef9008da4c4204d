"""What one bad client, or a busy disk, costs the others: ``python -m bench.faults``.

Tables that move now and then are driven with and without each kind of mischief, in turns of the same
run. Side by side stands what a move took, the median of the turns' p50 and p99, and beside the ratio of
those that of the best turns: what else the machine does can hinder any turn, and hardly all of them.

Mischief is done by a process of its own, which gives way to the driver.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any, Final

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table as Grid

from bench.load.driver import Driven, Driver
from bench.load.process import DRIVER_CORE, ROOT, paiute
from bench.load.tables import framed, paiute_table

TABLES: Final = 20
PACE: Final = 10.0
"""Moves per second at each table."""
TURN_S: Final = 2.0
SETTLE_S: Final = 0.5
"""After mischief begins, and after it ends."""
WANTED: Final = 1.2
SILENT: Final = 500
AGAIN_S: Final = 1.0
"""After which who was cut off comes back."""

_HELLO: Final = framed({"type": "hello", "id": "1", "versions": [1]})


# --- mischief -----------------------------------------------------------------------------------------------


def connected(port: int) -> socket.socket:
    """A connection to the server."""
    return socket.create_connection(("127.0.0.1", port), 10)


def silence(port: int, _: Path) -> None:
    """As many connections as one may have, and not a word; those that are closed are opened again."""
    while True:
        held = [connected(port) for _ in range(SILENT)]
        time.sleep(12)
        for one in held:
            one.close()


def drip(port: int, _: Path) -> None:
    """A byte a second, on each of some connections."""
    held = [connected(port) for _ in range(20)]
    while True:
        for one in held:
            with suppress(OSError):
                one.send(b"\0")
        time.sleep(1)


def garbage(port: int, _: Path) -> None:
    """What is no frame, twenty times a second."""
    while True:
        with suppress(OSError), connected(port) as one:
            one.sendall(os.urandom(1000))
        time.sleep(0.05)


def deaf(port: int, _: Path) -> None:
    """Asks and does not read, until it is cut off."""
    while True:
        with suppress(OSError), connected(port) as one:
            one.sendall(_HELLO)
            while True:
                one.sendall(framed({"type": "list-tables", "id": "2"}))
                time.sleep(0.05)


def flood(message: Mapping[str, Any]) -> Callable[[int, Path], None]:
    """One that says the same as fast as it can until it is cut off, and comes back."""

    def again_and_again(port: int, _: Path) -> None:
        much = framed(message) * 50
        while True:
            with suppress(OSError), connected(port) as one:
                one.sendall(_HELLO + framed({"type": "watch-lobby", "id": "2", "on": True}))
                while True:
                    one.sendall(much)
            time.sleep(AGAIN_S)

    return again_and_again


def busy_disk(_: int, data: Path) -> None:
    """Another program writes much beside the journal, and waits for the disk."""
    much = os.urandom(1 << 22)
    with (data / "other").open("wb", buffering=0) as file:
        while True:
            file.seek(0)
            file.write(much)
            os.fsync(file.fileno())


MISCHIEF: Final[Mapping[str, Callable[[int, Path], None]]] = {
    "silence": silence,
    "a byte a second": drip,
    "garbage": garbage,
    "does not read": deaf,
    "a flood of questions": flood({"type": "list-tables", "id": "3"}),
    "a flood of chat": flood({"type": "say", "id": "3", "text": "x" * 400}),
    "a flood of moves": flood({"type": "draw", "id": "3", "table": "t", "decision": 1, "source": "stock"}),
    "a busy disk": busy_disk,
}


@contextmanager
def going_on(kind: str, port: int, data: Path) -> Generator[None]:
    """Mischief of that kind, in a process that is ended with the block."""
    process = subprocess.Popen(  # noqa: S603 - the program is this one
        [sys.executable, "-m", "bench.faults", "--do", kind, str(port), str(data)], cwd=ROOT
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def do(kind: str, port: str, data: str) -> None:
    """Do mischief until killed."""
    if DRIVER_CORE >= 0:
        os.sched_setaffinity(0, {DRIVER_CORE})
    if hasattr(os, "nice"):
        os.nice(19)
    MISCHIEF[kind](int(port), Path(data))


# --- measuring ----------------------------------------------------------------------------------------------


def measure(kind: str, turns: int) -> tuple[list[Driven], list[Driven]]:
    """The turns without and with mischief of that kind."""
    without: list[Driven] = []
    with_it: list[Driven] = []
    with tempfile.TemporaryDirectory(prefix="paiute-faults-") as home:
        subject = paiute(Path(home, "data"))
        driver = Driver([paiute_table(subject.port) for _ in range(TABLES)])
        try:
            driver.run(SETTLE_S, PACE)
            for _ in range(turns):
                without.append(driver.run(TURN_S, PACE))
                with going_on(kind, subject.port, Path(home, "data")):
                    driver.run(SETTLE_S, PACE)
                    with_it.append(driver.run(TURN_S, PACE))
                driver.run(SETTLE_S, PACE)
        finally:
            driver.close()
            subject.kill()
    return without, with_it


def typical(turns: Sequence[Driven], part: float) -> float:
    """The median of what the turns have."""
    return median(turn.quantile(part) for turn in turns)


def main() -> None:
    """Measure every kind, and print what each costs the others."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("--turns", type=int, default=10, help=f"of {TURN_S:g} s each, %(default)s by default")
    parser.add_argument("--only", choices=MISCHIEF, help="measure this alone")
    parser.add_argument("--do", nargs=3, metavar=("KIND", "PORT", "DATA"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.do:
        do(*args.do)
    if DRIVER_CORE >= 0:
        os.sched_setaffinity(0, {DRIVER_CORE})
    if hasattr(os, "getloadavg"):
        print(f"Load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")
    grid = Grid(title=f"{TABLES} tables of 4, {PACE:g} moves a second each", box=SIMPLE, title_justify="left")
    grid.add_column("mischief")
    for heading in ("p50 ms", "with", "p99 ms", "with", "ratio", "of the best", f"{WANTED:g} wanted"):
        grid.add_column(heading, justify="right")
    for kind in [args.only] if args.only else MISCHIEF:
        without, with_it = measure(kind, args.turns)
        ratio = typical(with_it, 0.99) / typical(without, 0.99)
        best = min(turn.quantile(0.99) for turn in with_it) / min(turn.quantile(0.99) for turn in without)
        numbers = [typical(one, part) * 1e3 for part in (0.5, 0.99) for one in (without, with_it)]
        verdict = "reached" if ratio <= WANTED else "NOT REACHED"
        grid.add_row(kind, *(f"{number:.2f}" for number in [*numbers, ratio, best]), verdict)
    Console(width=110).print(grid)


if __name__ == "__main__":
    main()
