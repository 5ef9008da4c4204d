"""Programs that die in the middle of a hand: who comes back finds seat, hand and turn as they were."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from signal import SIGINT, SIGKILL, SIGTERM, Signals

import pytest

from paiute_net.game.actions import Phase
from paiute_net.game.house_rules import STANDARD
from paiute_net.game.seen import CardDrawn
from paiute_net.wire.messages import Closing, Decision, PresenceChanged, Snapshot
from tests.support.proceedings import check_conserved, check_leaks, from_journal
from tests.support.programs import Program, ServerProgram, check_left, serving, started
from tests.support.raw_client import Denied
from tests.support.scripted_seat import ScriptedSeat, move, play_hands, seated, start

MOVES = 8
"""Decisions of a hand before the server ends."""
DRAW = "Type draw to draw from the stock"


def own_cards(player: Program) -> str:
    """The cards that a program has last told its player to have."""
    *_, cards = re.findall(r"[Tt]hese are your cards: ([^.]+)\.", player.heard)
    return str(cards)


async def until_drawing(player: Program, other: ScriptedSeat) -> None:
    """Start a hand, and come to where the program is asked to draw; of two, that is in the first round."""
    await start((other,))
    while True:
        message = await other.hear()
        if not isinstance(message, Decision):
            continue
        if message.actions is not None:
            await other.answer(message)
        elif message.phase is Phase.CUT:
            await player.hear("for example cut")
            player.say("cut 20")
        else:
            await player.hear(DRAW)
            return


# --- a client that dies ---------------------------------------------------------------------------------


async def test_who_comes_back_after_kill_9_finds_the_same_hand(house: ServerProgram, tmp_path: Path) -> None:
    (other,) = await seated(house, STANDARD, 1, Random(1), name="Other")
    options = ("paiute-client", house.place, "--plain", "--name", "Kit", "--table", other.picture.table)
    with started(*options, home=tmp_path) as player:
        await player.hear("in seat 2")
        await until_drawing(player, other)
        held = own_cards(player)
        player.signal(SIGKILL)
        assert (await player.end()).status == -SIGKILL
    assert not (await other.client.hear(PresenceChanged)).connected
    with started(*options, home=tmp_path) as player:
        await player.hear("in seat 2")
        await player.hear(DRAW)
        assert own_cards(player) == held
        assert (await other.client.hear(PresenceChanged)).connected
        player.say("draw")
        await player.hear("You draw ")
        assert (await other.client.hear(CardDrawn)).seat == 1


async def test_nobody_takes_a_seat_by_its_name(house: ServerProgram) -> None:
    seats = await seated(house, STANDARD, 2, Random(2), name="Own")
    await start(seats)
    await move(seats)
    await seen_by_all(seats)
    seat = seats[0]
    assert seat.client.welcome is not None
    seat.client.close()
    stranger = await house.stranger()
    with pytest.raises(Denied, match="name-taken"):
        await stranger.greet(seat.client.welcome.name)
    with pytest.raises(Denied, match="bad-token"):
        await stranger.greet(token=seat.client.welcome.token[:-1] + "*")
    await seat.back(house)


# --- a server that dies ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "farewell"),
    [(SIGINT, Closing(restart=False)), (SIGTERM, Closing(restart=True)), (SIGKILL, None)],
)
async def test_a_server_that_is_started_again_goes_on_where_it_ended(
    number: Signals, farewell: Closing | None, tmp_path: Path
) -> None:
    data = ("--data", str(tmp_path / "data"), "--seed", "3")  # the first hand is longer than that
    async with serving(tmp_path, *data) as server:
        seats = await seated(server, STANDARD, 3, Random(3))
        await start(seats)
        for _ in range(MOVES):
            await move(seats)
        before = await seen_by_all(seats)
        server.program.signal(number)
        for seat in seats:
            assert await seat.client.hear_end() == ([] if farewell is None else [farewell])
            seat.client.close()
        ended = await server.program.end()
        if number is not SIGKILL:
            check_left(ended)
    async with serving(tmp_path, *data, port=server.port) as server:
        back = [await seat.back(server) for seat in seats]
        assert await seen_by_all(back) == before
        for seat in back:
            await seat.catch_up()
        await play_hands(back, 1)
    events = from_journal(tmp_path / "data")[seats[0].picture.table]
    for shown in (seats, back):
        check_leaks(shown, events)
    assert check_conserved(back) == 1


async def seen_by_all(seats: Sequence[ScriptedSeat]) -> list[Snapshot]:
    """What each is shown when all that was asked for is done."""
    for seat in seats:
        await seat.seen_afresh()
    return [await seat.seen_afresh() for seat in seats]


async def test_programs_go_on_by_themselves_when_the_server_is_back(tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"), "--seed", "3")
    async with serving(tmp_path, *data) as server:
        options = ("paiute-client", server.place, "--table", "Evening")
        with (
            started(*options, "--plain", home=tmp_path) as player,
            started(*options, "--bot", "--pace", "0", "--seed", "1", home=tmp_path) as bot,
        ):
            await player.hear("Type start")
            player.say("start")
            if (await player.hear(rf"for example cut|{DRAW}"))[0] != DRAW:
                player.say("cut 20")
                await player.hear(DRAW)
            held = own_cards(player)
            await server.stop(SIGTERM)
            await player.hear("The server starts anew")
            await bot.hear("trying to get it back")
            async with serving(tmp_path, *data, port=server.port):
                await player.hear("The link to the server is back")
                await bot.hear("The link is back")
                player.say("hand")
                assert (await player.hear(r"These are your cards: ([^.]+)\."))[1] == held
                player.say("draw")
                await player.hear(r"for example (discard \w+)\.")
                for program in (player, bot):
                    program.signal(SIGTERM)
                    assert (await program.end()).complaints == ""
