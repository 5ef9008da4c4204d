"""What laid cards are worth, found by trying: each wild card stands for every card (Rules, section 4).

Written from the rules alone, to hold the fast evaluator against; it shares nothing with it but the cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement

from paiute_net.game.cards import PACK, Card

Judged = tuple[str, tuple[str, ...]]
"""A combination's name and the ranks that it is compared by."""
Strength = tuple[int, tuple[int, ...]]
Laid = tuple[Card, ...]

RANKS_LOW_TO_HIGH = "23456789TJQKA"
STANDARD_ORDER = ("paiute", "three-three", "four-two", "straight-flush", "royal-flush", "five-of-a-kind")
ROYAL_ON_TOP = ("paiute", "three-three", "four-two", "straight-flush", "five-of-a-kind", "royal-flush")
STRAIGHTS = tuple(("A" + RANKS_LOW_TO_HIGH)[low : low + 5] for low in range(10))


def strength(judged: Judged, *, royal_on_top: bool) -> Strength:
    """What two combinations are compared by: the name first, then the ranks."""
    name, ranks = judged
    order = ROYAL_ON_TOP if royal_on_top else STANDARD_ORDER
    return order.index(name), tuple(map(RANKS_LOW_TO_HIGH.index, ranks))


def judge_five(cards: Laid) -> Judged | None:
    """The combination that five cards are, each standing for itself."""
    ranks = {card[0] for card in cards}
    if len(ranks) == 1:
        return "five-of-a-kind", tuple(ranks)
    if len({card[1] for card in cards}) == 1:
        for straight in STRAIGHTS:
            if ranks == set(straight):
                top = straight[-1]
                return ("royal-flush" if top == "A" else "straight-flush"), (top,)
    return None


def judge_six(cards: Laid) -> Judged | None:
    """The combination that six cards are, each standing for itself."""
    copies = Counter(card[0] for card in cards)
    ranks = sorted(copies, key=lambda rank: (copies[rank], RANKS_LOW_TO_HIGH.index(rank)), reverse=True)
    names: dict[tuple[int, ...], str] = {(4, 2): "four-two", (3, 3): "three-three", (2, 2, 2): "paiute"}
    name = names.get(tuple(copies[rank] for rank in ranks))
    return (name, tuple(ranks)) if name else None


def readings(natural: Laid, wild: int, candidates: Iterable[Card] = PACK) -> Iterator[Laid]:
    """The cards with each way in which so many wild cards may stand for candidates."""
    for substitutes in combinations_with_replacement(candidates, wild):
        yield natural + substitutes


def promising_for_five(natural: Laid) -> Iterator[Card]:
    """What a wild card may stand for that can matter to five cards: these have one rank, or one suit."""
    for card in PACK:
        if all(card[0] == other[0] for other in natural) or all(card[1] == other[1] for other in natural):
            yield card


def promising_for_six(_: Laid) -> Iterator[Card]:
    """What a wild card may stand for that can matter to six cards: their suits never do."""
    return (card for card in PACK if card[1] == "s")


@cache
def best_reading(natural: Laid, wild: int, royal_on_top: bool, literally: bool) -> Judged | None:
    """The best that so many wild cards make of the natural ones."""
    five = len(natural) + wild == 5
    judge = judge_five if five else judge_six
    promising = promising_for_five if five else promising_for_six
    candidates = PACK if literally else tuple(promising(natural))
    found = {judged for reading in readings(natural, wild, candidates) if (judged := judge(reading))}
    return max(found, key=lambda judged: strength(judged, royal_on_top=royal_on_top), default=None)


def laid_worth(
    laid: Sequence[Card], wild: frozenset[Card], *, royal_on_top: bool, literally: bool = False
) -> Judged | None:
    """What five or six laid cards count as; ``literally`` tries also what can be seen to lead nowhere."""
    natural = tuple(sorted(card for card in laid if card not in wild))
    return best_reading(natural, len(laid) - len(natural), royal_on_top, literally)


def calls(
    held: Sequence[Card], wild: frozenset[Card], *, royal_on_top: bool, literally: bool = False
) -> dict[Card | None, Judged]:
    """Every call that six held cards make possible: by the sixth card, or None where all six are laid."""
    laid: dict[Card | None, list[Card]] = {sixth: [card for card in held if card != sixth] for sixth in held}
    laid[None] = list(held)
    every = {
        sixth: laid_worth(cards, wild, royal_on_top=royal_on_top, literally=literally)
        for sixth, cards in laid.items()
    }
    return {sixth: judged for sixth, judged in every.items() if judged}
