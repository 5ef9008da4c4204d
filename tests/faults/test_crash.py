"""``kill -9`` in the middle of running hands: every hand goes on as its players have seen it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

import msgpack
import msgspec
import pytest
import trio

from paiute_net.game.house_rules import NAMED_SETS, STANDARD, HouseRules, WildRule
from tests.support.crash import House, PlayedTable, Witness, hold_to_journal, opened, playing
from tests.support.crash_server import AFTER_SEND, POINTS
from tests.support.programs import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")

PLAYERS: Final = 3
EVERY_POINT: Final = (*POINTS, *(f"{AFTER_SEND}{number + 1}" for number in range(PLAYERS)))
RULES: Final = (
    *NAMED_SETS.values(),
    msgspec.structs.replace(STANDARD, closed_discards=True, wild_rule=WildRule.JOKERS),
    msgspec.structs.replace(STANDARD, large_table=True, house_deals=True),
)
WHILE_PLAYING: Final = "while playing"
EARLY: Final = "early"
KILLS: Final = 200
"""At random moments."""
MOST_STEPS: Final = 40
"""After its start, until it dies at a point."""
GOES_ON: Final = 4
"""So many more events show that a hand goes on."""


async def go_on(tables: Sequence[PlayedTable]) -> None:
    """Every table plays on."""
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            for table in tables:
                nursery.start_soon(table.goes_on, GOES_ON)


async def die_at(house: House, point: str, random: Random, tables: Sequence[PlayedTable]) -> None:
    """Let it come back, and die at that point of some step."""
    before = [table.seq for table in tables]
    await house.start("tests.support.crash_server", point, str(random.randint(1, MOST_STEPS)))
    await house.die()
    assert all(table.seq >= seq for table, seq in zip(tables, before, strict=True))


async def die_while_playing(house: House, random: Random, tables: Sequence[PlayedTable]) -> None:
    """Let it come back and all tables play on, and kill it at some moment after that."""
    await house.start()
    await go_on(tables)
    await trio.sleep(random.random() * 0.2)
    await house.kill()


async def die_early(house: House, random: Random) -> None:
    """Kill it at some moment of its start, or while its clients come back."""
    await house.start(wait=False)
    with trio.move_on_after(random.random() * 1.5):
        await house.ready()
        await trio.sleep_forever()
    await house.kill()


async def outlive(home: Path, rules: Sequence[HouseRules], deaths: Sequence[str], random: Random) -> None:
    """Tables of these rules play through all those deaths; what was told is held to the journal."""
    async with opened(home) as house, playing(house, rules, PLAYERS) as tables:
        await go_on(tables)
        await house.kill()
        for death in deaths:
            if death == WHILE_PLAYING:
                await die_while_playing(house, random, tables)
            elif death == EARLY:
                await die_early(house, random)
            else:
                await die_at(house, death, random, tables)
        await house.start()
        await go_on(tables)
        assert house.lives == len(deaths) + 2
    assert "error" not in house.complaints()
    assert hold_to_journal(house, tables) > len(rules)
    # Steps that were stored and told to none, or to some: what the points are there for.
    assert sum(seat.witness.jumps for table in tables for seat in table.seats) >= len(deaths) // 10


@pytest.mark.timeout(180)
async def test_every_hand_goes_on_after_a_death_at_every_point(tmp_path: Path) -> None:
    await outlive(tmp_path, RULES[2:5], (*EVERY_POINT, WHILE_PLAYING, EARLY), Random(1))


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_ten_tables_outlive_two_hundred_deaths(tmp_path: Path) -> None:
    random = Random(2)
    deaths = [*EVERY_POINT * 5, *random.choices((WHILE_PLAYING, EARLY), weights=(4, 1), k=KILLS)]
    random.shuffle(deaths)
    await outlive(tmp_path, (RULES * 2)[:10], deaths, random)


# --- what a witness must see ----------------------------------------------------------------------------


PICTURE: Final = {"seq": 7, "seat": 0, "hand": {"own": ["Qh", "4c"]}}
DRAWN: Final = {"type": "card-drawn", "seq": 8, "seat": 0, "card": "9d"}


@pytest.mark.parametrize(
    "said",
    [
        {**DRAWN, "seq": 7},
        {**DRAWN, "seq": 9},
        {**DRAWN, "card": "4c"},
        {"type": "snapshot", "picture": {**PICTURE, "seq": 6}},
        {"type": "snapshot", "picture": {**PICTURE, "hand": {"own": ["Qh", "4d"]}}},
        {"type": "snapshot", "picture": {**PICTURE, "hand": None}},
    ],
)
def test_a_witness_sees_what_must_not_be(said: dict[str, object]) -> None:
    witness = Witness()
    witness.hear(msgpack.packb({"type": "snapshot", "picture": PICTURE}))
    with pytest.raises(AssertionError):
        witness.hear(msgpack.packb(said))


def test_a_witness_bears_what_may_be() -> None:
    witness = Witness()
    for said in (
        {"type": "snapshot", "picture": PICTURE},
        DRAWN,
        {"type": "card-drawn", "seq": 9, "seat": 1, "card": None},
        {"type": "card-discarded", "seq": 10, "seat": 0, "card": "Qh"},
        {"type": "snapshot", "picture": {"seq": 10, "seat": 0, "hand": {"own": ["9d", "4c"]}}},
        {"type": "snapshot", "picture": {"seq": 12, "seat": 0, "hand": {"own": ["4c"]}}},
        {"type": "hand-started", "seq": 13},
        {"type": "snapshot", "picture": {"seq": 13, "seat": 0, "hand": {"own": list[str]()}}},
    ):
        witness.hear(msgpack.packb(said))
    assert (witness.seq, witness.jumps) == (13, 1)
