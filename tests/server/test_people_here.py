"""Who is here: players who are connected, listed and watched."""

from __future__ import annotations

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.wire.messages import ListPeople, PeopleChanged, PeopleResult, PersonRow, WatchLobby
from paiute_server.limits import DEFAULTS
from tests.support.journals import SlowJournal
from tests.support.raw_client import Denied, RawClient
from tests.support.server import memory_server


async def here(client: RawClient, limit: int = 100) -> list[str]:
    """The names of all who are here, asked for page by page."""
    found: list[str] = []
    after: str | None = None
    while True:
        page = await client.ask(ListPeople, PeopleResult, after=after, limit=limit)
        assert len(page.people) <= limit
        found += [row.name for row in page.people]
        after = page.next
        if after is None:
            return found


async def test_all_who_are_connected_are_listed(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        ana = await running.client("Ana")
        bot = await running.client("Rob", bot=True)
        listed = await ana.ask(ListPeople, PeopleResult)
        assert listed.next is None
        ids = [row.player for row in listed.people]
        assert listed.people == (
            PersonRow(player=ids[0], name="Ana", bot=False),
            PersonRow(player=ids[1], name="Rob", bot=True),
        )
        bot.close()
        await trio.testing.wait_all_tasks_blocked()
        assert await here(ana) == ["Ana"]


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
async def test_the_list_is_paged(limit: int, autojump_clock: MockClock) -> None:
    names = ["Ana", "Bob", "Cyn", "Dee", "Eve"]
    async with memory_server() as running:
        clients = [await running.client(name) for name in names]
        assert await here(clients[0], limit) == names
        clients[1].close()
        await trio.testing.wait_all_tasks_blocked()
        assert await here(clients[0], limit) == ["Ana", "Cyn", "Dee", "Eve"]


async def test_a_page_is_no_longer_than_the_server_says(autojump_clock: MockClock) -> None:
    small = msgspec.structs.replace(DEFAULTS, page_rows=2)
    async with memory_server(limits=small) as running:
        ana = await running.client("Ana")
        others = [await running.client(name) for name in ("Bob", "Cyn")]
        assert len((await ana.ask(ListPeople, PeopleResult)).people) == 2
        assert len(await here(ana)) == 1 + len(others)


async def test_what_is_no_mark_of_a_page_gets_the_first(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        ana = await running.client("Ana")
        for after in ("nobody", "0", "\u0663"):
            page = await ana.ask(ListPeople, PeopleResult, after=after)
            assert [row.name for row in page.people] == ["Ana"]


async def test_who_comes_and_goes_is_told_to_watchers(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        watching = await running.client("Ana")
        await watching.ask(WatchLobby, on=True)
        start = trio.current_time()
        bob = await running.client("Bob")
        news = await watching.hear(PeopleChanged)
        assert trio.current_time() - start == pytest.approx(DEFAULTS.lobby_gather_s)
        (row,) = news.people
        assert (row.name, row.bot, news.gone) == ("Bob", False, ())
        bob.close()
        assert await watching.hear(PeopleChanged) == PeopleChanged(people=(), gone=(row.player,))


async def test_who_is_back_within_a_moment_has_come(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        watching = await running.client("Ana")
        bob = await running.client("Bob")
        greeting = bob.welcome
        assert greeting is not None
        await watching.ask(WatchLobby, on=True)
        bob.close()
        again = await running.client(token=greeting.token)
        news = await watching.hear(PeopleChanged)
        assert ([row.player for row in news.people], news.gone) == ([greeting.player], ())
        again.close()


async def test_who_could_not_be_stored_does_not_stay_here(autojump_clock: MockClock) -> None:
    journal = SlowJournal()
    async with memory_server(journal=journal) as running:
        ana = await running.client("Ana")
        await ana.ask(WatchLobby, on=True)
        journal.seconds, journal.fails = 2 * DEFAULTS.lobby_gather_s, True
        with pytest.raises(Denied, match="not-recorded"):
            await running.client("Bob")
        await trio.sleep(1)
        shown: set[str] = set()
        for news in await ana.hear_all():
            assert isinstance(news, PeopleChanged)
            shown |= {row.player for row in news.people}
            shown -= set(news.gone)
        assert shown == set()
        assert running.server.people.forgotten() == ()  # there is nothing to remove him from


async def test_many_who_come_at_once_are_told_page_by_page(autojump_clock: MockClock) -> None:
    small = msgspec.structs.replace(DEFAULTS, page_rows=2)
    async with memory_server(limits=small) as running:
        watching = await running.client("Ana")
        await watching.ask(WatchLobby, on=True)
        clients = [await running.client(name) for name in ("Bob", "Cyn", "Dee")]
        first, second = await watching.hear(PeopleChanged), await watching.hear(PeopleChanged)
        assert [row.name for row in first.people + second.people] == ["Bob", "Cyn", "Dee"]
        assert len(first.people) == len(clients) - 1


async def test_nobody_else_is_told(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        ana = await running.client("Ana")
        await running.client("Bob")
        await trio.sleep(1)
        assert await ana.hear_all() == []
