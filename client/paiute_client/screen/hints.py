"""Teaching: what the own hand is worth, what it could become, and what beats the call shown.

From the picture of one seat alone, so that a hint can tell nothing that its reader could not have worked out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from typing import Final, NamedTuple

from paiute_client.card_order import COPIES, in_order, run_from
from paiute_client.descriptions import held
from paiute_client.words import alternatives, combination, listing, ngettext, ranks, short_card, tr, worth
from paiute_net.game.actions import Phase, Source
from paiute_net.game.cards import RANKS, SUITS, Card, Rank, pack, rank_of
from paiute_net.game.combinations import (
    NOTHING,
    Combination,
    Evaluator,
    Value,
    evaluator,
    is_paiute,
)
from paiute_net.game.combinations import worth as worth_of
from paiute_net.game.hand import HAND_SIZE
from paiute_net.game.house_rules import WildRule, paiute_turns
from paiute_net.game.picture import Called, HandPicture, Picture
from paiute_net.strategy import Outlook
from paiute_net.wire.messages import Actions

__all__ = ["hints"]

_MOST_WAYS: Final = 3
"""How many discards are compared, and cards named."""
_FAR: Final = 2
"""Combinations that lack more cards than this are not worth a word."""


class _Helpers(NamedTuple):
    """The unseen cards with which five cards could be called, and the best that one of them makes."""

    cards: Sequence[Card]
    best: Value


class _Reading:
    """A hand as its holder can read it."""

    def __init__(self, picture: Picture, hand: HandPicture, seat: int) -> None:
        self._rules: Final = picture.rules
        self._hand: Final = hand
        self._evaluator: Final[Evaluator] = evaluator(frozenset(hand.wild), picture.rules.royal_on_top)
        self._turns: Final = hand.player(seat).turns
        seen = set(hand.known_cards())
        jokers = picture.rules.wild_rule is WildRule.JOKERS
        self.unseen: Final = [card for card in pack(jokers=jokers) if card not in seen]

    def helpers(self, five: Sequence[Card]) -> _Helpers:
        """What a card from the stock on the own next turn could do for ``five``."""
        values = {card: self.value([*five, card]) for card in self.unseen}
        helping = [card for card, value in values.items() if value]
        return _Helpers(in_order(helping, self._hand.wild), max(values.values(), default=NOTHING))

    def value(self, six: Sequence[Card], taken: Card | None = None) -> Value:
        """The highest call that six cards would allow on the own next turn."""
        if self._round < self._rules.first_call_round:
            return NOTHING
        shown = max((self._laid(call) for call in self._hand.calls), default=NOTHING)
        values = (option.value for option in self._evaluator.options(six, taken))
        return max((each for each in values if each >= shown and self._is_allowed(each)), default=NOTHING)

    def values(self) -> Iterator[Value]:
        """Everything that could be called on the own next turns, as far as it can be told now."""
        shown = max((self._laid(call) for call in self._hand.calls), default=NOTHING)
        for value in _every_value():
            if value >= shown and self._is_allowed(value):
                yield value

    @property
    def _round(self) -> int:
        """The round of the own next draw."""
        return self._hand.round + (self._hand.phase is Phase.DISCARD)

    def _is_allowed(self, value: Value) -> bool:
        return not is_paiute(value) or self._turns < paiute_turns(self._rules, len(self._hand.players))

    def _laid(self, call: Called) -> Value:
        six = len(call.cards) > HAND_SIZE
        return self._evaluator.six(call.cards) if six else self._evaluator.five(call.cards)


def hints(picture: Picture, actions: Actions) -> list[str]:
    """Lines about the own hand and the best call shown.

    Args:
      actions: what the player may do now, if it is the own turn.
    """
    hand = picture.hand
    if hand is None or picture.seat is None or not hand.own or not picture.going_on:
        return held(picture)
    reading = _Reading(picture, hand, picture.seat)
    lines = _called(picture, hand)
    lines += _callable(actions)
    if len(hand.own) > HAND_SIZE:
        return lines + _after_draw(reading, picture, hand, actions)
    return lines + _before_draw(reading, hand, actions)


# --- what is shown --------------------------------------------------------------------------------------


def _called(picture: Picture, hand: HandPicture) -> list[str]:
    if not hand.calls:
        return []
    best = hand.calls[-1]
    value = worth(best.combination, best.ranks)
    lines = [
        tr("The best call shown is {worth}; whoever calls now must equal or beat that.").format(worth=value)
    ]
    higher = [combination(kind) for kind in _above(best.combination, on_top=picture.rules.royal_on_top)]
    within = _higher_ranks(best.ranks)
    if higher:
        lines.append(tr("Every {combinations} beats it.").format(combinations=alternatives(higher)))
    if within:
        message = tr("So does the same combination of {ranks}.")
        lines.append(message.format(ranks=alternatives([ranks(one) for one in within])))
    if not higher and not within:
        lines.append(tr("Nothing beats it."))
    return lines


def _above(kind: Combination, *, on_top: bool) -> list[Combination]:
    order = list(Combination)
    if on_top:
        order.remove(Combination.ROYAL_FLUSH)
        order.insert(0, Combination.ROYAL_FLUSH)
    return order[: order.index(kind)]


def _higher_ranks(compared: Sequence[Rank]) -> list[Rank]:
    """The ranks that beat the first one compared, low to high."""
    return list(RANKS[RANKS.index(compared[0]) + 1 :]) if compared else []


def _callable(actions: Actions) -> list[str]:
    if not actions.call:
        return []
    best = actions.call[0]
    return [tr("You can call {worth} now.").format(worth=worth(best.combination, best.ranks))]


# --- what the hand could become -------------------------------------------------------------------------


@cache
def _every_value() -> tuple[Value, ...]:
    """Low to high."""
    values: list[Value] = []
    with suppress(ValueError):
        for value in count(1):
            worth_of(Value(value))
            values.append(Value(value))
    return tuple(values)


class _Distance(NamedTuple):
    """How many cards are missing to a combination."""

    missing: int
    value: Value


def _nearest(hand: HandPicture, reading: _Reading) -> list[str]:
    """What the hand is nearest to: of each combination the highest that lacks least."""
    nearest: dict[Combination, _Distance] = {}
    for value in reading.values():
        kind, compared = worth_of(value)
        distance = _Distance(_missing(hand, kind, compared), value)
        known = nearest.get(kind)
        if known is None or (-distance.missing, distance.value) > (-known.missing, known.value):
            nearest[kind] = distance
    best = sorted(nearest.values(), key=lambda each: (each.missing, -each.value))[:_MOST_WAYS]
    return [_lacks(each) for each in best if 0 < each.missing <= _FAR]


def _missing(hand: HandPicture, kind: Combination, compared: Sequence[Rank]) -> int:
    natural = [card for card in hand.own if card not in hand.wild]
    wild = len(hand.own) - len(natural)
    if kind in COPIES:
        held = Counter(rank_of(card) for card in natural)
        pairs = zip(COPIES[kind], compared, strict=True)
        return max(0, sum(max(0, copies - held[rank]) for copies, rank in pairs) - wild)
    run = set(run_from(compared))
    best = max(sum(card == rank + suit for card in natural for rank in run) for suit in SUITS)
    return max(0, HAND_SIZE - best - wild)


def _lacks(distance: _Distance) -> str:
    return ngettext(
        "You are {count} card short of {worth}.", "You are {count} cards short of {worth}.", distance.missing
    ).format(count=distance.missing, worth=_worth(distance.value))


def _before_draw(reading: _Reading, hand: HandPicture, actions: Actions) -> list[str]:
    top = hand.discards[-1] if hand.discards else None
    lines = [*_nearest(hand, reading), _next_draw(reading.helpers(hand.own), reading)]
    if top is not None and Source.DISCARDS in actions.draw:
        value = reading.value([*hand.own, top], top)
        message = (
            tr("Taking {card} would let you call {worth}.")
            if value
            else tr("Taking {card} would not let you call anything at once.")
        )
        lines.append(message.format(card=short_card(top), worth=_worth(value)))
    return lines


def _next_draw(helpers: _Helpers, reading: _Reading) -> str:
    helping, unseen = len(helpers.cards), len(reading.unseen)
    if not helping:
        return tr("No single card of the {unseen} you have not seen lets you call yet.").format(unseen=unseen)
    return ngettext(
        "Of the {unseen} cards you have not seen, {count} lets you call: {cards}; at best {worth}.",
        "Of the {unseen} cards you have not seen, {count} let you call: {cards}; at best {worth}.",
        helping,
    ).format(unseen=unseen, count=helping, cards=_named(helpers.cards), worth=_worth(helpers.best))


def _after_draw(reading: _Reading, picture: Picture, hand: HandPicture, actions: Actions) -> list[str]:
    if hand.calls:
        return [tr("This is your last turn, so that it does not matter what you discard.")]
    discards = actions.discard or tuple(hand.own)
    ways = [(card, reading.helpers([each for each in hand.own if each != card])) for card in discards]
    ways.sort(key=lambda way: (-len(way[1].cards), -way[1].best))
    lines = [_way(card, helpers) for card, helpers in ways[:_MOST_WAYS] if helpers.cards]
    lines = [*_nearest(hand, reading), *lines]
    if not any(helpers.cards for _, helpers in ways):
        lines.append(tr("Whatever you discard, no single card will let you call on your next turn."))
    best = Outlook(picture).best_discard(discards)
    return [*lines, tr("Looking further ahead, {card} is the one to spare.").format(card=short_card(best))]


def _way(card: Card, helpers: _Helpers) -> str:
    helping = len(helpers.cards)
    return ngettext(
        "If you discard {card}, {count} unseen card lets you call next time: {cards}; at best {worth}.",
        "If you discard {card}, {count} unseen cards let you call next time: {cards}; at best {worth}.",
        helping,
    ).format(card=short_card(card), count=helping, cards=_named(helpers.cards), worth=_worth(helpers.best))


def _named(cards: Sequence[Card]) -> str:
    """Cards by their corners, the last of many left out."""
    names = [short_card(card) for card in cards]
    if len(names) <= 2 * _MOST_WAYS:
        return listing(names)
    return tr("{cards} and others").format(cards=tr(", ").join(names[: 2 * _MOST_WAYS]))


def _worth(value: Value) -> str:
    return "" if not value else worth(*worth_of(value))
