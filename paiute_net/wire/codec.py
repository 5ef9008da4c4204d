"""Bodies of frames to messages, and messages to frames.

What a client says is held to the protocol strictly (`decode_request`); what a server says is read leniently
(`decode_notice`), so that a client outlives what later versions add.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar, cast

import msgpack
import msgspec

from paiute_net.game.seen import SeenEvent
from paiute_net.wire.errors import ErrorCode, LocalProtocolError, RemoteProtocolError
from paiute_net.wire.framing import MAX_FRAME, frame
from paiute_net.wire.messages import EVENTS, MAX_ID, NOTICES, REQUESTS, Error, Notice, Ok, Pong, Request
from paiute_net.wire.shapes import KINDS, find_fault, tag_of

__all__ = [
    "MAX_ALL_ELEMENTS",
    "MAX_DEPTH",
    "MAX_ELEMENTS",
    "MAX_INTEGER",
    "FromClient",
    "FromServer",
    "Message",
    "Unknown",
    "decode_notice",
    "decode_request",
    "decode_result",
    "encode",
    "pack",
    "unpack",
]

MAX_INTEGER: Final = 2**53 - 1
"""No integer is farther from 0: more than this a JSON number in many languages cannot hold exactly."""
MAX_DEPTH: Final = 8
"""Lists and maps within each other, the message itself being the first."""
MAX_ELEMENTS: Final = 1024
"""Elements of one list, or entries of one map."""
MAX_ALL_ELEMENTS: Final = 2048
"""Elements and entries of all that a client says at once: each takes a byte to send, and more to check."""


class Unknown(msgspec.Struct, frozen=True):
    """A message of a later version, or one that does not fit its type (``fault`` says why, for the log)."""

    type: str
    raw: dict[str, Any]
    fault: str | None = None


FromClient = Request | Pong
FromServer = Ok | Error | Notice | SeenEvent | Unknown
Message = Request | Pong | Ok | Error | Notice | SeenEvent
_StructT = TypeVar("_StructT", bound=msgspec.Struct)

_CLIENT_STRUCTS: Final[tuple[type[FromClient], ...]] = (*REQUESTS, Pong)
_SERVER_STRUCTS: Final[tuple[type[Ok | Error | Notice | SeenEvent], ...]] = (Ok, Error, *NOTICES, *EVENTS)
_FROM_CLIENT: Final = {tag_of(struct): struct for struct in _CLIENT_STRUCTS}
_FROM_SERVER: Final = {tag_of(struct): struct for struct in _SERVER_STRUCTS}
_MESSAGES: Final = frozenset((*_CLIENT_STRUCTS, *_SERVER_STRUCTS))
_pack: Final[Callable[[Any], bytes]] = msgspec.msgpack.Encoder().encode
"""Messages are structs, which msgspec packs as they are: in a third of the time that msgpack's packer takes
for maps made of them. But to unpack what anybody may have sent, only msgpack can be held to limits."""


def encode(message: Message) -> bytes:
    """The frame that says ``message``.

    Raises:
      LocalProtocolError: it is no message (a full event is none), is too long for a frame, or holds what
        cannot be packed.
    """
    if type(message) not in _MESSAGES:
        raise LocalProtocolError(f"{type(message).__name__} is no message of the protocol")
    return pack(message)


def pack(message: Message | Mapping[str, Any]) -> bytes:
    """The frame that holds ``message``, whatever it says; raises LocalProtocolError like `encode`."""
    try:
        body = _pack(message)
    except (ValueError, OverflowError, TypeError) as error:
        raise LocalProtocolError(f"this cannot be sent: {error}") from error
    return frame(body)


def decode_request(body: bytes) -> FromClient:
    """What a client says in a frame's ``body``.

    Raises:
      RemoteProtocolError: it says nothing that the protocol knows; ``re`` is its id if it has a usable one.
    """
    message = unpack(body)
    re = _usable_id(message)
    if len(body) > MAX_ALL_ELEMENTS:  # or it cannot hold so many
        _check_count(message)
    _check_items(message.items(), (), re)
    struct = _struct_of(message, re)
    try:
        return msgspec.convert(message, struct)
    except msgspec.ValidationError as error:
        raise _refusal(struct, message, re) from error


def decode_notice(body: bytes) -> FromServer:
    """What a server says in a frame's ``body``: unknown fields are passed over, unknown types are `Unknown`.

    Raises:
      RemoteProtocolError: not even its type can be read.
    """
    message = unpack(body)
    _check_items(message.items(), (), None)
    tag = _tag(message)
    struct = _FROM_SERVER.get(tag)
    if struct is None:
        return Unknown(tag, message)
    try:
        return msgspec.convert(message, struct)
    except msgspec.ValidationError as error:
        return Unknown(tag, message, str(error))


def decode_result(ok: Ok, result: type[_StructT]) -> _StructT:
    """The result of a request, ``result`` being the request's ``Result``.

    Raises:
      msgspec.ValidationError: it does not fit.
    """
    return msgspec.convert(ok.result, result)


# --- MessagePack ---------------------------------------------------------------------------------------


def unpack(body: bytes) -> dict[str, Any]:
    """The map in a frame's ``body``, its keys checked, its values not.

    Raises:
      RemoteProtocolError: fatal; there is no such map.
    """
    value = _unpack_value(body)
    if not isinstance(value, dict):
        raise RemoteProtocolError(ErrorCode.NOT_A_MAP, got=KINDS.get(type(value), "other"))
    return cast("dict[str, Any]", value)


def _unpack_value(body: bytes) -> object:
    try:
        return msgpack.unpackb(
            body,
            raw=False,
            strict_map_key=True,
            object_pairs_hook=_unique,
            max_str_len=MAX_FRAME,
            max_bin_len=MAX_FRAME,
            max_ext_len=MAX_FRAME,
            max_array_len=MAX_ELEMENTS,
            max_map_len=MAX_ELEMENTS,
        )
    except msgpack.ExtraData:
        raise RemoteProtocolError(ErrorCode.TRAILING_BYTES) from None
    except msgpack.StackError:
        raise RemoteProtocolError(ErrorCode.TOO_DEEP, maximum=MAX_DEPTH) from None
    except UnicodeDecodeError:
        raise RemoteProtocolError(ErrorCode.NOT_UTF8) from None
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException) as error:
        raise _meaning(str(error)) from None


def _meaning(sentence: str) -> RemoteProtocolError:
    """Msgpack's plain ValueErrors can be told apart by their words alone; most mean bad or missing bytes."""
    if "max_array_len" in sentence or "max_map_len" in sentence:
        return RemoteProtocolError(ErrorCode.TOO_MANY_ELEMENTS, maximum=MAX_ELEMENTS)
    if "map key" in sentence:
        return RemoteProtocolError(ErrorCode.KEY_NOT_STRING)
    return RemoteProtocolError(ErrorCode.NOT_MESSAGEPACK)


