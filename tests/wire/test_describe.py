from __future__ import annotations

import re
from typing import Annotated, Any, get_type_hints

import msgspec
import pytest
from msgspec import Meta

from paiute_net.game.cards import Card, Rank
from paiute_net.game.errors import Fact
from paiute_net.game.house_rules import NAMED_SETS, HouseRules
from paiute_net.wire.codec import Message
from paiute_net.wire.describe import Described, Description, Field, describe, limits_text, type_text
from paiute_net.wire.errors import CODES
from paiute_net.wire.messages import PROTOCOL_VERSION
from paiute_net.wire.replies import OWN
from paiute_net.wire.shapes import fields_of, tag_of
from tests.support.messages import MESSAGES

PROTOCOL = describe()


def described(tag: str) -> Described:
    return next(message for message in PROTOCOL.messages if message.type == tag)


def field(tag: str, name: str) -> Field:
    return next(field for field in described(tag).fields if field.name == name)


def test_every_message_is_described_once() -> None:
    assert [message.type for message in PROTOCOL.messages] == [tag_of(struct) for struct in MESSAGES]


@pytest.mark.parametrize("struct", MESSAGES, ids=tag_of)
def test_every_field_of_a_message_is_described(struct: type[Message]) -> None:
    message = described(tag_of(struct))
    shapes = fields_of(struct)
    assert [field.name for field in message.fields] == [shape.name for shape in shapes]
    if message.sender == "client":
        assert [field.required for field in message.fields] == [shape.required for shape in shapes]
        assert msgspec.json.encode([field.default for field in message.fields]) == msgspec.json.encode(
            [shape.default for shape in shapes]
        )
    else:
        assert all(field.required for field in message.fields)


def test_everything_says_what_it_means() -> None:
    meanings = {message.type: message.meaning for message in PROTOCOL.messages}
    meanings |= {structure.name: structure.meaning for structure in PROTOCOL.structures}
    meanings |= {code.code: code.meaning for code in PROTOCOL.codes}
    assert [name for name, meaning in meanings.items() if not meaning.endswith(".")] == []


SIMPLE = {"string", "integer", "boolean", "null", "any", "card", "rank", "fact"}


def named_in(type_: str) -> list[str]:
    """The simple types, structures and lists of words in a type's text."""
    return [re.sub(r"^(list|map) of ", "", part.strip("()")).strip("()") for part in type_.split(" or ")]


def test_every_structure_and_word_list_that_a_type_names_is_described() -> None:
    names = SIMPLE | set(PROTOCOL.words) | {structure.name for structure in PROTOCOL.structures}
    names |= {message.type.replace("-", " ") for message in PROTOCOL.messages}
    types = [field.type for message in PROTOCOL.messages for field in message.fields]
    types += [field.type for structure in PROTOCOL.structures for field in structure.fields]
    assert {name for type_ in types for name in named_in(type_)} <= names
    assert {message.result for message in PROTOCOL.messages if message.result is not None} <= names


def test_the_codes_are_those_of_the_list() -> None:
    assert [code.code for code in PROTOCOL.codes] == list(CODES)
    assert [code.fatal for code in PROTOCOL.codes] == [info.fatal for info in CODES.values()]


def test_a_request_names_its_errors() -> None:
    assert {message.type: message.errors for message in PROTOCOL.messages if message.kind == "request"} == {
        tag_of(request): codes for request, codes in OWN.items()
    }
    assert not any(message.errors for message in PROTOCOL.messages if message.kind != "request")


def test_the_lists_that_may_grow_are_apart() -> None:
    assert set(PROTOCOL.open_words) == {"capability", "presence cause", "leave reason", "close reason"}
    assert not set(PROTOCOL.open_words) & set(PROTOCOL.words)


def test_the_rule_sets_are_whole() -> None:
    assert {
        name: msgspec.convert(switches, HouseRules) for name, switches in PROTOCOL.rule_sets.items()
    } == dict(NAMED_SETS)


def test_it_can_be_said_in_json() -> None:
    assert msgspec.json.decode(msgspec.json.encode(PROTOCOL), type=Description) == PROTOCOL
    assert PROTOCOL.version == PROTOCOL_VERSION


class Sample(msgspec.Struct):
    """Every form of type there is."""

    text: str
    card: Card
    card_of_two_letters: Annotated[Card, Meta(min_length=2, max_length=2)]
    rank: Rank
    anything: Any
    fact: Fact
    number: int | None
    at_least: Annotated[int, Meta(ge=1)]
    within: Annotated[int, Meta(ge=1, le=5)] | None
    short: Annotated[str, Meta(max_length=5)]
    maybe_a_list: tuple[Card, ...] | None
    list_of_maybe: list[Card | None]
    facts: dict[str, Fact]
    few: Annotated[dict[str, Any], Meta(max_length=5)]
    few_and_short: Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=3)], ...], Meta(max_length=5)]


def test_types_and_what_they_allow_have_words() -> None:
    hints = get_type_hints(Sample, include_extras=True).values()
    assert [(type_text(hint), limits_text(hint)) for hint in hints] == [
        ("string", ""),
        ("card", ""),
        ("card", ""),
        ("rank", ""),
        ("any", ""),
        ("fact", ""),
        ("integer or null", ""),
        ("integer", "1 or more"),
        ("integer or null", "1 to 5"),
        ("string", "up to 5 characters"),
        ("list of card or null", ""),
        ("list of (card or null)", ""),
        ("map of fact", ""),
        ("map of any", "up to 5 entries"),
        ("list of string", "up to 5 elements; each 1 to 3 characters"),
    ]


def test_a_structure_is_named_in_words() -> None:
    assert field("snapshot", "picture").type == "picture"
    assert field("hand-dealt", "opening_discard").type == "card or null"
    assert [structure.name for structure in PROTOCOL.structures if "hand" in structure.name] == [
        "hand picture"
    ]
