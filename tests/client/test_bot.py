from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
import trio
import trio.testing
from msgspec import structs

from paiute_client.api import connect
from paiute_client.bot import PATIENCE, SETTLE_PACES, STAND_IN_AFTER, play
from paiute_client.errors import End, ServerRefusal, SessionEnded
from paiute_client.model import Heard, Model
from paiute_client.options import BotOptions
from paiute_net.game import seen
from paiute_net.game.errors import RefusalCode
from paiute_net.game.events import By
from paiute_server.limits import DEFAULTS
from tests.support.client import ADDRESS, House, ScriptedServer, open_house

OPTIONS = BotOptions(address=ADDRESS)
AT_ONE_TABLE = replace(OPTIONS, table="Robots")


class RunningBot:
    """A bot in a task of its own, and what it has said."""

    def __init__(self, options: BotOptions = OPTIONS) -> None:
        self.lines: list[str] = []
        self.ended: SessionEnded | None = None
        self.done = trio.Event()
        self._options = options

    async def run(self, house: House) -> None:
        self.ended = await play(self._options, self.lines.append, house.server)
        self.done.set()

    def said(self, part: str) -> int:
        return sum(part in line for line in self.lines)

    @property
    def hands_told(self) -> int:
        """How many hands it has told the end of."""
        return self.said("wins the pot") + self.said("The win is shared")


def bots_seated(count: int, model: Model) -> bool:
    return model.picture is not None and sum(each.bot for each in model.picture.occupants) == count


async def test_bots_find_each_other_and_play_as_many_hands_as_they_are_asked(
    autojump_clock: trio.testing.MockClock,
) -> None:
    bots = [RunningBot(replace(OPTIONS, hands=3)) for _ in range(3)]
    async with open_house() as house:
        async with trio.open_nursery() as nursery:
            for bot in bots:
                nursery.start_soon(bot.run, house)
        async with connect(house.server) as client:
            assert await client.tables() == () or (await client.tables())[0].players == ()
    for bot in bots:
        assert bot.ended is None
        assert bot.said("This bot is called Bot") == 1
        assert bot.said("It sits at the table") in {1, 2}
        assert bot.hands_told == 3
        assert not bot.said("You ")
        assert not bot.said("Type start")


async def test_a_bot_alone_opens_a_table_and_waits(autojump_clock: trio.testing.MockClock) -> None:
    bot = RunningBot()
    async with open_house() as house, trio.open_nursery() as nursery:
        nursery.start_soon(bot.run, house)
        await trio.sleep(1000)
        async with connect(house.server) as client:
            (row,) = await client.tables()
        assert (row.bots, row.going_on) == (1, False)
        nursery.cancel_scope.cancel()


async def test_bots_leave_friends_the_time_to_sit_down(autojump_clock: trio.testing.MockClock) -> None:
    bots = [RunningBot(replace(AT_ONE_TABLE, pace=2.0)) for _ in range(3)]
    async with open_house() as house, trio.open_nursery() as nursery:
        for bot in bots[:2]:
            nursery.start_soon(bot.run, house)
        await trio.sleep(2.0 * SETTLE_PACES - 0.5)
        nursery.start_soon(bots[2].run, house)
        await trio.sleep(2.0 * SETTLE_PACES - 0.5)
        assert [bot.hands_told for bot in bots] == [0, 0, 0]
        await trio.sleep(1.0)
        assert [bot.hands_told for bot in bots] == [1, 1, 1]
        nursery.cancel_scope.cancel()


async def test_between_hands_bots_wait_only_a_little(autojump_clock: trio.testing.MockClock) -> None:
    bots = [RunningBot(replace(AT_ONE_TABLE, hands=11, pace=2.0)) for _ in range(2)]
    async with open_house() as house:
        async with trio.open_nursery() as nursery:
            for bot in bots:
                nursery.start_soon(bot.run, house)
        assert trio.current_time() == pytest.approx(2.0 * SETTLE_PACES + 10 * 2.0, abs=1.0)


