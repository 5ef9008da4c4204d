"""No card that a player may not know is anywhere on the screen, in its log, or in the model behind it."""

from __future__ import annotations

import msgspec
import pytest

from paiute_client.screen.state import Stage
from paiute_client.words import card as name_of
from paiute_client.words import the_card
from paiute_net.game.cards import parse_card
from paiute_net.game.events import Event
from paiute_net.game.house_rules import NAMED_SETS, HouseRules, WildRule
from tests.client.screen.sitting import Sitting
from tests.support.leak import Leak, Tracker, cards_in

RULES = {**NAMED_SETS, "jokers": HouseRules(wild_rule=WildRule.JOKERS, closed_discards=True)}
HANDS = 3


class Watch:
    """Follows all that happens, and remembers what seat 0 was ever allowed to know of a hand."""

    def __init__(self, player: Sitting) -> None:
        self._player = player
        self.tracker = Tracker(player.play.table.opened.rules)
        self._followed = 1
        self._known: frozenset[str] = frozenset()

    def follow(self) -> None:
        for event in self._player.play.events[self._followed :]:
            self._step(event)
        self._followed = len(self._player.play.events)

    def _step(self, event: Event) -> None:
        plain = {"type": type(event).__struct_config__.tag, **msgspec.to_builtins(event)}
        if plain["type"] == "hand-started":
            self._known = frozenset()
        self.tracker.step(plain)
        self._known |= self.tracker.may_know(0)

    @property
    def never_known(self) -> frozenset[str]:
        """The cards of the hand that the player has at no time been allowed to know."""
        return self.tracker.hidden(0) - self._known

    def check(self, stage: Stage, width: int, height: int) -> None:
        """Raises Leak for a card on the screen, in the log or in the model."""
        hand = stage.hand
        wild: set[str] = set() if hand is None else set(hand.wild)
        secret = self.never_known - wild
        told = [self._player.text(width, height), *(line.text for line in stage.state.lines)]
        for text in told:
            for _, shown in cards_in(text):
                if shown in secret:
                    raise Leak(f"{shown} is shown: {text}")
        self._check_names(told)
        self.tracker.check(0, msgspec.to_builtins(stage.picture))
        if stage.model.decision is not None:
            self.tracker.check(0, msgspec.to_builtins(stage.model.decision.notice))

    def _check_names(self, told: list[str]) -> None:
        latest = told[1:][-8:]
        for secret in self.never_known:
            names = {name_of(parse_card(secret)), the_card(parse_card(secret))}
            for text in latest:
                if self._is_of_this_hand(text) and any(name in text for name in names):
                    raise Leak(f"{secret} is told: {text}")

    def _is_of_this_hand(self, text: str) -> bool:
        lines = [line.text for line in self._player.state.lines]
        starts = [place for place, line in enumerate(lines) if line.startswith("Hand ")]
        return bool(starts) and text in lines[starts[-1] :] and text not in lines[: starts[-1]]


@pytest.mark.parametrize("rules", RULES)
def test_nothing_hidden_is_ever_shown(rules: str) -> None:
    player = Sitting(players=4, rules=RULES[rules], seed=21)
    watch = Watch(player)
    while player.play.table.going_on or (player.stage.picture and player.stage.picture.hands < HANDS):
        player.step()
        watch.follow()
        watch.check(player.stage, 120, 40)


def test_a_leak_would_be_seen() -> None:
    player = Sitting(players=4, seed=21)
    watch = Watch(player)
    player.until(lambda stage: bool(stage.own_cards))
    watch.follow()
    watch.check(player.stage, 120, 40)
    secret = min(watch.never_known - set(player.stage.hand.wild if player.stage.hand else ()))
    for planted in (f"It is {secret}.", f"Ana has {the_card(parse_card(secret))}."):
        other = Sitting(players=4, seed=21)
        seen = Watch(other)
        other.until(lambda stage: bool(stage.own_cards))
        seen.follow()
        other.say("Player 1", planted)
        with pytest.raises(Leak):
            seen.check(other.stage, 120, 40)
    assert player.stage.hand is not None
    player.stage.hand.players[1].known.append(parse_card(secret))
    with pytest.raises(Leak):
        watch.check(player.stage, 120, 40)
