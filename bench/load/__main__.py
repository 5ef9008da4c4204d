"""The command ``python -m bench.load``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.load import measurements, report
from bench.load.measurements import Load
from bench.load.process import DRIVER_CORE, SERVER_CORE
from bench.load.report import KIB, Wanted

SIZES: Final = (1, 10, 50, 500)
PARTS: Final = ("load", "paced", "profile", "idle", "recovery")
MOST_WANTED: Final = 50
"""How many tables most of what is wanted speaks of."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is asked for, and print it."""
    args = parser().parse_args(arguments)
    if DRIVER_CORE >= 0:
        os.sched_setaffinity(0, {DRIVER_CORE})
    if DRIVER_CORE == SERVER_CORE:
        print(
            "Driver and server share a core, or cannot be held to one: they hinder each other.",
            file=sys.stderr,
        )
    allow_descriptors()
    report.show_machine()
    with tempfile.TemporaryDirectory(prefix="paiute-load-") as temporary:
        report.show_wanted(measure(args, Path(temporary)))


def measure(args: argparse.Namespace, home: Path) -> list[Wanted]:
    """Measure and print part after part; returns what is wanted of them."""
    loads: list[Load] = []
    paced: list[Load] = []
    parts: Mapping[str, float] = {}
    memory = recovered = None
    if "load" in args.parts:
        loads = measurements.load(args.tables, args.seconds, home)
        report.show_loads("As fast as the servers can", loads)
    if "paced" in args.parts:
        paced = measurements.paced(MOST_WANTED, args.paced_seconds, home)
        report.show_loads(f"{measurements.PACE:g} moves per second at each table", paced)
    if "profile" in args.parts:
        parts = measurements.samples(MOST_WANTED, args.profile_seconds, home)
        report.show_samples(parts)
    if "idle" in args.parts:
        memory = measurements.idle_memory(args.connections, home) / KIB
    if "recovery" in args.parts:
        recovered = measurements.recovery(args.unfinished, home)
    return [
        *report.wanted_of_load(loads, parts),
        *report.wanted_of_paced(paced),
        Wanted(f"memory of each of {args.connections} idle connections", memory, 12, " KiB"),
        Wanted(f"recovery of {args.unfinished} unfinished tables", recovered, 5, " s"),
    ]


def parser() -> argparse.ArgumentParser:
    """What can be chosen."""
    options = argparse.ArgumentParser(
        prog="python -m bench.load",
        description="Drive the server with tables of four scripted players, beside two bare servers.",
    )
    add = options.add_argument
    add(
        "--tables", type=positive, nargs="+", default=SIZES, metavar="N", help="how many; default 1 10 50 500"
    )
    add("--seconds", type=seconds, default=5.0, metavar="S", help="drive each server for so long; default 5")
    add(
        "--paced-seconds",
        type=seconds,
        default=20.0,
        metavar="S",
        help="the same with paced tables; default 20",
    )
    add(
        "--profile-seconds",
        type=seconds,
        default=20.0,
        metavar="S",
        help="drive the profiled one; default 20",
    )
    add("--connections", type=positive, default=1000, metavar="N", help="idle ones; default 1000")
    add("--unfinished", type=positive, default=1000, metavar="N", help="tables to recover; default 1000")
    add("--parts", choices=PARTS, nargs="+", default=PARTS, help="what to measure; default all")
    return options


def positive(text: str) -> int:
    """A number of things, at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is too small, at least 1 is wanted")
    return number


def seconds(text: str) -> float:
    """A duration."""
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text} s is no time to measure in")
    return number


def allow_descriptors() -> None:
    """As many connections as the system lets this process have."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 -- not there on Windows

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


if __name__ == "__main__":
    main()
