from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_net.game.cards import PACK, RANKS, SUITS, Card, Rank, pack, parse_card, parse_cards
from paiute_net.game.combinations import (
    NOTHING,
    Combination,
    Evaluator,
    Option,
    Value,
    Worth,
    evaluator,
    is_paiute,
    worth,
)
from paiute_net.game.house_rules import WildRule, wild_cards
from tests.support import slow_evaluator
from tests.support.slow_evaluator import Judged, strength

VECTORS = Path(__file__).parent.parent / "vectors" / "combinations.jsonl"
SEVENS = wild_cards(WildRule.TURNED_RANK, Card("7s"))
TURNED, OPPOSITE, JOKER = WildRule.TURNED_RANK, WildRule.OPPOSITE_COLOUR, WildRule.JOKERS
FIVE, ROYAL, STRAIGHT = Combination.FIVE_OF_A_KIND, Combination.ROYAL_FLUSH, Combination.STRAIGHT_FLUSH
FOUR_TWO, THREE_THREE, PAIUTE = Combination.FOUR_TWO, Combination.THREE_THREE, Combination.PAIUTE


def wild_under(rule: WildRule, turned: str | None) -> frozenset[Card]:
    return wild_cards(rule, None if turned is None else parse_card(turned))


def best_calls(options: Sequence[Option]) -> tuple[Worth | None, set[Card]]:
    """What the best of the options is worth, and the sixth cards with which it may be called."""
    if not options:
        return None, set()
    best = max(option.value for option in options)
    return worth(best), {option.discard for option in options if option.value == best and option.discard}


class Worked(NamedTuple):
    """A row of the table of worked values (Rules, section 10)."""

    rule: WildRule
    turned: str
    held: str
    combination: Combination
    ranks: tuple[Rank, ...]
    discards: str


WORKED = [
    Worked(TURNED, "3s", "Kc Kd Kh 3c 3d 9s", FIVE, ("K",), "9s"),
    Worked(TURNED, "3s", "Ah Kh 3c Jh Th 2c", ROYAL, ("A",), "2c"),
    Worked(TURNED, "3s", "Ac 2c 3d 4c 5c 9s", STRAIGHT, ("5",), "9s"),
    Worked(TURNED, "3s", "Ac 2c 3d 4c 5c 3h", STRAIGHT, ("6",), "Ac"),
    Worked(TURNED, "9s", "4c 5c 9d 7c 8c Kd", STRAIGHT, ("8",), "Kd"),
    Worked(TURNED, "9s", "5c 6c 9d 7c 8c Kd", STRAIGHT, ("9",), "Kd"),
    Worked(TURNED, "2s", "Qc Qd Qh 6c 6d 2h", FOUR_TWO, ("Q", "6"), ""),
    Worked(TURNED, "2s", "Qc Qd Qh 6c 6d 6h", THREE_THREE, ("Q", "6"), ""),
    Worked(TURNED, "2s", "Jc Jd 7h 7c 3s 2h", PAIUTE, ("J", "7", "3"), ""),
    Worked(OPPOSITE, "5s", "5c 5h 5d 6c 7c Kd", STRAIGHT, ("9",), "Kd"),
    Worked(TURNED, "5s", "5c 5h 5d 6c 7c Kd", STRAIGHT, ("T",), "Kd"),
    Worked(TURNED, "7s", "Kc Kd Kh Ks 7c 7d", FIVE, ("K",), "Kc Kd Kh Ks 7c 7d"),
]


@pytest.mark.parametrize("row", WORKED, ids=lambda row: f"{row.rule}-{row.turned}: {row.held}")
def test_worked_values(row: Worked) -> None:
    value_cards = evaluator(wild_under(row.rule, row.turned), False)
    held = parse_cards(row.held)
    expected = Worth(row.combination, row.ranks)
    assert best_calls(value_cards.options(held)) == (expected, set(parse_cards(row.discards)))
    assert worth(value_cards.best(held)) == expected


def test_a_card_taken_from_the_discards_is_no_sixth_card() -> None:
    value_cards = evaluator(wild_under(TURNED, "3s"), False)
    held = parse_cards("Kc Qc Jc Tc 9c 4h")
    assert value_cards.options(held, taken=Card("4h")) == ()
    assert value_cards.options(held, taken=Card("9c")) == value_cards.options(held)
    assert best_calls(value_cards.options(held)) == (Worth(STRAIGHT, ("K",)), {Card("4h")})


CASES: list[dict[str, Any]] = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['wild']}: {' '.join(case['held'])}")
def test_vectors(case: dict[str, Any]) -> None:
    value_cards = evaluator(wild_under(WildRule(case["wild"]), case["turned"]), case["royal_on_top"])
    options = value_cards.options(case["held"], case["taken_from_discards"])
    allowed = [option for option in options if case["paiute_allowed"] or not is_paiute(option.value)]
    best = case["best"]
    expected = Worth(Combination(best["combination"]), tuple(best["ranks"])) if best else None
    assert best_calls(allowed) == (expected, set(best["discard"]) if best else set())


