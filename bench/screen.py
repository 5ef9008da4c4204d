"""Whether the screen answers at a busy table: ``python -m bench.screen``.

Eight seats move and chat as fast as the server's limits let them, seven of them in a process of their own.
The eighth is on a screen of 120 by 40, which takes keys through a pipe and writes what a terminal would show.

A key is answered when what it asks for has been written. A redraw is all that prompt_toolkit and the screen
do for one, in CPU time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from io import StringIO
from itertools import cycle
from pathlib import Path
from random import Random
from time import perf_counter, thread_time
from typing import Final

import trio
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from bench.load.process import DRIVER_CORE, ROOT, SERVER_CORE, paiute
from bench.load.report import Wanted, show_machine, show_wanted
from paiute_client import host
from paiute_client.address import Address
from paiute_client.api import Client, OwnDecision, connect, server_at
from paiute_client.errors import ServerRefusal
from paiute_client.screen.app import Ending, TableScreen
from paiute_client.screen.settings import Settings
from paiute_client.screen.state import TextDialog
from paiute_net import strategy
from paiute_net.game.actions import Action, Cut, Discard, Draw
from paiute_server.limits import DEFAULTS

SEATS: Final = 8
SIZE: Final = Size(rows=40, columns=120)
TABLE: Final = "Busy"
LINE: Final = "word " * 30
EACH_S: Final = 0.1
"""Between two keys, about."""
MS: Final = 1000.0

Choose = Callable[[Client, OwnDecision], Action]


# --- who sits at the table ----------------------------------------------------------------------------------


async def play(client: Client, choose: Choose) -> None:
    """Do what is asked at once, as often as the limits allow in the long run."""
    allowed_at = trio.current_time()
    async for decision in client.decisions():
        await client.act(choose(client, decision), decision.number)
        allowed_at = max(allowed_at + 1 / DEFAULTS.requests.per_second, trio.current_time())
        await trio.sleep_until(allowed_at)


async def chat(client: Client) -> None:
    """Say something as often as the limits allow."""
    while True:
        try:
            await client.say(LINE)
        except ServerRefusal:  # over the limit
            await trio.sleep(1 / DEFAULTS.chat.per_second)


async def deal(client: Client) -> None:
    """Start a hand whenever none is going on."""
    while True:
        await client.wait(lambda model: model.picture is not None and not model.picture.going_on)
        try:
            await client.start()
        except ServerRefusal:  # somebody else was faster, or there are not yet two
            await trio.sleep(0.05)


def thought_through(client: Client, decision: OwnDecision) -> Action:
    """What a bot would do."""
    return strategy.choose(client.picture, decision.actions, Random(0))


def first_at_hand(_: Client, decision: OwnDecision) -> Action:
    """What costs the screen's process nothing to find."""
    actions = decision.actions
    if actions.cut is not None:
        return Cut(actions.cut.minimum)
    return Draw(actions.draw[0]) if actions.draw else Discard(actions.discard[0])


async def others(port: int) -> None:
    """The other seats, until killed."""
    async with trio.open_nursery() as nursery:
        for seat in range(1, SEATS):
            nursery.start_soon(other, port, seat)


async def other(port: int, seat: int) -> None:
    """One of them; the first opens the table and starts its hands."""
    async with connect(server_at(Address("127.0.0.1", port)), name=f"Player {seat}") as client:
        if seat == 1:
            await client.create_table(name=TABLE, switches={"large_table": True}, seats=SEATS)
        await client.wait(lambda model: model.is_placed)
        await sit_down(client)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, client, thought_through)
            nursery.start_soon(chat, client)
            if seat == 1:
                nursery.start_soon(deal, client)


async def sit_down(client: Client) -> None:
    """Take a seat at the table, once it is there."""
    while True:
        row = next((row for row in await client.tables() if row.name == TABLE), None)
        if row is not None:
            await client.join(row.table)
            return
        await trio.sleep(0.05)


