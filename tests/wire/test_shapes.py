from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_net.game.errors import Fact
from paiute_net.wire.errors import MAX_NAMED, ErrorCode, check_facts
from paiute_net.wire.messages import REQUESTS, MakeDiscard, Pong
from paiute_net.wire.shapes import FieldShape, Shape, fields_of, find_fault, shape_of, tag_of
from tests.support.messages import FROM_CLIENT, MESSAGES, anything, maps, smallest


class Suit(StrEnum):
    CLUBS = "clubs"
    SPADES = "spades"


class Inner(msgspec.Struct):
    number: int


class Every(msgspec.Struct, tag_field="type", tag="every", forbid_unknown_fields=True):
    """A field of each shape."""

    flag: bool
    count: Annotated[int, msgspec.Meta(ge=1, le=3)]
    word: Annotated[str, msgspec.Meta(min_length=2, max_length=4)]
    suit: Suit
    rank: Literal["2", "3"]
    many: Annotated[tuple[Suit, ...], msgspec.Meta(min_length=1, max_length=2)]
    more: list[int]
    table: Annotated[dict[str, int], msgspec.Meta(max_length=1)]
    inner: Inner
    whatever: Any
    maybe: Annotated[int, msgspec.Meta(ge=0)] | None = None
    made: list[int] = msgspec.field(default_factory=list[int])


GOOD: Mapping[str, Any] = {
    "type": "every",
    "flag": True,
    "count": 2,
    "word": "abc",
    "suit": "clubs",
    "rank": "2",
    "many": ["spades"],
    "more": [],
    "table": {"a": 1},
    "inner": {"number": 1},
    "whatever": [{}],
}


def test_shapes_are_read_off_the_struct() -> None:
    shapes = {field.name: field for field in fields_of(Every)}
    suits = Shape(("string",), allowed=("clubs", "spades"))
    assert shapes["count"].shape == Shape(("integer",), 1, 3)
    assert shapes["many"].shape == Shape(("list",), 1, 2, element=suits)
    assert shapes["table"].shape == Shape(("map",), None, 1, element=Shape(("integer",)))
    assert shapes["inner"].shape == Shape(("map",), struct=Inner)
    assert shapes["maybe"] == FieldShape("maybe", Shape(("integer", "null"), 0), False, None)
    assert shapes["made"] == FieldShape("made", Shape(("list",), element=Shape(("integer",))), False, [])
    assert shapes["maybe"].shape.expected == "integer or null"


def test_what_fits_has_no_fault() -> None:
    assert find_fault(Every, GOOD) is None
    msgspec.convert(GOOD, Every)


@pytest.mark.parametrize(
    ("field", "value", "code", "facts"),
    [
        ("flag", 1, "wrong-type", {"field": "flag", "expected": "boolean", "got": "integer"}),
        ("count", True, "wrong-type", {"field": "count", "expected": "integer", "got": "boolean"}),
        ("count", 0, "out-of-range", {"field": "count", "minimum": 1, "maximum": 3}),
        ("count", 4, "out-of-range", {"field": "count", "minimum": 1, "maximum": 3}),
        ("maybe", -1, "out-of-range", {"field": "maybe", "minimum": 0, "maximum": None}),
        ("maybe", "", "wrong-type", {"field": "maybe", "expected": "integer or null", "got": "string"}),
        ("word", None, "wrong-type", {"field": "word", "expected": "string", "got": "null"}),
        ("word", "a", "wrong-length", {"field": "word", "minimum": 2, "maximum": 4}),
        ("word", "abcde", "wrong-length", {"field": "word", "minimum": 2, "maximum": 4}),
        ("suit", "hearts", "unknown-value", {"field": "suit", "allowed": ("clubs", "spades")}),
        ("rank", "4", "unknown-value", {"field": "rank", "allowed": ("2", "3")}),
        ("many", [], "wrong-length", {"field": "many", "minimum": 1, "maximum": 2}),
        ("many", ["clubs"] * 3, "wrong-length", {"field": "many", "minimum": 1, "maximum": 2}),
        ("many", {}, "wrong-type", {"field": "many", "expected": "list", "got": "map"}),
        ("many", ["clubs", "x"], "unknown-value", {"field": "many[1]", "allowed": ("clubs", "spades")}),
        ("more", [1, "2"], "wrong-type", {"field": "more[1]", "expected": "integer", "got": "string"}),
        ("table", {"a": 1, "b": 2}, "wrong-length", {"field": "table", "minimum": None, "maximum": 1}),
        ("table", {"a": []}, "wrong-type", {"field": "table[a]", "expected": "integer", "got": "list"}),
        ("inner", [], "wrong-type", {"field": "inner", "expected": "map", "got": "list"}),
    ],
)
def test_each_fault_has_its_code_and_names_the_place(
    field: str, value: object, code: str, facts: dict[str, Fact]
) -> None:
    message = {**GOOD, field: value}
    fault = find_fault(Every, message)
    assert fault is not None
    assert (fault.code, fault.facts) == (code, facts)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(message, Every)