# Random hands, with many wild cards and near misses among them, beside the slow evaluator.


def everything(_: Random, natural: list[Card]) -> list[Card]:
    return natural


def few_ranks(random: Random, natural: list[Card]) -> list[Card]:
    """Near kinds."""
    ranks = random.sample(RANKS, random.choice((2, 2, 3, 4)))
    return [card for card in natural if card[0] in ranks]


def short_run(random: Random, natural: list[Card]) -> list[Card]:
    """Near straight and royal flushes: six or seven consecutive ranks of a suit, the ace at both ends."""
    run = ("A", *RANKS)[(low := random.randint(0, 9)) : low + random.choice((5, 6, 7))]
    suit = random.choice(SUITS)
    return [card for card in natural if card[0] in run and card[1] == suit]


def random_hand(random: Random, rule: WildRule) -> tuple[frozenset[Card], list[Card]]:
    turned = None if rule is JOKER else random.choice(PACK)
    wild = wild_cards(rule, turned)
    natural = [card for card in pack(jokers=rule is JOKER) if card != turned and card not in wild]
    held = random.sample(sorted(wild), random.randint(0, len(wild)))
    near = random.choice((everything, few_ranks, short_run))(random, natural)
    held += random.sample(near, min(len(near), random.randint(3, 6 - len(held))))
    held += random.sample([card for card in natural if card not in held], 6 - len(held))
    random.shuffle(held)
    return wild, held


def judged(value: Value) -> Judged:
    combination, ranks = worth(value)
    return str(combination), ranks


def check_hand(held: list[Card], wild: frozenset[Card], royal_on_top: bool) -> dict[Card | None, Value]:
    """Hold all that the fast evaluator says about a hand against the slow one."""
    value_cards = evaluator(wild, royal_on_top)
    options = value_cards.options(held)
    calls = dict(options)
    assert len(calls) == len(options)
    expected = slow_evaluator.calls(held, wild, royal_on_top=royal_on_top)
    assert {sixth: judged(value) for sixth, value in options} == expected
    assert [value for _, value in options] == sorted(calls.values(), reverse=True)
    assert value_cards.best(held) == max(calls.values(), default=NOTHING)
    assert value_cards.six(held) == calls.get(None, NOTHING)
    for sixth in held:
        assert value_cards.five([card for card in held if card != sixth]) == calls.get(sixth, NOTHING)
        allowed = tuple(option for option in options if option.discard != sixth)
        assert value_cards.options(held, taken=sixth) == allowed
    return calls


@pytest.mark.parametrize("royal_on_top", [False, True])
@pytest.mark.parametrize("rule", WildRule)
def test_agrees_with_trying_every_card(rule: WildRule, royal_on_top: bool) -> None:
    random = Random(f"{rule}, royal on top: {royal_on_top}")
    values: set[Value] = set()
    seen: Counter[str] = Counter()
    for _ in range(3_400):
        wild, held = random_hand(random, rule)
        calls = check_hand(held, wild, royal_on_top)
        values.update(calls.values())
        wild_held = len(wild.intersection(held))
        seen[judged(max(calls.values()))[0] if calls else "nothing"] += 1
        seen[f"{wild_held} wild"] += 1
        seen["near misses"] += not calls and wild_held > 0
        assert not wild_held or all(worth(value).combination is not THREE_THREE for value in calls.values())
    strengths = [strength(judged(value), royal_on_top=royal_on_top) for value in sorted(values)]
    assert strengths == sorted(set(strengths))
    wild_counts = range(4 if rule is TURNED else 3)
    often = {*Combination, "nothing", "near misses", *(f"{count} wild" for count in wild_counts)}
    assert all(seen[name] >= 10 for name in often), seen


@pytest.mark.parametrize("rule", WildRule)
def test_passing_over_what_leads_nowhere_changes_nothing(rule: WildRule) -> None:
    random = Random(f"{rule}, literally")
    for _ in range(25):
        wild, held = random_hand(random, rule)
        calls = slow_evaluator.calls(held, wild, royal_on_top=False)
        assert calls == slow_evaluator.calls(held, wild, royal_on_top=False, literally=True)


# Properties of single values, and of all.


@st.composite
def hands(draw: st.DrawFn) -> tuple[frozenset[Card], list[Card]]:
    """Hands as `random_hand` makes them, of any wild rule, with the cards that are wild."""
    return random_hand(Random(draw(st.integers(0, 10**6))), draw(st.sampled_from(WildRule)))


