from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paiute_net.game import events, seen
from paiute_net.game.cards import Card
from paiute_net.game.errors import Fact
from paiute_net.game.house_rules import STANDARD
from paiute_net.wire import codec
from paiute_net.wire import messages as messages_module
from paiute_net.wire.codec import (
    MAX_ALL_ELEMENTS,
    MAX_DEPTH,
    MAX_ELEMENTS,
    MAX_INTEGER,
    Message,
    Unknown,
    decode_notice,
    decode_request,
    decode_result,
    encode,
    pack,
)
from paiute_net.wire.errors import LocalProtocolError, RemoteProtocolError, check_facts
from paiute_net.wire.framing import LENGTH_BYTES, MAX_FRAME, FrameBuffer
from paiute_net.wire.messages import (
    EVENTS,
    MAX_ID,
    NOTICES,
    REQUESTS,
    Error,
    Limits,
    MakeDiscard,
    Notice,
    Ok,
    Pong,
    Request,
    Say,
)
from paiute_net.wire.shapes import Shape, fields_of, tag_of
from tests.support.memory import traced
from tests.support.messages import FROM_CLIENT, FROM_SERVER, MESSAGES, anything, maps, messages, smallest


def body(message: object) -> bytes:
    """The body of a frame that holds ``message``, be it good or bad."""
    packed = msgpack.packb(message)
    assert isinstance(packed, bytes)
    return packed


def decode(message: Message, frame: bytes) -> object:
    """What the other end makes of ``message``."""
    return (decode_request if isinstance(message, Request | Pong) else decode_notice)(frame[LENGTH_BYTES:])


def refusal(data: bytes) -> RemoteProtocolError:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_request(data)
    return caught.value


# --- good messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("struct", MESSAGES, ids=tag_of)
@settings(max_examples=25)
@given(st.data())
def test_every_message_comes_out_as_it_went_in(struct: type[Message], data: st.DataObject) -> None:
    message = data.draw(messages(struct))
    assert decode(message, encode(message)) == message


@pytest.mark.parametrize("struct", MESSAGES, ids=tag_of)
def test_a_message_is_a_map_whose_type_comes_first(struct: type[Message]) -> None:
    message = msgspec.convert(smallest(struct), struct)
    unpacked: dict[str, Any] = msgpack.unpackb(encode(message)[LENGTH_BYTES:])
    assert next(iter(unpacked)) == "type"
    assert unpacked == smallest(struct)


def test_the_bytes_of_a_message() -> None:
    request = MakeDiscard(id="7", table="t1", decision=12, card=Card("Qh"))
    assert encode(request) == (
        b"\x00\x00\x00\x2e\x85\xa4type\xa7discard\xa2id\xa17\xa5table\xa2t1\xa8decision\x0c\xa4card\xa2Qh"
    )


def structs_of(module: object, base: type) -> set[type]:
    """The classes of a module that are a ``base``, those left out that are bases of others."""
    found = {
        member
        for _, member in inspect.getmembers(module, inspect.isclass)
        if issubclass(member, base) and member.__module__ == getattr(module, "__name__", None)
    }
    return {member for member in found if not any(issubclass(o, member) and o is not member for o in found)}


@pytest.mark.parametrize(
    ("module", "base", "registry"),
    [
        (messages_module, Request, REQUESTS),
        (messages_module, Notice, NOTICES),
        (seen, seen.SeenEvent, EVENTS),
    ],
)
def test_every_message_is_in_a_registry(module: object, base: type, registry: tuple[type, ...]) -> None:
    assert structs_of(module, base) == set(registry)
    assert len(set(registry)) == len(registry)


def test_everything_with_a_type_is_a_message() -> None:
    tagged = {
        struct
        for struct in structs_of(messages_module, msgspec.Struct) | structs_of(seen, msgspec.Struct)
        if struct.__struct_config__.tag is not None  # type: ignore[attr-defined]
    }
    assert tagged == set(MESSAGES)