@contextmanager
def others_playing(port: int) -> Generator[None]:
    """The other seats, in a process that is ended with the block."""
    process = subprocess.Popen(  # noqa: S603 - the program is this one
        [sys.executable, "-m", "bench.screen", "--others", str(port)], cwd=ROOT
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


# --- what is measured ---------------------------------------------------------------------------------------


class Watch:
    """Notes the CPU time of redraws, and the time from a key pressed to its answer written."""

    def __init__(self, screen: TableScreen, keys: PipeInput) -> None:
        self.redraws: Final[list[float]] = []
        self.answers: Final[list[float]] = []
        self.heard = 0
        self._screen: Final = screen
        self._keys: Final = keys
        self._began = 0.0
        self._wanted: bool | None = None
        """Whether something to read is to be open, while that is waited for."""
        self._pressed = 0.0
        self._answered = trio.Event()
        self._token: Final = trio.lowlevel.current_trio_token()
        screen.app.before_render += self._begin
        screen.app.after_render += self._end

    def _begin(self, _: object) -> None:
        self._began = thread_time()

    def _end(self, _: object) -> None:
        self.redraws.append(thread_time() - self._began)
        if self._wanted is not None and isinstance(self._screen.state.dialog, TextDialog) == self._wanted:
            self.answers.append(perf_counter() - self._pressed)
            self._wanted = None
            self._token.run_sync_soon(self._answered.set)

    async def press(self, seconds: float) -> None:
        """Open the help and close it again, over and over."""
        random = Random(1)
        end = trio.current_time() + seconds
        for key, opens in cycle((("?", True), ("\r", False))):
            self._answered = trio.Event()
            self._wanted, self._pressed = opens, perf_counter()
            self._keys.send_text(key)
            await self._answered.wait()
            if trio.current_time() > end:
                return
            await trio.sleep(EACH_S * random.uniform(0.5, 1.5))

    def hear(self, _: object) -> None:
        self.heard += 1


async def measure(port: int, seconds: float) -> Watch:
    """Sit at the busy table for so long."""
    written = StringIO()
    output = Vt100_Output(written, lambda: SIZE, term="xterm-256color", enable_cpr=False)
    with create_pipe_input() as keys, create_app_session(input=keys, output=output):
        async with connect(server_at(Address("127.0.0.1", port)), name="Player 0") as client:
            screen = TableScreen(client, Settings(), keys=keys, terminal=output)
            watch = Watch(screen, keys)
            await sit_down(client)
            client.listen(watch.hear)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(be_on, screen)
                nursery.start_soon(play, client, first_at_hand)
                nursery.start_soon(chat, client)
                await client.wait(lambda model: model.picture is not None and model.picture.going_on)
                await watch.press(seconds)
                nursery.cancel_scope.cancel()
    return watch


async def be_on(screen: TableScreen) -> None:
    """Be on the screen until cancelled."""
    try:
        await screen.run(None)
    except Ending:  # nobody asks for it
        return


def hold_to(core: int) -> None:
    """Run on that core alone: the others of a table are on other machines."""
    if core >= 0:
        os.sched_setaffinity(0, {core})


def quantile(values: Iterable[float], share: float) -> float:
    """So many milliseconds at the most take a ``share`` of them."""
    ordered = sorted(values)
    return MS * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print what was wanted."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.screen", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seconds", type=float, default=20.0, help="how long to sit there; 20 by default")
    parser.add_argument("--others", type=int, metavar="PORT", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.others is not None:
        hold_to(SERVER_CORE)
        trio.run(others, given.others)
        return
    show_machine()
    with tempfile.TemporaryDirectory() as folder:
        server = paiute(Path(folder))
        try:
            with others_playing(server.port):
                hold_to(DRIVER_CORE)
                watch = host.run(measure, server.port, given.seconds)
        finally:
            server.kill()
    print(
        f"{watch.heard / given.seconds:.0f} messages per second were heard, "
        f"and {len(watch.answers)} keys pressed; {len(watch.redraws) / given.seconds:.0f} redraws per second."
    )
    show_wanted(
        [
            Wanted("a key answered, p50", quantile(watch.answers, 0.5), 50, " ms"),
            Wanted("a key answered, p99", quantile(watch.answers, 0.99), 50, " ms"),
            Wanted("a key answered, the slowest", quantile(watch.answers, 1), 50, " ms"),
            Wanted("CPU of a redraw, p50", quantile(watch.redraws, 0.5), 5, " ms"),
            Wanted("CPU of a redraw, p99", quantile(watch.redraws, 0.99), 5, " ms"),
        ]
    )


if __name__ == "__main__":
    main()
