"""Six-card hands valued per second, beside evaluators of poker hands: ``python -m bench.values``.

Every hand is fresh and one call, with the cards in the form that each package is fastest at. The others look
for the best five of six plain cards; ours also for wild cards and for combinations of six.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from bench.rates import Contestant, load, measure, show
from paiute_net.game.cards import PACK, RANKS, SUITS, Card, rank_of, suit_of
from paiute_net.game.combinations import evaluator
from paiute_net.game.house_rules import WildRule, wild_cards

TURNED = Card("7s")
RUNS = 7

Hand = tuple[Any, ...]
"""Six cards in the form that some package takes."""
ValueAll = Callable[[Sequence[Hand]], None]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.values", description="Value six-card hands, beside evaluators of poker hands."
    )
    parser.add_argument("--hands", type=int, default=100_000, help=f"hands in each of {RUNS} runs")
    parser.add_argument("--seed", default="paiute", help="which hands")
    args = parser.parse_args(arguments)
    if args.hands < 1:
        parser.error(f"--hands is {args.hands}, and must be 1 or more")
    random = Random(args.seed)
    cards = [card for card in PACK if card != TURNED]
    deals = [[tuple(random.sample(cards, 6)) for _ in range(args.hands)] for _ in range(RUNS)]
    title = f"Six-card hands valued: the fastest of {RUNS} runs of {args.hands:,}"
    show(title, measure(contestants(deals)), beside="phevaluator")


def contestants(deals: Sequence[list[Hand]]) -> Iterator[Contestant]:
    """Ours, then those whose packages are installed."""
    ours = evaluator(wild_cards(WildRule.TURNED_RANK, TURNED), False)
    yield contestant("paiute", "best", one_by_one(ours.best), deals)
    yield contestant("paiute", "options", one_by_one(ours.options), deals)
    if phevaluator := load("phevaluator"):
        integers = converted(deals, integer)
        for name in ("evaluate_cards", "evaluate_6cards"):
            yield contestant("phevaluator", name, spread(getattr(phevaluator, name)), integers)
    if eval7 := load("eval7"):
        yield contestant("eval7", "evaluate", one_by_one(eval7.evaluate), converted(deals, eval7.Card))
    if treys := load("treys"):
        value_all = hand_and_board(treys.Evaluator().evaluate)
        yield contestant("treys", "evaluate", value_all, converted(deals, treys.Card.new))


def contestant(
    distribution: str, name: str, value_all: ValueAll, deals: Sequence[Sequence[Hand]]
) -> Contestant:
    """One who values all hands of a deal in each run."""

    def run(hands: Sequence[Hand]) -> Callable[[], int]:
        def value_them() -> int:
            value_all(hands)
            return len(hands)

        return value_them

    return Contestant(distribution, name, [run(hands) for hands in deals])


def converted(deals: Sequence[list[Hand]], card: Callable[[Card], object]) -> list[list[Hand]]:
    """The same hands, of another package's cards."""
    cards = {each: card(each) for each in PACK}
    return [[tuple(cards[each] for each in hand) for hand in hands] for hands in deals]


def integer(card: Card) -> int:
    """The card as phevaluator counts them."""
    return RANKS.index(rank_of(card)) * len(SUITS) + SUITS.index(suit_of(card))


# Each way to pass a hand has a loop of its own: a call in between would cost as much as the fastest of them.


def one_by_one(value: Callable[[Hand], object]) -> ValueAll:
    """For those who take a hand as one argument."""

    def value_all(hands: Sequence[Hand]) -> None:
        for hand in hands:
            value(hand)

    return value_all


def spread(value: Callable[..., object]) -> ValueAll:
    """For those who take each card as an argument."""

    def value_all(hands: Sequence[Hand]) -> None:
        for hand in hands:
            value(*hand)

    return value_all


def hand_and_board(value: Callable[[Hand, Hand], object]) -> ValueAll:
    """For those who take a hand and common cards, of which there are none."""

    def value_all(hands: Sequence[Hand]) -> None:
        for hand in hands:
            value(hand, ())

    return value_all


if __name__ == "__main__":
    main()
