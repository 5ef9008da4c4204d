"""The full screen at a terminal: a hand by keys alone, and the terminal as it was after every ending."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGKILL, SIGTERM, Signals

import pytest
import trio

from tests.support.programs import ServerProgram, serving, started
from tests.support.terminal import AtTerminal, at_terminal

SEED = 43
INTERRUPT = "\x03"
QUIT = "\x11"
LEFT = "\x1b[D"
KEYS = {
    r"x  cut here": "x",
    r"Enter  lay it down": "\r",
    r"c  call ": "c",
    r"Enter  discard ": "\r",
    r"choose a card to discard": LEFT,
    r"d  draw from the stock": "d",
}
"""What to press when the screen offers something, the first that is offered."""
OVER = r"All in all you (?:have (?:won|lost)|are even)"


async def play_hand(player: AtTerminal) -> None:
    """Press what is offered until the hand is paid."""
    while re.search(OVER, player.heard) is None:
        offered = next((key for pattern, key in KEYS.items() if re.search(pattern, player.heard)), None)
        if offered is not None:
            player.press(offered)
        await player.see_change()


async def test_a_hand_is_played_to_its_payment_by_keys_alone(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral", "--seed", str(SEED)) as server:
        place = ("paiute-client", server.place, "--table", "Evening")
        with (
            started(*place, "--bot", "--pace", "0", home=tmp_path) as bot,
            at_terminal(*place, "--name", "Noa", home=tmp_path) as player,
        ):
            await bot.hear("It sits at the table")
            await player.see("n  deal the first hand")
            player.press("n")
            await play_hand(player)
            player.press(QUIT)
            await player.see("Quit[?]")
            player.press("y")
            ended = await player.end()
            assert (ended.status, ended.complaints) == (0, "")
            assert player.is_restored


def quit_by_key(player: AtTerminal, _: ServerProgram) -> None:
    player.press(QUIT)


def interrupt(player: AtTerminal, _: ServerProgram) -> None:
    player.press(INTERRUPT)


def signalled(number: Signals) -> Callable[[AtTerminal, ServerProgram], None]:
    def send(player: AtTerminal, _: ServerProgram) -> None:
        player.signal(number)

    return send


ENDINGS: dict[str, tuple[Callable[[AtTerminal, ServerProgram], None], int]] = {
    "quit": (quit_by_key, 0),
    "ctrl-c": (interrupt, 128 + SIGINT),
    "sigint": (signalled(SIGINT), 128 + SIGINT),
    "sigterm": (signalled(SIGTERM), 128 + SIGTERM),
    "sighup": (signalled(SIGHUP), 128 + SIGHUP),
}


@pytest.mark.parametrize("ending", ENDINGS)
async def test_the_terminal_is_as_it_was_after(ending: str, house: ServerProgram, tmp_path: Path) -> None:
    end, status = ENDINGS[ending]
    with at_terminal("paiute-client", house.place, home=tmp_path) as player:
        await player.see("Paiute · lobby")
        assert not player.is_restored
        end(player, house)
        ended = await player.end()
        assert (ended.status, ended.complaints) == (status, "")
        assert player.is_restored


SEAT_KEPT: dict[str, Callable[[AtTerminal, ServerProgram], None]] = {
    "ctrl-c": lambda player, _: player.press(2 * INTERRUPT),
    "sigterm": signalled(SIGTERM),
}


@pytest.mark.parametrize("ending", SEAT_KEPT)
async def test_who_is_broken_off_at_a_table_is_told_how_to_come_back(
    ending: str, house: ServerProgram, tmp_path: Path
) -> None:
    command = ("paiute-client", "--name", f"Noa {ending}", "--table", f"Until {ending}", house.place)
    with at_terminal(*command, home=tmp_path) as player:
        await player.see("A hand needs two")
        SEAT_KEPT[ending](player, house)
        ended = await player.end()
        assert f"come back with paiute-client {house.place} --name" in " ".join(ended.output.split())
        assert player.is_restored


async def test_the_terminal_is_as_it_was_after_the_servers_end(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        with at_terminal("paiute-client", server.place, home=tmp_path) as player:
            await player.see("Paiute · lobby")
            await server.stop(SIGTERM)
            ended = await player.end()
            assert (ended.status, ended.complaints) == (0, "")
            assert player.is_restored
            assert "The server has ended." in ended.output


FAULTS: dict[str, str] = {
    "drawing": "o",
    "doing what a key means": "o",
    "hearing": "",
    "doing what a command means": "\thello\r",
}
"""Where a fault is planted, and the keys that come upon it."""
FAULTY = """
import sys

from paiute_client import cli
from paiute_client.screen import app


def fail(*_, **__):
    raise RuntimeError("a fault")


def fail_over_dialogs(stage, width, height):
    return fail() if stage.state.dialog is not None else drawn(stage, width, height)


drawn = app.draw
match sys.argv.pop(1):
    case "drawing":
        app.draw = fail_over_dialogs
    case "doing what a key means":
        app.apply = fail
    case "hearing":
        app.heard = fail
    case "doing what a command means":
        app.TableScreen._do = fail
sys.exit(cli.main())
"""


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_of_its_own_is_told_and_leaves_the_terminal_as_it_was(
    fault: str, house: ServerProgram, tmp_path: Path
) -> None:
    with at_terminal(sys.executable, "-c", FAULTY, fault, house.place, home=tmp_path) as player:
        if FAULTS[fault]:
            await player.see("Paiute · lobby")
            player.press(FAULTS[fault])
        ended = await player.end()
        assert player.is_restored
    assert ended.status == 1
    assert ended.complaints.startswith("paiute-client: This program has broken down over a fault of its own")
    assert ended.complaints.count("\n") == 1
    kept = re.search(r"is kept in (.+)\.\n", ended.complaints)
    assert kept is not None
    assert "RuntimeError: a fault" in await trio.Path(kept[1]).read_text(encoding="utf-8")


async def test_a_lost_link_is_shown_and_comes_back_with_the_hand_as_it_was(tmp_path: Path) -> None:
    async with serving(tmp_path, "--data", str(tmp_path / "data"), "--seed", str(SEED)) as server:
        place = ("paiute-client", server.place, "--table", "Evening")
        with (
            started(*place, "--bot", "--pace", "0", home=tmp_path),
            at_terminal(*place, "--name", "Noa", home=tmp_path) as player,
        ):
            await player.see("n  deal the first hand")
            player.press("n")
            await player.see("x  cut here|d  draw")
            if "x  cut here" in player.heard:
                player.press("x")
            await player.see("d  draw from the stock")
            cards = set(re.findall(r"(?:10|[2-9JQKA])[♣♦♥♠]", player.heard))
            server.program.signal(SIGKILL)
            await player.see("The link is lost and your seat kept")
            await server.program.end()
            async with serving(tmp_path, "--data", str(tmp_path / "data"), port=server.port):
                await player.see("● connected")
                await player.see("Your turn: draw")
                assert set(re.findall(r"(?:10|[2-9JQKA])[♣♦♥♠]", player.heard)) == cards
                player.press("d")
                await player.see("choose a card to discard|call")


async def test_a_resized_terminal_is_filled_anew(house: ServerProgram, tmp_path: Path) -> None:
    with at_terminal("paiute-client", house.place, home=tmp_path) as player:
        await player.see("Paiute · lobby")
        for rows, columns, expected in ((18, 50, "too small"), (30, 100, "Paiute · lobby")):
            player.resize(columns, rows)
            await player.see(expected)
        player.press(QUIT)
        assert (await player.end()).status == 0
