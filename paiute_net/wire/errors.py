"""The one list of all error codes, and the exceptions that carry them.

    ProtocolError
    ├── RemoteProtocolError   the peer broke the protocol
    └── LocalProtocolError    this end was about to break it
    Denial                    the server will not do what a well-formed request asks for

A code of what the rules refuse is a `RefusalCode`; every other code is an `ErrorCode`. `CODES` holds both.
A new code of the protocol or of the server is one line in `ErrorCode`, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum, unique
from typing import Final, NamedTuple, Self

from paiute_net.game.errors import Fact, Refusal, RefusalCode
from paiute_net.wire.messages import MAX_ID, Error

__all__ = [
    "CODES",
    "MAX_NAMED",
    "CodeInfo",
    "Denial",
    "ErrorCode",
    "LocalProtocolError",
    "ProtocolError",
    "RemoteProtocolError",
    "check_facts",
    "error_reply",
    "is_fatal",
]

MAX_NAMED: Final = 32
"""How many of a message's unknown fields an error names."""


class CodeInfo(NamedTuple):
    """What a code says.

    ``facts`` are always there, ``optional`` ones where they apply. ``fatal``: the connection is closed after
    it. ``since`` is the protocol version that the code came in.
    """

    meaning: str
    facts: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    fatal: bool = False
    since: int = 1


def _closes(meaning: str, *facts: str) -> CodeInfo:
    return CodeInfo(meaning, facts, fatal=True)


def _keeps(meaning: str, *facts: str) -> CodeInfo:
    return CodeInfo(meaning, facts)


