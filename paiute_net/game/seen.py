"""The events as a seat or a watcher may see them, and the one function that makes them from full events.

These classes are the wire's messages: a card that the reader may not see is null.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from paiute_net.game import events
from paiute_net.game.actions import Source
from paiute_net.game.cards import Card, Rank
from paiute_net.game.combinations import Combination
from paiute_net.game.events import By, Outcome, Paid, Share, kebab

__all__ = [
    "CardDiscarded",
    "CardDrawn",
    "CombinationCalled",
    "HandDealt",
    "HandEnded",
    "HandStarted",
    "PackCut",
    "PlayerLeft",
    "PlayerSat",
    "SeenEvent",
    "StockReshuffled",
    "TableClosed",
    "Views",
    "view",
]


class SeenEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=kebab):
    """The base of all seen events: ``seq`` numbers the events of ``table``, the same for all who see them."""

    table: str
    seq: int


class PlayerSat(SeenEvent, frozen=True, kw_only=True):
    """A player took a seat; he plays from the next hand on."""

    seat: int
    player: str
    name: str
    bot: bool


class PlayerLeft(SeenEvent, frozen=True, kw_only=True):
    """A player gave up his seat; if he was dealt in, the house plays the hand to its end for him."""

    seat: int
    player: str
    reason: str


class HandStarted(SeenEvent, frozen=True, kw_only=True):
    """A hand began: each seat of ``order``, first to act first, paid ``paid``; the pot holds ``pot`` now.

    ``dealer`` is null when the house deals.
    """

    hand: int
    order: tuple[int, ...]
    dealer: int | None
    cutter: int
    paid: int
    pot: int


class PackCut(SeenEvent, frozen=True, kw_only=True):
    """The pack was cut: the top ``position`` cards went to the bottom."""

    seat: int
    position: int
    by: By


class HandDealt(SeenEvent, frozen=True, kw_only=True):
    """Every seat dealt in has five cards; ``cards`` are the reader's own, null for others."""

    cards: tuple[Card, ...] | None
    turned: Card | None
    wild: tuple[Card, ...]
    opening_discard: Card | None
    stock: int
    next: int


class CardDrawn(SeenEvent, frozen=True, kw_only=True):
    """A seat drew a card; ``stock`` is how many remain there."""

    seat: int
    source: Source
    card: Card | None
    stock: int
    by: By


class CardDiscarded(SeenEvent, frozen=True, kw_only=True):
    """A seat discarded; ``next`` has the next turn, in ``round``, or null: the hand is over."""

    seat: int
    card: Card | None
    by: By
    next: int | None
    round: int


class CombinationCalled(SeenEvent, frozen=True, kw_only=True):
    """A seat laid down five cards, discarding a sixth (``discard``, null if face down), or six and none.

    ``turn`` counts the caller's own turns of this hand from 1.
    """

    seat: int
    cards: tuple[Card, ...]
    discard: Card | None
    combination: Combination
    ranks: tuple[Rank, ...]
    turn: int
    next: int | None
    round: int


class StockReshuffled(SeenEvent, frozen=True, kw_only=True):
    """All discards but the top one were shuffled and are the stock now."""

    stock: int


class HandEnded(SeenEvent, frozen=True, kw_only=True):
    """The hand is over and paid; ``pot`` stays for the next hand."""

    outcome: Outcome
    winners: tuple[int, ...]
    payments: tuple[Paid, ...]
    pot: int


class TableClosed(SeenEvent, frozen=True, kw_only=True):
    """The table is no more; ``shares`` divided a carried pot."""

    shares: tuple[Share, ...]
    reason: str


class Views(msgspec.Struct, frozen=True):
    """One full event as it may be told: to each seat of ``private`` its own, to everybody else ``public``."""

    public: SeenEvent
    private: Mapping[int, SeenEvent]

    def of(self, seat: int | None) -> SeenEvent:
        """What the reader in ``seat``, or a watcher (None), is told."""
        return self.public if seat is None else self.private.get(seat, self.public)


def view(table: str, seq: int, event: events.Event) -> Views:
    """What the seats and the watchers of ``table`` may be told of its event number ``seq``."""
    return _VIEWS[type(event)](table, seq, event)


