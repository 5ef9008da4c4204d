"""Two hundred hands over real sockets: nothing is lost, nothing is made, and nobody sees what is not his."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
import trio

from paiute_net.game.chance import RandomChance
from paiute_net.game.house_rules import NAMED_SETS, STANDARD, HouseRules, rules_from
from paiute_net.wire.messages import Say, WatchLobby
from tests.support.leak import cards_in
from tests.support.proceedings import check_conserved, check_leaks, check_told, from_journal, from_seed
from tests.support.programs import ServerProgram, serving
from tests.support.raw_client import RawClient
from tests.support.scripted_seat import ScriptedSeat, play_hands, seated

SEED = 20
HANDS = {2: 50, 3: 45, 5: 35}
"""Hands by the number of players; with those of the mixed tables, two hundred."""
MIXED_HANDS = 10
MIXED: Sequence[tuple[int, HouseRules]] = (
    (2, NAMED_SETS["two-round"]),
    (3, NAMED_SETS["family"]),
    (5, NAMED_SETS["quarter"]),
    (5, NAMED_SETS["two-round"]),
    (2, rules_from("quarter", {"wild_rule": "jokers", "house_deals": True, "stake": 1_000_000})),
    (3, rules_from("hawaiian", {"wild_rule": "opposite-colour", "closed_discards": True, "stake": 7})),
    (5, rules_from("family", {"closed_discards": True, "large_table": True, "ties": "first-caller"})),
)
"""At tables of one server, all at once: so many seats, and their rules."""
PLANTED = {"ok", "decision", "snapshot", "card-drawn", "card-discarded", "hand-dealt", "hand-ended"}
"""Types of messages that everybody hears, in which a leak must be found."""


async def open_lobby(server: ServerProgram) -> RawClient:
    """A connection that sits nowhere and hears all that the lobby tells."""
    client = await server.client("Nobody")
    await client.ask(WatchLobby, on=True)
    return client


async def check_lobby(client: RawClient) -> None:
    """Hold that who sits nowhere was told of no card."""
    await client.ask(Say, text="Good night.")
    heard = {message["type"] for message in client.raw}
    assert heard - {"people-changed"} == {"ok", "lobby-changed", "chat-said"}
    assert not list(cards_in(client.raw))


async def play(seats: list[ScriptedSeat], hands: int) -> None:
    """Play, and hold what each seat then knows against what the server would tell it afresh."""
    await seats[0].chat("Good luck to all.")
    await play_hands(seats, hands)
    for seat in seats:
        assert (await seat.seen_afresh()).picture == seat.picture


@pytest.mark.parametrize("players", HANDS)
async def test_the_standard_game(players: int, tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral", "--seed", str(SEED)) as server:
        lobby = await open_lobby(server)
        seats = await seated(server, STANDARD, players, Random(players))
        await play(seats, HANDS[players])
        await check_lobby(lobby)
    events = list(from_seed(seats, RandomChance(Random(SEED))))
    assert check_leaks(seats, events) >= PLANTED
    assert check_conserved(seats) == HANDS[players]


async def test_many_tables_at_once_by_all_kinds_of_rules(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with serving(tmp_path, "--data", str(data)) as server:
        lobby = await open_lobby(server)
        tables = [
            await seated(server, rules, players, Random(number), name=f"Table {number}")
            for number, (players, rules) in enumerate(MIXED)
        ]
        async with trio.open_nursery() as nursery:
            for seats in tables:
                nursery.start_soon(play, seats, MIXED_HANDS)
        await check_lobby(lobby)
    journal = from_journal(data)
    for seats in tables:
        events = journal[seats[0].picture.table]
        check_told(seats, events)
        assert check_leaks(seats, events) >= PLANTED
        assert check_conserved(seats) == MIXED_HANDS


def test_these_are_two_hundred_hands() -> None:
    assert sum(HANDS.values()) + MIXED_HANDS * len(MIXED) >= 200