@unique
class ErrorCode(StrEnum):
    """Why a frame, a message or a request was refused, the rules of the game aside."""

    info: CodeInfo
    _value_: str

    def __new__(cls, value: str, info: CodeInfo) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.info = info
        return member

    # A frame: whoever sends such a one does not speak as agreed, so nothing after it can be trusted.
    FRAME_EMPTY = "frame-empty", _closes("The frame's length is 0.")
    FRAME_TOO_BIG = "frame-too-big", _closes("The frame is longer than allowed.", "length", "maximum")
    FRAME_CUT_SHORT = (
        "frame-cut-short",
        _closes("The stream ended within a frame.", "received"),
    )
    NOT_MESSAGEPACK = "not-messagepack", _closes("The frame holds no MessagePack, or not all of it.")
    TRAILING_BYTES = "trailing-bytes", _closes("Bytes follow the frame's first MessagePack value.")
    NOT_A_MAP = "not-a-map", _closes("The frame's value is no map.", "got")
    KEY_NOT_STRING = "key-not-string", _closes("A map has a key that is no string.")
    DUPLICATE_KEY = "duplicate-key", _closes("A map has the same key twice.", "key")
    NOT_UTF8 = "not-utf8", _closes("A string is not UTF-8.")
    TOO_DEEP = "too-deep", _closes("Lists and maps are nested too deep.", "maximum")
    TOO_MANY_ELEMENTS = (
        "too-many-elements",
        _closes("A list or a map declares too many elements, or all together hold too many.", "maximum"),
    )
    # A message: a map, but not one that says anything; the next frame may.
    FLOAT_VALUE = "float-value", _keeps("A value is a floating-point number; there are none.", "field")
    BINARY_VALUE = "binary-value", _keeps("A value is of MessagePack's bin family; there is none.", "field")
    EXTENSION_VALUE = (
        "extension-value",
        _keeps("A value is a timestamp or another MessagePack extension; there is none.", "field"),
    )
    INTEGER_TOO_BIG = (
        "integer-too-big",
        _keeps("An integer is not within what all clients can hold.", "field", "minimum", "maximum"),
    )
    UNKNOWN_TYPE = "unknown-type", _keeps("There is no such message for a client to send.", "type", "allowed")
    MISSING_ID = "missing-id", _keeps("The request has no id, so that the reply cannot name it.")
    BAD_ID = (
        "bad-id",
        _keeps("The request's id is no string of allowed length.", "minimum", "maximum"),
    )
    UNKNOWN_FIELDS = (
        "unknown-fields",
        _keeps(f"The message has no such fields (the first {MAX_NAMED} named).", "fields", "allowed"),
    )
    MISSING_FIELD = "missing-field", _keeps("A field is missing.", "field", "expected")
    WRONG_TYPE = "wrong-type", _keeps("A field's value is of the wrong type.", "field", "expected", "got")
    OUT_OF_RANGE = (
        "out-of-range",
        _keeps("An integer is too small or too big; null: no bound.", "field", "minimum", "maximum"),
    )
    WRONG_LENGTH = (
        "wrong-length",
        _keeps(
            "A string has too few or too many characters, a list or map too few or too many elements.",
            "field",
            "minimum",
            "maximum",
        ),
    )
    UNKNOWN_VALUE = "unknown-value", _keeps("The field takes no such value.", "field", "allowed")
    # What may be said when.
    HELLO_EXPECTED = "hello-expected", _keeps("Hello comes first.")
    HELLO_UNANSWERED = "hello-unanswered", _keeps("Nothing may follow hello until it is answered.")
    ALREADY_GREETED = "already-greeted", _keeps("Hello may be said only once.")
    HELLO_OVERDUE = "hello-overdue", _closes("No hello came in time.", "time_ms")
    PEER_SILENT = "peer-silent", _closes("No frame came for too long, not even after pings.", "time_ms")
    TOO_FAST = "too-fast", _keeps("Too many requests; the next one is served after a pause.", "wait_ms")
    FLOODING = "flooding", _closes("Requests kept coming far too fast.")
    # Hello.
    NO_COMMON_VERSION = "no-common-version", _keeps("The server speaks none of the versions.", "versions")
    NAME_EMPTY = "name-empty", _keeps("The name has no visible character.")
    NAME_TOO_LONG = "name-too-long", _keeps("The name has too many characters.", "maximum")
    NAME_NOT_ALLOWED = "name-not-allowed", _keeps("The name has characters that names may not have.")
    NAME_TAKEN = (
        "name-taken",
        CodeInfo("Somebody else, or another table, has that name; of a table, which.", ("name",), ("table",)),
    )
    BAD_TOKEN = "bad-token", _keeps("The server does not know that token.")
    EXPIRED_TOKEN = "expired-token", _keeps("The token was given out, but its time is over.")
    FOREIGN_TOKEN = "foreign-token", _keeps("The token is another server's.")
    SERVER_FULL = (
        "server-full",
        _closes("As many clients are connected, or players known, as the server takes.", "maximum"),
    )
    TOO_MANY_CONNECTIONS = (
        "too-many-connections",
        _closes("As many clients are connected from that address as the server takes.", "maximum"),
    )
    # The lobby and the tables.
    NO_SUCH_TABLE = "no-such-table", _keeps("There is no such table.", "table")
    SEATED_ELSEWHERE = "seated-elsewhere", _keeps("The player sits at another table.", "table")
    TOO_MANY_TABLES = (
        "too-many-tables",
        _keeps("As many tables are open as the server keeps, or as one player may open.", "maximum"),
    )
    BAD_TIME_LIMIT = "bad-time-limit", _keeps("No table may have that time limit.", "minimum", "maximum")
    TABLE_STOPPED = (
        "table-stopped",
        _keeps("What happens at the table cannot be recorded, so that nothing may happen there.", "table"),
    )
    CHAT_EMPTY = "chat-empty", _keeps("The chat line has no visible character.")
    CHAT_TOO_LONG = "chat-too-long", _keeps("The chat line has too many characters.", "maximum")
    # The server itself.
    BAD_OPERATOR_TOKEN = "bad-operator-token", _keeps("That is not the token of the server's operator.")
    NOT_RECORDED = "not-recorded", _keeps("The server cannot record it, so that it may not happen.")
    INTERNAL_ERROR = "internal-error", _closes("The server has a fault; its log says more.")


