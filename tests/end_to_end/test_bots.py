"""Bots as programs: they play whole hands, and end cleanly whenever they or their server are ended."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM, Signals

import pytest
import trio

from paiute_net.game.seen import PlayerLeft, PlayerSat
from paiute_net.wire.messages import (
    Closing,
    CreateTable,
    Hello,
    JoinTable,
    LeaveTable,
    ListTables,
    Ok,
    SeatResult,
    TableResult,
    TablesResult,
)
from tests.support.client import TABLE, Play, ScriptedLink
from tests.support.programs import LOOPBACK, Ended, Program, ServerProgram, serving, started

ENDED = "paiute-client: The server has ended.\n"
Moment = Callable[[ScriptedLink], Awaitable[object]]


def bots(server: ServerProgram, stack: ExitStack, home: Path, *more: str, number: int = 3) -> list[Program]:
    """Bots at one table."""
    options = ("paiute-client", server.place, "--bot", "--pace", "0", "--table", "Evening", *more)
    return [stack.enter_context(started(*options, "--seed", str(seed), home=home)) for seed in range(number)]


async def end_all(programs: Sequence[Program]) -> list[Ended]:
    return [await program.end() for program in programs]


# --- with a real server ---------------------------------------------------------------------------------


async def test_bots_leave_when_the_hands_they_were_asked_for_are_played(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral", "--seed", "1") as server:
        with ExitStack() as stack:
            # A third might come too late for the first hand, and in the end wait for others.
            for ended in await end_all(bots(server, stack, tmp_path, "--hands", "3", number=2)):
                assert (ended.status, ended.complaints) == (0, "")
                assert ended.output.count(" wins the pot of ") + ended.output.count(" is shared by ") >= 3


async def test_bots_that_play_end_on_signals(house: ServerProgram, tmp_path: Path) -> None:
    with ExitStack() as stack:
        playing = bots(house, stack, tmp_path)
        for bot in playing:
            await bot.hear("wins the pot of|is shared by")
        for bot, number in zip(playing, (SIGINT, SIGTERM, SIGINT), strict=True):
            bot.signal(number)
        for ended in await end_all(playing):
            assert (ended.status, ended.complaints) == (0, "")


async def test_bots_that_play_end_with_their_server(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        with ExitStack() as stack:
            playing = bots(server, stack, tmp_path)
            for bot in playing:
                await bot.hear("wins the pot of|is shared by")
            await server.stop(SIGTERM)
            for ended in await end_all(playing):
                assert (ended.status, ended.complaints) == (0, ENDED)


async def test_bots_whose_server_is_gone_look_for_it_until_they_are_ended(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        with ExitStack() as stack:
            playing = bots(server, stack, tmp_path)
            for bot in playing:
                await bot.hear("wins the pot of|is shared by")
            server.program.signal(SIGKILL)
            for bot in playing:
                await bot.hear("trying to get it back")
                bot.signal(SIGTERM)
            for ended in await end_all(playing):
                assert (ended.status, ended.complaints) == (0, "")


@pytest.mark.parametrize("number", [SIGINT, SIGTERM])
async def test_a_bot_that_is_ended_leaves_the_house_to_play_for_it(
    number: Signals, house: ServerProgram, tmp_path: Path
) -> None:
    person = await house.client()
    table = await person.open_table()
    options = ("paiute-client", house.place, "--bot", "--pace", "60", "--table", table)
    with started(*options, home=tmp_path) as bot:
        await person.hear(PlayerSat)
        await bot.hear("It sits at the table")
        await person.start(table)
        bot.signal(number)
        ended = await bot.end()
        assert (ended.status, ended.complaints) == (0, "")
    assert (await person.hear(PlayerLeft)).reason == "left"


# --- at every moment ------------------------------------------------------------------------------------


async def before_hello(link: ScriptedLink) -> None:
    """The server has taken the connection, and nothing has been said."""


async def greeting(link: ScriptedLink) -> None:
    await link.hear(Hello)


async def looking_for_a_table(link: ScriptedLink) -> None:
    await link.greet()
    await link.hear(ListTables)


async def opening_a_table(link: ScriptedLink) -> None:
    await link.greet()
    await link.consent(ListTables, TablesResult(tables=(), next=None))
    await link.hear(CreateTable)


async def sitting_down(link: ScriptedLink) -> None:
    await link.greet()
    await link.consent(ListTables, TablesResult(tables=(), next=None))
    await link.consent(CreateTable, TableResult(table=TABLE))
    await link.hear(JoinTable)


UNGREETED: Sequence[Moment] = (before_hello, greeting)
GREETED: Sequence[Moment] = (looking_for_a_table, opening_a_table, sitting_down)


@asynccontextmanager
async def bot_at(moment: Moment, home: Path) -> AsyncGenerator[tuple[Program, ScriptedLink]]:
    """A bot that has come so far with a server that says no more."""
    (listener,) = await trio.open_tcp_listeners(0, host=LOOPBACK)
    async with listener:
        port = listener.socket.getsockname()[1]
        with started("paiute-client", f"{LOOPBACK}:{port}", "--bot", home=home) as bot:
            async with await listener.accept() as stream:
                await listener.aclose()
                link = ScriptedLink(stream)
                await moment(link)
                yield bot, link


@pytest.mark.parametrize("number", [SIGINT, SIGTERM])
@pytest.mark.parametrize("moment", [*UNGREETED, *GREETED])
async def test_a_signal_ends_a_bot_at_any_moment(moment: Moment, number: Signals, tmp_path: Path) -> None:
    async with bot_at(moment, tmp_path) as (bot, _):
        bot.signal(number)
        ended = await bot.end()
        assert (ended.status, ended.complaints) == (0, "")


@pytest.mark.parametrize("moment", GREETED)
async def test_the_end_of_the_server_ends_a_bot_at_any_moment(moment: Moment, tmp_path: Path) -> None:
    async with bot_at(moment, tmp_path) as (bot, link):
        await link.say(Closing(restart=False))
        await link.cut()
        ended = await bot.end()
        assert (ended.status, ended.complaints) == (0, ENDED)


@pytest.mark.parametrize("moment", UNGREETED)
async def test_a_server_that_ends_before_it_has_greeted_is_none(moment: Moment, tmp_path: Path) -> None:
    async with bot_at(moment, tmp_path) as (bot, link):
        await link.say(Closing(restart=False))
        await link.cut()
        ended = await bot.end()
        assert (ended.status, ended.output) == (2, "")
        assert ended.complaints.count("\n") == 1
        assert "is about to end; try again later." in ended.complaints


@pytest.mark.parametrize(("moment", "number"), [*zip(GREETED, (SIGINT, SIGTERM, SIGINT), strict=True)])
async def test_a_signal_ends_a_bot_that_has_lost_its_server(
    moment: Moment, number: Signals, tmp_path: Path
) -> None:
    async with bot_at(moment, tmp_path) as (bot, link):
        await link.cut()
        await bot.hear("trying to get it back")
        bot.signal(number)
        ended = await bot.end()
        assert (ended.status, ended.complaints) == (0, "")


@pytest.mark.parametrize("numbers", [(SIGINT, SIGINT), (SIGTERM, SIGINT), (SIGINT, SIGTERM)])
async def test_a_second_signal_changes_nothing(numbers: Sequence[Signals], tmp_path: Path) -> None:
    first, second = numbers
    async with bot_at(sitting_down, tmp_path) as (bot, link):
        assert link.last_heard is not None
        seated = Ok(re=link.last_heard.id, result=SeatResult(table=TABLE, seat=0))
        await link.say(seated, Play(players=1).snapshot(0))
        await bot.hear("It sits at the table")
        bot.signal(first)
        leaving = await link.hear(LeaveTable)
        bot.signal(second)
        await link.say(Ok(re=leaving.id))
        ended = await bot.end()
        assert (ended.status, ended.complaints) == (0, "")
