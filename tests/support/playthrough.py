"""Tables played at random, the same for the same seed on every Python: who sits, leaves, starts and acts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from random import Random
from typing import Final, TypeVar

from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Source
from paiute_net.game.cards import RANKS, SUITS, Card
from paiute_net.game.errors import Refusal
from paiute_net.game.events import Event
from paiute_net.game.hand import HAND_SIZE, dealt_pack
from paiute_net.game.house_rules import (
    STANDARD,
    HouseRules,
    LastTurns,
    PaiuteTurns,
    Payment,
    Ties,
    WildRule,
    max_seats,
    rules_from,
)
from paiute_net.game.table import Act, Close, Command, HousePlay, Leave, Sit, Start, Table
from tests.support.referee import Referee

__all__ = ["SWITCHES", "Dice", "Playthrough", "random_rules"]

_T = TypeVar("_T")
PATIENCE: Final = 120
"""Decisions of a hand."""
DRAW: Final = Draw(Source.STOCK)
DRAWING: Final = 0.6
"""How often, of one, a card is drawn from the stock without a thought."""
COLLECTING: Final = 0.8
"""How often, of one, a discard is chosen with a combination in mind."""

SWITCHES: Final[dict[str, Sequence[object]]] = {
    "wild_rule": tuple(WildRule),
    "opening_discard": (False, True),
    "closed_discards": (False, True),
    "first_call_round": (1, 2),
    "round_limit": (None, 1, 2, 9, 30),
    "last_turns": tuple(LastTurns),
    "paiute_turns": tuple(PaiuteTurns),
    "royal_on_top": (False, True),
    "ties": tuple(Ties),
    "payment": tuple(Payment),
    "stake": (0, 1, 25, 1_000_000),
    "large_table": (False, True),
    "house_deals": (False, True),
}
"""Values of every switch."""


_RUNS: Final = tuple(
    {Card(rank + suit) for rank in (*RANKS[-1:], *RANKS)[low : low + 5]}
    for low in range(10)
    for suit in SUITS
)


class Dice:
    """Chance, and choices of one's own, from a seed."""

    def __init__(self, seed: int) -> None:
        self._random: Final = Random(seed).random
        self.stacked: Sequence[Card] | None = None
        """The next pack, instead of a shuffled one."""

    def number(self, minimum: int, maximum: int) -> int:
        """From ``minimum`` to ``maximum``, both included."""
        return minimum + int(self._random() * (maximum - minimum + 1))

    def pick(self, options: Sequence[_T]) -> _T:
        return options[self.number(0, len(options) - 1)]

    def happens(self, probability: float) -> bool:
        return self._random() < probability

    def shuffled(self, things: Sequence[_T]) -> list[_T]:
        return sorted(things, key=lambda _: self._random())

    def lot(self, seats: Sequence[int]) -> int:
        return self.pick(seats)

    def pack(self, cards: Sequence[Card]) -> Sequence[Card]:
        return self.shuffled(cards) if self.stacked is None else self.stacked

    def cut(self, minimum: int, maximum: int) -> int:
        return self.number(minimum, maximum)

    def reshuffle(self, cards: Sequence[Card]) -> Sequence[Card]:
        return self.shuffled(cards)


def random_rules(dice: Dice, **fixed: object) -> HouseRules:
    """Any switches that go together."""
    while True:
        try:
            return rules_from(
                "hawaiian", {name: dice.pick(values) for name, values in SWITCHES.items()} | fixed
            )
        except Refusal:
            continue


