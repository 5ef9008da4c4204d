"""The protocol as data: messages, structures, word lists, limits and error codes, read off the code itself.

``paiute-server --describe`` prints it as JSON; the tables of protocol.md are held against it.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NewType,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from paiute_net.game.cards import RANKS, Card
from paiute_net.game.errors import Fact
from paiute_net.game.events import CloseReason, LeaveReason
from paiute_net.game.house_rules import NAMED_SETS
from paiute_net.wire.codec import MAX_ALL_ELEMENTS, MAX_DEPTH, MAX_ELEMENTS, MAX_INTEGER
from paiute_net.wire.connection import Timing
from paiute_net.wire.errors import CODES
from paiute_net.wire.framing import MAX_FRAME
from paiute_net.wire.messages import (
    EVENTS,
    MAX_CHAT,
    MAX_ID,
    MAX_NAME,
    MAX_PAGE,
    NOTICES,
    PROTOCOL_VERSION,
    REQUESTS,
    Capability,
    Error,
    Ok,
    Pong,
    PresenceCause,
    Request,
)
from paiute_net.wire.replies import ANY_REQUEST, CONNECTION, OWN

__all__ = [
    "Code",
    "Described",
    "Description",
    "Field",
    "Structure",
    "describe",
    "limits_text",
    "name_of",
    "type_text",
]

T = TypeVar("T")
_Struct = type[msgspec.Struct]
_FIRST_VERSION: Final = 1
_SINCE: Final[dict[str, int]] = {}
"""The version in which a message or a field (``type.field``) came in, where it is not the first."""


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A field: its type in the document's words, and what it may be.

    ``default`` counts only where it is not ``required``. What a server sends has all its fields.
    """

    name: str
    type: str
    required: bool
    default: Any
    limits: str
    since: int


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A message, its fields without ``type``. ``errors`` are a request's own, beside those of any request."""

    type: str
    sender: Literal["client", "server"]
    kind: Literal["request", "answer", "reply", "notice", "event"]
    meaning: str
    fields: tuple[Field, ...]
    result: str | None
    errors: tuple[str, ...]
    since: int


class Structure(msgspec.Struct, frozen=True, kw_only=True):
    """A map that stands inside messages."""

    name: str
    meaning: str
    fields: tuple[Field, ...]


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """An error code with the facts it always and sometimes has; a fatal one ends the connection."""

    code: str
    fatal: bool
    facts: tuple[str, ...]
    optional: tuple[str, ...]
    meaning: str
    since: int


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """The whole protocol.

    ``words`` are the lists of values, by name; ``open_words`` are those to which any server may add.
    ``rule_sets`` has the switches of each named set. The codes of ``any_request`` may answer every request,
    those of ``connection`` come without one.
    """

    version: int
    messages: tuple[Described, ...]
    structures: tuple[Structure, ...]
    words: Mapping[str, tuple[str, ...]]
    open_words: Mapping[str, tuple[str, ...]]
    rule_sets: Mapping[str, Mapping[str, Any]]
    limits: Mapping[str, int]
    codes: tuple[Code, ...]
    any_request: tuple[str, ...]
    connection: tuple[str, ...]


def describe() -> Description:
    """The protocol of this code."""
    return Description(
        version=PROTOCOL_VERSION,
        messages=tuple(_messages()),
        structures=tuple(
            Structure(name=name_of(struct), meaning=_meaning(struct), fields=tuple(_sent_fields(struct)))
            for struct in _structures()
        ),
        words=_by_name(_word_lists()),
        open_words=_by_name((Capability, PresenceCause, LeaveReason, CloseReason)),
        rule_sets={name: msgspec.to_builtins(rules) for name, rules in NAMED_SETS.items()},
        limits=_limits(),
        codes=tuple(_codes()),
        any_request=tuple(code.value for code in ANY_REQUEST),
        connection=tuple(code.value for code in CONNECTION),
    )


def name_of(kind: type) -> str:
    """The document's name of a structure or a list of words: ``HandPicture`` is ``hand picture``."""
    return "".join(" " + letter.lower() if letter.isupper() else letter for letter in kind.__name__).strip()


def _by_name(lists: Iterable[type[StrEnum]]) -> dict[str, tuple[str, ...]]:
    return {name_of(words): tuple(word.value for word in words) for words in lists}


def _limits() -> dict[str, int]:
    timing = Timing()
    return {
        "frame_bytes": MAX_FRAME,
        "depth": MAX_DEPTH,
        "elements": MAX_ELEMENTS,
        "all_elements": MAX_ALL_ELEMENTS,
        "integer": MAX_INTEGER,
        "id_characters": MAX_ID,
        "name_characters": MAX_NAME,
        "chat_characters": MAX_CHAT,
        "page_rows": MAX_PAGE,
        "hello_within_ms": round(timing.hello_within * 1000),
        "ping_after_ms": round(timing.ping_after * 1000),
        "lost_after_ms": round(timing.lost_after * 1000),
    }


def _codes() -> Iterator[Code]:
    for code, info in CODES.items():
        yield Code(
            code=code,
            fatal=info.fatal,
            facts=info.facts,
            optional=info.optional,
            meaning=info.meaning,
            since=info.since,
        )


# --- messages and structures -----------------------------------------------------------------------------


def _messages() -> Iterator[Described]:
    yield from map(_request, REQUESTS)
    yield _message(Pong, "client", "answer", _fields(Pong))
    for reply in (Ok, Error):
        yield _message(reply, "server", "reply", _sent_fields(reply))
    for notice in NOTICES:
        yield _message(notice, "server", "notice", _sent_fields(notice))
    for event in EVENTS:
        yield _message(event, "server", "event", _sent_fields(event))


