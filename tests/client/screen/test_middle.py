"""The middle of the table: at every size its words are whole, and stand apart."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from paiute_client.model import PeopleListed
from paiute_net.game.house_rules import HouseRules
from paiute_net.wire.messages import PersonRow
from tests.client.screen.sitting import Sitting
from tests.client.screen.states import STATES

WIDTHS = (*range(60, 126, 3), 200)
HEIGHTS = (20, 24, 40)
SIZES = [(width, height) for width in WIDTHS for height in HEIGHTS]


@pytest.mark.parametrize("players", range(2, 9))
def test_the_piles_are_counted_at_every_size(players: int) -> None:
    player = Sitting(players=players, rules=HouseRules(large_table=players > 5))
    player.until(
        lambda stage: (
            len(stage.actions.draw) == 2 and stage.hand is not None and len(stage.hand.discards) >= 10
        )
    )
    hand = player.stage.hand
    assert hand is not None
    labels = rf"stock {hand.stock} {{2,}}(discards|disc\.) {len(hand.discards)} {{2,}}turned"
    for size in SIZES:
        assert re.search(labels, player.text(*size)), size
    player.press("up", "right")
    for size in SIZES:
        assert re.search(rf"▶(discards|disc\.) {len(hand.discards)} +turned", player.text(*size)), size


@pytest.mark.parametrize("players", range(2, 9))
def test_the_cut_is_told_in_whole_words_at_every_size(players: int) -> None:
    player = Sitting(players=players, rules=HouseRules(large_table=players > 5))
    player.until(lambda stage: stage.actions.cut is not None)
    for cut, told in ((1, "1 card goes to the bottom"), (51, "51 cards go to the bottom")):
        player.state = replace(player.state, cut=cut)
        for size in SIZES:
            assert told in player.text(*size), size


@pytest.mark.parametrize("bots", [1, 2, 5, 40])
@pytest.mark.parametrize("name", ["{}", "Bot {}", "W" * 20 + " {}"])
def test_the_lobby_names_only_whole_people(bots: int, name: str) -> None:
    player = STATES["lobby"]()
    names = [name.format(number) for number in range(1, bots + 1)]
    rows = tuple(PersonRow(player=f"b{each}", name=each, bot=True) for each in names)
    player.hear(PeopleListed(people=rows))
    for size in SIZES:
        row = next(line for line in player.text(*size).splitlines() if "Chat in the lobby" in line)
        told = row.partition("here: ")[2].rstrip("─ ")
        shown = [each for each in names if f"{each} (a bot)" in told]
        more = int((re.findall(r" and (\d+) more$", told) or re.findall(r"^(\d+) others?$", told) or [0])[0])
        assert "…" not in told, size
        assert len(shown) + more == bots, (size, told)