@pytest.mark.parametrize("direction", [FROM_CLIENT, FROM_SERVER])
def test_no_two_messages_of_one_direction_have_one_type(direction: tuple[type[Message], ...]) -> None:
    tags = [tag_of(struct) for struct in direction]
    assert sorted(set(tags)) == sorted(tags)


# --- what cannot be said -------------------------------------------------------------------------------


def test_a_full_event_cannot_be_sent() -> None:
    full: Any = events.TableOpened(name="Lanai", rules=STANDARD, seats=5, time_limit_ms=None)
    with pytest.raises(LocalProtocolError, match="TableOpened is no message"):
        encode(full)


def test_no_class_of_a_full_event_is_a_message() -> None:
    full = structs_of(events, events.Event)
    assert len(full) > 10
    assert not full & set(MESSAGES)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (Say(id="1", text="\udc80"), "surrogates not allowed"),
        (Ok(re="1", result=2**64), "serialize ints"),
        (Ok(re="1", result=object()), "type object"),
        (Ok(re="1", result="x" * MAX_FRAME), "must be from 1 to 65536"),
    ],
)
def test_what_the_wire_cannot_carry_is_not_sent(message: Message, sentence: str) -> None:
    with pytest.raises(LocalProtocolError, match=sentence):
        encode(message)


def test_any_map_can_be_packed() -> None:
    assert pack({"type": "pong"}) == encode(Pong())


# --- bad frames ----------------------------------------------------------------------------------------

PREFIX = b"\x83\xa4type\xa4call\xa2id\xa17\xa5cards"
"""The map of a call with id "7", up to its cards."""


def nested(depth: int) -> bytes:
    """A map within which lists are nested, ``depth`` of both together."""
    return b"\x81\xa1x" + b"\x91" * (depth - 1) + b"\xc0"


FATAL: dict[str, tuple[bytes, str, dict[str, Fact]]] = {
    "no bytes": (b"", "not-messagepack", {}),
    "a byte that begins nothing": (b"\xc1", "not-messagepack", {}),
    "a map cut short": (body({"type": "pong"})[:-1], "not-messagepack", {}),
    "a huge string declared": (b"\x81\xa1x\xdb\xff\xff\xff\xff", "not-messagepack", {}),
    "a huge bin declared": (b"\x81\xa1x\xc6\xff\xff\xff\xff", "not-messagepack", {}),
    "a huge extension declared": (b"\x81\xa1x\xc9\xff\xff\xff\xff\x01", "not-messagepack", {}),
    "a huge list declared": (
        b"\x81\xa1x\xdd\xff\xff\xff\xff",
        "too-many-elements",
        {"maximum": MAX_ELEMENTS},
    ),
    "a huge map declared": (b"\xdf\xff\xff\xff\xff", "too-many-elements", {"maximum": MAX_ELEMENTS}),
    "a list too long": (
        body({"x": [0] * (MAX_ELEMENTS + 1)}),
        "too-many-elements",
        {"maximum": MAX_ELEMENTS},
    ),
    "a map too long": (
        body({str(number): 0 for number in range(MAX_ELEMENTS + 1)}),
        "too-many-elements",
        {"maximum": MAX_ELEMENTS},
    ),
    "a second value": (body({"type": "pong"}) * 2, "trailing-bytes", {}),
    "a stray byte": (body({"type": "pong"}) + b"\0", "trailing-bytes", {}),
    "null": (body(None), "not-a-map", {"got": "null"}),
    "a boolean": (body(False), "not-a-map", {"got": "boolean"}),
    "an integer": (body(7), "not-a-map", {"got": "integer"}),
    "a string": (body("hello"), "not-a-map", {"got": "string"}),
    "a list": (b"\x91\x80", "not-a-map", {"got": "list"}),
    "a float": (body(1.5), "not-a-map", {"got": "other"}),
    "a timestamp": (body(msgpack.Timestamp(1)), "not-a-map", {"got": "other"}),
    "an integer as key": (body({7: 1}), "key-not-string", {}),
    "null as key": (body({None: 1}), "key-not-string", {}),
    "a list as key": (b"\x81\x90\x01", "key-not-string", {}),
    "a map as key": (b"\x81\x80\x01", "key-not-string", {}),
    "bin as key": (b"\x81\xc4\x04type\xa4pong", "key-not-string", {}),
    "an extension as key": (b"\x81\xd4\x05\0\xc0", "key-not-string", {}),
    "a bad key deep inside": (body({"x": [{"y": {1: 2}}]}), "key-not-string", {}),
    "a key twice": (b"\x83\xa1x\x01\xa4type\xa4pong\xa4type\xa4pong", "duplicate-key", {"key": "type"}),
    "a key twice, inside": (PREFIX + b"\x82\xa1a\x01\xa1a\x02", "duplicate-key", {"key": "a"}),
    "a string that is not UTF-8": (PREFIX + b"\xa2\xff\xfe", "not-utf8", {}),
    "a surrogate": (PREFIX + b"\xa3\xed\xb2\x80", "not-utf8", {}),
    "an overlong form": (PREFIX + b"\xa2\xc0\xaf", "not-utf8", {}),
    "a key that is not UTF-8": (b"\x81\xa1\xff\xc0", "not-utf8", {}),
    "nesting": (nested(MAX_DEPTH + 1), "too-deep", {"maximum": MAX_DEPTH}),
    "nesting of maps": (b"\x81\xa1x" * MAX_DEPTH + b"\x80", "too-deep", {"maximum": MAX_DEPTH}),
    "endless nesting": (b"\x91" * 60_000, "too-deep", {"maximum": MAX_DEPTH}),
    "endless nesting of maps": (b"\x81\xa1x" * 20_000, "too-deep", {"maximum": MAX_DEPTH}),
    "a timestamp that is none": (PREFIX + b"\xd4\xff\0", "not-messagepack", {}),
}


