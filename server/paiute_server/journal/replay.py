"""Deciding again what a journal has recorded, with its own chance: the rules must come to the same events."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import msgspec

from paiute_net.game import events
from paiute_net.game.actions import Action, Call, Cut, Discard, Draw
from paiute_net.game.cards import Card
from paiute_net.game.errors import Refusal
from paiute_net.game.events import By, Event
from paiute_net.game.table import Act, Close, Command, HousePlay, Leave, Sit, Start, Table
from paiute_server.journal.database import Damage

__all__ = ["RecordedChance", "command_behind", "decide_again", "open_again"]

E = TypeVar("E", bound=Event)


def open_again(recorded: Sequence[Event]) -> Table:
    """The table that the first of ``recorded`` opens; raises Damage where it could not be opened so."""
    opened = recorded[0]
    if not isinstance(opened, events.TableOpened):
        raise Damage(f"a table begins with {_said(opened)}")
    with _refusals_are_damage():
        again = Table.opening(
            name=opened.name, rules=opened.rules, seats=opened.seats, time_limit_ms=opened.time_limit_ms
        )
    _compare([again], recorded)
    return Table(opened)


def decide_again(table: Table, recorded: Sequence[Event]) -> int:
    """How many of ``recorded``, the events that follow at ``table``, are one decision.

    Raises:
      Damage: the rules refuse it, or decide otherwise.
    """
    with _refusals_are_damage():
        decided = table.decide(command_behind(table, recorded), RecordedChance(recorded))
    _compare(decided, recorded)
    return len(decided)


@contextmanager
def _refusals_are_damage() -> Generator[None]:
    try:
        yield
    except Refusal as refusal:
        raise Damage(f"the rules refuse it: {refusal}") from refusal


def _compare(decided: Sequence[Event], recorded: Sequence[Event]) -> None:
    for place, event in enumerate(decided):
        if place >= len(recorded):
            raise Damage(f"the step ends before {_said(event)}")
        if event != recorded[place]:
            raise Damage(f"recorded is {_said(recorded[place])}, the rules say {_said(event)}")


def _said(event: Event) -> str:
    return msgspec.json.encode(event).decode()


def command_behind(table: Table, recorded: Sequence[Event]) -> Command:
    """What was asked of ``table`` so that ``recorded`` followed; raises Damage where that cannot be."""
    first = recorded[0]
    match first:
        case events.PlayerSat():
            return Sit(first.player, first.name, first.bot, first.seat)
        case events.PlayerLeft():
            return Leave(first.player, first.reason)
        case events.HandStarted():
            return Start(first.players[0])
        case events.PackCut() | events.CardDrawn() | events.CardDiscarded() if first.by is By.HOUSE:
            return HousePlay(table.decision)
        case events.PackCut() | events.CardDrawn() | events.CardDiscarded() | events.CombinationCalled():
            return Act(_player_in(table, first.seat), table.decision, _action(first))
        case events.HandEnded() | events.TableClosed() if isinstance(recorded[-1], events.TableClosed):
            return Close(recorded[-1].reason)
        case _:
            raise Damage(f"nothing leads to {_said(first)} here")


def _player_in(table: Table, seat: int) -> str:
    occupant = table.occupants.get(seat)
    if occupant is None:
        raise Damage(f"a player acts in seat {seat}, where nobody sits")
    return occupant.player


def _action(
    event: events.PackCut | events.CardDrawn | events.CardDiscarded | events.CombinationCalled,
) -> Action:
    match event:
        case events.PackCut():
            return Cut(event.position)
        case events.CardDrawn():
            return Draw(event.source)
        case events.CardDiscarded():
            return Discard(event.card)
        case events.CombinationCalled():
            return Call(event.cards)


class RecordedChance:
    """Chance as it fell: every answer is looked up in the events that it led to."""

    def __init__(self, recorded: Sequence[Event]) -> None:
        self._recorded = recorded

    def lot(self, seats: Sequence[int]) -> int:
        closer = self._find(events.HandStarted).order[-1]
        if closer not in seats:
            raise Damage(f"the first dealer is seat {closer}, where nobody sits")
        return closer

    def pack(self, cards: Sequence[Card]) -> Sequence[Card]:
        return _permutation(cards, self._find(events.HandStarted).pack)

    def cut(self, minimum: int, maximum: int) -> int:
        position = self._find(events.PackCut).position
        if not minimum <= position <= maximum:
            raise Damage(f"the house cut at {position}, which is not from {minimum} to {maximum}")
        return position

    def reshuffle(self, cards: Sequence[Card]) -> Sequence[Card]:
        return _permutation(cards, self._find(events.StockReshuffled).order)

    def _find(self, kind: type[E]) -> E:
        for event in self._recorded:
            if isinstance(event, kind):
                return event
        raise Damage(f"{kind.__name__} is missing, with what chance decided in it")


def _permutation(cards: Sequence[Card], order: Sequence[Card]) -> Sequence[Card]:
    if sorted(cards) != sorted(order):
        odd = sorted(set(cards) ^ set(order))
        raise Damage(
            f"what was shuffled is not what there was to shuffle: {' '.join(odd) or 'cards are double'}"
        )
    return order
