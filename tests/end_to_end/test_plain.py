"""People and programs in line mode: whole hands, at terminals and through pipes."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGTERM, Signals

import pytest
import trio

from paiute_net.wire.messages import PresenceChanged
from tests.support.programs import Program, ServerProgram, serving, started
from tests.support.terminal import AtTerminal, at_terminal

SEED = 43
"""With these cards, two who do what is suggested call after three rounds."""
SUGGESTIONS = {
    r"for example (?P<cut>cut \d+)\.": "cut",
    r"Type (?P<draw>draw) to draw from the stock": "draw",
    r": type (?P<call>call)\.": "call",
    r"Type discard and a card, for example (?P<discard>discard \w+)\.": "discard",
}
END_OF_INPUT = "\x04"
INTERRUPT = "\x03"
OVER = r"All in all you (?:have (?P<result>won|lost) (?P<amount>[\d.]+)|are (?P<even>even))\."


async def play_hand(player: Program) -> int:
    """Type what the program suggests until the hand is paid; returns the balance in cents."""
    while True:
        found = await player.hear("|".join((*SUGGESTIONS, OVER)))
        for suggestion in SUGGESTIONS.values():
            if found[suggestion] is not None:
                player.say(found[suggestion])
        if found["even"] is not None:
            return 0
        if found["result"] is not None:
            cents = int(found["amount"].replace(".", ""))
            return cents if found["result"] == "won" else -cents


async def play_together(*players: Program) -> list[int]:
    """All play a hand, which the first of them starts; returns their balances."""
    balances: dict[Program, int] = {}

    async def play(player: Program) -> None:
        balances[player] = await play_hand(player)

    async with trio.open_nursery() as nursery:
        for player in players:
            nursery.start_soon(play, player)
        players[0].say("start")
    return [balances[player] for player in players]


def kept(player: Program) -> set[str]:
    """The cards that a player has held to the end of the hand without showing them to anybody."""
    *_, held = re.findall(r"these are your cards: ([^.]+)\.", player.heard)
    shown = " ".join(re.findall(r"You (?:discard|call)[^.]*\.", player.heard))
    return {card for card in re.findall(r"\w+ of \w+", held) if card not in shown}


def check_hidden(one: Program, other: Program) -> None:
    """Hold that neither program ever showed what the other's player has kept."""
    assert kept(one) | kept(other)
    assert not any(card in one.heard for card in kept(other))
    assert not any(card in other.heard for card in kept(one))


def clients(server: ServerProgram, stack: ExitStack, home: Path, *names: str) -> list[Program]:
    """People in line mode at one table, through pipes."""
    return [
        stack.enter_context(
            started("paiute-client", server.place, "--plain", "--name", name, "--table", "Evening", home=home)
        )
        for name in names
    ]


# --- whole hands ----------------------------------------------------------------------------------------


