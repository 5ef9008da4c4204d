"""What a picture shows of what each did last is so, whoever looks at it, and is enough to go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from paiute_client.deeds import Deed, Discarded, HasCut, deeds
from paiute_net.game import events
from paiute_net.game.actions import Phase
from paiute_net.game.picture import Picture
from paiute_net.game.table import Table
from tests.support.client import Play
from tests.support.playthrough import Dice, Playthrough, random_rules
from tests.support.referee import TABLE

Done = events.PackCut | events.CardDiscarded | events.CombinationCalled


class Witness:
    """Has seen the whole hand, every card of it, and looks at each picture of it.

    Attributes:
      shown: how many discards the pictures showed.
      before: how many of them were of turns before the last one.
    """

    def __init__(self) -> None:
        self.shown = 0
        self.before = 0
        self._last: Final[dict[int, Done]] = {}
        self._newest: int | None = None

    def saw(self, event: events.Event) -> None:
        if isinstance(event, events.HandStarted):
            self._last.clear()
        elif isinstance(event, events.PackCut | events.CardDiscarded | events.CombinationCalled):
            self._last[event.seat] = event
            self._newest = event.seat

    def looks_at(self, picture: Picture) -> None:
        shown = deeds(picture)
        hand = picture.hand
        if hand is None or hand.phase in (Phase.CUT, Phase.OVER):
            assert not shown
            return
        for seat, deed in shown.items():
            self._check(deed, self._last[seat], picture)
        discarded = {seat for seat, deed in shown.items() if isinstance(deed, Discarded)}
        self.shown += len(discarded)
        self.before += len(discarded - {self._newest})
        self._check_enough({seat for seat in self._last if seat not in (hand.turn, *shown)})

    def _check(self, deed: Deed, done: Done, picture: Picture) -> None:
        if isinstance(deed, HasCut):
            assert isinstance(done, events.PackCut)
            return
        assert isinstance(done, events.CardDiscarded)
        assert deed.card == done.card or (deed.card is None and picture.rules.closed_discards)

    def _check_enough(self, untold: set[int]) -> None:
        """Of neither the cut nor the last discard nothing is told while another has the turn."""
        for seat in untold:
            assert not isinstance(self._last[seat], events.PackCut)
            assert seat != self._newest or isinstance(self._last[seat], events.CombinationCalled)


@pytest.mark.parametrize("closed", [False, True])
def test_whoever_comes_anew_is_shown_what_was_done_last(closed: bool) -> None:
    witness = Witness()
    for seed in range(20):
        for event, pictures in looked_at(seed, closed_discards=closed):
            witness.saw(event)
            for picture in pictures:
                witness.looks_at(picture)
    assert witness.shown > 1000
    assert (witness.before > 500) is not closed


def looked_at(seed: int, **fixed: object) -> Iterator[tuple[events.Event, list[Picture]]]:
    """Each event of a table of any rules, and how the table looks after it from each seat and from beside."""
    play = Playthrough(seed, random_rules(Dice(seed), **fixed), keen=0.5, restless=0.02)
    play.seat(2 + seed % 4)
    play.hands(2)
    opened, *history = play.referee.history
    assert isinstance(opened, events.TableOpened)
    table = Table(opened)
    for event in history:
        table.evolve(event)
        yield event, [table.picture(TABLE, reader) for reader in (None, *table.occupants)]


def test_of_a_hand_that_makes_no_sense_nothing_is_shown() -> None:
    play = Play()
    play.start()
    play.step()
    picture = play.picture(0)
    assert picture.hand is not None
    picture.hand.cutter = picture.hand.turn = 9
    assert not deeds(picture)
