from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_client.typed_cards import Misunderstood, read_card, read_cards
from paiute_client.words import card, cards, short_card, the_card, typed_card
from paiute_net.game.cards import PACK, PACK_WITH_JOKERS, Card, parse_cards

HELD = parse_cards("Qh Qd 9s X2 Td 2c")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("Qh", "Qh"),
        ("qH", "Qh"),
        ("  10d ", "Td"),
        ("10 d", "Td"),
        ("t♦", "Td"),
        ("T♦\ufe0f", "Td"),
        ("Q♡", "Qh"),
        ("\uff11\uff10d", "Td"),
        ("queen of hearts", "Qh"),
        ("the Queen of Hearts", "Qh"),
        ("queen hearts", "Qh"),
        ("Queen h", "Qh"),
        ("q of hearts", "Qh"),
        ("ace of spades", "As"),
        ("9", "9s"),
        ("nine", "9s"),
        ("t", "Td"),
        ("joker", "X2"),
        ("x1", "X1"),
        ("X2", "X2"),
        ("first joker", "X1"),
        ("second joker", "X2"),
        ("Qh Qd", "Qh Qd"),
        ("Qh,Qd;9s", "Qh Qd 9s"),
        ("QhQd10d2c", "Qh Qd Td 2c"),
        ("q h q d", "Qh Qd"),
        ("queen of hearts, queen of diamonds and the nine", "Qh Qd 9s"),
        ("7 6s", None),
        ("Qh Qh", "Qh Qh"),
        ("", ""),
    ],
)
def test_a_card_can_be_typed_in_many_ways(typed: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(Misunderstood):
            read_cards(typed, HELD)
    else:
        assert tuple(read_cards(typed, HELD)) == parse_cards(expected)


@pytest.mark.parametrize("name", [typed_card, short_card, card, the_card, str])
@pytest.mark.parametrize("each", PACK_WITH_JOKERS)
def test_every_name_that_is_shown_can_be_typed(name: Callable[[Card], str], each: Card) -> None:
    assert read_card(name(each), ()) == each


@given(st.lists(st.sampled_from(PACK), max_size=6, unique=True))
def test_every_list_that_is_shown_can_be_typed(listed: list[Card]) -> None:
    assert read_cards(cards(listed), ()) == listed
    assert read_cards("".join(map(str, listed)), ()) == listed


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0x266F), max_size=12))
def test_whatever_is_typed_is_a_list_of_cards_or_misunderstood(typed: str) -> None:
    read: list[Card] = []
    with suppress(Misunderstood):
        read = read_cards(typed, HELD)
    assert set(read) <= set(PACK_WITH_JOKERS)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("hello", '"hello" is no card; name one by rank and suit, for example Qh.'),
        ("Qh and hello there", '"hello" is no card; name one by rank and suit, for example Qh.'),
        ("tens", '"tens" is no card; name one by rank and suit, for example Qh.'),
        ("queen", "Say which queen you mean: Qh or Qd."),
        ("k", "You hold no king; type hand for what you hold."),
    ],
)
def test_what_is_no_card_is_said_to_be_none(typed: str, sentence: str) -> None:
    with pytest.raises(Misunderstood) as why:
        read_cards(typed, HELD)
    assert str(why.value) == sentence


@pytest.mark.parametrize("typed", ["", "Qh Qd"])
def test_one_card_is_one_card(typed: str) -> None:
    with pytest.raises(Misunderstood, match=r"^Name one card, for example Qh\.$"):
        read_card(typed, HELD)


def test_an_example_is_given_also_to_who_holds_nothing() -> None:
    with pytest.raises(Misunderstood, match="for example Qh"):
        read_card("", ())
