"""Many clients who send whole bunches of requests over sockets, and come, go and replace each other.

Each request is answered once and in its turn, and what a client is told of a table has no gap, and is stored.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from random import Random
from typing import Any, Final, cast

import msgspec
import pytest
import trio

from paiute_net.game.seen import PlayerLeft, SeenEvent
from paiute_net.wire.codec import encode
from paiute_net.wire.messages import (
    CatchUp,
    Closing,
    CreateTable,
    Decision,
    Error,
    GetAccounts,
    Hello,
    HelloResult,
    JoinTable,
    LeaveTable,
    ListTables,
    Ok,
    Replaced,
    Request,
    Say,
    Snapshot,
    StartHand,
)
from paiute_server.arrivals import Arrivals, Gathering, StartSoon, TaskForEach, best_arrivals
from paiute_server.journal import Batch, Journal, JournalError, MemoryJournal, SqliteJournal
from paiute_server.journal.sqlite import Durability
from paiute_server.limits import Rate
from paiute_server.link import SocketTransport
from tests.support.raw_client import LinkEnded, RawClient, random_action
from tests.support.server import RunningServer, running_server
from tests.support.tables import CALM

PLACES: Final = 6
ACTS: Final = 200
PATIENCE_S: Final = 10.0
FAILS: Final = 0.05
MOVES: Final = 10
UNHURRIED: Final = Rate(1e6, 1_000_000)
LIMITS: Final = msgspec.structs.replace(
    CALM, requests=UNHURRIED, chat=UNHURRIED, chat_together=UNHURRIED, sittings=UNHURRIED, max_tables=2
)


class Stored:
    """What a journal has stored, which fails now and then."""

    def __init__(self, journal: Journal, random: Random) -> None:
        self.last: dict[str, int] = {}
        self._store = journal.store
        self._random = random
        cast("Any", journal).store = self.store

    def store(self, batches: Sequence[Batch]) -> None:
        if self._random.random() < FAILS:
            raise JournalError("the disk is full")
        self._store(batches)
        self.last.update((entry.table, entry.last) for batch in batches for entry in batch.tables)


class Witness(RawClient):
    """A client who notices at once whatever he should not have been told then."""

    def __init__(self, port: int, stored: Stored) -> None:
        super().__init__(SocketTransport(socket.create_connection(("127.0.0.1", port)), "witness"))
        self.asked: deque[Request] = deque()
        """What is not answered yet."""
        self.ended_by_server = False
        self.decision: Decision | None = None
        self.table: str | None = None
        self.me: HelloResult | None = None
        self.seqs: dict[str, int] = {}
        """Up to which event he knows the tables that he follows."""
        self._stored = stored
        self._snapshot_due = False
        self._asks = 0

    def framed(self, kind: type[Request], **fields: object) -> bytes:
        """A request, for which he expects an answer."""
        self._asks += 1
        request = cast("Any", kind)(id=str(self._asks), **fields)
        self.asked.append(request)
        return encode(request)

    async def listen(self) -> None:
        """Until all is answered, or the link ends."""
        with suppress(LinkEnded), trio.fail_after(PATIENCE_S):
            while self.asked:
                await self._read()
        assert not self.asked or self.ended_by_server

    async def _read(self) -> None:
        await super()._read()
        for message in self.chunks.pop() if self.chunks else ():
            assert not self.ended_by_server, f"{message} follows the last word"
            assert not self._snapshot_due or isinstance(message, Snapshot)
            self._note(message)

    def _note(self, message: object) -> None:
        self._snapshot_due = False
        match message:
            case Ok() | Error():
                request = self.asked.popleft()
                assert message.re == request.id
                if isinstance(message, Ok):
                    self._note_answer(request, message)
            case Snapshot(picture=picture, decision=decision):
                self.table = picture.table
                self.seqs[picture.table] = picture.seq
                self.decision = decision if decision and decision.actions else None
            case SeenEvent(table=table, seq=seq):
                assert self.seqs[table] + 1 == seq <= self._stored.last[table]
                self.seqs[table] = seq
                if isinstance(message, PlayerLeft) and self.me and message.player == self.me.player:
                    self.table = None
                    del self.seqs[table]
            case Decision(table=table, actions=actions):
                assert table in self.seqs
                self.decision = message if actions is not None else None
            case Replaced() | Closing():
                self.ended_by_server = True
            case _:
                pass

    def _note_answer(self, request: Request, answer: Ok) -> None:
        match request:
            case Hello():
                self.me = msgspec.convert(answer.result, HelloResult)
                self.table = self.me.table
            case JoinTable():
                self._snapshot_due = True
            case CatchUp(table=table, seq=seq):
                self.table = table
                self._snapshot_due = seq is None
                self.seqs |= {} if seq is None else {table: seq}
            case LeaveTable(table=table):
                assert table not in self.seqs
                self.table = None
            case _:
                pass


class Crowd:
    """Witnesses, and what they do by chance."""

    def __init__(self, running: RunningServer, stored: Stored, random: Random) -> None:
        self.running = running
        self._stored = stored
        self._random = random
        self.witnesses: list[Witness] = []

    async def come(self, token: str | None = None) -> None:
        witness = Witness(self.running.port, self._stored)
        self.running.clients.append(witness)
        self.witnesses.append(witness)
        await witness.send(witness.framed(Hello, versions=(1,), token=token))

    async def act(self) -> None:
        """Somebody does something, and does not wait for what comes of it."""
        asked = [witness for witness in self.witnesses if witness.decision is not None]
        witness = self._random.choice(asked if asked and self._random.random() < 0.5 else self.witnesses)
        if witness.me is None:
            await witness.listen()
        if witness.me is None:  # he could not be recorded
            self.witnesses.remove(witness)
            await self.come()
            return
        with suppress(ConnectionError):  # replaced, and does not know it yet
            await witness.send(b"".join(self.some(witness)))
        match self._random.randrange(25):
            case 0:
                await self.come(witness.me.token)
            case 1:
                self.witnesses.remove(witness)
                witness.close()
                await self.come(witness.me.token)
            case 2:
                self.witnesses.remove(witness)
                with suppress(OSError):
                    witness.end()
                await witness.listen()
                await self.come(witness.me.token)
            case _:
                await trio.lowlevel.checkpoint()

    def some(self, witness: Witness) -> list[bytes]:
        return [self.one(witness) for _ in range(self._random.choice((1, 1, 2, 5, 9)))]

    def one(self, witness: Witness) -> bytes:
        """Something to ask for, mostly something that makes sense."""
        random, asked = self._random, witness.decision
        rooms = [room.table for room in self.running.server.lobby]
        table = witness.table or (random.choice(rooms) if rooms else "none")
        if asked is not None and random.random() < 0.9:
            witness.decision = None
            kind, fields = random_action(asked, random)
            return witness.framed(kind, table=asked.table, decision=asked.decision, **fields)
        if witness.table is not None and table not in witness.seqs and random.random() < 0.7:
            return witness.framed(CatchUp, table=table)
        if witness.table is None and rooms and random.random() < 0.7:
            return witness.framed(JoinTable, table=table)
        asks: list[Callable[[], bytes]] = [
            lambda: witness.framed(CreateTable, switches={"round_limit": 2}),
            lambda: witness.framed(JoinTable, table=table),
            lambda: witness.framed(StartHand, table=table),
            lambda: witness.framed(StartHand, table=table),
            lambda: witness.framed(CatchUp, table=table),
            lambda: witness.framed(CatchUp, table=table, seq=witness.seqs.get(table)),
            lambda: witness.framed(GetAccounts, table=table),
            lambda: witness.framed(Say, table=table, text="aloha"),
            lambda: witness.framed(ListTables),
            *([lambda: witness.framed(LeaveTable, table=table)] if random.random() < 0.1 else []),
        ]
        return random.choice(asks)()

    async def listen(self) -> None:
        """Everybody hears the answers to all that he asked."""
        for witness in self.witnesses:
            await witness.listen()
        self.witnesses = [witness for witness in self.witnesses if not witness.ended_by_server]


def with_a_task_for_each(start_soon: StartSoon, _: Gathering) -> Arrivals:
    return TaskForEach(start_soon)


@asynccontextmanager
async def crowd(journal: Journal, seed: int) -> AsyncGenerator[Crowd]:
    stored = Stored(journal, Random(seed))
    async with running_server(seed=seed, journal=journal, limits=LIMITS) as running:
        try:
            yield Crowd(running, stored, Random(seed))
        finally:
            for client in running.clients:
                client.close()


every_journal = pytest.mark.parametrize("durability", [None, "normal", "full"])
every_way = pytest.mark.parametrize("arrivals", [best_arrivals, with_a_task_for_each])


@every_way
@every_journal
async def test_whoever_asks_much_at_once_is_answered_in_turn(
    arrivals: object, durability: Durability | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paiute_server.server.best_arrivals", arrivals)
    journal = MemoryJournal() if durability is None else SqliteJournal.open(tmp_path / "data", durability)
    with closing(journal):
        async with crowd(journal, seed=1) as here:
            for _ in range(PLACES):
                await here.come()
            for number in range(ACTS):
                await here.act()
                if number % 4 == 0:
                    await here.listen()
            await here.listen()
            assert here.running.server.metrics.moves > MOVES
            for client in here.running.clients:
                client.close()
            with trio.fail_after(PATIENCE_S):
                while here.running.server.connections:
                    await trio.lowlevel.checkpoint()
