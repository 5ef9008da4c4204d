"""What is measured of servers under load. Servers that are compared take turns, so that what else the machine
does hits all of them alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Final

from bench.load import bare
from bench.load.driver import Driven, Driver
from bench.load.process import Subject, paiute
from bench.load.tables import bare_table, hello, paiute_table, request

__all__ = ["PACE", "SERVERS", "Load", "idle_memory", "load", "paced", "recovery", "samples"]

SERVERS: Final = ("paiute", *bare.WAYS)
TURN_S: Final = 1.0
"""How long a server is driven before it is another's turn; no client that waits may be taken for gone."""
WARM_UP_S: Final = 0.3
PACE: Final = 2.0
"""Moves per second at each paced table."""


@dataclass
class Load:
    """One server with so many tables, and what came of driving it."""

    server: str
    tables: int
    driven: Driven = field(default_factory=Driven)
    cpu: float = 0.0
    """Of the server, in seconds."""
    journal: int = 0
    """Bytes on disk at the end."""
    all_moves: int = 0
    """The moves that are in the journal."""

    @property
    def cpu_per_move(self) -> float:
        return self.cpu / self.driven.moves


class Running:
    """A server with its tables, ready to be driven."""

    def __init__(self, server: str, tables: int, data: Path) -> None:
        self.load = Load(server, tables)
        self._data = data
        if server == "paiute":
            self.subject, make = paiute(data), paiute_table
        else:
            self.subject, make = Subject(server), bare_table
        self.driver = Driver([make(self.subject.port) for _ in range(tables)])

    def warm_up(self) -> None:
        self.load.all_moves += self.driver.run(WARM_UP_S).moves

    def drive(self, seconds: float, pace: float | None = None) -> None:
        before = self.subject.cpu
        driven = self.driver.run(seconds, pace)
        self.load.cpu += self.subject.cpu - before
        self.load.driven += driven
        self.load.all_moves += driven.moves
        self.load.journal = sum(file.stat().st_size for file in self._data.glob("*") if file.is_file())

    def close(self) -> None:
        self.driver.close()
        self.subject.kill()


def load(sizes: Sequence[int], seconds: float, home: Path) -> list[Load]:
    """Each server with each number of tables, as fast as it can."""
    return _in_turns([(server, size) for size in sizes for server in SERVERS], seconds, None, home / "load")


def paced(tables: int, seconds: float, home: Path) -> list[Load]:
    """Each server with tables that move now and then."""
    return _in_turns([(server, tables) for server in SERVERS], seconds, PACE, home / "paced")


def _in_turns(
    wanted: Sequence[tuple[str, int]], seconds: float, pace: float | None, home: Path
) -> list[Load]:
    with ExitStack() as resources:
        running: list[Running] = []
        for server, tables in sorted(wanted, key=lambda one: -one[1]):
            running.append(Running(server, tables, home / f"{server} {tables}"))
            resources.callback(running[-1].close)
        for one in running:
            one.warm_up()
        for _ in range(max(1, round(seconds / TURN_S))):
            for one in running:
                one.drive(min(seconds, TURN_S), pace)
        loads = {(one.load.server, one.load.tables): one.load for one in running}
    return [loads[one] for one in wanted]


def samples(tables: int, seconds: float, home: Path) -> Mapping[str, float]:
    """In which functions our server spends its time: their parts of it, the greatest first."""
    running = Running("paiute", tables, home / "samples")
    try:
        running.warm_up()
        running.subject.ask("sample")
        running.drive(seconds)
        counts = Counter[str](running.subject.ask("samples"))
    finally:
        running.close()
    return {function: count / counts.total() for function, count in counts.most_common()}


def idle_memory(connections: int, home: Path) -> float:
    """Bytes of memory that a connection takes that has said hello and nothing since."""
    subject = paiute(home / "idle")
    warm = [hello(subject.port) for _ in range(32)]
    try:
        before = subject.memory
        seats = [hello(subject.port) for _ in range(connections)]
        after = subject.memory
    finally:
        subject.kill()
    for seat in (*warm, *seats):
        seat.socket.close()
    return (after - before) / connections


def recovery(tables: int, home: Path) -> float:
    """How long our server takes from its start until it is ready again with so many unfinished tables.

    It is killed in the middle of a hand at each of them.

    Raises:
      RuntimeError: not all tables are there again.
    """
    running = Running("paiute", tables, home / "recovery")
    try:
        running.driver.run(max(WARM_UP_S, tables / 100))
    finally:
        running.close()
    start = perf_counter()
    subject = paiute(home / "recovery")
    took = perf_counter() - start
    try:
        there = count_tables(subject.port)
    finally:
        subject.kill()
    if there != tables:
        raise RuntimeError(f"of {tables} tables, {there} have come back")
    return took


def count_tables(port: int) -> int:
    """How many tables the lobby lists."""
    seat, after, there = hello(port), None, 0
    while True:
        page = request(seat, "list-tables", after=after)
        there += len(page["tables"])
        after = page["next"]
        if after is None:
            seat.socket.close()
            return there