@pytest.mark.parametrize("decoder", [decode_request, decode_notice])
@pytest.mark.parametrize("name", FATAL)
def test_a_frame_that_holds_no_map_of_the_protocol_is_fatal(
    name: str, decoder: Callable[[bytes], object]
) -> None:
    data, code, facts = FATAL[name]
    with pytest.raises(RemoteProtocolError) as caught:
        decoder(data)
    error = caught.value
    assert (error.code, error.facts, error.fatal, error.re) == (code, facts, True, None)


def test_the_deepest_and_the_longest_are_let_in() -> None:
    assert refusal(nested(MAX_DEPTH)).code == "missing-field"
    assert refusal(body({"x": [0] * MAX_ELEMENTS})).code == "missing-field"


@pytest.mark.parametrize("least", [0, [], {}, [0]], ids=str)
def test_a_client_says_only_so_much_in_all(least: object) -> None:
    """However it is spread over lists and maps, of which each single one may be."""
    for field in ("x", "versions"):
        error = refusal(body({"type": "hello", "id": "7", field: [[least] * MAX_ELEMENTS] * 15}))
        assert (error.code, error.facts) == ("too-many-elements", {"maximum": MAX_ALL_ELEMENTS})
    halves: list[Any] = [[0] * MAX_ELEMENTS, [0] * (MAX_ALL_ELEMENTS - MAX_ELEMENTS - 4)]
    assert refusal(body({"x": halves, "y": 0})).code == "missing-field"
    assert refusal(body({"x": halves, "y": [0]})).code == "too-many-elements"