async def test_two_at_terminals_play_a_hand_to_the_payment(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral", "--seed", str(SEED)) as server:
        place = ("paiute-client", server.place, "--plain", "--table", "Evening")
        with at_terminal(*place, "--name", "Ana", home=tmp_path) as ana:
            await ana.hear("A hand needs two players")
            with at_terminal(*place, "--name", "Noa", home=tmp_path) as noa:
                await ana.hear("Noa sits down in seat 2")
                await ana.hear_prompt()
                assert not ana.is_restored
                balances = await play_together(ana, noa)
                assert sorted(balances) == [-25, 25]
                check_hidden(ana, noa)
                ana.say("accounts")
                await ana.hear(r"To be even, (?:Noa pays 0\.25 to you|you pay 0\.25 to Noa)")
                await ana.hear_prompt()
                ana.say("quit")
                await noa.hear("Ana leaves the table")
                await noa.hear_prompt()
                noa.press(END_OF_INPUT)
                for player in (ana, noa):
                    assert (await player.end())[::2] == (0, "")
                    assert player.is_restored


async def test_a_person_through_pipes_plays_with_bots(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral", "--seed", str(SEED)) as server:
        with ExitStack() as stack:
            (ana,) = clients(server, stack, tmp_path, "Ana")
            await ana.hear("A hand needs two players")
            bot = ("paiute-client", server.place, "--bot", "--pace", "0", "--seed", "1")
            bots = [stack.enter_context(started(*bot, home=tmp_path)) for _ in range(2)]
            await ana.hear("(?s)a bot, sits down.*a bot, sits down")
            await play_together(ana)
            ana.say("accounts")
            await ana.hear("To be even")
            ana.hang_up()
            ended = await ana.end()
            assert (ended.status, ended.complaints) == (0, "")
            assert "You leave the table." in ended.output
            for program in bots:
                program.signal(SIGTERM)
                assert (await program.end())[::2] == (0, "")


async def test_one_at_a_terminal_one_through_pipes_and_a_bot_play_together(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral", "--seed", "5") as server:
        with ExitStack() as stack:
            (ana,) = clients(server, stack, tmp_path, "Ana")
            await ana.hear("A hand needs two players")
            place = ("paiute-client", server.place, "--table", "Evening")
            noa = stack.enter_context(at_terminal(*place, "--plain", "--name", "Noa", home=tmp_path))
            await ana.hear("Noa sits down")
            bot = stack.enter_context(started(*place, "--bot", "--pace", "0", "--seed", "1", home=tmp_path))
            await ana.hear("a bot, sits down")
            await noa.hear("a bot, sits down")
            await play_together(ana, noa)
            check_hidden(ana, noa)
            await bot.hear("wins the pot|is shared")
            await server.stop()
            for program in (ana, noa, bot):
                assert (await program.end()).status == 0
            assert noa.is_restored


# --- the ways to end ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "status"),
    [(END_OF_INPUT, 0), (INTERRUPT, 130), ("quit\r", 0)],
    ids=["end of input", "interrupt", "quit"],
)
async def test_keys_end_the_client_and_restore_the_terminal(
    keys: str, status: int, house: ServerProgram, tmp_path: Path
) -> None:
    with at_terminal("paiute-client", house.place, "--plain", home=tmp_path) as player:
        await player.hear_prompt()
        assert not player.is_restored
        player.press(keys)
        assert (await player.end())[::2] == (status, "")
        assert player.is_restored


@pytest.mark.parametrize("number", [SIGINT, SIGTERM, SIGHUP])
@pytest.mark.parametrize("start", [at_terminal, started])
async def test_signals_end_the_client_and_keep_its_seat(
    start: Callable[..., AbstractContextManager[Program]],
    number: Signals,
    house: ServerProgram,
    tmp_path: Path,
) -> None:
    other = await house.client()
    table = await other.open_table()
    with start("paiute-client", house.place, "--plain", "--table", table, home=tmp_path) as player:
        await player.hear("Type start")
        player.say("start")
        await player.hear("to cut the pack")
        player.signal(number)
        ended = await player.end()
        assert (ended.status, ended.complaints) == (128 + number, "")
        assert "Your seat is kept" in ended.output
        assert not isinstance(player, AtTerminal) or player.is_restored
    assert not (await other.hear(PresenceChanged)).connected


async def test_the_end_of_the_terminal_ends_the_client(house: ServerProgram, tmp_path: Path) -> None:
    with at_terminal("paiute-client", house.place, "--plain", home=tmp_path) as player:
        await player.hear_prompt()
        player.hang_up()
        assert (await player.end())[::2] == (128 + SIGHUP, "")


async def test_the_end_of_the_output_ends_the_client(house: ServerProgram, tmp_path: Path) -> None:
    with started("paiute-client", house.place, "--plain", home=tmp_path) as player:
        await player.hear("create")
        assert player.process.stdout is not None
        player.process.stdout.close()
        player.say("help")
        assert player.process.wait() == 128 + SIGHUP
        assert player.complaints() == ""


@pytest.mark.parametrize("number", [SIGINT, SIGTERM])
async def test_the_end_of_the_server_is_told_and_ends_the_client(number: Signals, tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        options = ("paiute-client", server.place, "--plain")
        with at_terminal(*options, home=tmp_path) as ana, started(*options, home=tmp_path) as noa:
            await ana.hear_prompt()
            await noa.hear("create")
            await server.stop(number)
            for player in (ana, noa):
                ended = await player.end()
                assert (ended.status, ended.complaints) == (0, "")
                assert "The server has ended." in ended.output
            assert ana.is_restored
