"""What must hold at a table after every event, whoever plays and whatever the rules."""

from __future__ import annotations

from collections import Counter
from typing import Final, cast

import msgspec

from paiute_net.game.actions import Phase
from paiute_net.game.events import (
    CardDiscarded,
    CardDrawn,
    CombinationCalled,
    Event,
    HandDealt,
    HandEnded,
    HandStarted,
    PackCut,
    PlayerLeft,
    PlayerSat,
    StockReshuffled,
    TableClosed,
    TableOpened,
)
from paiute_net.game.hand import Hand
from paiute_net.game.picture import Picture
from paiute_net.game.seen import view
from paiute_net.game.table import Table, TableState
from tests.support.leak import Tracker
from tests.support.state import state_of

__all__ = ["TABLE", "Referee", "read_event", "written"]

TABLE: Final = "t1"
"""The id by which the table is known to its readers."""

AnyEvent = (
    TableOpened
    | PlayerSat
    | PlayerLeft
    | HandStarted
    | PackCut
    | HandDealt
    | CardDrawn
    | CardDiscarded
    | CombinationCalled
    | StockReshuffled
    | HandEnded
    | TableClosed
)
_EVENTS: Final = msgspec.json.Decoder[AnyEvent](AnyEvent)
_PICTURES: Final = msgspec.json.Decoder(Picture)


def written(event: Event) -> bytes:
    """An event as the journal keeps it."""
    return msgspec.json.encode(event)


def read_event(line: bytes | str) -> Event:
    return _EVENTS.decode(line)


class Referee:
    """Watches a table, with a reader in each seat and one who only watches; told of each event after it.

    Attributes:
      history: all events, the opening first.
      tracker: who may know which card.
    """

    def __init__(self, table: Table) -> None:
        self.history: list[Event] = [table.opened]
        self.tracker = Tracker(table.rules)
        self._table = table
        self._readers: dict[int | None, Picture] = {None: self._sent(None)}
        self._stored: tuple[int, TableState] = (1, table.checkpoint())

    def saw(self, event: Event) -> None:
        self.history.append(event)
        assert read_event(written(event)) == event
        self.tracker.step(msgspec.to_builtins(event))
        self._check_readers(event)
        self._check_cards(self._table.hand)
        self._check_money()
        assert (
            bool(self._table.legal_actions())
            == (self._table.open_decision is not None)
            == self._table.going_on
        )
        self._check_store(event)

    def rests(self) -> None:
        """To be told when a command has been carried out."""
        hand = self._table.hand
        if hand is not None and hand.phase is Phase.DRAW:
            assert hand.stock, "there is nothing to draw"
            assert len(hand.stock) + len(hand.discards) >= 4

    def check_replay(self) -> None:
        """The table again, from its events alone."""
        opened, *events = self.history
        assert isinstance(opened, TableOpened)
        assert state_of(_evolved(Table(opened), events)) == state_of(self._table)

    # --- the parts ------------------------------------------------------------------------------------------

    def _sent(self, reader: int | None) -> Picture:
        """The picture that a newcomer is sent, as it arrives."""
        picture = self._table.picture(TABLE, reader)
        arrived = _PICTURES.decode(msgspec.json.encode(picture))
        assert arrived == picture
        return arrived

    def _check_readers(self, event: Event) -> None:
        views = view(TABLE, self._table.seq, event)
        for reader, known in self._readers.items():
            told = views.of(reader)
            self.tracker.check(reader, msgspec.to_builtins(told))
            known.fold(told)
        if isinstance(event, PlayerLeft):
            del self._readers[event.seat]
        elif isinstance(event, PlayerSat):
            self._readers[event.seat] = self._sent(event.seat)
        for reader, known in self._readers.items():
            picture = self._table.picture(TABLE, reader)
            self.tracker.check(reader, msgspec.to_builtins(picture))
            assert known == picture, f"reader {reader} does not know what he is sent afresh"

    def _check_cards(self, hand: Hand | None) -> None:
        if hand is None or not any(hand.hands.values()):
            return
        laid = [card for call in hand.calls for card in call.cards]
        held = [card for cards in hand.hands.values() for card in cards]
        turned = [hand.turned] if hand.turned is not None else []
        places = Counter([*held, *laid, *turned, *hand.stock, *hand.discards])
        assert places == Counter(hand.started.pack), "a card is in two places, or in none"

    def _check_money(self) -> None:
        picture = self._table.picture(TABLE, None)
        assert picture.pot >= 0
        assert picture.pot + sum(account.balance for account in picture.accounts) == 0
        assert sum(account.balance for account in self._table.accounts()) == 0

    def _check_store(self, event: Event) -> None:
        """Stored when a hand has ended and restored as the next starts, a table is as it was."""
        if isinstance(event, HandEnded):
            kept = msgspec.json.encode(self._table.checkpoint())
            self._stored = len(self.history), msgspec.json.decode(kept, type=TableState)
            assert _without_hand(Table.restore(self._stored[1])) == _without_hand(self._table)
        if isinstance(event, HandStarted):
            length, stored = self._stored
            restored = _evolved(Table.restore(stored), self.history[length:])
            assert state_of(restored) == state_of(self._table)


def _evolved(table: Table, events: list[Event]) -> Table:
    for event in events:
        table.evolve(event)
    return table


def _without_hand(table: Table) -> object:
    """The state of a table but for the hand last played, whose cards are not stored."""
    kind, attributes = cast("tuple[str, dict[str, object]]", state_of(table))
    return kind, attributes | {"hand": None}
