"""Deciding a table's history again: the same commands, with the same answers of chance, to a fresh table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, TypeVar

from paiute_net.game.actions import Action, Call, Cut, Discard, Draw
from paiute_net.game.cards import Card
from paiute_net.game.events import (
    By,
    CardDiscarded,
    CardDrawn,
    CombinationCalled,
    Event,
    HandEnded,
    HandStarted,
    PackCut,
    PlayerLeft,
    PlayerSat,
    StockReshuffled,
    TableClosed,
    TableOpened,
)
from paiute_net.game.table import Act, Close, Command, HousePlay, Leave, Sit, Start, Table

__all__ = ["redecided"]

_E = TypeVar("_E", bound=Event)


def redecided(history: Sequence[Event], swapped: Mapping[Card, Card] | None = None) -> list[Event]:
    """The events that come about when everybody does what he did in ``history``.

    Args:
      swapped: for some cards, the card that is in its place everywhere: in packs, actions and reshuffles.
    """
    opened = history[0]
    assert isinstance(opened, TableOpened)
    again = _Again(Table(opened), history, swapped or {})
    again.run()
    return again.events


class _Again:
    """The state of deciding again: how far it has got. It is also the chance that the table is given."""

    def __init__(self, table: Table, history: Sequence[Event], swapped: Mapping[Card, Card]) -> None:
        self._table = table
        self._history = history
        self._swapped = swapped
        self.events: list[Event] = [history[0]]

    def run(self) -> None:
        while len(self.events) < len(self._history):
            event = self._history[len(self.events)]
            for decided in self._table.decide(self._COMMANDS[type(event)](self, event), self):
                self._table.evolve(decided)
                self.events.append(decided)

    # --- what was done --------------------------------------------------------------------------------------

    def _sat(self, event: PlayerSat) -> Command:
        return Sit(event.player, event.name, event.bot, event.seat)

    def _left(self, event: PlayerLeft) -> Command:
        return Leave(event.player, event.reason)

    def _started(self, _: HandStarted) -> Command:
        return Start(next(iter(self._table.occupants.values())).player)

    def _cut(self, event: PackCut) -> Command:
        return self._acted(event.seat, event.by, Cut(event.position))

    def _drew(self, event: CardDrawn) -> Command:
        return self._acted(event.seat, event.by, Draw(event.source))

    def _discarded(self, event: CardDiscarded) -> Command:
        return self._acted(event.seat, event.by, Discard(self._card(event.card)))

    def _called(self, event: CombinationCalled) -> Command:
        return self._acted(event.seat, By.PLAYER, Call(tuple(self._cards(event.cards))))

    def _closed(self, event: HandEnded | TableClosed) -> Command:
        """A hand that ends for no other reason was ended by closing the table."""
        following = self._history[len(self.events) + 1] if isinstance(event, HandEnded) else event
        assert isinstance(following, TableClosed)
        return Close(following.reason)

    def _acted(self, seat: int, by: By, action: Action) -> Command:
        decision = self._table.decision
        if by is By.HOUSE:
            return HousePlay(decision)
        return Act(self._table.occupants[seat].player, decision, action)

    # --- what chance decided --------------------------------------------------------------------------------

    def lot(self, seats: Sequence[int]) -> int:
        closer = self._next(HandStarted).order[-1]
        assert closer in seats
        return closer

    def pack(self, cards: Sequence[Card]) -> Sequence[Card]:
        return self._permuted(self._next(HandStarted).pack, cards)

    def cut(self, minimum: int, maximum: int) -> int:
        position = self._next(PackCut).position
        assert minimum <= position <= maximum
        return position

    def reshuffle(self, cards: Sequence[Card]) -> Sequence[Card]:
        return self._permuted(self._next(StockReshuffled).order, cards)

    def _permuted(self, order: Iterable[Card], cards: Sequence[Card]) -> Sequence[Card]:
        swapped = self._cards(order)
        assert sorted(swapped) == sorted(cards)
        return swapped

    def _next(self, kind: type[_E]) -> _E:
        return next(event for event in self._history[len(self.events) :] if isinstance(event, kind))

    def _card(self, card: Card) -> Card:
        return self._swapped.get(card, card)

    def _cards(self, cards: Iterable[Card]) -> list[Card]:
        return [self._card(card) for card in cards]

    _COMMANDS: ClassVar[Mapping[type[Event], Callable[..., Command]]] = {
        PlayerSat: _sat,
        PlayerLeft: _left,
        HandStarted: _started,
        PackCut: _cut,
        CardDrawn: _drew,
        CardDiscarded: _discarded,
        CombinationCalled: _called,
        HandEnded: _closed,
        TableClosed: _closed,
    }
