"""What is printed, and what is wanted of it."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Final, NamedTuple

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table as Grid

from bench.load.driver import BUSY
from bench.load.measurements import Load

__all__ = [
    "Wanted",
    "show_loads",
    "show_machine",
    "show_samples",
    "show_wanted",
    "wanted_of_load",
    "wanted_of_paced",
]

KIB: Final = 1024
MIB: Final = 1024 * KIB
_CONSOLE: Final = Console(highlight=False, width=max(Console().width, 100))
_LEAST_SHOWN: Final = 0.01
_PARTS: Final[Mapping[str, str]] = {
    "paiute_net.game": "the engine",
    "paiute_net.wire": "the wire",
    "paiute_server.journal": "the journal",
    "paiute_server.arrivals": "sending and receiving",
    "paiute_server.link": "sending and receiving",
    "paiute_server.sender": "sending and receiving",
    "paiute_server": "the rest of the server",
    "trio": "trio",
}
"""Functions by how their names begin; the first that fits."""


class Wanted(NamedTuple):
    """A number that is wanted, and the one measured; None where it was not."""

    what: str
    measured: float | None
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def reached(self) -> bool | None:
        if self.measured is None:
            return None
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit


def show_machine() -> None:
    """What is measured on, and how much else it has to do."""
    programs = [f"{name} {version(name)}" for name in ("trio", "msgpack", "msgspec")]
    busy = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    _CONSOLE.print(f"{python}, {', '.join(programs)}; {os.cpu_count()} cores{busy}")


def show_loads(title: str, loads: Sequence[Load]) -> None:
    """One line for each server and number of tables; times from a move sent to all seats told."""
    grid = Grid(title=title, box=SIMPLE, pad_edge=False, title_justify="left")
    grid.add_column("server")
    for heading in (
        "tables",
        "moves/s",
        "CPU µs\n/move",
        "p50 ms",
        "p99 ms",
        "p99.9 ms",
        "driver\nbusy",
        "journal\nB/move",
    ):
        grid.add_column(heading, justify="right")
    for one in loads:
        driven = one.driven
        grid.add_row(
            one.server,
            str(one.tables),
            f"{driven.per_second:,.0f}",
            f"{one.cpu_per_move * 1e6:.0f}",
            *(f"{driven.quantile(part) * 1e3:.2f}" for part in (0.5, 0.99, 0.999)),
            f"{driven.busy:.0%}" + (" VOID" if driven.void else ""),
            f"{one.journal / one.all_moves:,.0f}" if one.journal else "",
        )
    _CONSOLE.print(grid)
    sizes = [f"{one.journal / MIB:.1f} MiB at {one.tables}" for one in loads if one.journal]
    _CONSOLE.print(f"Size of the journal, after warming up too: {', '.join(sizes)}.")
    if any(one.driven.void for one in loads):
        _CONSOLE.print(
            f"VOID: the driver was busy for more than {BUSY:.0%} of the time, and measured itself."
        )


def show_samples(parts: Mapping[str, float]) -> None:
    """Where the time goes, by parts of the server and by functions."""
    grid = Grid(title="Where the server's CPU time goes", box=SIMPLE, pad_edge=False, title_justify="left")
    grid.add_column("part")
    grid.add_column("of the time", justify="right")
    grid.add_column("its functions")
    for name, share in sorted(by_part(parts).items(), key=lambda one: -one[1]):
        functions = [
            f"{short(function)} {of:.1%}"
            for function, of in parts.items()
            if part_of(function) == name and of >= _LEAST_SHOWN and function != name
        ]
        grid.add_row(name, f"{share:.1%}", "\n".join(functions))
    _CONSOLE.print(grid)


def short(function: str) -> str:
    """The name of a function without the package that its module is in."""
    return function.removeprefix("paiute_net.").removeprefix("paiute_server.")


def by_part(parts: Mapping[str, float]) -> dict[str, float]:
    """The share of each part of the server."""
    shares = dict.fromkeys((*_PARTS.values(), "other"), 0.0)
    for function, share in parts.items():
        shares[part_of(function)] += share
    return shares


def part_of(function: str) -> str:
    return next((part for start, part in _PARTS.items() if function.startswith(start)), "other")


def wanted_of_load(loads: Sequence[Load], parts: Mapping[str, float]) -> list[Wanted]:
    """What 50 tables, and 500 beside 10, should reach."""
    valid = {(one.server, one.tables): one for one in loads if not one.driven.void}

    def speed(than: str) -> float | None:
        ours, theirs = valid.get(("paiute", 50)), valid.get((than, 50))
        return ours.driven.per_second / theirs.driven.per_second if ours and theirs else None

    few, many = valid.get(("paiute", 10)), valid.get(("paiute", 500))
    return [
        Wanted(
            "moves per second beside the bare send_all server", speed("bare send_all"), 1.0, at_least=True
        ),
        Wanted("moves per second beside the bare fast server", speed("bare fast"), 0.5, at_least=True),
        Wanted("the engine's part of a move's CPU", by_part(parts)["the engine"] if parts else None, 0.15),
        Wanted(
            "CPU per move at 500 tables beside 10",
            many.cpu_per_move / few.cpu_per_move if few and many else None,
            1.2,
        ),
    ]


def wanted_of_paced(loads: Sequence[Load]) -> list[Wanted]:
    """What paced tables should reach."""
    p99 = {one.server: one.driven.quantile(0.99) for one in loads}
    measured = p99["paiute"] / p99["bare send_all"] if p99 else None
    return [Wanted("paced p99 beside the bare send_all server", measured, 1.5)]


def show_wanted(wanted: Sequence[Wanted]) -> None:
    """Each number wanted, and whether it was reached."""
    grid = Grid(title="Wanted", box=SIMPLE, pad_edge=False, title_justify="left")
    for heading in ("what", "wanted", "measured", ""):
        grid.add_column(heading)
    verdicts = {True: "reached", False: "NOT REACHED", None: "not measured"}
    for one in wanted:
        grid.add_row(
            one.what,
            f"{'at least' if one.at_least else 'at most'} {one.limit:g}{one.unit}",
            "" if one.measured is None else f"{one.measured:.2f}{one.unit}",
            verdicts[one.reached],
        )
    _CONSOLE.print(grid)
