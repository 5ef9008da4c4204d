"""Measuring contestants side by side, and showing what came out."""

from __future__ import annotations

import gc
import importlib
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from time import perf_counter
from typing import Any, NamedTuple

INSTALL = "pip install '.[bench]'"

try:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
except ModuleNotFoundError:
    sys.exit(f"rich is not installed, and the results are shown with it; {INSTALL} installs it")

__all__ = ["Contestant", "Rate", "load", "measure", "show"]

Run = Callable[[], int]
"""Does fresh work and returns how many things it did."""


class Contestant(NamedTuple):
    """Who is measured; all contestants have equally many runs."""

    distribution: str
    """The installed package that it comes from."""
    name: str
    runs: Sequence[Run]


class Rate(NamedTuple):
    """What came out for a contestant."""

    distribution: str
    name: str
    per_second: float


def load(module: str) -> Any:  # noqa: ANN401 - a package without types
    """A package to measure beside; None, and a word about it on stderr, if it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name != module:
            raise
        print(f"{module} is not installed and is left out; {INSTALL} installs it", file=sys.stderr)
        return None


def measure(contestants: Iterable[Contestant]) -> list[Rate]:
    """The rate of each contestant's fastest run.

    They take turns, so what else the machine does hits all alike; the fastest run is the one it hit least.
    """
    every = list(contestants)
    gc.collect()
    gc.disable()
    try:
        turns = [
            [per_second(run) for run in turn] for turn in zip(*(each.runs for each in every), strict=True)
        ]
    finally:
        gc.enable()
    fastest = [max(rates) for rates in zip(*turns, strict=True)]
    return [Rate(each.distribution, each.name, rate) for each, rate in zip(every, fastest, strict=True)]


def per_second(run: Run) -> float:
    """How many things one run does per second."""
    start = perf_counter()
    done = run()
    return done / (perf_counter() - start)


def show(title: str, rates: Sequence[Rate], *, beside: str) -> None:
    """Print the rates as a table.

    Each contestant from the distribution ``beside`` has a column of how many times its rate the others reach.
    """
    references = [each for each in rates if each.distribution == beside]
    table = Table(title=title, caption=versions(rates), box=SIMPLE, pad_edge=False)
    table.title_justify = table.caption_justify = "left"
    for heading in ("package", "call"):
        table.add_column(heading)
    for heading in ("per second", *(f"times\n{reference.name}" for reference in references)):
        table.add_column(heading, justify="right")
    for each in rates:
        ratios = [f"{each.per_second / reference.per_second:.2f}" for reference in references]
        table.add_row(each.distribution, each.name, f"{each.per_second:,.0f}", *ratios)
    Console().print(table)


def versions(rates: Sequence[Rate]) -> str:
    """What was measured, and on which Python."""
    distributions = dict.fromkeys(each.distribution for each in rates)
    measured = [f"{distribution} {version(distribution)}" for distribution in distributions]
    return ", ".join([*measured, f"{platform.python_implementation()} {platform.python_version()}"])
