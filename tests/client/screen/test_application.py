"""The application against the real server: keys through a pipe, and the screen as pyte shows it."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path
from random import Random
from typing import Final

import pyte
import pytest
import trio
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from paiute_client import host
from paiute_client.api import Client, connect
from paiute_client.screen.app import Ending, TableScreen, colour_depth
from paiute_client.screen.canvas import Canvas
from paiute_client.screen.settings import Settings, Sort, Theme, load_settings
from paiute_net import strategy
from paiute_net.wire.messages import ChatSaid
from tests.client.screen.sitting import SIZES
from tests.support.client import House, open_house

PATIENCE: Final = 20.0


class Terminal:
    """What a terminal would show of all that was written to it."""

    def __init__(self, width: int, height: int) -> None:
        self.written: Final = StringIO()
        self.size = Size(height, width)
        self.output: Final = Vt100_Output(
            self.written, lambda: self.size, term="xterm-256color", enable_cpr=False
        )
        self._screen: Final = pyte.Screen(width, height)
        self._stream: Final = pyte.Stream(self._screen)
        self._fed = 0

    def look(self) -> pyte.Screen:
        text = self.written.getvalue()
        self._stream.feed(text[self._fed :])
        self._fed = len(text)
        return self._screen

    def text(self) -> str:
        return "\n".join(self.look().display)


class Player:
    """Who sits before the screen."""

    def __init__(self, screen: TableScreen, keys: PipeInput, terminal: Terminal) -> None:
        self.screen: Final = screen
        self.terminal: Final = terminal
        self._keys: Final = keys
        self._rendered = trio.Event()
        token = trio.lowlevel.current_trio_token()

        def rendered(_: object) -> None:
            token.run_sync_soon(self._notify)

        screen.app.after_render += rendered

    def _notify(self) -> None:
        self._rendered.set()
        self._rendered = trio.Event()

    def press(self, keys: str) -> None:
        self._keys.send_text(keys)

    async def see(self, pattern: str) -> None:
        """Wait until the screen shows it."""
        with trio.move_on_after(PATIENCE):
            while re.search(pattern, self.terminal.text()) is None:
                await self._rendered.wait()
            return
        raise AssertionError(f"{pattern!r} is not on the screen:\n{self.terminal.text()}")


@asynccontextmanager
async def playing(
    house: House,
    settings: Settings | None = None,
    *,
    table: str | None = None,
    size: tuple[int, int] = (80, 24),
    file: Path | None = None,
) -> AsyncGenerator[Player]:
    """A player at a screen of a terminal of that size."""
    terminal = Terminal(*size)
    with create_pipe_input() as keys, create_app_session(input=keys, output=terminal.output):
        async with connect(house.server, name="Noa") as client:
            screen = TableScreen(
                client,
                settings or Settings(),
                stored=Settings(),
                file=file,
                keys=keys,
                terminal=terminal.output,
            )
            async with trio.open_nursery() as nursery:

                async def run() -> None:
                    with pytest.raises(Ending):
                        await screen.run(table)

                nursery.start_soon(run)
                yield Player(screen, keys, terminal)
                screen.interrupt()


def in_host(test: Callable[[], Awaitable[None]]) -> None:
    host.run(test)


async def keep_playing(client: Client) -> None:
    """Do whatever may be done first."""
    async for decision in client.decisions():
        await client.act(strategy.choose(client.picture, decision.actions, Random(1)), decision.number)


@asynccontextmanager
async def seated(
    house: House,
    settings: Settings | None = None,
    *,
    size: tuple[int, int] = (80, 24),
    file: Path | None = None,
) -> AsyncGenerator[Player]:
    """The same, at a table with another who plays."""
    async with connect(house.server, name="Ana") as other, trio.open_nursery() as nursery:
        await other.sit_down("Evening")
        nursery.start_soon(keep_playing, other)
        async with playing(house, settings, table="Evening", size=size, file=file) as player:
            await player.see("n  deal the first hand")
            yield player
        nursery.cancel_scope.cancel()


async def come_to_turn(player: Player) -> None:
    """Have a hand dealt, and wait until it is one's turn to draw."""
    player.press("n")
    await player.see(r"cut here|d  draw from")
    if "cut here" in player.terminal.text():
        player.press("x")
    await player.see("d  draw from")


def test_a_hand_is_dealt_and_keys_play() -> None:
    async def main() -> None:
        async with open_house(seed=3) as house, seated(house) as player:
            await come_to_turn(player)
            player.press("d")
            await player.see("choose a card to discard")
            player.press("\x1b[C\r")
            await player.see("You discard ")

    in_host(main)


