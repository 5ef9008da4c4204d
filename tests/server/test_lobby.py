"""The list of tables, their names and numbers, and those who watch them."""

from __future__ import annotations

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_net.game.seen import HandEnded
from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.messages import (
    ChatSaid,
    CreateTable,
    Error,
    JoinTable,
    LeaveTable,
    ListTables,
    LobbyChanged,
    Ok,
    PeopleChanged,
    Say,
    SeatResult,
    TableResult,
    TablesResult,
    WatchLobby,
)
from paiute_server import text
from paiute_server.limits import DEFAULTS, Rate
from paiute_server.lobby import _MOST_GONE  # pyright: ignore[reportPrivateUsage]
from tests.support.journals import FailingJournal, SlowJournal
from tests.support.raw_client import RawClient
from tests.support.server import RunningServer, memory_server
from tests.support.tables import denied

ROOMY = msgspec.structs.replace(DEFAULTS, tables_per_player=1000)


async def create(client: RawClient, **fields: object) -> str:
    return (await client.ask(CreateTable, TableResult, **fields)).table


async def names(client: RawClient, limit: int) -> list[str]:
    """The names of all tables, asked for page by page."""
    found: list[str] = []
    after: str | None = None
    while True:
        page = await client.ask(ListTables, TablesResult, after=after, limit=limit)
        assert len(page.tables) <= limit
        found += [row.name for row in page.tables]
        after = page.next
        if after is None:
            return found