_NOBODY: Final[Mapping[int, SeenEvent]] = {}


def _sat(table: str, seq: int, event: events.PlayerSat) -> Views:
    return Views(
        PlayerSat(table=table, seq=seq, seat=event.seat, player=event.player, name=event.name, bot=event.bot),
        _NOBODY,
    )


def _left(table: str, seq: int, event: events.PlayerLeft) -> Views:
    return Views(
        PlayerLeft(table=table, seq=seq, seat=event.seat, player=event.player, reason=event.reason), _NOBODY
    )


def _started(table: str, seq: int, event: events.HandStarted) -> Views:
    return Views(
        HandStarted(
            table=table,
            seq=seq,
            hand=event.hand,
            order=event.order,
            dealer=event.dealer,
            cutter=event.cutter,
            paid=event.paid,
            pot=event.pot,
        ),
        _NOBODY,
    )


def _cut(table: str, seq: int, event: events.PackCut) -> Views:
    return Views(
        PackCut(table=table, seq=seq, seat=event.seat, position=event.position, by=event.by), _NOBODY
    )


def _dealt(table: str, seq: int, event: events.HandDealt) -> Views:
    public = HandDealt(
        table=table,
        seq=seq,
        cards=None,
        turned=event.turned,
        wild=event.wild,
        opening_discard=event.opening_discard,
        stock=event.stock,
        next=event.next,
    )
    return Views(public, {dealt.seat: replace(public, cards=dealt.cards) for dealt in event.hands})


def _drawn(table: str, seq: int, event: events.CardDrawn) -> Views:
    drawn = CardDrawn(
        table=table,
        seq=seq,
        seat=event.seat,
        source=event.source,
        card=event.card,
        stock=event.stock,
        by=event.by,
    )
    return _one_card(drawn, event.face_up, card=None)


def _discarded(table: str, seq: int, event: events.CardDiscarded) -> Views:
    discarded = CardDiscarded(
        table=table,
        seq=seq,
        seat=event.seat,
        card=event.card,
        by=event.by,
        next=event.next,
        round=event.round,
    )
    return _one_card(discarded, event.face_up, card=None)


def _called(table: str, seq: int, event: events.CombinationCalled) -> Views:
    called = CombinationCalled(
        table=table,
        seq=seq,
        seat=event.seat,
        cards=event.cards,
        discard=event.discard,
        combination=event.combination,
        ranks=event.ranks,
        turn=event.turn,
        next=event.next,
        round=event.round,
    )
    return _one_card(called, event.face_up or event.discard is None, discard=None)


def _one_card(
    full: CardDrawn | CardDiscarded | CombinationCalled, everybody_sees: bool, **hidden: None
) -> Views:
    """``full`` to whoever acted, and to the others too if they see the card; else they get ``hidden``."""
    if everybody_sees:
        return Views(full, _NOBODY)
    return Views(replace(full, **hidden), {full.seat: full})


def _reshuffled(table: str, seq: int, event: events.StockReshuffled) -> Views:
    return Views(StockReshuffled(table=table, seq=seq, stock=len(event.order)), _NOBODY)


def _ended(table: str, seq: int, event: events.HandEnded) -> Views:
    return Views(
        HandEnded(
            table=table,
            seq=seq,
            outcome=event.outcome,
            winners=event.winners,
            payments=event.payments,
            pot=event.pot,
        ),
        _NOBODY,
    )


def _closed(table: str, seq: int, event: events.TableClosed) -> Views:
    return Views(TableClosed(table=table, seq=seq, shares=event.shares, reason=event.reason), _NOBODY)


_VIEWS: Final[Mapping[type[events.Event], Callable[[str, int, Any], Views]]] = {
    events.PlayerSat: _sat,
    events.PlayerLeft: _left,
    events.HandStarted: _started,
    events.PackCut: _cut,
    events.HandDealt: _dealt,
    events.CardDrawn: _drawn,
    events.CardDiscarded: _discarded,
    events.CombinationCalled: _called,
    events.StockReshuffled: _reshuffled,
    events.HandEnded: _ended,
    events.TableClosed: _closed,
}
