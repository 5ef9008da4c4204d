"""Whatever bytes a stranger sends: a protocol error or a normal reply, and everyone else plays on."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

import msgpack
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from paiute_net.game.house_rules import STANDARD
from paiute_net.wire.codec import MAX_DEPTH, MAX_ELEMENTS, MAX_INTEGER, encode, pack
from paiute_net.wire.errors import CODES, ErrorCode, is_fatal
from paiute_net.wire.framing import MAX_FRAME, frame
from paiute_net.wire.messages import Error, Hello, ListTables, Notice, Ok
from tests.support.messages import FROM_CLIENT, FROM_SERVER, anything, messages, smallest
from tests.support.programs import ServerProgram
from tests.support.scripted_seat import ScriptedSeat, move, seated, start

HELLO = encode(Hello(id="1", versions=(1,)))
LIST = encode(ListTables(id="2"))


class Others(NamedTuple):
    """Three seats of a server, at a table where a hand is going on."""

    server: ServerProgram
    seats: Sequence[ScriptedSeat]


@pytest.fixture(scope="module")
def others(shared_house: ServerProgram) -> Generator[Others]:
    server = ServerProgram(shared_house.program, shared_house.port)

    async def open_table() -> Others:
        seats = await seated(server, STANDARD, 3, Random(1), name="Others")
        await start(seats)
        return Others(server, seats)

    async def close_table() -> None:
        server.hang_up()

    yield trio.run(open_table)
    trio.run(close_table)


async def throw(pieces: Sequence[bytes], others: Others) -> list[str]:
    """Send ``pieces`` on a fresh connection, with a move of the others after each, and hold what is heard.

    Returns:
      The codes of the errors.
    """
    with trio.fail_after(20):
        client = await others.server.stranger()
        for piece in pieces:
            await client.send(piece)
            await move(others.seats)
        client.end()
        heard = await client.hear_end()
        client.close()
        await move(others.seats)
    assert all(isinstance(message, Ok | Error | Notice) for message in heard), heard
    codes = [message.code for message in heard if isinstance(message, Error)]
    assert set(codes) <= CODES.keys() - {ErrorCode.INTERNAL_ERROR}
    assert not any(is_fatal(message.code) for message in heard[:-1] if isinstance(message, Error))
    return codes


def pieces_of(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    return [data[start:end] for start, end in pairwise(places)]


def packed(value: object) -> bytes:
    return frame(msgpack.packb(value))


def nested(depth: int) -> object:
    value: object = 0
    for _ in range(depth):
        value = [value]
    return value


NASTY: dict[str, tuple[bytes, str | None]] = {
    "nothing": (b"", None),
    "one byte": (b"\0", "frame-cut-short"),
    "zeros": (bytes(1000), "frame-empty"),
    "half a length": (b"\0\0", "frame-cut-short"),
    "a length alone": (b"\0\0\0\x05", "frame-cut-short"),
    "the largest length": (b"\xff\xff\xff\xff", "frame-too-big"),
    "a byte too long": ((MAX_FRAME + 1).to_bytes(4, "big"), "frame-too-big"),
    "as long as can be": (frame(b"\x80" * MAX_FRAME), "trailing-bytes"),
    "half a hello": (HELLO[:-3], "frame-cut-short"),
    "HTTP": (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "frame-too-big"),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), "frame-too-big"),
    "SSH": (b"SSH-2.0-OpenSSH_9.6\r\n", "frame-too-big"),
    "text": (b"hello\n", "frame-too-big"),
    "nil": (frame(b"\xc0"), "not-a-map"),
    "an integer": (packed(1), "not-a-map"),
    "a list": (packed([HELLO]), "not-a-map"),
    "a byte that MessagePack has not": (frame(b"\xc1"), "not-messagepack"),
    "half a map": (frame(b"\x81\xa1a"), "not-messagepack"),
    "two maps": (frame(b"\x80\x80"), "trailing-bytes"),
    "a list of 4 billion": (frame(b"\xdd\xff\xff\xff\xff"), "too-many-elements"),
    "a map of 4 billion": (frame(b"\xdf\xff\xff\xff\xff"), "too-many-elements"),
    "a string of 4 billion": (frame(b"\xdb\xff\xff\xff\xff"), "not-messagepack"),
    "bytes of 4 billion": (frame(b"\x81\xa1a\xc6\xff\xff\xff\xff"), "not-messagepack"),
    "an extension of 4 billion": (frame(b"\x81\xa1a\xc9\xff\xff\xff\xff\x01"), "not-messagepack"),
    "many elements": (packed({"a": [0] * (MAX_ELEMENTS + 1)}), "too-many-elements"),
    "deep": (packed({"a": nested(MAX_DEPTH)}), "too-deep"),
    "very deep": (frame(b"\x81\xa1a" + b"\x91" * 60_000 + b"\xc0"), "too-deep"),
    "a key that is a number": (packed({1: 2}), "key-not-string"),
    "a key of bytes": (packed({b"a": 2}), "key-not-string"),
    "a key that is a list": (frame(b"\x81\x90\xc0"), "key-not-string"),
    "a key twice": (frame(b"\x82\xa1a\x01\xa1a\x02"), "duplicate-key"),
    "no UTF-8": (frame(b"\x81\xa4type\xa2\xff\xfe"), "not-utf8"),
    "half a letter pair": (frame(b"\x81\xa4type\xa3\xed\xa0\x80"), "not-utf8"),
    "an empty map": (packed({}), "missing-field"),
    "a float": (packed({"type": "hello", "id": "1", "versions": [1.0]}), "float-value"),
    "not a number": (packed({"type": "hello", "id": "1", "versions": [float("nan")]}), "float-value"),
    "bytes": (packed({"type": "hello", "id": "1", "versions": [1], "name": b"Ann"}), "binary-value"),
    "a timestamp": (
        packed({"type": "hello", "id": "1", "versions": [msgpack.Timestamp(1)]}),
        "extension-value",
    ),
    "too big an integer": (
        packed({"type": "hello", "id": "1", "versions": [MAX_INTEGER + 1]}),
        "integer-too-big",
    ),
    "the biggest integer": (
        packed({"type": "hello", "id": "1", "versions": [2**64 - 1]}),
        "integer-too-big",
    ),
    "no type": (packed({"id": "1"}), "missing-field"),
    "a type that is a number": (packed({"type": 1, "id": "1"}), "wrong-type"),
    "an unknown type": (packed({"type": "shuffle", "id": "1"}), "unknown-type"),
    "a full event": (packed({"type": "hand-started", "id": "1", "pack": ["Qh"]}), "unknown-type"),
    "no id": (packed({"type": "hello", "versions": [1]}), "missing-id"),
    "an empty id": (packed({"type": "hello", "id": "", "versions": [1]}), "bad-id"),
    "a long id": (packed({"type": "hello", "id": "1" * 65, "versions": [1]}), "bad-id"),
    "no versions": (packed({"type": "hello", "id": "1"}), "missing-field"),
    "another version": (packed({"type": "hello", "id": "1", "versions": [2]}), "no-common-version"),
    "a field too many": (packed({"type": "hello", "id": "1", "versions": [1], "x": 1}), "unknown-fields"),
    "an empty name": (packed({"type": "hello", "id": "1", "versions": [1], "name": " "}), "name-empty"),
    "a control character": (
        packed({"type": "hello", "id": "1", "versions": [1], "name": "A\x1b[2J"}),
        "name-not-allowed",
    ),
    "a made-up token": (
        packed({"type": "hello", "id": "1", "versions": [1], "token": "a.b.c"}),
        "foreign-token",
    ),
    "no token": (packed({"type": "hello", "id": "1", "versions": [1], "token": "."}), "bad-token"),
    "a request before hello": (LIST, "hello-expected"),
    "a pong before hello": (packed({"type": "pong"}), "hello-expected"),
    "a bad hello of the same id before hello": (
        packed({"type": "hello", "id": "1"}) + HELLO,
        "missing-field",
    ),
    "a request of the same id before hello": (encode(ListTables(id="1")) + HELLO, "hello-expected"),
    "hello and garbage": (HELLO + b"\xff" * 50, "frame-too-big"),
}
"""What is thrown, and the code of the first error that it earns."""


@pytest.mark.parametrize("what", NASTY)
async def test_nasty_bytes_get_an_error_that_says_why(what: str, others: Others) -> None:
    data, expected = NASTY[what]
    for cuts in ((), (1, 4, 5, len(data) // 2)):
        codes = await throw(pieces_of(data, cuts), others)
        assert next(iter(codes), None) == expected


@pytest.mark.parametrize("second", [HELLO, LIST])
async def test_nothing_may_follow_hello_before_its_answer(second: bytes, others: Others) -> None:
    assert await throw([HELLO + second], others) == ["hello-unanswered"]


@pytest.mark.parametrize("struct", FROM_SERVER)
async def test_nobody_says_to_the_server_what_the_server_says(
    struct: type[Ok | Error | Notice], others: Others
) -> None:
    assert await throw([packed({**smallest(struct), "id": "1"})], others) == ["unknown-type"]


def flipped(place: int, data: bytes) -> bytes:
    """The bytes with one bit that is another."""
    place %= 8 * len(data)
    changed = bytearray(data)
    changed[place // 8] ^= 1 << place % 8
    return bytes(changed)


def greeted(pieces: list[bytes]) -> list[bytes]:
    return [HELLO, *pieces]


said = st.sampled_from(FROM_CLIENT).flatmap(messages).map(encode)
frames = st.one_of(
    said,
    st.builds(flipped, st.integers(min_value=0), said),
    st.dictionaries(st.text(max_size=4), anything, max_size=4).map(pack),
    st.binary(min_size=1, max_size=40).map(frame),
)
cuts = st.lists(st.integers(1, 200), max_size=3)
frame_by_frame = st.lists(frames, min_size=1, max_size=5)
"""Each in a piece of its own, so that hello is answered before what follows it."""
anyhow = st.builds(pieces_of, st.binary(max_size=200) | frame_by_frame.map(b"".join), cuts)


@given(pieces=frame_by_frame | frame_by_frame.map(greeted) | anyhow)
async def test_any_bytes_get_an_error_or_a_reply(pieces: Sequence[bytes], others: Others) -> None:
    await throw(pieces, others)