async def test_where_a_person_sits_the_person_starts_and_bots_take_their_time(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with open_house() as house, connect(house.server) as person, trio.open_nursery() as nursery:
        await person.sit_down()
        for _ in range(2):
            nursery.start_soon(RunningBot().run, house)
        await person.wait(lambda model: bots_seated(2, model))
        await trio.sleep(1000)
        assert person.picture.hands == 0
        acted_at: list[float] = []

        def note(heard: Heard) -> None:
            acts = (seen.PackCut, seen.CardDrawn, seen.CardDiscarded, seen.CombinationCalled)
            if isinstance(heard, acts) and heard.seat != person.seat:
                acted_at.append(trio.current_time())

        person.listen(note)
        await person.start()
        await trio.sleep(200)
        assert len(acted_at) >= 2
        assert all(later - before >= 1.0 for before, later in pairwise(acted_at))
        nursery.cancel_scope.cancel()


async def test_where_the_first_bot_starts_no_hand_the_next_one_does(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with (
        open_house() as house,
        connect(house.server, bot=True) as idler,
        trio.open_nursery() as nursery,
    ):
        await idler.sit_down()
        nursery.start_soon(RunningBot().run, house)
        await idler.wait(lambda model: model.picture is not None and model.picture.going_on)
        assert trio.current_time() == pytest.approx(SETTLE_PACES + STAND_IN_AFTER, abs=0.5)
        nursery.cancel_scope.cancel()


async def test_a_bot_sits_where_it_is_told(autojump_clock: trio.testing.MockClock) -> None:
    async with open_house() as house, trio.open_nursery() as nursery:
        async with connect(house.server) as client:
            await client.create_table(name="First")
            nursery.start_soon(RunningBot(replace(OPTIONS, table="Second", name="Robo")).run, house)
            await trio.sleep(1)
            rows = {row.name: row.players for row in await client.tables()}
        assert rows == {"First": (), "Second": ("Robo",)}
        nursery.cancel_scope.cancel()


async def test_a_bot_that_cannot_sit_there_says_why(autojump_clock: trio.testing.MockClock) -> None:
    async with open_house() as house, connect(house.server) as one, connect(house.server) as other:
        table = await one.create_table(name="Two", seats=2)
        await one.join(table)
        await other.join(table)
        with pytest.raises(ServerRefusal) as refused:
            await play(replace(OPTIONS, table="Two"), print, house.server)
        assert refused.value.code == RefusalCode.TABLE_FULL


async def test_a_bot_that_is_cancelled_gives_up_its_seat(autojump_clock: trio.testing.MockClock) -> None:
    async with open_house() as house, connect(house.server) as person:
        await person.sit_down()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(RunningBot().run, house)
            await person.wait(lambda model: bots_seated(1, model))
            nursery.cancel_scope.cancel()
        await person.wait(lambda model: bots_seated(0, model))


async def test_the_end_of_the_server_ends_a_bot(autojump_clock: trio.testing.MockClock) -> None:
    bots = [RunningBot() for _ in range(2)]
    async with open_house() as house, trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.run, house)
        await trio.sleep(60)
        await house.running.shut_down(restart=False)
    for bot in bots:
        assert bot.ended is not None
        assert bot.ended.end is End.CLOSED
        assert bot.hands_told


async def test_a_server_that_does_not_come_back_is_given_up(autojump_clock: trio.testing.MockClock) -> None:
    bot = RunningBot()
    async with open_house() as house, trio.open_nursery() as nursery:
        nursery.start_soon(bot.run, house)
        await trio.sleep(60)
        await house.running.shut_down(restart=True)
    assert bot.ended is not None
    assert bot.ended.end is End.GAVE_UP
    assert trio.current_time() <= 60 + PATIENCE


async def test_a_bot_comes_back_and_plays_on(autojump_clock: trio.testing.MockClock) -> None:
    bots = [RunningBot(replace(OPTIONS, hands=20)) for _ in range(2)]
    async with open_house() as house, trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.run, house)
        for _ in range(4):
            await trio.sleep(5.2)
            house.streams[-1].cut()
    for bot in bots:
        assert bot.ended is None
        assert bot.hands_told >= 15
    assert sum(bot.said("The link is back.") for bot in bots) == 4


async def test_a_bot_that_is_too_slow_plays_on_after_the_house(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with open_house() as house, connect(house.server) as person, trio.open_nursery() as nursery:
        await person.join(await person.create_table(time_limit_ms=1000))
        nursery.start_soon(RunningBot(replace(OPTIONS, pace=1.5)).run, house)
        await person.wait(lambda model: bots_seated(1, model))
        by: list[By] = []
        person.listen(lambda heard: by.append(heard.by) if isinstance(heard, seen.CardDiscarded) else None)
        await person.start()
        await trio.sleep(60)
        assert len(by) > 10
        assert set(by) == {By.HOUSE}
        nursery.cancel_scope.cancel()


async def test_a_bot_that_has_lost_its_seat_looks_for_another(autojump_clock: trio.testing.MockClock) -> None:
    bot = RunningBot()
    short = structs.replace(DEFAULTS, bot_token_life_s=1.0)
    async with open_house(limits=short) as house, trio.open_nursery() as nursery:
        nursery.start_soon(bot.run, house)
        await trio.sleep(1)
        assert bot.said("It sits at the table") == 1
        house.is_reachable = False
        house.streams[0].cut()
        await trio.sleep(30)
        house.is_reachable = True
        await trio.sleep(30)
        assert bot.said("It sits at the table") == 2
        nursery.cancel_scope.cancel()


async def test_a_seed_is_announced_and_repeats_what_is_played() -> None:
    lines: list[str] = []
    script = ScriptedServer()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(play, replace(OPTIONS, seed=7), lines.append, script.server)
        hello = await (await script.accept()).greet()
        nursery.cancel_scope.cancel()
    assert lines[0] == "Chance comes from the seed 7."
    assert (hello.bot, hello.token, hello.name) == (True, None, None)
