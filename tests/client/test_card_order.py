"""The order of cards: a combination lies everywhere as its name says it."""

from __future__ import annotations

from itertools import permutations

import pytest

from paiute_client.card_order import as_named, in_order
from paiute_net.game.cards import Card, parse_cards
from paiute_net.game.combinations import evaluator, worth
from paiute_net.wire.messages import CallChoice

WILD = parse_cards("3c 3d 3h")
JOKERS = parse_cards("X1 X2")


def laid(cards: tuple[Card, ...], wild: tuple[Card, ...]) -> CallChoice:
    judge = evaluator(frozenset(wild), royal_on_top=False)
    kind, ranks = worth(judge.six(cards) if len(cards) > 5 else judge.five(cards))
    return CallChoice(cards=cards, discard=None, combination=kind, ranks=ranks)


@pytest.mark.parametrize(
    ("named", "wild"),
    [
        ("3s 3h 3d Kh 6d 6c", "Kh"),  # four threes and two sixes
        ("Qh Qd Qc 3h 6d 6c", "3h"),
        ("Qh Qd Qc 6h 6d 6c", ""),
        ("6h 6d 6c 3h Qd Qc", "3h"),
        ("Js Jh 7h 7c 3d 3c", ""),
        ("Js Jd 7h 4h 3d 3c", "4h"),
        ("Kh Kd 3d 3c 3h", "3h 3d 3c"),
        ("As Ks X1 Js Ts", "X1 X2"),
        ("X1 8s 7s X2 5s", "X1 X2"),
        ("5s 3h 3s 2s As", "3h"),
    ],
)
def test_a_combination_lies_as_its_name_says(named: str, wild: str) -> None:
    cards, marked = parse_cards(named), parse_cards(wild)
    standing = [card if card not in marked else None for card in cards]
    for mixed in list(permutations(cards))[::7]:
        shown = as_named(laid(mixed, marked), marked)
        assert sorted(shown) == sorted(cards)
        assert [card if card not in marked else None for card in shown] == standing


def test_cards_that_a_name_does_not_explain_are_shown_too() -> None:
    cards = parse_cards("Qh 9d 2c")
    strange = CallChoice(
        cards=cards, discard=None, combination=laid(parse_cards("Kh Kd 3d 3c 3h"), WILD).combination, ranks=()
    )
    assert as_named(strange, WILD) == list(cards)


def test_a_hand_lies_from_high_to_low_with_the_wild_cards_last() -> None:
    assert in_order(parse_cards("2c X1 Ah 3c Ad"), (*WILD, *JOKERS)) == list(parse_cards("Ah Ad 2c 3c X1"))
