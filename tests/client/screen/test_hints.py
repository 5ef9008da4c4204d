"""Hints: what a hand is worth and could become, told from the own view alone."""

from __future__ import annotations

import msgspec
import pytest

from paiute_client.screen.hints import hints
from paiute_net.game.actions import Phase
from paiute_net.game.cards import parse_cards
from paiute_net.game.combinations import Combination
from paiute_net.game.house_rules import WildRule, wild_cards
from paiute_net.game.picture import Called, HandPicture, Picture
from paiute_net.wire.messages import Actions
from tests.client.screen.sitting import Sitting


def picture(own: str, *, turned: str = "3s", phase: Phase = Phase.DRAW) -> tuple[Picture, HandPicture]:
    """The own view of a hand, at the own first turn of it, with these cards."""
    player = Sitting(players=3)
    player.start()
    while player.play.table.open_decision is not None and player.stage.hand is not None:
        if player.stage.hand.phase is not Phase.CUT:
            break
        player.step()
    seen = msgspec.convert(msgspec.to_builtins(player.play.picture(0)), Picture)
    assert seen.hand is not None
    seen.hand.own = list(parse_cards(own))
    seen.hand.turned = parse_cards(turned)[0]
    seen.hand.wild = tuple(sorted(wild_cards(WildRule.TURNED_RANK, seen.hand.turned)))
    seen.hand.discards = []
    seen.hand.phase = phase
    seen.hand.player(0).turns = 1 if phase is Phase.DISCARD else 0
    return seen, seen.hand


def test_says_which_cards_would_let_one_call() -> None:
    seen, _ = picture("Kc Kd Kh 6c 6d")
    lines = hints(seen, Actions())
    assert "You are 1 card short of a four-two, four kings and two sixes." in lines
    told = next(line for line in lines if line.startswith("Of the 46 cards"))
    assert all(card in told for card in ("K♠", "6♠", "6♥", "3♣"))


def test_compares_what_could_be_discarded() -> None:
    seen, hand = picture("Kc Kd Kh 6c 6d 9s", phase=Phase.DISCARD)
    lines = hints(seen, Actions(discard=tuple(hand.own)))
    assert any(line.startswith("If you discard 9♠, ") for line in lines)
    assert lines[-1] == "Looking further ahead, 9♠ is the one to spare."


@pytest.mark.parametrize("seed", range(1, 9))
def test_on_the_last_turn_nothing_is_said_of_a_next_one(seed: int) -> None:
    player = Sitting(players=4, seed=seed)
    player.until(
        lambda stage: stage.hand is not None and bool(stage.hand.calls) and bool(stage.actions.discard)
    )
    told = " ".join(hints(player.play.picture(0), player.stage.actions))
    assert not [word for word in ("next", "further ahead", "short of") if word in told]
    assert "your last turn" in told
    player.press("escape")
    if not player.stage.choices:
        assert "Last turn: nothing you hold equals the call; discard any card" in player.text()


@pytest.mark.parametrize(
    ("kind", "ranks", "beaten_by"),
    [
        (
            Combination.FOUR_TWO,
            ("K", "6"),
            "Every five of a kind, royal flush or straight flush beats it.",
        ),
        (Combination.FIVE_OF_A_KIND, ("A",), "Nothing beats it."),
        (Combination.ROYAL_FLUSH, (), "Every five of a kind beats it."),
    ],
)
def test_says_what_beats_the_call_shown(kind: Combination, ranks: tuple[str, ...], beaten_by: str) -> None:
    seen, hand = picture("Kc Qd 9h 6c 2d")
    cards = parse_cards("Ks Kh 3c 3d 3h")
    hand.calls = [
        msgspec.convert({"seat": 1, "cards": cards, "combination": kind, "ranks": ranks, "turn": 1}, Called)
    ]
    assert beaten_by in hints(seen, Actions())


def test_say_to_who_holds_nothing_why() -> None:
    player = Sitting()
    assert hints(player.play.picture(0), Actions()) == ["No hand is going on."]
    player.until(lambda stage: stage.actions.cut is not None)
    assert hints(player.play.picture(0), Actions()) == ["The cards are not dealt yet."]
    player.until(
        lambda stage: (
            stage.hand is not None
            and stage.hand.result is None
            and any(call.seat == 0 for call in stage.hand.calls)
        )
    )
    assert hints(player.play.picture(0), Actions()) == ["You have called, and hold no card any more."]


def test_depend_on_nothing_but_the_own_view() -> None:
    player = Sitting()
    player.until(lambda stage: bool(stage.actions.discard))
    assert player.stage.picture is not None
    told = hints(player.stage.picture, player.stage.actions)
    whole = player.play.picture(0)
    assert told == hints(whole, player.play.actions())
    for other in whole.hand.players if whole.hand is not None else ():
        assert other.known == []