async def test_a_table_is_listed_as_it_was_opened(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        ana = await running.client("Ana")
        table = await ana.open_table(
            name="Kona", rule_set="two-round", switches={"stake": 5}, seats=3, time_limit_ms=None
        )
        bot = await running.client(bot=True)
        await bot.sit(table)
        (row,) = (await ana.ask(ListTables, TablesResult)).tables
        assert (row.table, row.name, row.seats, row.players) == (table, "Kona", 3, ("Ana", "Bot 1"))
        assert (row.bots, row.going_on, row.time_limit_ms) == (1, False, None)
        assert (row.rules.first_call_round, row.rules.stake) == (2, 5)
        await ana.start(table)
        (row,) = (await ana.ask(ListTables, TablesResult)).tables
        assert row.going_on


@pytest.mark.parametrize("limit", [1, 7, 40, 100])
async def test_tables_are_listed_page_by_page(limit: int, autojump_clock: MockClock) -> None:
    lavish = msgspec.structs.replace(ROOMY, requests=msgspec.structs.replace(DEFAULTS.requests, burst=1000))
    async with memory_server(limits=lavish) as running:
        ana = await running.client("Ana")
        expected = [f"Table {number}" for number in range(50)]
        for name in expected:
            await create(ana, name=name)
        assert await names(ana, limit) == expected


async def test_a_page_goes_on_where_the_last_one_ended(autojump_clock: MockClock) -> None:
    async with memory_server(limits=ROOMY) as running:
        ana = await running.client("Ana")
        tables = [await create(ana, name=f"Table {number}") for number in range(6)]
        page = await ana.ask(ListTables, TablesResult, limit=3)
        for table in tables[1:4]:
            await ana.ask(JoinTable, SeatResult, table=table)
            await ana.ask(LeaveTable, table=table)
        rest = await ana.ask(ListTables, TablesResult, after=page.next)
        assert [row.table for row in rest.tables] == tables[4:]
        after_one = await ana.ask(ListTables, TablesResult, after=tables[4])
        assert [row.table for row in after_one.tables] == tables[5:]
        assert (await denied(ana, ListTables, after="nowhere")).code == ErrorCode.NO_SUCH_TABLE


async def test_tables_without_a_name_are_called_after_who_opened_them(autojump_clock: MockClock) -> None:
    async with memory_server(limits=ROOMY) as running:
        ana = await running.client("Ana")
        long = await running.client("x" * 24)
        for _ in range(3):
            await create(ana)
            await create(long)
        assert await names(ana, 10) == ["Ana", "x" * 24, "Ana 2", "x" * 16 + " 2", "Ana 3", "x" * 16 + " 3"]


async def test_it_takes_no_longer_to_name_the_thousandth_table_of_a_name(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def look_alikes(name: str) -> frozenset[str]:
        tried.append(name)
        return text.look_alikes(name)

    monkeypatch.setattr("paiute_server.lobby.look_alikes", look_alikes)
    lavish = msgspec.structs.replace(ROOMY, requests=Rate(1e6, 1_000_000))
    async with memory_server(limits=lavish) as running:
        await create(await running.client(), name="Ana 11")
        opener = await running.client("Ana")
        for _ in range(300):
            tried.clear()
            await create(opener)
            assert len(tried) < 20
        every = await names(opener, 40)
        assert every[1:12] == ["Ana", *(f"Ana {number}" for number in (*range(2, 11), 12))]
        assert len(set(every)) == 301


async def test_table_names_are_clean_and_unique(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        ana = await running.client("Ana")
        table = await create(ana, name="Kona")
        taken = await denied(ana, CreateTable, name="KONA")
        assert (taken.code, taken.facts) == (ErrorCode.NAME_TAKEN, {"name": "KONA", "table": table})
        assert (await denied(ana, CreateTable, name="a\x1bb")).code == ErrorCode.NAME_NOT_ALLOWED
        assert (await denied(ana, CreateTable, name=" ")).code == ErrorCode.NAME_EMPTY
        assert (await denied(ana, CreateTable, name="x" * 25)).code == ErrorCode.NAME_TOO_LONG


@pytest.mark.parametrize("time_limit_ms", [-1, 1, 999, 24 * 3600 * 1000 + 1])
async def test_time_limits_have_bounds(time_limit_ms: int, autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        ana = await running.client("Ana")
        refusal = await denied(ana, CreateTable, time_limit_ms=time_limit_ms)
        assert refusal.code == ErrorCode.BAD_TIME_LIMIT
        assert refusal.facts == {"minimum": 1000, "maximum": 24 * 3600 * 1000}


@pytest.mark.parametrize("default", [30_000, None])
async def test_a_table_that_names_no_time_limit_has_the_servers(
    default: int | None, autojump_clock: MockClock
) -> None:
    async with memory_server(time_limit_ms=default) as running:
        ana = await running.client("Ana")
        await create(ana)
        (row,) = (await ana.ask(ListTables, TablesResult)).tables
        assert row.time_limit_ms == default


async def test_rules_that_cannot_be_are_refused(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        ana = await running.client("Ana")
        assert (await denied(ana, CreateTable, rule_set="nonsense")).code == "unknown-rule-set"
        assert (await denied(ana, CreateTable, switches={"x": 1})).code == "unknown-switch"
        assert (await denied(ana, CreateTable, switches={"stake": -1})).code == "bad-switch-value"
        assert (await denied(ana, CreateTable, seats=6)).code == "seats-out-of-range"
        assert (await ana.ask(ListTables, TablesResult)).tables == ()


async def test_a_player_opens_only_so_many_tables(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(DEFAULTS, tables_per_player=2, max_tables=3)
    async with memory_server(limits=limits) as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        table = await create(ana)
        await create(ana)
        refusal = await denied(ana, CreateTable)
        assert (refusal.code, refusal.facts) == (ErrorCode.TOO_MANY_TABLES, {"maximum": 2})
        await create(bob)
        refusal = await denied(bob, CreateTable)
        assert (refusal.code, refusal.facts) == (ErrorCode.TOO_MANY_TABLES, {"maximum": 3})
        await ana.ask(JoinTable, SeatResult, table=table)
        await ana.ask(LeaveTable, table=table)
        await create(ana)


async def test_a_table_that_cannot_be_stored_is_not_opened(autojump_clock: MockClock) -> None:
    journal = FailingJournal()
    async with memory_server(journal=journal) as running:
        ana = await running.client("Ana")
        journal.fails = True
        for _ in range(DEFAULTS.tables_per_player + 1):
            assert (await denied(ana, CreateTable, name="Kona")).code == ErrorCode.NOT_RECORDED
        journal.fails = False
        await create(ana, name="Kona")


async def test_tables_that_are_opened_at_once_are_counted(autojump_clock: MockClock) -> None:
    journal = SlowJournal()
    async with memory_server(
        journal=journal, limits=msgspec.structs.replace(DEFAULTS, max_tables=3)
    ) as running:
        clients = [await running.client() for _ in range(5)]

        async def open_at_once() -> list[str]:
            requests = [await client.request(CreateTable) for client in clients]
            replies = [await client.reply(re) for client, re in zip(clients, requests, strict=True)]
            return [reply.code if isinstance(reply, Error) else "ok" for reply in replies]

        journal.seconds = 1.0
        journal.fails = True
        assert sorted(await open_at_once()) == ["not-recorded"] * 3 + ["too-many-tables"] * 2
        journal.fails = False
        assert sorted(await open_at_once()) == ["ok"] * 3 + ["too-many-tables"] * 2
        assert await open_at_once() == ["too-many-tables"] * 5
        assert len(running.server.lobby) == 3


# --- watching -----------------------------------------------------------------------------------------------


async def watcher(running: RunningServer, name: str) -> RawClient:
    client = await running.client(name)
    await client.ask(WatchLobby, on=True)
    return client


async def test_changes_are_gathered_and_told_to_watchers(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        watching = await watcher(running, "Cyn")
        start = trio.current_time()
        table = await ana.open_table(name="Kona")
        await bob.sit(table)
        await ana.start(table)
        news = await watching.hear(LobbyChanged)
        assert trio.current_time() - start == pytest.approx(DEFAULTS.lobby_gather_s)
        (row,) = news.tables
        assert (row.name, row.players, row.going_on, news.gone) == ("Kona", ("Ana", "Bob"), True, ())
        await ana.ask(LeaveTable, table=table)
        await bob.ask(LeaveTable, table=table)
        gone = await watching.hear(LobbyChanged)
        assert (gone.tables, gone.gone) == ((), (table,))
        assert not any(isinstance(message, LobbyChanged) for message in [*ana.heard, *bob.heard])


async def test_who_watches_no_longer_is_told_nothing(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        watching = await watcher(running, "Cyn")
        await create(watching, name="Kona")
        await watching.hear(LobbyChanged)
        await watching.ask(WatchLobby, on=False)
        await watching.ask(WatchLobby, on=False)
        await create(watching)
        await trio.sleep(10)
        assert await watching.hear_all() == []
        await watching.ask(WatchLobby, on=True)
        watching.close()
        await trio.sleep(10)
        await create(await running.client("Ana"))


async def test_moves_are_no_news(autojump_clock: MockClock) -> None:
    calm = msgspec.structs.replace(DEFAULTS, ping_after_s=1e6, lost_after_s=2e6)
    async with memory_server(limits=calm) as running:
        watching = await watcher(running, "Cyn")
        ana, bob = await running.client("Ana"), await running.client("Bob")
        table = await ana.open_table()
        await bob.sit(table)
        await ana.start(table)
        await watching.hear(LobbyChanged)
        with trio.move_on_after(1000):
            await ana.hear(HandEnded)
        assert not any(isinstance(message, LobbyChanged) for message in await watching.hear_all())


async def test_much_news_comes_in_portions(autojump_clock: MockClock) -> None:
    lavish = msgspec.structs.replace(ROOMY, page_rows=4)
    async with memory_server(limits=lavish) as running:
        watching = await watcher(running, "Cyn")
        ana = await running.client("Ana")
        tables = [await create(ana, name=f"Table {number}") for number in range(10)]
        portions = [await watching.hear(LobbyChanged) for _ in range(3)]
        assert [len(news.tables) for news in portions] == [4, 4, 2]
        assert [row.table for news in portions for row in news.tables] == tables


async def test_what_is_gone_never_piles_up(autojump_clock: MockClock) -> None:
    """Whoever opens and closes tables, or comes and goes, faster than can be told one by one."""
    lavish = msgspec.structs.replace(ROOMY, page_rows=4)
    many = 2 * _MOST_GONE + 1
    async with memory_server(limits=lavish) as running:
        watching = await watcher(running, "Cyn")
        await watching.hear_all()
        start = trio.current_time()
        tables: list[str] = []
        people: list[str] = []
        for _ in range(many):
            client = await running.client()
            tables.append(await client.open_table())
            await client.ask(LeaveTable, table=tables[-1])
            people.append(client.welcome.player if client.welcome else "")
            client.close()
            await wait_all_tasks_blocked()
        assert trio.current_time() == start
        await trio.sleep(DEFAULTS.lobby_gather_s)
        told = await watching.hear_all()
        assert [table for one in told if isinstance(one, LobbyChanged) for table in one.gone] == tables
        assert [person for one in told if isinstance(one, PeopleChanged) for person in one.gone] == people


async def test_chat_in_the_lobby_reaches_watchers_and_the_speaker(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        watching = await watcher(running, "Cyn")
        ana, bob = await running.client("Ana"), await running.client("Bob")
        for speaker in (ana, watching):
            await speaker.hear_all()
            await speaker.ask(Say, text="aloha")
            assert [type(message) for message in speaker.chunks[-1]] == [ChatSaid, Ok]
        heard = [message.name for message in watching.heard if isinstance(message, ChatSaid)]
        assert heard == ["Ana", "Cyn"]
        assert [message for message in bob.heard if isinstance(message, ChatSaid)] == []
