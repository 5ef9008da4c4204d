"""Many tables over one real journal: nobody is told what is not yet stored, or not durable if it shall be."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from random import Random

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from paiute_net.game.seen import HandEnded, PackCut, SeenEvent
from paiute_net.wire.messages import Decision, MakeCut, StartHand
from paiute_server.journal import Durability, SqliteJournal, check
from paiute_server.journal.directory import JOURNAL
from tests.support.raw_client import RawClient
from tests.support.server import RunningServer, memory_server
from tests.support.tables import CALM

TABLES = 4
HANDS = 3

pytestmark = pytest.mark.usefixtures("mock_clock")
"""Time stands still: commits take as long as the disk takes, and nobody's time is up over that."""


class Table:
    """Two clients at a table of their own."""

    def __init__(self, table: str, clients: list[RawClient]) -> None:
        self.table = table
        self.clients = clients

    async def play(self, directory: Path) -> None:
        """Some hands; whatever is heard must be in the journal already."""
        with closing(sqlite3.connect(directory / JOURNAL)) as stored:
            for hand in range(HANDS):
                await self.clients[hand % 2].ask(StartHand, table=self.table)
                while not self.over(hand):
                    for client in self.clients:
                        await self.move(client)
                        self.check(client, stored)

    def over(self, hand: int) -> bool:
        ends = [sum(isinstance(heard, HandEnded) for heard in client.heard) for client in self.clients]
        return ends == [hand + 1] * 2

    async def move(self, client: RawClient) -> None:
        """Hear up to the next decision, or the hand's end; if it is his own, make it."""
        message: object = None
        while not isinstance(message, Decision | HandEnded):
            message = await client.hear(object)
        if isinstance(message, Decision) and message.actions is not None:
            await client.act(message, Random(message.decision))

    def check(self, client: RawClient, stored: sqlite3.Connection) -> None:
        told = max(message.seq for message in client.heard if isinstance(message, SeenEvent))
        (committed,) = stored.execute(
            'SELECT max(seq) FROM steps JOIN tables ON tables.number = "table" WHERE id = ?', (self.table,)
        ).fetchone()
        assert told <= committed


@asynccontextmanager
async def tables(
    directory: Path, durability: Durability
) -> AsyncGenerator[tuple[RunningServer, list[Table]]]:
    with closing(SqliteJournal.open(directory, durability)) as journal:
        async with memory_server(journal=journal, limits=CALM) as running:
            opened: list[Table] = []
            for _ in range(TABLES):
                clients = [await running.client(), await running.client()]
                table = await clients[0].open_table()
                await clients[1].sit(table)
                opened.append(Table(table, clients))
            yield running, opened


@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_what_is_told_is_stored_at_many_tables_at_once(tmp_path: Path, durability: Durability) -> None:
    async with tables(tmp_path, durability) as (running, opened):
        async with trio.open_nursery() as nursery:
            for table in opened:
                nursery.start_soon(table.play, tmp_path)
        played = {room.table: room.state.picture(room.table, None) for room in running.server.lobby}
    report = check(tmp_path)
    assert report.sound, str(report)
    assert (report.tables, report.hands) == (TABLES, TABLES * HANDS)
    with closing(SqliteJournal.open(tmp_path)) as journal:
        recovered = {table.table: table.fold() for table in journal.recover().tables}
    assert {name: state.picture(name, None) for name, state in recovered.items()} == played


async def test_nobody_is_told_of_a_move_while_the_disk_has_not_answered(tmp_path: Path) -> None:
    async with tables(tmp_path, "full") as (_, opened):
        cutters = [await started(table) for table in opened]
        with closing(sqlite3.connect(tmp_path / JOURNAL, isolation_level=None)) as locking:
            locking.execute("BEGIN IMMEDIATE")
            for table, cutter in zip(opened, cutters, strict=True):
                await cutter.request(MakeCut, table=table.table, decision=1, position=20)
            await wait_all_tasks_blocked()
            async with trio.open_nursery() as nursery:
                ears = [client for table in opened for client in table.clients]
                told: list[RawClient] = []
                for client in ears:
                    nursery.start_soon(hear_of_the_cut, client, told)
                await wait_all_tasks_blocked()
                assert told == []
                locking.execute("ROLLBACK")
        assert sorted(map(id, told)) == sorted(map(id, ears))


async def started(table: Table) -> RawClient:
    """Who is to cut in the hand that has been started."""
    await table.clients[0].start(table.table)
    asked = [(await client.hear(Decision)).actions is not None for client in table.clients]
    return table.clients[asked.index(True)]


async def hear_of_the_cut(client: RawClient, told: list[RawClient]) -> None:
    await client.hear(PackCut)
    told.append(client)