def test_chat_reaches_the_others_and_comes_back() -> None:
    async def main() -> None:
        async with open_house() as house, seated(house) as player:
            player.press("\tDo you deal? d\r")
            await player.see("You say: Do you deal[?] d")
            player.press("\r:acc")
            await player.see("who has won and lost")
            player.press("ounts\r")
            await player.see("Nobody owes anything")

    in_host(main)


def test_a_click_does_what_it_is_on() -> None:
    async def main() -> None:
        async with open_house() as house, seated(house) as player:
            rows = player.terminal.look().display
            y = next(number for number, row in enumerate(rows) if "settings" in row)
            x = rows[y].index("settings")
            player.press(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")
            await player.see("sort cards by")

    in_host(main)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_terminal_shows_what_was_drawn(size: tuple[int, int]) -> None:
    async def main() -> None:
        async with open_house() as house, seated(house, size=size) as player:
            drawn = player.screen.canvas.canvas.text()
            shown = [row.rstrip() for row in player.terminal.look().display]
            assert shown == drawn

    in_host(main)


BELL: Final = "\x07"
TITLE: Final = re.compile(r"\x1b]2;(.*?)\x07")


def test_the_turn_rings_and_is_in_the_title_of_the_window() -> None:
    async def main() -> None:
        async with open_house(seed=3) as house, seated(house) as player:
            await come_to_turn(player)
            written = player.terminal.written.getvalue()
            titles = TITLE.findall(written)
            assert titles[0] == "Paiute"
            assert "Evening - Paiute" in titles
            assert titles[-1] == "Your turn - Paiute"
            assert BELL in TITLE.sub("", written)
            player.screen.interrupt()
        assert TITLE.findall(player.terminal.written.getvalue())[-1] == "", "the title is not left behind"

    in_host(main)


def test_a_table_cannot_steer_the_terminal_by_its_name_in_the_title() -> None:
    async def main() -> None:
        async with open_house() as house, seated(house) as player:
            picture = player.screen.stage().model.picture
            assert picture is not None
            picture.name = "Even\x9cing\x9b2J\x07\x1b[2J\u202e\n"
            player.screen.note("")
            player.terminal.output.flush()
            titles = TITLE.findall(player.terminal.written.getvalue())
            assert titles[-1] == "Evening2J[2J  - Paiute"

    in_host(main)


def test_bell_and_title_can_be_turned_off() -> None:
    async def main() -> None:
        settings = Settings(bell=False, title=False)
        async with open_house(seed=3) as house, seated(house, settings) as player:
            await come_to_turn(player)
            assert BELL not in player.terminal.written.getvalue()

    in_host(main)


def test_keys_do_not_play_where_nothing_can_be_seen() -> None:
    async def main() -> None:
        async with open_house() as house, playing(house, size=(50, 18)) as player:
            await player.see("too small")
            player.screen.press("?")
            assert player.screen.state.dialog is None

    in_host(main)


def test_keys_answer_while_others_never_stop_chatting() -> None:
    async def main() -> None:
        async with open_house() as house, seated(house, size=(120, 40)) as player:
            table = player.screen.stage().model.table
            line = ChatSaid(table=table, player="p", name="Ana", text="word " * 40)

            async def chatter() -> None:
                while True:
                    player.screen.hear(line)
                    await trio.lowlevel.checkpoint()

            async with trio.open_nursery() as nursery:
                nursery.start_soon(chatter)
                for keys, pattern in (("o", "sort cards by"), ("\x1b", "n  deal"), ("?", "draws from the")):
                    player.press(keys)
                    await player.see(pattern)
                nursery.cancel_scope.cancel()

    in_host(main)


def test_an_error_within_closes_the_screen_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with open_house() as house, playing(house) as player:
            monkeypatch.setattr("paiute_client.screen.app.draw", fail)
            player.screen.app.invalidate()
            await trio.sleep_forever()

    def fail(*_: object) -> Canvas:
        raise RuntimeError("a fault in drawing")

    with pytest.raises(ExceptionGroup) as raised:
        in_host(main)
    assert raised.group_contains(RuntimeError, match="a fault in drawing")


def test_what_is_set_is_kept_but_not_what_holds_for_this_session(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"

    async def main() -> None:
        settings = Settings(theme=Theme.DARK)
        async with open_house() as house, seated(house, settings, file=file) as player:
            player.press("o\x1b[B\x1b[C")
            await player.see("← suit →")

    in_host(main)
    assert load_settings(file) == Settings(sort=Sort.SUIT)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, ColorDepth.DEPTH_1_BIT),
        ({"COLORTERM": "truecolor"}, ColorDepth.DEPTH_24_BIT),
        ({"TERM": "xterm-16color"}, ColorDepth.DEPTH_4_BIT),
        ({"TERM": "xterm-256color"}, None),
    ],
)
def test_as_many_colours_as_the_terminal_says(
    environment: dict[str, str], expected: ColorDepth | None
) -> None:
    assert colour_depth(environment) is expected
