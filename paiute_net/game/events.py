"""The full events of a table: everything that happened, every card named. They are what the journal keeps.

Full events have no wire form; `paiute_net.game.seen.view` makes what a connection may be told of them.
Seats are numbers from 0, clockwise. Amounts are minor units of money.
"""

from __future__ import annotations

from enum import StrEnum, unique

import msgspec

from paiute_net.game.actions import Source
from paiute_net.game.cards import Card, Rank
from paiute_net.game.combinations import Combination
from paiute_net.game.house_rules import HouseRules

__all__ = [
    "By",
    "CardDiscarded",
    "CardDrawn",
    "CloseReason",
    "CombinationCalled",
    "DealtCards",
    "Event",
    "HandDealt",
    "HandEnded",
    "HandStarted",
    "LeaveReason",
    "Outcome",
    "PackCut",
    "Paid",
    "PlayerLeft",
    "PlayerSat",
    "Share",
    "StockReshuffled",
    "TableClosed",
    "TableOpened",
    "kebab",
]


def kebab(class_name: str) -> str:
    """The wire's word for a class: ``CardDrawn`` is ``card-drawn``."""
    return "".join("-" + letter.lower() if letter.isupper() else letter for letter in class_name).lstrip("-")


@unique
class By(StrEnum):
    """Who acted: the player, or the house for an absent one (Rules, section 7a)."""

    PLAYER = "player"
    HOUSE = "house"


@unique
class Outcome(StrEnum):
    """How a hand ended (Rules, sections 7 and 7a)."""

    WON = "won"
    SPLIT = "split"
    WASHED = "washed"
    VOID = "void"


@unique
class LeaveReason(StrEnum):
    """Why a player left a table; others may follow, so a reader takes any word."""

    LEFT = "left"
    EXPIRED = "expired"
    REMOVED = "removed"


@unique
class CloseReason(StrEnum):
    """Why a table was closed; others may follow, so a reader takes any word."""

    EMPTY = "empty"
    UNATTENDED = "unattended"


class Paid(msgspec.Struct, frozen=True):
    """What a seat dealt in gets, or with a negative ``amount`` pays."""

    seat: int
    amount: int


class Share(msgspec.Struct, frozen=True):
    """A player's part of a carried pot."""

    player: str
    amount: int


class DealtCards(msgspec.Struct, frozen=True):
    """The five cards that a seat was dealt."""

    seat: int
    cards: tuple[Card, ...]


# What is frozen and holds only the like is never part of a cycle, so the garbage collector may pass it over.
class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=kebab, gc=False):
    """The base of all full events."""


class TableOpened(Event, frozen=True, kw_only=True):
    """``time_limit_ms`` is the time for each decision, null without a limit; the engine only keeps it."""

    name: str
    rules: HouseRules
    seats: int
    time_limit_ms: int | None


class PlayerSat(Event, frozen=True, kw_only=True):
    """A player took a seat."""

    seat: int
    player: str
    name: str
    bot: bool


class PlayerLeft(Event, frozen=True, kw_only=True):
    """``reason`` is a `LeaveReason`, told to the others."""

    seat: int
    player: str
    reason: str


class HandStarted(Event, frozen=True, kw_only=True):
    """``order`` holds the seats dealt in, first to act first, the closer last; ``players`` who sat there.

    ``pot`` holds what was carried and what ``paid`` brought into it.
    """

    hand: int
    order: tuple[int, ...]
    players: tuple[str, ...]
    dealer: int | None
    cutter: int
    pack: tuple[Card, ...]
    paid: int
    pot: int


class PackCut(Event, frozen=True, kw_only=True):
    """The top ``position`` cards of the pack went to the bottom."""

    seat: int
    position: int
    by: By


class HandDealt(Event, frozen=True, kw_only=True):
    """``next`` has the first turn. What is dealt follows from pack and cut; it stands here to be told."""

    hands: tuple[DealtCards, ...]
    turned: Card | None
    wild: tuple[Card, ...]
    opening_discard: Card | None
    stock: int
    next: int


class CardDrawn(Event, frozen=True, kw_only=True):
    """``face_up``: everybody saw the card. ``stock`` is what remains there."""

    seat: int
    source: Source
    card: Card
    face_up: bool
    stock: int
    by: By


class CardDiscarded(Event, frozen=True, kw_only=True):
    """``next`` has the next turn, in ``round``; null ends the hand."""

    seat: int
    card: Card
    face_up: bool
    by: By
    next: int | None
    round: int


class CombinationCalled(Event, frozen=True, kw_only=True):
    """``cards`` are laid down; five leave a sixth, ``discard``. ``turn`` counts the caller's turns from 1."""

    seat: int
    cards: tuple[Card, ...]
    discard: Card | None
    face_up: bool
    combination: Combination
    ranks: tuple[Rank, ...]
    turn: int
    next: int | None
    round: int


class StockReshuffled(Event, frozen=True, kw_only=True):
    """All discards but the top one became the stock, ``order`` from its top."""

    order: tuple[Card, ...]


class HandEnded(Event, frozen=True, kw_only=True):
    """``payments`` names every seat dealt in; ``pot`` is what stays for the next hand."""

    outcome: Outcome
    winners: tuple[int, ...]
    payments: tuple[Paid, ...]
    pot: int


class TableClosed(Event, frozen=True, kw_only=True):
    """``shares`` divides the carried pot among the players of the last hand."""

    shares: tuple[Share, ...]
    reason: str