def _request(struct: type[Request]) -> Described:
    message = _message(struct, "client", "request", _fields(struct))
    return msgspec.structs.replace(
        message,
        result=None if struct.Result is None else name_of(struct.Result),
        errors=tuple(code.value for code in OWN[struct]),
    )


def _message(
    struct: _Struct,
    sender: Literal["client", "server"],
    kind: Literal["request", "answer", "reply", "notice", "event"],
    fields: Iterable[Field],
) -> Described:
    tag = str(struct.__struct_config__.tag)
    return Described(
        type=tag,
        sender=sender,
        kind=kind,
        meaning=_meaning(struct),
        fields=tuple(fields),
        result=None,
        errors=(),
        since=_since(tag),
    )


def _meaning(struct: type) -> str:
    return " ".join((struct.__doc__ or "").split()).replace("``", "`")


def _since(name: str) -> int:
    return _SINCE.get(name, _FIRST_VERSION)


def _fields(struct: _Struct) -> Iterator[Field]:
    hints = get_type_hints(struct, include_extras=True)
    for field in msgspec.structs.fields(struct):
        default = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        yield Field(
            name=field.encode_name,
            type=type_text(hints[field.name]),
            required=field.required,
            default=None if default is msgspec.NODEFAULT else _as_json(default),
            limits=limits_text(hints[field.name]),
            since=_since(f"{struct.__struct_config__.tag}.{field.encode_name}"),
        )


def _as_json(value: object) -> object:
    """As JSON would have it, so with lists where Python has tuples."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _sent_fields(struct: _Struct) -> Iterator[Field]:
    for field in _fields(struct):
        yield msgspec.structs.replace(field, required=True, default=None)


# --- types and what they allow ---------------------------------------------------------------------------


def type_text(hint: object) -> str:
    """A type in the document's words."""
    if hint == Fact:
        return "fact"
    if hint is Card:
        return "card"
    if isinstance(hint, NewType):
        return type_text(hint.__supertype__)
    match _origin(hint), get_args(hint):
        case "annotated", (inner, *_):
            return type_text(inner)
        case "literal", words:
            return "rank" if set(words) == set(RANKS) else " or ".join(words)
        case "union", members:
            return " or ".join(map(type_text, sorted(members, key=lambda each: each is type(None))))
        case "list", (element, *_):
            return f"list of {_element_text(element)}"
        case "map", (_, value):
            return f"map of {_element_text(value)}"
        case _:
            return _SIMPLE.get(hint) or name_of(cast("type", hint))


def _element_text(hint: object) -> str:
    text = type_text(hint)
    return f"({text})" if " or " in text else text


_SIMPLE: Final[Mapping[object, str]] = {
    str: "string",
    int: "integer",
    bool: "boolean",
    type(None): "null",
    Any: "any",
}
_ORIGINS: Final[Mapping[object, str]] = {
    Annotated: "annotated",
    Literal: "literal",
    types.UnionType: "union",
    Union: "union",
    tuple: "list",
    list: "list",
    dict: "map",
}


def _origin(hint: object) -> str:
    return _ORIGINS.get(get_origin(hint), "")


def limits_text(hint: object) -> str:
    """What a value may be, beyond its type: ``1 to 64 characters``."""
    match _origin(hint), get_args(hint):
        case "annotated", (inner, *notes) if inner is not Card:
            bounds = [_note_text(note, inner) for note in notes if isinstance(note, msgspec.Meta)]
            return "; ".join(filter(None, [*bounds, limits_text(inner)]))
        case "union", members:
            return "; ".join(filter(None, map(limits_text, members)))
        case "list", (element, *_):
            limits = limits_text(element)
            return limits and f"each {limits}"
        case _:
            return ""


def _note_text(note: msgspec.Meta, hint: object) -> str:
    """A string has characters, a list elements, a map entries; an integer is bounded itself."""
    if hint is int:
        return _range_text(note.ge, note.le)
    counted = {"list": "elements", "map": "entries"}.get(_origin(hint), "characters")
    return f"{_range_text(note.min_length, note.max_length)} {counted}"


def _range_text(least: object, most: object) -> str:
    if most is None:
        return f"{least} or more"
    return f"up to {most}" if least is None else f"{least} to {most}"


# --- what stands inside messages ---------------------------------------------------------------------------


def _structures() -> list[_Struct]:
    """The structs inside messages and results, each once, in the order in which they are met."""
    tops: list[_Struct] = [*REQUESTS, Pong, Ok, Error, *NOTICES, *EVENTS]
    found: dict[_Struct, None] = {}
    waiting = [request.Result for request in REQUESTS if request.Result is not None]
    waiting += [inner for top in tops for inner in _inner(top, msgspec.Struct)]
    while waiting:
        struct = waiting.pop(0)
        if struct not in found and struct not in tops:
            found[struct] = None
            waiting += _inner(struct, msgspec.Struct)
    return list(found)


def _word_lists() -> list[type[StrEnum]]:
    structs: list[_Struct] = [*REQUESTS, *NOTICES, *EVENTS, *_structures()]
    return list(dict.fromkeys(words for struct in structs for words in _inner(struct, StrEnum)))


def _inner(struct: _Struct, base: type[T]) -> list[type[T]]:
    hints = get_type_hints(struct, include_extras=True)
    return [
        kind
        for field in msgspec.structs.fields(struct)
        for kind in _leaves(hints[field.name])
        if issubclass(kind, base)
    ]


def _leaves(hint: object) -> Iterator[type]:
    if isinstance(hint, type) and get_origin(hint) is None:
        yield hint
    for argument in get_args(hint):
        yield from _leaves(argument)