class Playthrough:
    """A table whose players do all that is allowed, a `Referee` watching.

    Args, each a probability:
      keen: a player calls who may.
      restless: at a decision, somebody comes, goes, or is over time.
      loaded: the pack is not shuffled, but deals everybody promising cards.
    """

    def __init__(
        self,
        seed: int,
        rules: HouseRules = STANDARD,
        *,
        keen: float = 0.5,
        restless: float = 0.02,
        loaded: float = 0.5,
    ) -> None:
        self.dice = Dice(seed)
        self.table = Table(Table.opening(name="Table", rules=rules))
        self.referee = Referee(self.table)
        self._keen = keen
        self._restless = restless
        self._loaded = loaded
        self._cut: Cut | None = None
        self._known = [f"p{number}" for number in range(max_seats(rules) + 2)]

    def seat(self, players: int) -> None:
        for player in self._known[:players]:
            self.do(Sit(player, player.title()))

    def hands(self, number: int) -> None:
        """So many hands, with coming and going; where a hand does not end, everybody leaves."""
        for _ in range(number):
            self.between()
            self.start()
            for _ in range(PATIENCE):
                if self.table.going_on:
                    self.step()
            for player in self._seated() if self.table.going_on else ():
                self.do(Leave(player))

    def start(self) -> None:
        """A hand of a shuffled pack, or of a loaded one where the cut, if a player cuts, is as it must be."""
        starter = Start(self._seated()[0])
        self._cut = None
        if self.dice.happens(self._loaded):
            pack = _loaded(self.dice, self.table.rules, len(self.table.occupants))
            self._cut = Cut(self.dice.number(1, len(pack) - 1))
            self.dice.stacked = [*pack[-self._cut.position :], *pack[: -self._cut.position]]
        self.do(starter)
        self.dice.stacked = None

    def between(self) -> None:
        while self.dice.happens(10 * self._restless):
            self._come_or_go()
        for player in self._known:
            if len(self.table.occupants) < 2 and player not in self._seated():
                self.do(Sit(player, player.title()))

    def step(self) -> None:
        """One decision, or somebody comes or goes."""
        decision = self.table.open_decision
        assert decision is not None
        if self.dice.happens(self._restless):
            self._come_or_go()
        elif decision.absent or self.dice.happens(self._restless):
            self.do(HousePlay(decision.number))
        else:
            player = self.table.occupants[decision.seat].player
            self.do(Act(player, decision.number, self.choice(self.table.legal_actions())))

    def choice(self, actions: Sequence[Action]) -> Action:
        """A call, if there is one and he is keen; or else, mostly, what keeps promising cards together."""
        if self._cut is not None and self._cut in actions:
            return self._cut
        calls = [action for action in actions if isinstance(action, Call)]
        if calls and self.dice.happens(self._keen):
            return self.dice.pick(calls)
        discards = [action for action in actions if isinstance(action, Discard)]
        if discards and self.dice.happens(COLLECTING):
            return max(self.dice.shuffled(discards), key=lambda discard: self._promise_without(discard.card))
        if actions[0] == DRAW and self.dice.happens(DRAWING):
            return DRAW
        return self.dice.pick(actions)

    def _promise_without(self, card: Card) -> int:
        hand = self.table.hand
        assert hand is not None
        assert hand.turn is not None
        return _promise([held for held in hand.hands[hand.turn] if held != card], hand.wild)

    def close(self) -> None:
        self.do(Close("empty"))

    def do(self, command: Command) -> None:
        self.take_in(self.table.decide(command, self.dice))

    def take_in(self, events: Iterable[Event]) -> None:
        for event in events:
            self.table.evolve(event)
            self.referee.saw(event)
        self.referee.rests()

    def _come_or_go(self) -> None:
        player = self.dice.pick(self._known)
        move: Callable[[str], Command] = (
            Leave if player in self._seated() else lambda name: Sit(name, name.title())
        )
        with suppress(Refusal):  # the table is full
            self.do(move(player))

    def _seated(self) -> list[str]:
        return [occupant.player for occupant in self.table.occupants.values()]


def _promise(cards: Sequence[Card], wild: Collection[Card]) -> int:
    """How many of the cards may come to lie in one combination."""
    natural = [card for card in cards if card not in wild]
    ranks = Counter(card[0] for card in natural).most_common(2)
    in_a_run = max(len(run.intersection(natural)) for run in _RUNS)
    return len(cards) - len(natural) + max(sum(copies for _, copies in ranks), in_a_run)


def _loaded(dice: Dice, rules: HouseRules, players: int) -> list[Card]:
    """A pack, after the cut, that deals everybody promising cards, and has one more for each in the stock."""
    rest = dice.shuffled(dealt_pack(rules))
    face_up = (rules.wild_rule is not WildRule.JOKERS) + rules.opening_discard
    ups, rest = rest[:face_up], rest[face_up:]
    hands: list[list[Card]] = []
    for _ in range(players):
        wanted = _wanted(dice, rest)
        hands.append([*wanted, *(card for card in rest if card not in wanted)][: HAND_SIZE + 1])
        rest = [card for card in rest if card not in hands[-1]]
    *dealt, drawn = zip(*hands, strict=True)
    return [*chain.from_iterable(dealt), *ups, *drawn, *rest]


def _wanted(dice: Dice, rest: Sequence[Card]) -> list[Card]:
    """Up to six of the cards, of a run of one suit, or of two ranks, or of three in pairs."""
    if dice.happens(0.4):
        run = dice.pick(_RUNS)
        return [card for card in rest if card in run]
    ranks, copies = dice.pick([(2, 4), (3, 2)])
    of_ranks = [[card for card in rest if card[0] == rank][:copies] for rank in dice.shuffled(RANKS)[:ranks]]
    return list(chain.from_iterable(of_ranks))[: HAND_SIZE + 1]
