"""What the screen shows beside what the model knows: what is selected, what is open, what has been said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum, unique
from typing import Final, NamedTuple

import msgspec

from paiute_client.card_order import in_order
from paiute_client.model import LinkPhase, Model
from paiute_client.screen.canvas import Reading
from paiute_client.screen.intents import Typing
from paiute_client.screen.settings import Settings, Sort
from paiute_net.game.actions import Phase, Source
from paiute_net.game.cards import RANKS, SUITS, Card, is_joker, rank_of, suit_of
from paiute_net.game.picture import HandPicture, Picture
from paiute_net.wire.messages import Actions, CallChoice, TableRow

__all__ = [
    "KEPT_LINES",
    "Asked",
    "CallDialog",
    "CreateDialog",
    "Dialog",
    "LeaveDialog",
    "Line",
    "LineKind",
    "ScreenState",
    "SettingsDialog",
    "Stage",
    "TextDialog",
]

KEPT_LINES: Final = 500
"""How many lines of the log are kept."""


@unique
class LineKind(StrEnum):
    """Whether a line of the log tells of the game, repeats what somebody said, or answers a key."""

    EVENT = "event"
    CHAT = "chat"
    NOTE = "note"


class Line(NamedTuple):
    """A line of the log."""

    kind: LineKind
    text: str


class CallDialog(msgspec.Struct, frozen=True):
    """Which of the possible calls to make."""

    chosen: int = 0


class TextDialog(msgspec.Struct, frozen=True):
    """Something to read; ``top`` is the first row shown."""

    title: str
    lines: tuple[str, ...]
    top: int = 0


class LeaveDialog(msgspec.Struct, frozen=True):
    """Whether to give up the seat, and with ``ends`` to end the program too."""

    ends: bool


class CreateDialog(msgspec.Struct, frozen=True):
    """The table to be opened: the values of its fields as typed, by field, and the field the cursor is on."""

    values: Mapping[str, str]
    cursor: int = 0


class SettingsDialog(msgspec.Struct, frozen=True):
    """The settings, and the one that the cursor is on."""

    cursor: int = 0


Dialog = CallDialog | TextDialog | LeaveDialog | CreateDialog | SettingsDialog


class Asked(NamedTuple):
    """The own decision that the selection was made for; None while there is none."""

    table: str
    decision: int


class ScreenState(msgspec.Struct, frozen=True, kw_only=True):
    """All of it. ``update`` makes the next one; nothing else changes it.

    ``selected`` is a card of the own hand or a pile. ``cut`` is where the player has moved the cut to.
    ``answered`` is the decision whose answer is on its way. ``row`` is the table chosen in the lobby.
    ``scrolled`` is how many rows the log is scrolled back. ``note`` answers the last key.
    ``place`` is the table that the log tells of. ``link_at`` is when the link last changed, by the model's
    clock. ``has_unicode``: the terminal can show more than ASCII, as far as can be found out.
    """

    settings: Settings = Settings()
    typing: Typing = Typing.NOTHING
    dialog: Dialog | None = None
    selected: Card | Source | None = None
    cut: int | None = None
    asked: Asked | None = None
    answered: Asked | None = None
    row: int = 0
    scrolled: int = 0
    note: str = ""
    place: str | None = None
    has_unicode: bool = True
    link_at: float = 0.0
    lines: tuple[Line, ...] = ()

    @property
    def is_ascii(self) -> bool:
        """Whether to draw with ASCII alone."""
        return not self.has_unicode if self.settings.ascii is None else self.settings.ascii


class Stage(NamedTuple):
    """What is to be drawn: what is known, how it is shown, and the time by the clock of the model.

    ``reading`` is how much was shown of the text that the keys scroll when it was last drawn.
    """

    model: Model
    state: ScreenState
    now: float = 0.0
    reading: Reading = Reading()

    @property
    def picture(self) -> Picture | None:
        """The own table, while one has a seat there."""
        return self.model.picture if self.model.seat is not None else None

    @property
    def hand(self) -> HandPicture | None:
        """The hand going on at the own table, or the last one."""
        picture = self.picture
        return None if picture is None else picture.hand

    @property
    def asked(self) -> Asked | None:
        """The own decision that is open."""
        own, table = self.model.own_decision, self.model.table
        return None if own is None or table is None else Asked(table, own.number)

    @property
    def actions(self) -> Actions:
        """What can be done about it; nothing while the answer is on its way."""
        own = self.model.own_decision
        if own is None or own.actions is None or self.asked == self.state.answered:
            return Actions()
        return own.actions

    @property
    def choices(self) -> Sequence[CallChoice]:
        """The calls that can be made, the best first."""
        return self.actions.call

    @property
    def is_linked(self) -> bool:
        return self.model.link.phase is LinkPhase.UP

    @property
    def tables(self) -> list[TableRow]:
        """The tables of the lobby."""
        return list(self.model.tables.values())

    @property
    def own_cards(self) -> list[Card]:
        """The own cards as they are shown: sorted, the card just drawn at the end."""
        hand = self.hand
        return [] if hand is None else shown_order(hand, self.state.settings.sort)

    @property
    def drawn(self) -> Card | None:
        """The card that the player has just drawn."""
        hand = self.hand
        if hand is None or self.picture is None or hand.phase is not Phase.DISCARD:
            return None
        return hand.drawn if hand.turn == self.picture.seat else None


def shown_order(hand: HandPicture, sort: Sort) -> list[Card]:
    """The own cards: sorted, the one just drawn at the end."""
    drawn = hand.drawn if hand.phase is Phase.DISCARD and hand.drawn in hand.own else None
    kept = [card for card in hand.own if card != drawn]
    if sort is Sort.RANK:
        ordered = in_order(kept, hand.wild)
    else:
        ordered = sorted(kept, key=lambda card: (card in hand.wild, *_suit_first(card)))
    return ordered if drawn is None else [*ordered, drawn]


def _suit_first(card: Card) -> tuple[int, int]:
    return (0, 0) if is_joker(card) else (-SUITS.index(suit_of(card)), -RANKS.index(rank_of(card)))
