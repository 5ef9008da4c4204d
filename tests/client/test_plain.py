from __future__ import annotations

import io
import os
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pyte
import pytest
import trio
import trio.testing
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.utils import get_cwidth

from paiute_client import host, plain
from paiute_client.api import connect
from paiute_client.conversation import HungUp, Interrupted
from paiute_client.model import Model
from paiute_client.options import Options
from paiute_client.plain import LineTerminal, PromptTerminal, wrapped
from tests.client.test_commands import CALLING, lobby, seated
from tests.support.client import ADDRESS, House, open_house
from tests.support.plain import ScriptedTerminal

T = TypeVar("T")


# --- lines ----------------------------------------------------------------------------------------------


@contextmanager
def pipes() -> Generator[tuple[LineTerminal, int, int]]:
    """A terminal, where to type, and where to read."""
    source, typing = os.pipe()
    reading, sink = os.pipe()
    try:
        yield LineTerminal(source, sink, encoding="utf-8"), typing, reading
    finally:
        for descriptor in (source, sink):
            os.close(descriptor)


async def read_all(terminal: LineTerminal) -> list[str]:
    lines: list[str] = []
    while True:
        try:
            lines.append(await terminal.read())
        except EOFError:
            return lines


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        (b"", []),
        (b"draw\n", ["draw"]),
        (b"draw\ndiscard 9s\n\ncall\n", ["draw", "discard 9s", "", "call"]),
        (b"draw\nthe last line", ["draw", "the last line"]),
        (b"draw\r\n", ["draw\r"]),
        ("discard Q♥\n".encode(), ["discard Q♥"]),
        (b"\xff\xfe\n", ["\ufffd\ufffd"]),
    ],
)
async def test_lines_are_read_to_the_end(typed: bytes, lines: list[str]) -> None:
    with pipes() as (terminal, typing, reading):
        os.write(typing, typed)
        os.close(typing)
        assert await read_all(terminal) == lines
        os.close(reading)


async def test_a_line_may_come_in_pieces() -> None:
    with pipes() as (terminal, typing, reading):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(write_slowly, typing, [b"dis", b"card", b" 9s\ncall\n"])
            assert [await terminal.read(), await terminal.read()] == ["discard 9s", "call"]
        os.close(typing)
        os.close(reading)


async def write_slowly(descriptor: int, pieces: list[bytes]) -> None:
    for piece in pieces:
        os.write(descriptor, piece)
        await trio.lowlevel.checkpoint()


async def test_reading_can_be_given_up() -> None:
    with pipes() as (terminal, typing, reading):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(terminal.read)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        os.close(typing)  # lets the thread that is still reading end
        os.close(reading)


async def test_each_line_is_written_at_once() -> None:
    with pipes() as (terminal, typing, reading):
        terminal.write("You draw Q♥.")
        assert os.read(reading, 100) == "You draw Q♥.\n".encode()
        terminal.write("")
        assert os.read(reading, 100) == b"\n"
        os.close(typing)
        os.close(reading)


async def test_letters_that_an_encoding_lacks_are_replaced() -> None:
    source, sink = os.pipe()
    LineTerminal(source, sink, encoding="ascii").write("Zoë says: 你好")
    assert os.read(source, 100) == b"Zo? says: ??\n"
    os.close(source)
    os.close(sink)


def cp850(_: int) -> str:
    """The encoding of many a console of Windows."""
    return "cp850"


async def test_a_terminal_is_spoken_to_in_its_own_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "device_encoding", cp850)
    with pipes() as (terminal, typing, reading):
        os.write(typing, b"say Zo\x89\n")
        assert await terminal.read() == "say Zo\u00eb"
        terminal.write("Zo\u00eb")
        assert os.read(reading, 100) == b"Zo\x89\n"
        os.close(typing)
        os.close(reading)


async def test_a_reader_that_is_gone_is_noticed() -> None:
    with pipes() as (terminal, typing, reading):
        os.close(reading)
        terminal.write("Anybody there?")
        await terminal.wait_gone()
        terminal.write("Nobody.")
        os.close(typing)


async def test_a_descriptor_that_cannot_be_read_is_a_terminal_that_is_gone() -> None:
    reading, writing = os.pipe()
    with pytest.raises(HungUp):
        await LineTerminal(writing, writing).read()
    os.close(reading)
    os.close(writing)


# --- the prompt -----------------------------------------------------------------------------------------


class Screen:
    """What a prompt draws, as a person would see it."""

    def __init__(self, columns: int = 40) -> None:
        self.stdout = io.StringIO()
        self.output = Vt100_Output(
            self.stdout, lambda: Size(rows=20, columns=columns), term="xterm", enable_cpr=False
        )
        self._columns = columns

    @property
    def lines(self) -> list[str]:
        screen = pyte.Screen(self._columns, 20)
        stream = pyte.Stream(screen)
        stream.feed(self.stdout.getvalue().replace("\n", "\r\n").replace("\r\r\n", "\r\n"))
        return [line.rstrip() for line in screen.display if line.strip()]


def prompting(use: Callable[[PromptTerminal, PipeInput], Awaitable[T]], *, screen: Screen | None = None) -> T:
    with create_pipe_input() as keys:
        output = (screen or Screen()).output

        async def main() -> T:
            return await use(PromptTerminal(seated(CALLING), keys=keys, screen=output), keys)

        return host.run(main)


def test_a_line_is_typed_at_the_prompt() -> None:
    screen = Screen()

    async def use(terminal: PromptTerminal, keys: PipeInput) -> list[str]:
        keys.send_text("discard 9s\rcall\r")
        return [await terminal.read(), await terminal.read()]

    assert prompting(use, screen=screen) == ["discard 9s", "call"]
    assert screen.lines == ["> discard 9s", "> call"]