_REFUSALS: Final[Mapping[RefusalCode, CodeInfo]] = {
    RefusalCode.UNKNOWN_RULE_SET: _keeps("There is no such rule set.", "rule_set", "allowed"),
    RefusalCode.UNKNOWN_SWITCH: _keeps("There is no such switch of the rules.", "switch", "allowed"),
    RefusalCode.BAD_SWITCH_VALUE: CodeInfo(
        "The switch takes no such value.", ("switch",), ("allowed", "minimum", "maximum")
    ),
    RefusalCode.CONTRADICTING_SWITCHES: _keeps("Two switches contradict each other.", "switches"),
    RefusalCode.SEATS_OUT_OF_RANGE: _keeps(
        "A table of these rules cannot have so many seats.", "minimum", "maximum"
    ),
    RefusalCode.NO_SUCH_SEAT: _keeps("The table has no such seat.", "minimum", "maximum"),
    RefusalCode.SEAT_TAKEN: _keeps(
        "Somebody sits there, or somebody who left is still dealt in there.", "seat"
    ),
    RefusalCode.TABLE_FULL: _keeps(
        "Somebody sits in every seat, or somebody who left is still dealt in there."
    ),
    RefusalCode.TOO_MANY_ACCOUNTS: _keeps(
        "The table keeps accounts of as many players as it can, none of which can be dropped.", "maximum"
    ),
    RefusalCode.ALREADY_SEATED: _keeps("The player already sits at this table."),
    RefusalCode.NOT_SEATED: _keeps("The player does not sit at this table."),
    RefusalCode.HAND_GOING_ON: _keeps("A hand is going on."),
    RefusalCode.TOO_FEW_PLAYERS: _keeps("Too few players are seated.", "minimum"),
    RefusalCode.TABLE_CLOSED: _keeps("The table is no more."),
    RefusalCode.STALE_DECISION: _keeps("That decision is not open.", "decision"),
    RefusalCode.NOT_YOUR_TURN: _keeps("It is the turn of another seat.", "seat"),
    RefusalCode.WRONG_ACTION: _keeps("The decision takes other kinds of action.", "allowed"),
    RefusalCode.BAD_CUT: _keeps("The pack cannot be cut there.", "minimum", "maximum"),
    RefusalCode.NO_DISCARDS: _keeps("There is no discard to take."),
    RefusalCode.CARD_NOT_HELD: _keeps("The player does not hold that card.", "card"),
    RefusalCode.CARD_NAMED_TWICE: _keeps("The call names a card twice.", "card"),
    RefusalCode.TAKEN_CARD: _keeps("A card taken from the discards stays in the hand on that turn.", "card"),
    RefusalCode.BAD_CALL: _keeps("A call names another number of cards.", "allowed"),
    RefusalCode.NO_COMBINATION: _keeps("The cards are no combination."),
    RefusalCode.CALL_TOO_EARLY: _keeps("Calls are made from a later round on.", "round"),
    RefusalCode.PAIUTE_NOT_ALLOWED: _keeps(
        "A paiute may be called only on that many of the player's own first turns.", "turns"
    ),
    RefusalCode.CALL_TOO_LOW: _keeps(
        "The call neither equals nor beats the best one shown.", "combination", "ranks"
    ),
}

CODES: Final[Mapping[str, CodeInfo]] = {
    **{code.value: code.info for code in ErrorCode},
    **{code.value: info for code, info in _REFUSALS.items()},
}
"""Every code that an `Error` may carry."""


def is_fatal(code: str) -> bool:
    """Whether the connection is closed after an `Error` with this code; never for a code not in the list."""
    info = CODES.get(code)
    return info is not None and info.fatal


def check_facts(code: str, facts: Mapping[str, Fact]) -> None:
    """Raises ValueError where ``facts`` are not those that the list promises for ``code``."""
    info = CODES[code]
    names = set(facts)
    if not set(info.facts) <= names <= {*info.facts, *info.optional}:
        raise ValueError(f"the facts of {code} are {', '.join(info.facts) or 'none'}, not {sorted(names)}")


class ProtocolError(Exception):
    """Something that the protocol does not allow."""


class LocalProtocolError(ProtocolError):
    """This end was about to say what it may not say; nothing was said."""


class RemoteProtocolError(ProtocolError):
    """The peer said what it may not say.

    ``re`` is the id of the request at fault, None where none can be made out.
    """

    def __init__(self, code: ErrorCode, re: str | None = None, **facts: Fact) -> None:
        super().__init__(code.value, re, facts)
        check_facts(code, facts)
        self.code: Final = code
        self.facts: Final[Mapping[str, Fact]] = facts
        self.re: Final = re

    @property
    def fatal(self) -> bool:
        return self.code.info.fatal

    def __str__(self) -> str:
        return _sentence(self.code, self.facts)


class Denial(Exception):
    """The server will not do what was asked for; nothing has changed."""

    def __init__(self, code: ErrorCode, **facts: Fact) -> None:
        super().__init__(code.value, facts)
        check_facts(code, facts)
        self.code: Final = code
        self.facts: Final[Mapping[str, Fact]] = facts

    def __str__(self) -> str:
        return _sentence(self.code, self.facts)


def error_reply(re: str | None, cause: RemoteProtocolError | Denial | Refusal) -> Error:
    """The message that tells a client of ``cause``, in reply to request ``re`` (None: to none)."""
    return Error(
        re=re, code=cause.code.value, facts={name: _short(fact) for name, fact in cause.facts.items()}
    )


def _short(fact: Fact) -> Fact:
    """The fact, with what a peer wrote cut to the length of an id, so that every error fits in a frame."""
    match fact:
        case str():
            return fact[:MAX_ID]
        case Sequence():
            return [word[:MAX_ID] if isinstance(word, str) else word for word in fact]
        case _:
            return fact


def _sentence(code: ErrorCode, facts: Mapping[str, Fact]) -> str:
    return ", ".join([code.value, *(f"{name} {value!r}" for name, value in facts.items())])