def test_a_repeated_key_is_found_at_one_look() -> None:
    looks = 0

    class Key(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal looks
            looks += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    keys = [Key(number) for number in range(MAX_ELEMENTS)]
    first = codec._first_repeated([(key, 0) for key in (*keys, keys[-1])])  # pyright: ignore[reportPrivateUsage]
    assert first == keys[-1]
    assert looks < 2 * MAX_ELEMENTS


@pytest.mark.parametrize("bomb", [b"\xdc\x04\x00", b"\xde\x04\x00\xa1x", b"\xdd\xff\xff\xff\xff"])
def test_a_frame_cannot_claim_much_memory(bomb: bytes) -> None:
    data = b"\x81\xa1x" + bomb * (60_000 // len(bomb))
    with traced() as memory:
        error = refusal(data)
        held, peak = memory()
    assert error.fatal
    assert peak < 10_000_000
    assert held < 100_000


# --- bad values ----------------------------------------------------------------------------------------

BAD_VALUES: dict[str, tuple[Any, str]] = {
    "a float": (1.5, "float-value"),
    "a whole float": (12.0, "float-value"),
    "not a number": (float("nan"), "float-value"),
    "bin": (b"Qh", "binary-value"),
    "an extension": (msgpack.ExtType(5, b"x"), "extension-value"),
    "a timestamp": (msgpack.Timestamp(1), "extension-value"),
    "an integer too big": (MAX_INTEGER + 1, "integer-too-big"),
    "an integer too small": (-MAX_INTEGER - 1, "integer-too-big"),
    "the biggest integer": (2**64 - 1, "integer-too-big"),
}


@pytest.mark.parametrize("name", BAD_VALUES)
@pytest.mark.parametrize(
    ("before", "field", "after"),
    [
        (b"", "cards", b""),
        (b"\x92\xa2Qh", "cards[1]", b""),
        (b"\x93\xc0\x81\xa1a\x93\xa1b\xa1c", "cards[1][a][2]", b"\xc0"),
    ],
)
def test_a_value_that_no_message_has_is_refused_wherever_it_is(
    name: str, before: bytes, field: str, after: bytes
) -> None:
    value, code = BAD_VALUES[name]
    error = refusal(PREFIX + before + body(value) + after)
    assert (error.code, error.facts["field"], error.fatal, error.re) == (code, field, False, "7")


@pytest.mark.parametrize("name", BAD_VALUES)
def test_a_bad_value_as_id_leaves_the_request_without_one(name: str) -> None:
    value, code = BAD_VALUES[name]
    error = refusal(body({"type": "call", "id": value}))
    assert (error.code, error.facts["field"], error.re) == (code, "id", None)


@pytest.mark.parametrize("value", [MAX_INTEGER, -MAX_INTEGER])
def test_the_last_integers_are_let_in(value: int) -> None:
    request = {"type": "cut", "id": "7", "table": "t", "decision": 1, "position": value}
    assert msgspec.to_builtins(decode_request(body(request))) == request


# --- bad messages --------------------------------------------------------------------------------------

IDS = {"7": "7", "x" * MAX_ID: "x" * MAX_ID, "": None, "x" * (MAX_ID + 1): None, 7: None, None: None}


@pytest.mark.parametrize("given_id", IDS)
def test_a_message_of_no_type_is_answered_by_its_id(given_id: str | int | None) -> None:
    re = IDS[given_id]
    error = refusal(body({"id": given_id}))
    assert (error.code, error.facts, error.re) == (
        "missing-field",
        {"field": "type", "expected": "string"},
        re,
    )
    error = refusal(body({"type": 3, "id": given_id}))
    assert (error.code, error.facts, error.re) == (
        "wrong-type",
        {"field": "type", "expected": "string", "got": "integer"},
        re,
    )
    error = refusal(body({"type": "shuffle", "id": given_id}))
    assert (error.code, error.facts["type"], error.re) == ("unknown-type", "shuffle", re)
    assert error.facts["allowed"] == [tag_of(struct) for struct in FROM_CLIENT]


@pytest.mark.parametrize("struct", FROM_SERVER, ids=tag_of)
def test_what_only_the_server_says_is_unknown_from_a_client(struct: type[Message]) -> None:
    assert refusal(body(smallest(struct))).code == "unknown-type"


@pytest.mark.parametrize("struct", REQUESTS, ids=tag_of)
def test_a_request_without_a_good_id_is_refused_and_cannot_be_named(struct: type[Message]) -> None:
    fields = smallest(struct)
    del fields["id"]
    error = refusal(body(fields))
    assert (error.code, error.facts, error.fatal, error.re) == ("missing-id", {}, False, None)
    for bad in (None, 7, "", "x" * (MAX_ID + 1), ["7"], {"id": "7"}, True):
        error = refusal(body({**fields, "id": bad}))
        assert (error.code, error.facts, error.re) == ("bad-id", {"minimum": 1, "maximum": MAX_ID}, None)


@pytest.mark.parametrize("struct", FROM_CLIENT, ids=tag_of)
def test_unknown_fields_are_refused_and_named(struct: type[Message]) -> None:
    error = refusal(body({**smallest(struct), "colour": "red", "size": 3}))
    assert (error.code, error.facts["fields"]) == ("unknown-fields", ["colour", "size"])
    assert error.re == (None if struct is Pong else smallest(struct)["id"])


def faulty(shape: Shape) -> Iterator[tuple[object, str]]:
    """Values just outside ``shape``, each with the code of its fault."""
    others: dict[str, object] = {
        "null": None,
        "boolean": True,
        "integer": 1,
        "string": "xx",
        "list": [],
        "map": {},
    }
    yield from ((value, "wrong-type") for kind, value in others.items() if kind not in shape.kinds)
    if "integer" in shape.kinds:
        yield from ((number, "out-of-range") for number in outside(shape))
    if "string" in shape.kinds:
        yield from (("x" * number, "wrong-length") for number in outside(shape) if number >= 0)
    if shape.allowed is not None:
        yield "no such word", "unknown-value"
    if "list" in shape.kinds and shape.element is not None:
        good = smallest_of(shape.element)
        yield from (([good] * number, "wrong-length") for number in outside(shape) if number >= 0)
        yield from (([*[good] * (shape.minimum or 0), bad], code) for bad, code in faulty(shape.element))
    if "map" in shape.kinds and shape.maximum is not None and len(shape.kinds) == 1:
        yield {str(number): 0 for number in range(shape.maximum + 1)}, "wrong-length"


def outside(shape: Shape) -> Iterator[int]:
    if shape.minimum is not None:
        yield shape.minimum - 1
    if shape.maximum is not None:
        yield shape.maximum + 1


def smallest_of(shape: Shape) -> object:
    return {"integer": shape.minimum or 0, "string": "x" * (shape.minimum or 0)}[shape.kinds[0]]


CASES = [
    pytest.param(struct, field.name, value, code, id=f"{tag_of(struct)}-{field.name}-{number}-{code}")
    for struct in REQUESTS
    for field in fields_of(struct)
    if field.name != "id"
    for number, (value, code) in enumerate(faulty(field.shape))
]


@pytest.mark.parametrize(("struct", "field", "value", "code"), CASES)
def test_every_fault_of_every_field_has_its_code(
    struct: type[Message], field: str, value: object, code: str
) -> None:
    fields = smallest(struct)
    error = refusal(body({**fields, field: value}))
    assert (error.code, error.re, error.fatal) == (code, fields["id"], False)
    assert str(error.facts["field"]).partition("[")[0] == field
    check_facts(error.code, error.facts)


def test_every_code_for_a_field_occurs_among_the_faults() -> None:
    codes = {case.values[3] for case in CASES}
    assert codes == {"wrong-type", "out-of-range", "wrong-length", "unknown-value"}


@pytest.mark.parametrize("struct", REQUESTS, ids=tag_of)
def test_a_missing_field_is_named(struct: type[Message]) -> None:
    for field in fields_of(struct):
        fields = {name: value for name, value in smallest(struct).items() if name != field.name}
        if field.name == "id":
            continue
        if not field.required:
            decode_request(body(fields))
            continue
        error = refusal(body(fields))
        assert (error.code, error.facts["field"], error.re) == ("missing-field", field.name, "x")
        assert error.facts["expected"] == field.shape.expected


@given(st.binary(max_size=200))
def test_random_bytes_are_a_message_or_refused(data: bytes) -> None:
    outcome(data)


@given(st.sampled_from(FROM_CLIENT), st.data())
def test_mutated_requests_are_a_message_or_refused(struct: type[Message], data: st.DataObject) -> None:
    mutated = bytearray(body(data.draw(maps(struct))))
    for _ in range(data.draw(st.integers(1, 4))):
        mutated[data.draw(st.integers(0, len(mutated) - 1))] = data.draw(st.integers(0, 255))
    outcome(bytes(mutated))


@given(st.dictionaries(st.sampled_from(["type", "id", "table", "x"]), anything))
def test_random_maps_are_a_message_or_refused(message: dict[str, object]) -> None:
    outcome(body(message))


def outcome(data: bytes) -> None:
    """Decode as either end would; everything but a message or a listed error fails the test."""
    for decoder in (decode_request, decode_notice):
        try:
            message: object = decoder(data)
        except RemoteProtocolError as error:
            check_facts(error.code, error.facts)
        else:
            assert isinstance(message, (*MESSAGES, Unknown))


# --- what a client passes over -------------------------------------------------------------------------


def with_surplus(fields: Mapping[str, object]) -> dict[str, object]:
    """``fields`` with a field more, and so each map within them."""
    return {"surplus": {"x": [1]}, **{name: _with_surplus(value) for name, value in fields.items()}}


def _with_surplus(value: object) -> object:
    if isinstance(value, dict):
        return with_surplus(cast("dict[str, object]", value))
    if isinstance(value, list):
        return [_with_surplus(element) for element in cast("list[object]", value)]
    return value


@pytest.mark.parametrize(
    "struct", [struct for struct in FROM_SERVER if struct not in (Ok, Error)], ids=tag_of
)
def test_fields_of_a_later_version_are_passed_over_wherever_they_are(struct: type[Message]) -> None:
    assert decode_notice(body(with_surplus(smallest(struct)))) == msgspec.convert(smallest(struct), struct)


def test_fields_of_a_later_version_are_passed_over_in_replies() -> None:
    error = {"type": "error", "re": "7", "code": "new", "facts": {"new": 1}, "surplus": 1}
    assert decode_notice(body(error)) == Error(re="7", code="new", facts={"new": 1})
    ok = {"type": "ok", "re": "7", "result": {"x": 1}, "surplus": 1}
    assert decode_notice(body(ok)) == Ok(re="7", result={"x": 1})


def test_a_message_of_a_later_version_is_unknown() -> None:
    message = {"type": "fireworks", "table": "t", "seq": 3, "colour": "red"}
    assert decode_notice(body(message)) == Unknown("fireworks", message)


def test_a_word_of_a_later_version_makes_the_message_unknown() -> None:
    message = {**smallest(seen.CardDrawn), "source": "sleeve"}
    unknown = decode_notice(body(message))
    assert isinstance(unknown, Unknown)
    assert (unknown.type, unknown.raw) == ("card-drawn", message)
    assert "sleeve" in str(unknown.fault)


def test_a_message_without_type_is_refused_by_a_client_too() -> None:
    with pytest.raises(RemoteProtocolError, match="missing-field"):
        decode_notice(body({"seq": 3}))


# --- results -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("struct", [s for s in REQUESTS if s.Result is not None], ids=tag_of)
@settings(max_examples=25)
@given(st.data())
def test_results_come_out_as_they_went_in(struct: type[Request], data: st.DataObject) -> None:
    assert struct.Result is not None
    result = msgspec.convert(data.draw(maps(struct.Result)), struct.Result)
    ok = decode_notice(encode(Ok(re="7", result=result))[LENGTH_BYTES:])
    assert isinstance(ok, Ok)
    assert decode_result(ok, struct.Result) == result


@pytest.mark.parametrize("struct", [s for s in REQUESTS if s.Result is not None], ids=tag_of)
def test_fields_of_a_later_version_are_passed_over_in_results(struct: type[Request]) -> None:
    assert struct.Result is not None
    fields = smallest(struct.Result)
    expected = msgspec.convert(fields, struct.Result)
    assert decode_result(Ok(re="7", result=with_surplus(fields)), struct.Result) == expected


def test_a_result_that_does_not_fit_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_result(Ok(re="7", result={}), Limits)


def test_an_error_fits_in_a_frame_whatever_was_sent() -> None:
    request = {f"{number:02}" + "x" * 1_900: 0 for number in range(32)}
    frame = encode(Error(re="7", code="unknown-fields", facts=dict(refusal(body(request)).facts)))
    buffer = FrameBuffer()
    buffer.feed(frame)
    assert buffer.take() is not None
