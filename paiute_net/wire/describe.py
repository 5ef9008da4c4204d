"""The protocol as data: every message, structure, word list, limit and error code, read off the code itself.

``paiute-server --describe`` prints it as JSON; the tables of protocol.md are held against it.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
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
from paiute_net.wire import messages
from paiute_net.wire.errors import CODES
from paiute_net.wire.messages import EVENTS, NOTICES, PROTOCOL_VERSION, REQUESTS, Error, Ok, Pong, Request

__all__ = [
    "Code",
    "Described",
    "Description",
    "Field",
    "Structure",
    "describe",
]

T = TypeVar("T")
_Struct = type[msgspec.Struct]
_FIRST_VERSION: Final = 1
_SINCE: Final[dict[str, int]] = {}
"""The version in which a message, field (``type.field``) or code came in, where it is not the first."""


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A field: its type in the document's words, and what it may be."""

    name: str
    type: str
    required: bool
    default: Any
    limits: str
    since: int


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A message: who sends it, in which kind of role, and its fields without ``type``."""

    type: str
    sender: Literal["client", "server"]
    kind: Literal["request", "answer", "reply", "notice", "event"]
    meaning: str
    fields: tuple[Field, ...]
    result: str | None
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
    """The whole protocol; ``words`` are the closed lists of values, by name."""

    version: int
    messages: tuple[Described, ...]
    structures: tuple[Structure, ...]
    words: dict[str, tuple[str, ...]]
    limits: dict[str, int]
    codes: tuple[Code, ...]


def describe() -> Description:
    """The protocol of this code."""
    return Description(
        version=PROTOCOL_VERSION,
        messages=tuple(_messages()),
        structures=tuple(
            Structure(name=name_of(struct), meaning=_meaning(struct), fields=tuple(_fields(struct)))
            for struct in _structures()
        ),
        words={name_of(words): tuple(word.value for word in words) for words in _word_lists()},
        limits=dict(messages.LIMITS),
        codes=tuple(
            Code(
                code=code,
                fatal=info.fatal,
                facts=info.facts,
                optional=info.optional,
                meaning=info.meaning,
                since=info.since,
            )
            for code, info in CODES.items()
        ),
    )


def name_of(kind: type) -> str:
    """The document's name of a structure or a list of words: ``HandPicture`` is ``hand picture``."""
    return "".join(" " + letter.lower() if letter.isupper() else letter for letter in kind.__name__).strip()


def _messages() -> Iterator[Described]:
    yield from (_described(request, "client", "request") for request in REQUESTS)
    yield _described(Pong, "client", "answer")
    yield from (_described(reply, "server", "reply") for reply in (Ok, Error))
    yield from (_described(notice, "server", "notice") for notice in NOTICES)
    yield from (_described(event, "server", "event") for event in EVENTS)


def _described(
    struct: _Struct,
    sender: Literal["client", "server"],
    kind: Literal["request", "answer", "reply", "notice", "event"],
) -> Described:
    tag = str(struct.__struct_config__.tag)
    result = struct.Result if issubclass(struct, Request) else None
    return Described(
        type=tag,
        sender=sender,
        kind=kind,
        meaning=_meaning(struct),
        fields=tuple(_fields(struct)),
        result=None if result is None else name_of(result),
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
            type=_type_text(hints[field.name]),
            required=field.required,
            default=None if default is msgspec.NODEFAULT else msgspec.to_builtins(default),
            limits=_limits_text(hints[field.name]),
            since=_since(f"{struct.__struct_config__.tag}.{field.encode_name}"),
        )


def _type_text(hint: object) -> str:
    """A type in the document's words."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Card:
        return "card"
    if isinstance(hint, NewType):
        return _type_text(hint.__supertype__)
    if origin is Annotated:
        return _type_text(arguments[0])
    if origin is Literal:
        return "rank" if set(arguments) == set(RANKS) else " or ".join(arguments)
    if origin in (types.UnionType, Union):
        return " or ".join(
            _type_text(each) for each in sorted(arguments, key=lambda each: each is type(None))
        )
    if origin in (tuple, list) or (
        isinstance(origin, type) and issubclass(origin, Iterable) and origin is not dict
    ):
        return f"list of {_type_text(arguments[0])}"
    if origin is dict:
        return f"map of {_type_text(arguments[1])}"
    return _SIMPLE.get(hint) or name_of(cast("type", hint))


_SIMPLE: Final[dict[object, str]] = {
    str: "string",
    int: "integer",
    bool: "boolean",
    type(None): "null",
    Any: "any",
}


def _limits_text(hint: object) -> str:
    """What a value may be, beyond its type: ``1 to 64 characters``."""
    if get_origin(hint) is Annotated:
        inner, *notes = get_args(hint)
        return "; ".join(filter(None, [*map(_note_text, notes), _limits_text(inner)]))
    if get_origin(hint) in (types.UnionType, Union):
        return "; ".join(filter(None, map(_limits_text, get_args(hint))))
    return ""


def _note_text(note: object) -> str:
    if not isinstance(note, msgspec.Meta):
        return ""
    if note.max_length is not None:
        return _range_text(note.min_length or 0, note.max_length) + " long"
    return _range_text(note.ge, note.le)


def _range_text(least: object, most: object) -> str:
    if most is None:
        return f"{least} or more"
    return f"{least}" if least == most else f"{least} to {most}"


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
    found = dict.fromkeys(words for struct in structs for words in _inner(struct, StrEnum))
    return list(found)


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
