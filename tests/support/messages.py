"""Any message of the protocol, made from what the structs say of themselves."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import strategies as st

from paiute_net.wire.codec import MAX_INTEGER, Message
from paiute_net.wire.messages import EVENTS, NOTICES, REQUESTS, Error, Ok, Pong
from paiute_net.wire.shapes import KINDS, Shape, fields_of, tag_of

FROM_CLIENT: tuple[type[Message], ...] = (*REQUESTS, Pong)
FROM_SERVER: tuple[type[Message], ...] = (Ok, Error, *NOTICES, *EVENTS)
MESSAGES = (*FROM_CLIENT, *FROM_SERVER)

MANY = 4
"""Elements of a list, where nothing asks for more."""

integers = st.integers(-MAX_INTEGER, MAX_INTEGER)
scalars = st.none() | st.booleans() | integers | st.text(max_size=MANY)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=MANY) | st.dictionaries(st.text(max_size=MANY), inner, max_size=MANY)
    ),
    max_leaves=MANY,
)
"""Whatever a frame can carry."""


def values(shape: Shape) -> st.SearchStrategy[Any]:
    """All that ``shape`` allows."""
    if set(shape.kinds) == set(KINDS.values()):
        return anything
    return st.one_of(*(_of_kind(kind, shape) for kind in shape.kinds))


def _of_kind(kind: str, shape: Shape) -> st.SearchStrategy[Any]:
    low = shape.minimum or 0
    high = low + MANY if shape.maximum is None else shape.maximum
    match kind:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(
                -MAX_INTEGER if shape.minimum is None else shape.minimum,
                MAX_INTEGER if shape.maximum is None else shape.maximum,
            )
        case "string":
            return (
                st.text(min_size=low, max_size=high)
                if shape.allowed is None
                else st.sampled_from(shape.allowed)
            )
        case "list":
            return st.lists(_element(shape), min_size=low, max_size=min(high, low + MANY))
        case _:
            return _map(shape, low, min(high, low + MANY))


def _element(shape: Shape) -> st.SearchStrategy[Any]:
    return anything if shape.element is None else values(shape.element)


def _map(shape: Shape, low: int, high: int) -> st.SearchStrategy[Any]:
    if shape.struct is not None:
        return maps(shape.struct)
    return st.dictionaries(st.text(max_size=MANY), _element(shape), min_size=low, max_size=high)


def maps(struct: type[msgspec.Struct]) -> st.SearchStrategy[dict[str, Any]]:
    """The fields of ``struct``, those with a default sometimes absent; its ``type`` if it is a message."""
    fields = fields_of(struct)
    tag = {} if struct.__struct_config__.tag is None else {"type": st.just(tag_of(struct))}
    return st.fixed_dictionaries(
        {**tag, **{field.name: values(field.shape) for field in fields if field.required}},
        optional={field.name: values(field.shape) for field in fields if not field.required},
    )


def messages(struct: type[Message]) -> st.SearchStrategy[Message]:
    """All messages of a type."""
    return maps(struct).map(lambda fields: msgspec.convert(fields, struct))


def smallest(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The fields of ``struct`` and its ``type``, each with the first value that comes to mind."""
    tag = {} if struct.__struct_config__.tag is None else {"type": tag_of(struct)}
    return {**tag, **{field.name: _first(field.shape) for field in fields_of(struct)}}


def _first(shape: Shape) -> object:
    low = max(shape.minimum or 0, 1)
    match shape.kinds[0]:
        case "null":
            return None
        case "boolean":
            return True
        case "integer":
            return low
        case "string":
            return "x" * low if shape.allowed is None else shape.allowed[0]
        case "list":
            return [] if shape.element is None else [_first(shape.element)] * low
        case _:
            return {} if shape.struct is None else smallest(shape.struct)


def example(struct: type[Message]) -> Message:
    """One message of a type, always the same."""
    return msgspec.convert(smallest(struct), struct)
