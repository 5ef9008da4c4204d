"""The real journal on a disk that is full, or stalls: what is not stored is not told, and nothing is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from threading import Event
from typing import ClassVar, Final

import pytest
import trio
from trio.testing import MockClock

from paiute_net.game.seen import SeenEvent
from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.messages import ListTables, Say, Snapshot, TablesResult
from paiute_server.journal import Batch, Durability, SqliteJournal, check, database, sqlite
from paiute_server.limits import DEFAULTS
from tests.support.faults import Neighbours
from tests.support.programs import PATIENCE
from tests.support.raw_client import Denied
from tests.support.server import RunningServer, memory_server
from tests.support.tables import CALM

PAGES: Final = 24
"""Of 4 KiB, that the disk has: some hands."""
NEVER: Final = 1 << 30


class Disk:
    """What the journal's connections write to; set how many pages it has."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._opened: list[sqlite3.Connection] = []

        def connect(path: Path, access: database.Access = "rw", *, timeout: float = 0) -> sqlite3.Connection:
            self._opened.append(database.connect(path, access, timeout=timeout))
            return self._opened[-1]

        monkeypatch.setattr(sqlite, "connect", connect)

    def hold(self, pages: int) -> None:
        for connection in self._opened:
            connection.execute(f"PRAGMA max_page_count = {pages}")


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@asynccontextmanager
async def playing(
    directory: Path, kind: type[SqliteJournal] = SqliteJournal, durability: Durability = "normal"
) -> AsyncGenerator[tuple[RunningServer, list[Neighbours]]]:
    """A server on a journal in that directory, and three tables."""
    with closing(kind.open(directory, durability)) as journal:
        async with memory_server(journal=journal, limits=CALM) as running:
            yield running, [await Neighbours.sit_down(running, f"Table {name}") for name in "ABC"]


async def move_until_stopped(tables: Sequence[Neighbours]) -> int:
    """All tables move in turn; returns how many moves were made until no table could."""
    going_on, moves = list(tables), 0
    while going_on:
        table = going_on.pop(0)
        await table.ask()
        if await is_told(table):
            going_on.append(table)
            moves += 1
    return moves


async def is_told(table: Neighbours) -> bool:
    """Whether all are told of the move; if not, it was refused because it cannot be stored."""
    try:
        await table.told()
    except Denied as denied:
        if denied.code != ErrorCode.TABLE_STOPPED.value:
            raise
        return False
    return True


def told(table: Neighbours) -> set[int]:
    """The last event that each was told of."""
    return {
        max(
            heard.picture.seq if isinstance(heard, Snapshot) else heard.seq
            for heard in client.heard
            if isinstance(heard, Snapshot | SeenEvent)
        )
        for client in table.clients
    }


def stored(directory: Path) -> dict[str, int]:
    """The last event of each table that is in the file."""
    with closing(sqlite3.connect(directory / "journal.sqlite3")) as reader:
        return dict(
            reader.execute(
                'SELECT id, max(seq) FROM steps JOIN tables ON tables.number = "table" GROUP BY "table"'
            )
        )


async def ask_what_needs_no_disk(table: Neighbours) -> None:
    speaker = next(client for client in table.clients if client is not table.asked)
    await speaker.ask(Say, table=table.table, text="It stands still.")
    await speaker.ask(ListTables, TablesResult)


async def test_a_full_disk_stops_every_table_and_loses_nothing(
    disk: Disk, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with playing(tmp_path) as (running, tables):
        disk.hold(PAGES)
        assert await move_until_stopped(tables) > 20
        there = stored(tmp_path)
        assert {table.table: told(table) for table in tables} == {
            table: {seq} for table, seq in there.items()
        }
        await ask_what_needs_no_disk(tables[0])
        await trio.sleep(4 * DEFAULTS.retry_write_s)
        assert stored(tmp_path) == there
        assert [room.stopped for room in running.server.lobby] == [True] * len(tables)
        disk.hold(NEVER)
        await trio.sleep(DEFAULTS.retry_write_s + 1)
        for table in tables:
            for _ in range(20):
                assert (await table.move()).seconds == 0
            assert told(table) == {stored(tmp_path)[table.table]}
    report = check(tmp_path)
    assert report.sound, str(report)
    assert report.unfinished == len(tables)


async def test_a_disk_that_stalls_while_it_is_tidied_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moving commits to the file waits for the disk; committing does not."""
    stalled, goes_on = Event(), Event()

    def checkpoint(_: SqliteJournal) -> None:
        stalled.set()
        assert goes_on.wait(PATIENCE)

    monkeypatch.setattr(sqlite, "CHECKPOINT_COMMITS", 1)
    monkeypatch.setattr(sqlite, "CHECKPOINT_INTERVAL_S", 0.001)
    monkeypatch.setattr(SqliteJournal, "checkpoint", checkpoint)
    async with playing(tmp_path) as (_, tables):
        try:
            await trio.to_thread.run_sync(stalled.wait, PATIENCE)
            for _ in range(50):
                for table in tables:
                    await table.move()
        finally:
            goes_on.set()
    assert check(tmp_path).sound


class StallingJournal(SqliteJournal):
    """Its disk stands still while ``goes_on`` is not set."""

    goes_on: ClassVar[Event]

    def store(self, batches: Sequence[Batch]) -> None:
        assert self.goes_on.wait(PATIENCE)
        super().store(batches)


async def test_while_a_disk_stalls_what_needs_none_goes_on(tmp_path: Path) -> None:
    """With durability full each move waits for the disk, and for nothing else; then all are told."""
    StallingJournal.goes_on = Event()
    StallingJournal.goes_on.set()
    async with playing(tmp_path, StallingJournal, "full") as (running, tables):
        for table in tables:
            await table.move()
        visitor = await running.client("Visitor")
        assert visitor.welcome is not None
        visited = await visitor.open_table()
        before = {table.table: told(table) for table in tables}
        StallingJournal.goes_on.clear()
        try:
            for table in tables:
                await table.ask()
            for table in tables:
                await ask_what_needs_no_disk(table)
            back = await running.client(token=visitor.welcome.token)
            assert back.welcome is not None
            assert back.welcome.table == visited
            assert {table.table: told(table) for table in tables} == before
        finally:
            StallingJournal.goes_on.set()
        for table in tables:
            await table.told()
            await table.move()
    assert check(tmp_path).sound
