"""What a message's fields may hold, read off the structs, and in codes and facts why a value does not fit.

msgspec decides whether a message is good, and its refusals are sentences for people. What `find_fault` says
of the same message is for programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, cast

import msgspec
from msgspec import inspect

from paiute_net.game.errors import Fact
from paiute_net.wire.errors import MAX_NAMED, ErrorCode

__all__ = ["KINDS", "Fault", "FieldShape", "Shape", "fields_of", "find_fault", "shape_of", "tag_of"]

KINDS: Final[Mapping[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    str: "string",
    list: "list",
    dict: "map",
}
"""The kinds of values there are on the wire, by the Python type that carries them."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value may be: of one of ``kinds``.

    ``minimum`` and ``maximum`` bound an integer, a string's characters, or the elements of a list or a map;
    null: no bound. ``allowed`` are the strings of an enumeration. ``element`` is what a list holds, or each
    value of a map. ``struct`` is the class whose fields a map has.
    """

    kinds: tuple[str, ...]
    minimum: int | None = None
    maximum: int | None = None
    allowed: tuple[str, ...] | None = None
    element: Shape | None = None
    struct: type[msgspec.Struct] | None = None

    @property
    def expected(self) -> str:
        """The kinds in words: ``"integer or null"``."""
        return " or ".join(self.kinds)


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One field of a struct; ``default`` is what it is if absent, and counts only where it may be."""

    name: str
    shape: Shape
    required: bool
    default: object


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a message does not fit."""

    code: ErrorCode
    facts: Mapping[str, Fact]


def tag_of(struct: type[msgspec.Struct]) -> str:
    """The word by which ``type`` names a message."""
    tag = struct.__struct_config__.tag
    if not isinstance(tag, str):
        raise TypeError(f"{struct.__name__} is no message")
    return tag


@cache
def fields_of(struct: type[msgspec.Struct]) -> tuple[FieldShape, ...]:
    """The fields of a message, or of a struct within one; its ``type`` is not among them.

    Raises:
      TypeError: a field has a type that the wire has no word for.
    """
    info = inspect.type_info(struct)
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"{struct.__name__} is no struct")
    return tuple(
        FieldShape(field.encode_name, shape_of(field.type), field.required, _default(field))
        for field in info.fields
    )


def shape_of(info: inspect.Type) -> Shape:
    """The shape of what msgspec calls ``info``; raises TypeError like `fields_of`."""
    try:
        return _SHAPES[type(info)](info)
    except KeyError:
        raise TypeError(f"the wire has no {type(info).__name__}") from None


def find_fault(struct: type[msgspec.Struct], message: Mapping[str, Any]) -> Fault | None:
    """Why ``message`` is no ``struct``; None if it is one. Its ``type`` is not looked at.

    Of several faults the first is found: unknown fields, then the fields in the order of the struct.
    """
    return next(_faults(struct, message), None)


def _faults(struct: type[msgspec.Struct], message: Mapping[str, Any]) -> Iterator[Fault]:
    fields = fields_of(struct)
    allowed = [field.name for field in fields]
    unknown = [name for name in message if name not in allowed and name != "type"]
    if unknown:
        yield Fault(ErrorCode.UNKNOWN_FIELDS, {"fields": unknown[:MAX_NAMED], "allowed": allowed})
    for field in fields:
        if field.name in message:
            yield from _value_faults(field.shape, message[field.name], field.name)
        elif field.required:
            yield Fault(ErrorCode.MISSING_FIELD, {"field": field.name, "expected": field.shape.expected})


def _value_faults(shape: Shape, value: object, field: str) -> Iterator[Fault]:
    kind = KINDS[type(value)]
    if kind not in shape.kinds:
        yield Fault(ErrorCode.WRONG_TYPE, {"field": field, "expected": shape.expected, "got": kind})
        return
    match value:
        case bool() | None:
            pass
        case int():
            yield from _bound_faults(ErrorCode.OUT_OF_RANGE, shape, value, field)
        case str():
            yield from _bound_faults(ErrorCode.WRONG_LENGTH, shape, len(value), field)
            if shape.allowed is not None and value not in shape.allowed:
                yield Fault(ErrorCode.UNKNOWN_VALUE, {"field": field, "allowed": shape.allowed})
        case _:
            elements = _elements(value)
            yield from _bound_faults(ErrorCode.WRONG_LENGTH, shape, len(elements), field)
            for key, element in elements:
                if shape.element is not None:
                    yield from _value_faults(shape.element, element, f"{field}[{key}]")


def _elements(container: object) -> list[tuple[object, object]]:
    """The elements of a list or a map, each with its place or its key."""
    if isinstance(container, list):
        return list(enumerate(cast("list[object]", container)))
    return list(cast("dict[object, object]", container).items())


def _bound_faults(code: ErrorCode, shape: Shape, number: int, field: str) -> Iterator[Fault]:
    low, high = shape.minimum, shape.maximum
    if (low is not None and number < low) or (high is not None and number > high):
        yield Fault(code, {"field": field, "minimum": low, "maximum": high})


def _default(field: inspect.Field) -> object:
    if field.default_factory is not msgspec.NODEFAULT:
        return msgspec.to_builtins(field.default_factory())
    return None if field.required else msgspec.to_builtins(field.default)


def _integer(info: inspect.IntType) -> Shape:
    if (info.gt, info.lt, info.multiple_of) != (None, None, None):
        raise TypeError("the bounds of an integer are ge and le")
    return Shape(("integer",), info.ge, info.le)


def _string(info: inspect.StrType) -> Shape:
    if info.pattern is not None:
        raise TypeError("no string has a pattern")
    return Shape(("string",), info.min_length, info.max_length)


def _words(values: tuple[Any, ...]) -> Shape:
    return Shape(("string",), allowed=tuple(str(value) for value in values))


def _list(info: inspect.ListType | inspect.VarTupleType) -> Shape:
    return Shape(("list",), info.min_length, info.max_length, element=shape_of(info.item_type))


def _map(info: inspect.DictType) -> Shape:
    return Shape(("map",), info.min_length, info.max_length, element=shape_of(info.value_type))


def _union(info: inspect.UnionType) -> Shape:
    """At most one member has bounds and the like, and the union has them for it."""
    shapes = [shape_of(member) for member in info.types]
    detailed = [shape for shape in shapes if shape != Shape(shape.kinds)]
    if len(detailed) > 1:
        raise TypeError("at most one member of a union may have bounds, elements or fields")
    kinds = tuple(kind for shape in shapes for kind in shape.kinds)
    return replace(*detailed, kinds=kinds) if detailed else Shape(kinds)


_SHAPES: Final[Mapping[type[inspect.Type], Callable[[Any], Shape]]] = {
    inspect.AnyType: lambda _: Shape(tuple(KINDS.values())),
    inspect.NoneType: lambda _: Shape(("null",)),
    inspect.BoolType: lambda _: Shape(("boolean",)),
    inspect.IntType: _integer,
    inspect.StrType: _string,
    inspect.EnumType: lambda info: _words(tuple(member.value for member in info.cls)),
    inspect.LiteralType: lambda info: _words(info.values),
    inspect.ListType: _list,
    inspect.VarTupleType: _list,
    inspect.DictType: _map,
    inspect.StructType: lambda info: Shape(("map",), struct=info.cls),
    inspect.UnionType: _union,
}