_KEY_TYPES: Final = frozenset((str,))


def _unique(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """A map of string keys, of which msgpack would let bytes pass, and of two equal ones the last."""
    result = dict(pairs)
    if not _KEY_TYPES.issuperset(map(type, result)):
        raise RemoteProtocolError(ErrorCode.KEY_NOT_STRING)
    if len(result) < len(pairs):
        raise RemoteProtocolError(ErrorCode.DUPLICATE_KEY, key=_first_repeated(pairs))
    return result


def _first_repeated(pairs: list[tuple[str, Any]]) -> str:
    return next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)


# --- values --------------------------------------------------------------------------------------------

_HARMLESS: Final = frozenset((str, bool, type(None)))
_FORBIDDEN: Final[Mapping[type, ErrorCode]] = {
    float: ErrorCode.FLOAT_VALUE,
    bytes: ErrorCode.BINARY_VALUE,
    msgpack.ExtType: ErrorCode.EXTENSION_VALUE,
    msgpack.Timestamp: ErrorCode.EXTENSION_VALUE,
}


def _check_count(message: dict[str, Any]) -> None:
    """Raises RemoteProtocolError as soon as the lists and maps of ``message`` hold too much."""
    containers: list[dict[str, Any] | list[Any]] = [message]
    count = 0
    for container in containers:  # which is added to meanwhile
        count += len(container)
        if count > MAX_ALL_ELEMENTS:
            raise RemoteProtocolError(ErrorCode.TOO_MANY_ELEMENTS, maximum=MAX_ALL_ELEMENTS)
        values = container.values() if isinstance(container, dict) else container
        containers += [value for value in values if isinstance(value, dict | list)]


