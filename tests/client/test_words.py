from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_client import words
from paiute_net.game.cards import PACK, PACK_WITH_JOKERS, RANKS, Card, Rank
from paiute_net.game.combinations import Combination


@pytest.mark.parametrize(
    ("card", "item", "the", "short", "typed"),
    [
        ("Qh", "queen of hearts", "the queen of hearts", "Q♥", "Qh"),
        ("Tc", "ten of clubs", "the ten of clubs", "10♣", "10c"),
        ("2d", "two of diamonds", "the two of diamonds", "2♦", "2d"),
        ("As", "ace of spades", "the ace of spades", "A♠", "As"),
        ("X1", "first joker", "the first joker", "X1", "X1"),
        ("X2", "second joker", "the second joker", "X2", "X2"),
    ],
)
def test_a_card_has_a_name_in_words_and_a_short_one(
    card: str, item: str, the: str, short: str, typed: str
) -> None:
    each = Card(card)
    assert (words.card(each), words.the_card(each)) == (item, the)
    assert (words.short_card(each), words.typed_card(each)) == (short, typed)


@pytest.mark.parametrize("name", [words.card, words.the_card, words.short_card, words.typed_card])
def test_no_two_cards_have_the_same_name(name: Callable[[Card], str]) -> None:
    assert len({name(card) for card in PACK_WITH_JOKERS}) == len(PACK_WITH_JOKERS)


def test_wild_cards_are_marked() -> None:
    wild = (Card("3c"), Card("3d"))
    assert words.the_card(Card("3c"), wild) == "the three of clubs (wild)"
    assert words.cards([Card("Kc"), Card("3d")], wild) == "king of clubs and three of diamonds (wild)"


def test_suit_symbols_are_bare() -> None:
    """A variation selector behind them is measured differently by different libraries."""
    symbols = "".join(words.short_card(card) for card in PACK)
    assert set(symbols) <= set("♣♦♥♠0123456789JQKA")


def test_ranks_have_a_singular_and_a_plural() -> None:
    assert [words.rank(rank) for rank in RANKS[-4:]] == ["jack", "queen", "king", "ace"]
    assert words.ranks("6") == "sixes"
    assert len({words.ranks(rank) for rank in RANKS} | {words.rank(rank) for rank in RANKS}) == 2 * len(RANKS)


@pytest.mark.parametrize(
    ("combination", "ranks", "expected"),
    [
        (Combination.FIVE_OF_A_KIND, ("K",), "five of a kind, kings"),
        (Combination.ROYAL_FLUSH, ("A",), "a royal flush"),
        (Combination.STRAIGHT_FLUSH, ("5",), "a straight flush, five high"),
        (Combination.FOUR_TWO, ("Q", "6"), "a four-two, four queens and two sixes"),
        (Combination.THREE_THREE, ("Q", "6"), "a three-three, three queens and three sixes"),
        (Combination.PAIUTE, ("J", "7", "3"), "a paiute, pairs of jacks, sevens and threes"),
    ],
)
def test_a_combination_is_told_with_its_ranks(
    combination: Combination, ranks: tuple[Rank, ...], expected: str
) -> None:
    assert words.worth(combination, ranks) == expected


def test_a_combination_without_its_ranks_is_refused() -> None:
    with pytest.raises(KeyError):
        words.worth(Combination.FOUR_TWO, ("Q",))


def test_each_combination_has_a_name() -> None:
    assert len({words.combination(kind) for kind in Combination}) == len(Combination)


@pytest.mark.parametrize(
    ("amount", "written"),
    [
        (0, "0.00"),
        (5, "0.05"),
        (25, "0.25"),
        (100, "1.00"),
        (123_456, "1234.56"),
        (-5, "-0.05"),
        (-250, "-2.50"),
    ],
)
def test_amounts_are_written_as_money(amount: int, written: str) -> None:
    assert words.money(amount) == written


@pytest.mark.parametrize(
    ("items", "all_of", "one_of"),
    [
        ([], "", ""),
        (["a"], "a", "a"),
        (["a", "b"], "a and b", "a or b"),
        (["a", "b", "c"], "a, b and c", "a, b or c"),
    ],
)
def test_lists_read_as_people_say_them(items: list[str], all_of: str, one_of: str) -> None:
    assert (words.listing(items), words.alternatives(items)) == (all_of, one_of)


# --- text from other people -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("hello, Zoë: ça va? 你好 שלום 🙂", "hello, Zoë: ça va? 你好 שלום 🙂"),
        ("\x1b[2Jgone\x07", "[2Jgone"),
        ("\x9b31mred", "31mred"),
        ("two\nlines\r\n\ttab", "two lines   tab"),
        ("line\u2028separator\u2029end", "line separator end"),
        ("\u202eevil\u202c \u2066x\u2069", "evil x"),
        ("zero\u200bwidth\u200d\ufeff\u00ad", "zerowidth"),
        ("a\ufe0fb\U000e0101c", "abc"),
        ("Z\u0301\u0302\u0303\u0304\u0305a\u0300", "Z\u0301\u0302a\u0300"),
        ("blank\u3164\u115f\u034f", "blank"),
        ("half \ud800 letter \ue000 private", "half  letter  private"),
    ],
)
def test_what_a_terminal_obeys_or_nobody_sees_is_taken_out(dirty: str, clean: str) -> None:
    assert words.clean(dirty) == clean


@given(st.text(st.characters()))
def test_cleaned_text_is_one_harmless_line(text: str) -> None:
    cleaned = words.clean(text)
    assert not {unicodedata.category(letter) for letter in cleaned} & {
        "Cc",
        "Cf",
        "Cs",
        "Co",
        "Cn",
        "Zl",
        "Zp",
    }
    assert cleaned.splitlines() in ([], [cleaned])
    assert words.clean(cleaned) == cleaned
