"""What a key or a click means, as data; `paiute_client.screen.update` says what each does."""

from __future__ import annotations

from enum import StrEnum, unique

import msgspec

from paiute_client.commands import Command
from paiute_net.game.actions import Action, Source
from paiute_net.game.cards import Card

__all__ = [
    "Answer",
    "Cancel",
    "Choose",
    "ChooseCard",
    "ChooseRank",
    "Confirm",
    "CutHere",
    "DoSelected",
    "DrawFrom",
    "Edit",
    "Effect",
    "Exit",
    "Intent",
    "Move",
    "MoveCut",
    "Open",
    "OpenWhat",
    "Perform",
    "Scroll",
    "ToggleSort",
    "Turn",
    "Type",
    "Typing",
]


@unique
class Typing(StrEnum):
    """What the input line takes; ``NOTHING``: keys go to the table."""

    NOTHING = "nothing"
    CHAT = "chat"
    COMMAND = "command"


@unique
class OpenWhat(StrEnum):
    """The dialogs that a key opens."""

    CALL = "call"
    HELP = "help"
    HINTS = "hints"
    RULES = "rules"
    SETTINGS = "settings"
    CREATE = "create"
    LEAVE = "leave"
    QUIT = "quit"


class Move(msgspec.Struct, frozen=True):
    """Select the card or the pile that lies ``across`` or ``down`` from the one selected."""

    across: int = 0
    down: int = 0


class ChooseCard(msgspec.Struct, frozen=True):
    """Select a card of the own hand."""

    card: Card


class ChooseRank(msgspec.Struct, frozen=True):
    """Select the next card that shows this letter; ``stay``: not if one is selected already."""

    letter: str
    stay: bool = False


class DoSelected(msgspec.Struct, frozen=True):
    """Draw from the selected pile, discard the selected card, or cut where the player has moved to."""


class DrawFrom(msgspec.Struct, frozen=True):
    """Draw from a pile."""

    source: Source


class CutHere(msgspec.Struct, frozen=True):
    """Cut where the pack is shown parted."""


class MoveCut(msgspec.Struct, frozen=True):
    """Cut so many cards deeper, or less deep."""

    by: int


class ToggleSort(msgspec.Struct, frozen=True):
    """Sort the hand the other way."""


class Open(msgspec.Struct, frozen=True):
    """Open a dialog."""

    what: OpenWhat


class Cancel(msgspec.Struct, frozen=True):
    """Close the dialog, or let go of what is selected."""


class Confirm(msgspec.Struct, frozen=True):
    """Do what the dialog is about."""


class Choose(msgspec.Struct, frozen=True):
    """Go to this line of a list."""

    line: int


class Turn(msgspec.Struct, frozen=True):
    """Take the next value of the line that the cursor is on."""

    by: int


class Edit(msgspec.Struct, frozen=True):
    """Type into the line that the cursor is on; "" takes the last letter away."""

    text: str


class Scroll(msgspec.Struct, frozen=True):
    """Show what stands so many rows further up, or so many times as much as is shown; negative: down."""

    by: int = 0
    pages: int = 0


class Type(msgspec.Struct, frozen=True):
    """Go to the input line."""

    what: Typing


class Perform(msgspec.Struct, frozen=True):
    """Do what a typed command does."""

    command: Command


class Exit(msgspec.Struct, frozen=True):
    """End, and keep the seat to come back to."""


Intent = (
    Move
    | ChooseCard
    | ChooseRank
    | DoSelected
    | DrawFrom
    | CutHere
    | MoveCut
    | ToggleSort
    | Open
    | Cancel
    | Confirm
    | Choose
    | Turn
    | Edit
    | Scroll
    | Type
    | Perform
    | Exit
)


class Answer(msgspec.Struct, frozen=True):
    """Answer the decision of that number."""

    decision: int
    action: Action


Effect = Command | Answer | Exit
"""What reaches beyond the screen."""
