"""Every refusal of the rules, each with a code that never changes and the facts that explain it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum, unique
from typing import Final

__all__ = ["Fact", "Refusal", "RefusalCode"]

Fact = str | int | bool | None | Sequence[str | int]
"""A value of an error's facts: what the wire can carry, and no card that the reader may not see."""


@unique
class RefusalCode(StrEnum):
    """Why the rules refuse something. The docstring of each code names its facts."""

    # House rules.
    UNKNOWN_RULE_SET = "unknown-rule-set"
    """``rule_set``; ``allowed``."""
    UNKNOWN_SWITCH = "unknown-switch"
    """``switch``; ``allowed``: the switches there are."""
    BAD_SWITCH_VALUE = "bad-switch-value"
    """``switch``; ``allowed``: the values it may have, or ``minimum`` and ``maximum``."""
    CONTRADICTING_SWITCHES = "contradicting-switches"
    """``switches``: the two that contradict each other."""
    # The table.
    SEATS_OUT_OF_RANGE = "seats-out-of-range"
    """``minimum``, ``maximum``."""
    NO_SUCH_SEAT = "no-such-seat"
    """``minimum``, ``maximum``."""
    SEAT_TAKEN = "seat-taken"
    """``seat``. Somebody sits there, or somebody who left is still dealt in there."""
    TABLE_FULL = "table-full"
    TOO_MANY_ACCOUNTS = "too-many-accounts"
    """``maximum``: so many players the table keeps accounts of, and none of them is even."""
    ALREADY_SEATED = "already-seated"
    NOT_SEATED = "not-seated"
    HAND_GOING_ON = "hand-going-on"
    TOO_FEW_PLAYERS = "too-few-players"
    """``minimum``: how many must be seated."""
    TABLE_CLOSED = "table-closed"
    # A player's action.
    STALE_DECISION = "stale-decision"
    """``decision``: the number that is open now, or null."""
    NOT_YOUR_TURN = "not-your-turn"
    """``seat``: whose turn it is."""
    WRONG_ACTION = "wrong-action"
    """``allowed``: the kinds of action that the decision takes."""
    BAD_CUT = "bad-cut"
    """``minimum``, ``maximum``."""
    NO_DISCARDS = "no-discards"
    CARD_NOT_HELD = "card-not-held"
    """``card``."""
    CARD_NAMED_TWICE = "card-named-twice"
    """``card``."""
    TAKEN_CARD = "taken-card"
    """``card``: taken from the discards on this turn, so it stays in the hand."""
    BAD_CALL = "bad-call"
    """``allowed``: how many cards a call names."""
    NO_COMBINATION = "no-combination"
    CALL_TOO_EARLY = "call-too-early"
    """``round``: the first round in which a call may be made."""
    PAIUTE_NOT_ALLOWED = "paiute-not-allowed"
    """``turns``: on how many of the own first turns a paiute may be called."""
    CALL_TOO_LOW = "call-too-low"
    """``combination``, ``ranks``: the best one shown, to be equalled or beaten."""


class Refusal(Exception):
    """What was asked for is against the rules; nothing has changed."""

    def __init__(self, code: RefusalCode, **facts: Fact) -> None:
        super().__init__(code, facts)
        self.code: Final = code
        self.facts: Final[Mapping[str, Fact]] = facts

    def __str__(self) -> str:
        return ", ".join([self.code.value, *(f"{name} {value!r}" for name, value in self.facts.items())])