def test_all_unknown_fields_are_named_before_anything_else() -> None:
    fault = find_fault(MakeDiscard, {"type": "discard", "one": 1, "id": "7", "two": 2})
    assert fault is not None
    assert fault.code is ErrorCode.UNKNOWN_FIELDS
    assert fault.facts == {"fields": ["one", "two"], "allowed": ["id", "table", "decision", "card"]}


def test_of_very_many_unknown_fields_the_first_are_named() -> None:
    fault = find_fault(Pong, {f"field{number}": 0 for number in range(100)})
    assert fault is not None
    assert fault.facts["fields"] == [f"field{number}" for number in range(MAX_NAMED)]


def test_characters_are_counted_not_bytes() -> None:
    assert find_fault(Every, {**GOOD, "word": "\N{PLAYING CARD BACK}" * 4}) is None
    msgspec.convert({**GOOD, "word": "\N{PLAYING CARD BACK}" * 4}, Every)


@pytest.mark.parametrize("struct", MESSAGES, ids=tag_of)
def test_every_message_has_a_shape(struct: type[msgspec.Struct]) -> None:
    assert find_fault(struct, smallest(struct)) is None
    msgspec.convert(smallest(struct), struct)


WRONG: tuple[Any, ...] = (None, True, 0, -1, 10**9, "", "x", "x" * 1001, [], [0], ["x"] * 99, {}, {"x": 0})
"""Something wrong for every field that is not open to everything."""


@pytest.mark.parametrize("struct", FROM_CLIENT, ids=tag_of)
def test_shapes_and_msgspec_agree_on_each_field_of_a_request(struct: type[msgspec.Struct]) -> None:
    for field in fields_of(struct):
        refused = [value for value in WRONG if agree(struct, {**smallest(struct), field.name: value})]
        assert refused, field.name
        missing = {name: value for name, value in smallest(struct).items() if name != field.name}
        assert agree(struct, missing) is field.required
    assert agree(struct, {**smallest(struct), "surplus": None})


@given(st.sampled_from(FROM_CLIENT), st.data())
def test_shapes_and_msgspec_agree(struct: type[msgspec.Struct], data: st.DataObject) -> None:
    fields = data.draw(maps(struct))
    assert not agree(struct, fields)
    for name in data.draw(st.lists(st.sampled_from([*fields, "surplus"]), unique=True)):
        if name != "type":
            fields[name] = data.draw(anything)
    agree(struct, fields)


def agree(struct: type[msgspec.Struct], fields: Mapping[str, Any]) -> bool:
    """Whether both refuse ``fields``; fails if only one does."""
    fault = find_fault(struct, fields)
    if fault is not None:
        check_facts(fault.code, fault.facts)
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(fields, struct)
        return True
    msgspec.convert(fields, struct)
    return False


class Floating(msgspec.Struct):
    number: float


class Open(msgspec.Struct):
    number: Annotated[int, msgspec.Meta(gt=1)]


class Patterned(msgspec.Struct):
    word: Annotated[str, msgspec.Meta(pattern="a+")]


class TwoBounds(msgspec.Struct):
    value: Annotated[int, msgspec.Meta(ge=1)] | Annotated[str, msgspec.Meta(min_length=1)]


@pytest.mark.parametrize(
    ("struct", "sentence"),
    [
        (Floating, "the wire has no FloatType"),
        (Open, "the bounds of an integer are ge and le"),
        (Patterned, "no string has a pattern"),
        (TwoBounds, "at most one member of a union"),
        (int, "int is no struct"),
    ],
)
def test_a_field_that_could_not_be_explained_is_refused(struct: type[msgspec.Struct], sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        fields_of(struct)


def test_only_messages_have_a_tag() -> None:
    assert tag_of(REQUESTS[0]) == "hello"
    with pytest.raises(TypeError, match="Inner is no message"):
        tag_of(Inner)


def test_shapes_of_types_stand_alone_too() -> None:
    assert shape_of(msgspec.inspect.type_info(str | None)) == Shape(("string", "null"))
