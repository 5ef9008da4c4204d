from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_net.game.actions import Action, Call, Cut, Discard, Draw
from paiute_net.game.table import Table
from paiute_net.wire.messages import Actions
from paiute_server.told import Told, actions_of, together
from tests.support.playthrough import Dice, Playthrough, random_rules

SEATS = range(6)
frames = st.binary(max_size=3)
told = st.builds(Told, frames, st.dictionaries(st.sampled_from(SEATS), frames))


@given(st.lists(told, min_size=1, max_size=4))
def test_each_seat_is_told_in_one_what_it_would_be_told_one_by_one(parts: list[Told]) -> None:
    before = deepcopy(parts)
    whole = together(parts)
    assert [whole.to(seat) for seat in SEATS] == [b"".join(part.to(seat) for part in parts) for seat in SEATS]
    assert whole.public == b"".join(part.public for part in parts)
    assert parts == before


def listed(actions: Actions) -> list[Action]:
    cuts = () if actions.cut is None else range(actions.cut.minimum, actions.cut.maximum + 1)
    return [
        *map(Cut, cuts),
        *map(Draw, actions.draw),
        *map(Discard, actions.discard),
        *(Call(choice.cards) for choice in actions.call),
    ]


def check_actions(table: Table) -> None:
    assert listed(actions_of(table)) == list(table.legal_actions())


@pytest.mark.parametrize("seed", range(12))
def test_whoever_decides_is_told_all_that_he_may_do_and_nothing_else(seed: int) -> None:
    play = Playthrough(seed, random_rules(Dice(seed), round_limit=2 + seed % 2), restless=0)
    check_actions(play.table)
    play.seat(2 + seed % 4)
    for _ in range(3):
        play.start()
        while play.table.going_on:
            check_actions(play.table)
            play.step()
        check_actions(play.table)
