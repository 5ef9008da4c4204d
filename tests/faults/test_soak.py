"""Half an hour of play at full speed, while people come and go: nothing grows, and nothing is left behind.

``PAIUTE_SOAK_MINUTES`` is how long, 30 if not set; at least 3, for the server keeps a bot's name for two.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from random import Random
from signal import SIGTERM
from statistics import median
from typing import Final, NamedTuple

import pytest
import trio

from paiute_client.address import Address
from paiute_client.api import Client, ClientError, connect
from paiute_net.game.house_rules import NAMED_SETS
from paiute_server.journal import check
from paiute_server.limits import DEFAULTS
from tests.support.crash import House, opened, playing
from tests.support.programs import LOOPBACK, Program, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a process' memory is read from /proc")

MINUTES: Final = max(3.0, float(os.environ.get("PAIUTE_SOAK_MINUTES", "30")))
WARM_UP: Final = 2.5 / MINUTES
"""Of the time, in which memory may grow: a bot's name is kept for two minutes."""
GROWTH: Final = 1.05
BOTS: Final = 3
VISITORS: Final = 4
"""At a time; each stays for a moment."""
VANISH: Final = 0.2
"""So many of them go without a word, and their seats wait for them."""


class Use(NamedTuple):
    """What a process holds: bytes of memory, descriptors."""

    memory: int
    descriptors: int


def use(pid: int) -> Use:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return Use(pages * os.sysconf("SC_PAGE_SIZE"), descriptors(pid).total())


def descriptors(pid: int) -> Counter[str]:
    """What a process has open: files by name, and how many of each other kind."""
    opened: Counter[str] = Counter()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            opened[str(link.readlink()).partition(":[")[0]] += 1
    return opened


async def visit(house: House, random: Random) -> None:
    """Come, look around, open a table, chat, and go; again and again."""
    while True:
        with suppress(ClientError):
            async with connect(
                Address(LOOPBACK, house.port), bot=True, stay=random.random() < VANISH
            ) as client:
                await look_around(client, random)


async def look_around(client: Client, random: Random) -> None:
    await client.watch_lobby()
    await client.sit_down(f"Visit {random.randrange(200)}")
    await client.say("Aloha")
    await client.accounts()
    await trio.sleep(random.random() / 2)


@asynccontextmanager
async def bots(house: House, home: Path) -> AsyncGenerator[list[Program]]:
    """The real bots, as processes, at a table of their own; they leave when the block ends."""
    async with AsyncExitStack() as programs:
        place = f"{LOOPBACK}:{house.port}"
        running = [
            programs.enter_context(
                started("paiute-client", place, "--bot", "--pace", "0", "--table", "Bots", home=home)
            )
            for _ in range(BOTS)
        ]
        async with trio.open_nursery() as nursery:
            for bot in running:
                nursery.start_soon(listen, bot)
            yield running
            for bot in running:
                bot.signal(SIGTERM)
        for bot in running:
            assert (await bot.end()).status == 0


async def listen(bot: Program) -> None:
    """Let it say what it likes, and forget that."""
    with suppress(AssertionError):
        while True:
            await bot.hear(r"\n")
            bot.heard = ""


async def sample(pids: Sequence[int]) -> list[list[Use]]:
    """What each process holds, every second for so many minutes."""
    samples: list[list[Use]] = [[] for _ in pids]
    with trio.move_on_after(MINUTES * 60):
        while True:
            for pid, kept in zip(pids, samples, strict=True):
                kept.append(use(pid))
            await trio.sleep(1)
    return samples


def check_flat(who: str, samples: Sequence[Use]) -> None:
    """Hold the second half of the time after warming up to the first."""
    settled = samples[int(len(samples) * WARM_UP) :]
    halves = settled[: len(settled) // 2], settled[len(settled) // 2 :]
    memory = [median(each.memory for each in half) for half in halves]
    descriptors = [max(each.descriptors for each in half) for half in halves]
    print(who, [f"{each / 2**20:.1f} MiB" for each in memory], descriptors)
    assert memory[1] <= GROWTH * memory[0], f"{who} grows: {memory}"
    assert descriptors[1] <= descriptors[0] + VISITORS, f"{who} leaves descriptors open: {descriptors}"


@pytest.mark.slow
@pytest.mark.timeout(MINUTES * 60 + 300)
async def test_nothing_grows_and_nothing_is_left(tmp_path: Path) -> None:
    async with opened(tmp_path, "tests.support.faults_server") as house:
        tasks = await house.tasks()
        before = descriptors(house.pid)  # now that it has all: it was ready before it could be asked
        async with (
            bots(house, tmp_path) as programs,
            playing(house, list(NAMED_SETS.values()), 3, keep=False),
            trio.open_nursery() as nursery,
        ):
            for number in range(VISITORS):
                nursery.start_soon(visit, house, Random(number))
            pids = [house.pid, *(bot.process.pid for bot in programs)]
            samples = await sample(pids)
            nursery.cancel_scope.cancel()
        await trio.sleep(DEFAULTS.lost_after_s)  # for those that have gone to be missed
        left = await house.tasks(), descriptors(house.pid)
    for number, kept in enumerate(samples):
        check_flat(f"bot {number}" if number else "the server", kept)
    assert left == (tasks, before)
    report = check(tmp_path / "data")
    print(report)
    assert report.sound
    assert "error" not in house.complaints()
