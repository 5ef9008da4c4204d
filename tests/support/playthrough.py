"""Tables played at random, the same for the same seed on every Python: who sits, leaves, starts and acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Final, TypeVar

from paiute_net.game.actions import Action, Call
from paiute_net.game.cards import Card
from paiute_net.game.errors import Refusal
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

SWITCHES: Final[dict[str, Sequence[object]]] = {
    "wild_rule": tuple(WildRule),
    "opening_discard": (False, True),
    "closed_discards": (False, True),
    "first_call_round": (1, 2),
    "round_limit": (None, 1, 2, 3, 9),
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


class Dice:
    """Chance, and choices of one's own, from a seed."""

    def __init__(self, seed: int) -> None:
        self._random: Final = Random(seed).random

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
        return self.shuffled(cards)

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

    Args:
      keen: how often a player who may call does, of one.
    """

    def __init__(
        self, seed: int, rules: HouseRules = STANDARD, *, keen: float = 0.5, restless: float = 0.02
    ) -> None:
        self.dice = Dice(seed)
        self.table = Table(Table.opening(name="Table", rules=rules))
        self.referee = Referee(self.table)
        self._keen = keen
        self._restless = restless
        self._known = [f"p{number}" for number in range(max_seats(rules) + 2)]

    def seat(self, players: int) -> None:
        for player in self._known[:players]:
            self.do(Sit(player, player.title()))

    def hands(self, number: int) -> None:
        """So many hands from start to end, with coming and going between them and during them."""
        for _ in range(number):
            self.between()
            self.do(Start(self._seated()[0]))
            while self.table.going_on:
                self.step()

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
        calls = [action for action in actions if isinstance(action, Call)]
        return self.dice.pick(calls if calls and self.dice.happens(self._keen) else actions)

    def close(self) -> None:
        self.do(Close("empty"))

    def do(self, command: Command) -> None:
        for event in self.table.decide(command, self.dice):
            self.table.evolve(event)
            self.referee.saw(event)

    def _come_or_go(self) -> None:
        player = self.dice.pick(self._known)
        move: Callable[[str], Command] = (
            Leave if player in self._seated() else lambda name: Sit(name, name.title())
        )
        with suppress(Refusal):  # the table is full
            self.do(move(player))

    def _seated(self) -> list[str]:
        return [occupant.player for occupant in self.table.occupants.values()]