def _check_items(
    items: Iterable[tuple[str | int, object]], path: tuple[str | int, ...], re: str | None
) -> None:
    """Raises RemoteProtocolError for the first value that no message has; ``path`` leads to the container."""
    if len(path) >= MAX_DEPTH:
        raise RemoteProtocolError(ErrorCode.TOO_DEEP, re, maximum=MAX_DEPTH)
    for key, value in items:
        if type(value) in _HARMLESS:
            continue
        match value:
            case int():
                if not -MAX_INTEGER <= value <= MAX_INTEGER:
                    raise _too_big((*path, key), re)
            case dict():
                _check_items(cast("dict[str, object]", value).items(), (*path, key), re)
            case list():
                _check_items(enumerate(cast("list[object]", value)), (*path, key), re)
            case _:
                raise RemoteProtocolError(_FORBIDDEN[type(value)], re, field=_field((*path, key)))


def _too_big(path: tuple[str | int, ...], re: str | None) -> RemoteProtocolError:
    return RemoteProtocolError(
        ErrorCode.INTEGER_TOO_BIG, re, field=_field(path), minimum=-MAX_INTEGER, maximum=MAX_INTEGER
    )


def _field(path: tuple[str | int, ...]) -> str:
    """The path in the form that all errors have: ``cards[3]``."""
    return str(path[0]) + "".join(f"[{key}]" for key in path[1:])


# --- requests ------------------------------------------------------------------------------------------


def _tag(message: Mapping[str, Any], re: str | None = None) -> str:
    if "type" not in message:
        raise RemoteProtocolError(ErrorCode.MISSING_FIELD, re, field="type", expected="string")
    tag = message["type"]
    if not isinstance(tag, str):
        raise RemoteProtocolError(
            ErrorCode.WRONG_TYPE, re, field="type", expected="string", got=KINDS[type(tag)]
        )
    return tag


def _struct_of(message: Mapping[str, Any], re: str | None) -> type[FromClient]:
    tag = _tag(message, re)
    try:
        return _FROM_CLIENT[tag]
    except KeyError:
        raise RemoteProtocolError(ErrorCode.UNKNOWN_TYPE, re, type=tag, allowed=list(_FROM_CLIENT)) from None


def _usable_id(message: Mapping[str, Any]) -> str | None:
    given = message.get("id")
    return given if isinstance(given, str) and 0 < len(given) <= MAX_ID else None


def _refusal(struct: type[FromClient], message: Mapping[str, Any], re: str | None) -> RemoteProtocolError:
    if re is None and issubclass(struct, Request):
        if "id" not in message:
            return RemoteProtocolError(ErrorCode.MISSING_ID)
        return RemoteProtocolError(ErrorCode.BAD_ID, minimum=1, maximum=MAX_ID)
    fault = find_fault(struct, message)
    if fault is None:
        raise AssertionError(f"msgspec finds a fault in this {struct.__name__}, and shapes finds none")
    return RemoteProtocolError(fault.code, re, **fault.facts)
