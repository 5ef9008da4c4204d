"""Driving tables: each sends its next move when all have been told of the last, or when its time comes."""

from __future__ import annotations

import gc
import selectors
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from random import Random
from time import perf_counter, process_time
from typing import Final

from bench.load.tables import SEATS, Table

__all__ = ["BUSY", "Driven", "Driver"]

BUSY: Final = 0.8
"""A driver that is busy for more of the time measures itself."""
STUCK_S: Final = 30.0


@dataclass
class Driven:
    """What one or several runs of a driver came to; times in seconds."""

    took: float = 0.0
    driver_cpu: float = 0.0
    latencies: list[float] = field(default_factory=list[float])
    """From a move sent to all seats told, for each move."""

    def __iadd__(self, other: Driven) -> Driven:
        self.took += other.took
        self.driver_cpu += other.driver_cpu
        self.latencies += other.latencies
        return self

    @property
    def moves(self) -> int:
        return len(self.latencies)

    @property
    def per_second(self) -> float:
        return self.moves / self.took

    @property
    def busy(self) -> float:
        """How much of the time the driver itself was busy."""
        return self.driver_cpu / self.took

    @property
    def void(self) -> bool:
        return self.busy > BUSY

    def quantile(self, part: float) -> float:
        return sorted(self.latencies)[min(int(self.moves * part), self.moves - 1)]


class Driver:
    """Plays all tables of one server, in runs with pauses between them."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables: Final = tables
        self._selector = selectors.DefaultSelector()
        for table in tables:
            for seat in table.seats:
                self._selector.register(seat.socket, selectors.EVENT_READ, seat)

    def close(self) -> None:
        for table in self._tables:
            for seat in table.seats:
                seat.socket.close()
        self._selector.close()

    def run(self, seconds: float, pace: float | None = None) -> Driven:
        """Play for so long, then let all moves under way be told.

        Args:
          pace: moves per second at each table; None for as many as the server manages.
        """
        driven = Driven()
        gc.collect()
        gc.disable()
        cpu, start = process_time(), perf_counter()
        try:
            if pace is None:
                self._play(start + seconds, driven)
            else:
                self._play_paced(start + seconds, 1 / pace, driven)
        finally:
            gc.enable()
        driven.took = perf_counter() - start
        driven.driver_cpu = process_time() - cpu
        return driven

    def _play(self, end: float, driven: Driven) -> None:
        for table in self._tables:
            send(table)
        under_way = len(self._tables)
        while under_way:
            for table in self._told(STUCK_S):
                now = perf_counter()
                driven.latencies.append(now - table.sent)
                if now < end:
                    send(table)
                else:
                    under_way -= 1

    def _play_paced(self, end: float, interval: float, driven: Driven) -> None:
        """The first moves are spread over one interval; what is due while a move is under way follows it."""
        start, random = perf_counter(), Random(1)
        due = [(start + random.random() * interval, place) for place in range(len(self._tables))]
        heapify(due)
        places = {id(table): place for place, table in enumerate(self._tables)}
        under_way = 0
        while under_way or due:
            while due and (due[0][0] <= perf_counter()):
                _, place = heappop(due)
                send(self._tables[place])
                under_way += 1
            for table in self._told(max(0.0, due[0][0] - perf_counter()) if due else STUCK_S):
                now = perf_counter()
                driven.latencies.append(now - table.sent)
                under_way -= 1
                following = max(now, table.sent + interval)
                if following < end:
                    heappush(due, (following, places[id(table)]))

    def _told(self, timeout: float) -> list[Table]:
        """Read what has arrived; returns the tables of which all seats have been told now."""
        told: list[Table] = []
        ready = self._selector.select(timeout)
        if not ready and timeout == STUCK_S:
            raise RuntimeError(f"the server has told nothing for {STUCK_S:g} s")
        for key, _ in ready:
            seat = key.data
            table = seat.table
            for body in seat.frames():
                table.hear(seat, body)
            if table.told >= SEATS:
                table.told = 0
                told.append(table)
        return told


def send(table: Table) -> None:
    """Send the table's next move."""
    seat, frame = table.move()
    table.sent = perf_counter()
    seat.socket.send(frame)
