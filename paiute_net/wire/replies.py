"""Which errors may answer which request; every other error concerns the connection.

A client may rely on the lists: no request is answered with a code that is not named for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paiute_net.game.errors import RefusalCode
from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.messages import (
    CatchUp,
    CreateTable,
    GetAccounts,
    GetStatus,
    Hello,
    JoinTable,
    LeaveTable,
    ListPeople,
    ListTables,
    MakeCall,
    MakeCut,
    MakeDiscard,
    MakeDraw,
    Request,
    Say,
    StartHand,
    WatchLobby,
)

__all__ = ["ANY_REQUEST", "CONNECTION", "OWN", "Code", "errors_of"]

Code = ErrorCode | RefusalCode

CONNECTION: Final[tuple[Code, ...]] = (
    ErrorCode.FRAME_EMPTY,
    ErrorCode.FRAME_TOO_BIG,
    ErrorCode.FRAME_CUT_SHORT,
    ErrorCode.NOT_MESSAGEPACK,
    ErrorCode.TRAILING_BYTES,
    ErrorCode.NOT_A_MAP,
    ErrorCode.KEY_NOT_STRING,
    ErrorCode.DUPLICATE_KEY,
    ErrorCode.NOT_UTF8,
    ErrorCode.TOO_MANY_ELEMENTS,
    ErrorCode.MISSING_ID,
    ErrorCode.BAD_ID,
    ErrorCode.HELLO_OVERDUE,
    ErrorCode.PEER_SILENT,
    ErrorCode.FLOODING,
    ErrorCode.SERVER_FULL,
    ErrorCode.TOO_MANY_CONNECTIONS,
    ErrorCode.INTERNAL_ERROR,
)
"""What may be said in reply to nothing: ``re`` is null."""

ANY_REQUEST: Final[tuple[Code, ...]] = (
    ErrorCode.TOO_DEEP,
    ErrorCode.FLOAT_VALUE,
    ErrorCode.BINARY_VALUE,
    ErrorCode.EXTENSION_VALUE,
    ErrorCode.INTEGER_TOO_BIG,
    ErrorCode.UNKNOWN_TYPE,
    ErrorCode.UNKNOWN_FIELDS,
    ErrorCode.MISSING_FIELD,
    ErrorCode.WRONG_TYPE,
    ErrorCode.OUT_OF_RANGE,
    ErrorCode.WRONG_LENGTH,
    ErrorCode.UNKNOWN_VALUE,
    ErrorCode.HELLO_EXPECTED,
    ErrorCode.HELLO_UNANSWERED,
    ErrorCode.ALREADY_GREETED,
    ErrorCode.TOO_FAST,
)
"""What may answer every request, and (``re`` null) a message that has no usable id."""

_NAME: Final[tuple[Code, ...]] = (
    ErrorCode.NAME_EMPTY,
    ErrorCode.NAME_TOO_LONG,
    ErrorCode.NAME_NOT_ALLOWED,
    ErrorCode.NAME_TAKEN,
)
_SEATED: Final[tuple[Code, ...]] = (ErrorCode.NO_SUCH_TABLE, RefusalCode.NOT_SEATED)
_STEP: Final[tuple[Code, ...]] = (*_SEATED, RefusalCode.TABLE_CLOSED, ErrorCode.TABLE_STOPPED)
_ACTION: Final[tuple[Code, ...]] = (
    *_STEP,
    RefusalCode.STALE_DECISION,
    RefusalCode.NOT_YOUR_TURN,
    RefusalCode.WRONG_ACTION,
)

OWN: Final[Mapping[type[Request], tuple[Code, ...]]] = {
    Hello: (
        ErrorCode.NO_COMMON_VERSION,
        *_NAME,
        ErrorCode.BAD_TOKEN,
        ErrorCode.EXPIRED_TOKEN,
        ErrorCode.FOREIGN_TOKEN,
        ErrorCode.SERVER_FULL,
        ErrorCode.NOT_RECORDED,
    ),
    ListTables: (ErrorCode.NO_SUCH_TABLE,),
    ListPeople: (),
    WatchLobby: (),
    CreateTable: (
        *_NAME,
        RefusalCode.UNKNOWN_RULE_SET,
        RefusalCode.UNKNOWN_SWITCH,
        RefusalCode.BAD_SWITCH_VALUE,
        RefusalCode.CONTRADICTING_SWITCHES,
        RefusalCode.SEATS_OUT_OF_RANGE,
        ErrorCode.BAD_TIME_LIMIT,
        ErrorCode.TOO_MANY_TABLES,
        ErrorCode.NOT_RECORDED,
    ),
    JoinTable: (
        ErrorCode.NO_SUCH_TABLE,
        RefusalCode.ALREADY_SEATED,
        ErrorCode.SEATED_ELSEWHERE,
        RefusalCode.NO_SUCH_SEAT,
        RefusalCode.SEAT_TAKEN,
        RefusalCode.TABLE_FULL,
        RefusalCode.TOO_MANY_ACCOUNTS,
        RefusalCode.TABLE_CLOSED,
        ErrorCode.TABLE_STOPPED,
    ),
    LeaveTable: _STEP,
    StartHand: (
        *_STEP,
        RefusalCode.HAND_GOING_ON,
        RefusalCode.TOO_FEW_PLAYERS,
    ),
    MakeCut: (*_ACTION, RefusalCode.BAD_CUT),
    MakeDraw: (*_ACTION, RefusalCode.NO_DISCARDS),
    MakeDiscard: (*_ACTION, RefusalCode.CARD_NOT_HELD, RefusalCode.TAKEN_CARD),
    MakeCall: (
        *_ACTION,
        RefusalCode.BAD_CALL,
        RefusalCode.CARD_NOT_HELD,
        RefusalCode.CARD_NAMED_TWICE,
        RefusalCode.TAKEN_CARD,
        RefusalCode.NO_COMBINATION,
        RefusalCode.CALL_TOO_EARLY,
        RefusalCode.PAIUTE_NOT_ALLOWED,
        RefusalCode.CALL_TOO_LOW,
    ),
    CatchUp: _SEATED,
    GetAccounts: _SEATED,
    Say: (*_SEATED, ErrorCode.CHAT_EMPTY, ErrorCode.CHAT_TOO_LONG),
    GetStatus: (ErrorCode.BAD_OPERATOR_TOKEN,),
}
"""What may answer one request, in about the order in which a server looks."""


def errors_of(request: type[Request]) -> tuple[Code, ...]:
    """All codes that may answer ``request``."""
    return OWN[request] + ANY_REQUEST
