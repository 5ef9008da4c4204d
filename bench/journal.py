"""What the journal costs: a commit with either durability, and coming back with many unfinished tables.

``python -m bench.journal --help`` says what can be chosen.
"""

from __future__ import annotations

import argparse
import platform
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import NamedTuple

import trio
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table as Grid

from paiute_net.game.chance import RandomChance
from paiute_net.game.events import HandStarted
from paiute_net.game.house_rules import STANDARD
from paiute_net.game.table import Act, Command, Sit, Start, Table
from paiute_server.journal import Batch, Durability, GroupCommit, SqliteJournal, TableEntry, check
from paiute_server.journal.directory import JOURNAL
from paiute_server.logs import LogFormat, LogLevel, configure

SEATS = 4
QUANTILES = (0.5, 0.99, 0.999)


class Row(NamedTuple):
    """One line of what came out: durations in microseconds, the last the processor's for each commit."""

    what: str
    per_second: float
    quantiles: Sequence[float]
    cpu: float
    bytes_per_step: float


def steps(table_id: str, number: int) -> Iterator[Batch]:
    """The opening of a table of four, and ``number`` steps played by chance."""
    random = Random(table_id)
    chance = RandomChance(random)
    opened = Table.opening(name=table_id, rules=STANDARD, seats=SEATS)
    table = Table(opened)
    yield Batch((TableEntry(table_id, 1, (opened,)),))
    for _ in range(number):
        events = tuple(table.decide(command(table, random), chance))
        checkpoint = table.checkpoint() if isinstance(events[0], HandStarted) else None
        yield Batch((TableEntry(table_id, table.seq + 1, events, checkpoint),))
        for event in events:
            table.evolve(event)


def command(table: Table, random: Random) -> Command:
    """Sit down, start a hand, or act."""
    decision = table.open_decision
    if decision is not None:
        player = table.occupants[decision.seat].player
        return Act(player, decision.number, random.choice(table.legal_actions()))
    if len(table.occupants) < SEATS:
        player = f"player {len(table.occupants)}"
        return Sit(player, player)
    return Start("player 0")


def played(tables: int, number: int) -> list[list[Batch]]:
    """The steps of so many tables, all there before anything is measured."""
    return [list(steps(f"table-{place}", number)) for place in range(tables)]


async def one_by_one(group: GroupCommit, batches: list[list[Batch]]) -> list[float]:
    """Every commit waits for the one before; how long each took, in seconds."""
    took: list[float] = []
    for turn in zip(*batches, strict=True):
        for batch in turn:
            start = perf_counter()
            await group.committed(batch)
            took.append(perf_counter() - start)
        await trio.lowlevel.checkpoint()
    return took


async def at_once(group: GroupCommit, batches: list[list[Batch]]) -> list[float]:
    """Every table commits its next step as soon as its last is stored."""
    took: list[float] = []

    async def play(table: list[Batch]) -> None:
        for batch in table:
            start = perf_counter()
            await group.committed(batch)
            took.append(perf_counter() - start)

    async with trio.open_nursery() as nursery:
        for table in batches:
            nursery.start_soon(play, table)
    return took


Load = Callable[[GroupCommit, list[list[Batch]]], Awaitable[list[float]]]


async def measure(
    directory: Path, what: str, durability: Durability, load: Load, batches: list[list[Batch]]
) -> Row:
    """Commit all with the journal maintained as a server does."""
    with closing(SqliteJournal.open(directory, durability)) as journal:
        group = GroupCommit(journal, lambda tell: tell())
        async with group.running(), trio.open_nursery() as nursery:
            nursery.start_soon(journal.maintain)
            start, cpu = perf_counter(), process_time()
            took = sorted(await load(group, batches))
            whole, cpu = perf_counter() - start, process_time() - cpu
            nursery.cancel_scope.cancel()
    quantiles = [took[int(len(took) * quantile)] * 1e6 for quantile in QUANTILES]
    number, size = len(took), (directory / JOURNAL).stat().st_size
    return Row(what, number / whole, quantiles, cpu / number * 1e6, size / number)


def show(rows: Sequence[Row]) -> None:
    """Print what commits took."""
    versions = f"SQLite {sqlite3.sqlite_version}, Python {platform.python_version()}"
    grid = Grid(title="Commits of one step each", caption=versions, box=SIMPLE, pad_edge=False)
    grid.add_column("durability", no_wrap=True)
    quantiles = [f"p{quantile * 100:g} µs" for quantile in QUANTILES]
    for heading in ("per second", *quantiles, "CPU µs", "bytes"):
        grid.add_column(heading, justify="right")
    for row in rows:
        numbers = (row.per_second, *row.quantiles, row.cpu, row.bytes_per_step)
        grid.add_row(row.what, *(f"{number:,.0f}" for number in numbers))
    Console().print(grid)


def show_recovery(directory: Path, tables: int) -> None:
    """How long a start takes with so many unfinished tables, and a check of them."""
    start = perf_counter()
    with closing(SqliteJournal.open(directory)) as journal:
        recovered = [table.fold() for table in journal.recover().tables]
    took = perf_counter() - start
    events = sum(table.seq for table in recovered)
    print(f"{tables} unfinished tables, {events:,} events: recovered in {took:.2f} s", end=", ")
    start = perf_counter()
    report = check(directory)
    print(f"checked in {perf_counter() - start:.2f} s, faults: {len(report.findings)}")


async def main(tables: int, number: int, unfinished: int) -> None:
    """Measure all, in a temporary directory."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        batches = played(tables, number)
        some = [table[: number // 10] for table in batches]
        show(
            [
                await measure(directory / "1", "normal, one at a time", "normal", one_by_one, batches),
                await measure(directory / "2", f"normal, {tables} at once", "normal", at_once, batches),
                await measure(directory / "3", "full, one at a time", "full", one_by_one, some),
                await measure(directory / "4", f"full, {tables} at once", "full", at_once, batches),
            ]
        )
        with closing(SqliteJournal.open(directory / "5")) as journal:
            for batch in (batch for table in played(unfinished, 100) for batch in table):
                journal.store([batch])
        show_recovery(directory / "5", unfinished)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=50, help="tables that commit (default 50)")
    parser.add_argument("--steps", type=int, default=1000, help="steps of each of them (default 1000)")
    parser.add_argument(
        "--unfinished", type=int, default=1000, help="tables of 100 steps to recover (default 1000)"
    )
    options = parser.parse_args()
    configure(LogFormat.TEXT, LogLevel.WARNING)
    trio.run(main, options.tables, options.steps, options.unfinished)