@given(hands(), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_the_cards_is_nothing(
    hand: tuple[frozenset[Card], list[Card]], random: Random, royal_on_top: bool
) -> None:
    wild, held = hand
    value_cards = evaluator(wild, royal_on_top)
    options = value_cards.options(held)
    random.shuffle(held)
    assert value_cards.options(held) == options
    assert value_cards.options(tuple(held)) == options


@given(hands(), st.permutations(SUITS), st.booleans())
def test_suits_never_rank(
    hand: tuple[frozenset[Card], list[Card]], permuted: Sequence[str], royal_on_top: bool
) -> None:
    suits = str.maketrans(dict(zip(map(str, SUITS), permuted, strict=True)))

    def other(card: Card) -> Card:
        return Card(card[0] + card[1].translate(suits))

    wild, held = hand
    options = evaluator(wild, royal_on_top).options(held)
    others = Evaluator(map(other, wild), royal_on_top=royal_on_top).options([other(card) for card in held])
    assert {(option.discard and other(option.discard), option.value) for option in options} == set(others)


def test_equal_calls_keep_high_and_wild_cards_for_last() -> None:
    options = evaluator(SEVENS, False).options(parse_cards("7d Ks 7c Kd Kh Kc"))
    assert [option.discard for option in options] == [*parse_cards("Kc Kd Kh Ks 7c 7d"), None]


@pytest.mark.parametrize("name", Combination)
def test_only_a_paiute_is_a_paiute(name: Combination) -> None:
    held = {
        FIVE: "Kc Kd Kh Ks 7c 2d",
        ROYAL: "Ac Kc Qc Jc Tc 2d",
        STRAIGHT: "5c 4c 3c 2c Ac 9d",
        FOUR_TWO: "2c 2d 2h 2s 3c 3d",
        THREE_THREE: "3c 3d 3h 2c 2d 2h",
        PAIUTE: "Ac Ad Kc Kd Qc Qd",
    }
    value = evaluator(SEVENS, False).best(parse_cards(held[name]))
    assert worth(value).combination is name
    assert is_paiute(value) == (name is PAIUTE)


def test_nothing_is_no_paiute_and_no_worth() -> None:
    assert not is_paiute(NOTHING)
    with pytest.raises(ValueError, match="0 is the value of no combination"):
        worth(NOTHING)


@pytest.mark.parametrize("value", [-1, 10_000])
def test_a_number_that_is_no_value_has_no_worth(value: int) -> None:
    with pytest.raises(ValueError, match=f"{value} is the value of no combination"):
        worth(Value(value))


@pytest.mark.parametrize(("royal_on_top", "better"), [(False, FIVE), (True, ROYAL)])
def test_the_order_of_royal_flush_and_five_of_a_kind(royal_on_top: bool, better: Combination) -> None:
    held = parse_cards("7c 7d 7h Ac Ad Kc")
    best, *_ = evaluator(SEVENS, royal_on_top).options(held)
    assert worth(best.value) == Worth(better, ("A",))
    assert best.discard == {FIVE: Card("Kc"), ROYAL: Card("Ad")}[better]


def test_every_value_has_a_worth_of_its_own() -> None:
    """All combinations with their ranks; the royal flush has two places and a value for each."""
    best = evaluator(SEVENS, True).best(parse_cards("Ac Kc Qc Jc Tc 2d"))
    every = Counter(worth(Value(value)) for value in range(1, best + 1))
    assert every == Counter(dict.fromkeys(every, 1)) + Counter([Worth(ROYAL, ("A",))])
    names = Counter(found.combination for found in every)
    assert names == {FIVE: 13, ROYAL: 1, STRAIGHT: 9, FOUR_TWO: 13 * 12, THREE_THREE: 78, PAIUTE: 286}


def test_more_wild_cards_than_a_pack_has_are_refused() -> None:
    with pytest.raises(ValueError, match="4 cards are wild, where a pack has at most 3"):
        Evaluator(parse_cards("7c 7d 7h 7s"))


@pytest.mark.parametrize("cards", ["", "Kc Kd Kh Ks", "Kc Kd Kh Ks 7c 7d 2c"])
def test_a_wrong_number_of_cards_is_refused(cards: str) -> None:
    value_cards = evaluator(SEVENS, False)
    for method in (value_cards.five, value_cards.six, value_cards.best, value_cards.options):
        with pytest.raises(ValueError, match="values to unpack"):
            method(parse_cards(cards))


def test_a_joker_that_is_not_wild_is_refused() -> None:
    with pytest.raises(KeyError, match="X1"):
        evaluator(SEVENS, False).best(parse_cards("X1 Kc Kd Kh Ks 7c"))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_how_often_each_combination_is_the_best() -> None:
    """All hands when the turned-up card is a seven (Rules, section 10)."""
    best = evaluator(SEVENS, False).best
    values = Counter(map(best, combinations([card for card in PACK if card != "7s"], 6)))
    often: Counter[str] = Counter()
    for value, count in values.items():
        often[worth(value).combination if value else "nothing"] += count
    assert often == {
        "nothing": 17_411_008,
        PAIUTE: 526_400,
        THREE_THREE: 1_056,
        FOUR_TWO: 17_424,
        STRAIGHT: 32_896,
        ROYAL: 9_504,
        FIVE: 11_172,
    }
