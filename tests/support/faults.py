"""Neighbours: a table whose players do nothing wrong, and how long each of their moves takes.

In a server in memory no move takes any time of the clock, whoever else is there; what it does take is rounds
of the event loop. In each round every connection is served once at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar, Final, NamedTuple

import msgspec
import trio

from paiute_net.game.seen import HandEnded
from paiute_net.wire.messages import CreateTable, Decision, Error, StartHand, TableResult
from paiute_server.done import Done
from paiute_server.journal import Batch, GroupCommit, JournalError, MemoryJournal
from tests.support.raw_client import Denied, RawClient, random_action
from tests.support.server import RunningServer

__all__ = ["STALL_S", "Cost", "LateCommits", "Neighbours", "PatchyJournal", "Rounds", "p99"]


STALL_S: Final = 5.0


class Rounds(trio.abc.Instrument):
    """Counts the rounds of the event loop, and the steps of all tasks."""

    def __init__(self) -> None:
        self.rounds = 0
        self.steps = 0

    def before_io_wait(self, timeout: float) -> None:
        self.rounds += 1

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self.steps += 1


class Cost(NamedTuple):
    """What a move took from being sent until all were told: rounds of the loop, and seconds."""

    rounds: int
    seconds: float


class Neighbours:
    """Players at a table of their own; `move` lets whoever is asked move.

    Attributes:
      waits_for_others: somebody is asked who is none of them.
    """

    def __init__(self, clients: Sequence[RawClient], table: str) -> None:
        self.clients: Final = clients
        self.table: Final = table
        self._random = Random(1)
        self.waits_for_others = False
        self._asked: tuple[RawClient, Decision] | None = None
        self._loop = Rounds()

    @classmethod
    async def sit_down(
        cls, running: RunningServer, name: str = "Neighbour", players: int = 3, time_limit_ms: int | None = 0
    ) -> Neighbours:
        clients = [await running.client(f"{name} {'ABCDEFGH'[place]}") for place in range(players)]
        opened = await clients[0].ask(CreateTable, TableResult, name=name, time_limit_ms=time_limit_ms)
        table = opened.table
        for client in clients:
            await client.sit(table)
        return cls(clients, table)

    async def move(self) -> Cost:
        """The next move, or the start of the next hand."""
        started = trio.current_time()
        trio.lowlevel.add_instrument(self._loop)
        before = self._loop.rounds
        try:
            await self.ask()
            await self.told()
        finally:
            trio.lowlevel.remove_instrument(self._loop)
        return Cost(self._loop.rounds - before, trio.current_time() - started)

    @property
    def asked(self) -> RawClient:
        """Whose move is next; between hands, who starts one."""
        return self.clients[0] if self._asked is None else self._asked[0]

    async def ask(self) -> None:
        """Send it, and wait for nothing; there is nothing to send if somebody else is asked."""
        if self._asked is not None:
            client, decision = self._asked
            kind, fields = random_action(decision, self._random)
            await client.request(kind, table=self.table, decision=decision.decision, **fields)
        elif not self.waits_for_others:
            await self.asked.request(StartHand, table=self.table)

    async def told(self) -> None:
        """Return when all have been told of it; raises Denied if it was refused."""
        asked: tuple[RawClient, Decision] | None = None
        going_on = False
        for client in sorted(self.clients, key=lambda client: client is not self.asked):
            heard = await client.hear(msgspec.Struct)
            while not isinstance(heard, Decision | HandEnded):
                if isinstance(heard, Error):
                    raise Denied(heard)
                heard = await client.hear(msgspec.Struct)
            going_on = isinstance(heard, Decision)
            if isinstance(heard, Decision) and heard.actions is not None:
                asked = (client, heard)
        self._asked = asked
        self.waits_for_others = going_on and asked is None


def p99(costs: Sequence[Cost]) -> float:
    """The rounds that 99 of 100 moves need at most."""
    rounds = sorted(cost.rounds for cost in costs)
    return rounds[len(rounds) * 99 // 100]


class PatchyJournal(MemoryJournal):
    """Does not store what concerns some tables: ``fails`` says for how many steps more it does."""

    def __init__(self) -> None:
        super().__init__()
        self.fails: dict[str, int] = {}

    def store(self, batches: Sequence[Batch]) -> None:
        tables = {entry.table for batch in batches for entry in batch.tables} & self.fails.keys()
        if any(self.fails[table] == 0 for table in tables):
            raise JournalError("the disk has failed")
        for table in tables:
            self.fails[table] -= 1
        super().store(batches)


class LateCommits(GroupCommit):
    """Takes ``STALL_S`` longer to store what concerns the tables in ``stalls``."""

    stalls: ClassVar[set[str]] = set()

    def commit(self, batch: Batch, done: Done) -> None:
        if {entry.table for entry in batch.tables} & self.stalls:
            trio.lowlevel.spawn_system_task(self._commit_late, batch, done)
        else:
            super().commit(batch, done)

    async def _commit_late(self, batch: Batch, done: Done) -> None:
        await trio.sleep(STALL_S)
        super().commit(batch, done)