def test_what_is_written_appears_above_the_prompt() -> None:
    screen = Screen()

    async def use(terminal: PromptTerminal, keys: PipeInput) -> str:
        typed: list[str] = []

        async def read() -> None:
            typed.append(await terminal.read())

        terminal.write("Before.")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read)
            keys.send_text("half a li")
            while "half a li" not in "".join(screen.lines):
                await trio.lowlevel.checkpoint()
            terminal.write("Meanwhile.")
            terminal.write("And more.")
            while "And more." not in screen.lines:
                await trio.lowlevel.checkpoint()
            keys.send_text("ne\r")
        terminal.write("After.")
        return typed[0]

    assert prompting(use, screen=screen) == "half a line"
    assert screen.lines == ["Before.", "Meanwhile.", "And more.", "> half a line", "After."]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("ca\t\r", "call"),
        ("discard 9\t\r", "discard 9s"),
        ("call l\t 9\t\r", "call leaving 9s"),
        ("call l\t9\t\r", "call leaving9"),
    ],
)
def test_tab_completes_what_can_be_typed(typed: str, line: str) -> None:
    async def use(terminal: PromptTerminal, keys: PipeInput) -> str:
        keys.send_text(typed)
        return await terminal.read()

    assert prompting(use) == line


def test_tab_shows_what_can_be_typed() -> None:
    screen = Screen()

    async def use(terminal: PromptTerminal, keys: PipeInput) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(terminal.read)
            keys.send_text("discard \t")
            while "Kc Qh 9s 6d 6c 3c" not in screen.lines:
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()

    prompting(use, screen=screen)


@pytest.mark.parametrize(("keys", "line"), [("\x04", "quit"), ("draw\x01\x0b\x04", "quit")])
def test_ctrl_d_quits(keys: str, line: str) -> None:
    async def use(terminal: PromptTerminal, pipe: PipeInput) -> str:
        pipe.send_text(keys)
        return await terminal.read()

    assert prompting(use) == line


def test_ctrl_c_breaks_off() -> None:
    async def use(terminal: PromptTerminal, keys: PipeInput) -> None:
        keys.send_text("dr\x03")
        with pytest.raises(Interrupted):
            await terminal.read()

    prompting(use)


def test_the_end_of_the_terminal_is_noticed() -> None:
    async def use(terminal: PromptTerminal, keys: PipeInput) -> None:
        keys.close()
        with pytest.raises(HungUp):
            await terminal.read()

    prompting(use)


class BreakingScreen(io.StringIO):
    """One whose terminal goes away."""

    is_there = True

    def write(self, text: str, /) -> int:
        if not self.is_there:
            raise OSError
        return super().write(text)


def test_a_screen_that_cannot_be_written_to_is_noticed() -> None:
    screen = BreakingScreen()

    async def main() -> None:
        with create_pipe_input() as keys:
            output = Vt100_Output(screen, lambda: Size(rows=20, columns=40), term="xterm")
            terminal = PromptTerminal(lobby(), keys=keys, screen=output)
            screen.is_there = False
            terminal.write("Anybody there?")
            await terminal.wait_gone()

    host.run(main)


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("", [""]),
        ("one two", ["one two"]),
        ("one two three", ["one two", "three"]),
        ("sevenx seveny", ["sevenx", "seveny"]),
        ("unbreakable word", ["unbreakable", "word"]),
        ("你好 你好", ["你好", "你好"]),
        ("a  b", ["a  b"]),
    ],
)
def test_lines_are_broken_between_words(line: str, rows: list[str]) -> None:
    assert wrapped(line, 8) == rows
    assert all(get_cwidth(row) <= 8 for row in rows if " " in row)


# --- sessions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "status", "seated_after"),
    [(EOFError(), 0, False), (Interrupted(), 130, True), (HungUp(), 129, True)],
)
async def test_who_quits_gives_up_the_seat_and_who_breaks_off_keeps_it(
    error: Exception, status: int, seated_after: bool, autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    async with open_house() as house, connect(house.server, name="Host") as other:
        await other.sit_down("Evening")
        terminal = ScriptedTerminal()
        options = Options(address=ADDRESS, name="Ana", table="Evening")
        statuses: list[int] = []

        async def play() -> None:
            statuses.append(await plain.play(house.server, options, lambda _: terminal, tmp_path))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(play)
            await terminal.until("You sit at the table Evening, in seat 2 of 5.")
            terminal.fail(error)
        assert statuses == [status]
        assert any("Your seat is kept" in line for line in terminal.lines) is seated_after
        await trio.sleep(1)
        assert ("Ana" in [occupant.name for occupant in other.picture.occupants]) is seated_after


async def play_until(
    terminal: ScriptedTerminal, house: House, tokens: Path, cut_off: Exception | None
) -> None:
    """Sit down at the table Evening, and be cut off, or (None) cancelled, once that is told."""

    def make_terminal(_: Model) -> ScriptedTerminal:
        return terminal

    options = Options(address=ADDRESS, name="Ana", table="Evening")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(plain.play, house.server, options, make_terminal, tokens)
        await terminal.until("You sit at the table Evening, in seat 2 of 5.")
        if cut_off is None:
            nursery.cancel_scope.cancel()
        else:
            terminal.fail(cut_off)


@pytest.mark.parametrize("cut_off", [Interrupted(), None])
async def test_who_broke_off_comes_back_to_the_same_seat(
    cut_off: Exception | None, autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    async with open_house() as house, connect(house.server, name="Host") as other:
        await other.sit_down("Evening")
        for _ in range(2):
            terminal = ScriptedTerminal()
            await play_until(terminal, house, tmp_path, cut_off)
            assert terminal.lines[-1].startswith("Your seat is kept, ")
