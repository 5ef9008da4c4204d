from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_net.wire.errors import ErrorCode, LocalProtocolError, RemoteProtocolError
from paiute_net.wire.framing import CHUNK, LENGTH_BYTES, MAX_FRAME, FrameBuffer, frame
from tests.support.memory import traced
from tests.support.splits import splits

bodies = st.lists(st.binary(min_size=1, max_size=40), max_size=6)


def taken(buffer: FrameBuffer) -> list[bytes]:
    return list(iter(buffer.take, None))


@given(bodies, st.data())
def test_frames_come_out_as_they_went_in_however_the_stream_is_cut(
    sent: list[bytes], data: st.DataObject
) -> None:
    buffer = FrameBuffer()
    received: list[bytes] = []
    for piece in data.draw(splits(b"".join(map(frame, sent)))):
        buffer.feed(piece)
        received += taken(buffer)
    assert received == sent
    assert len(buffer) == 0


def test_the_length_is_four_bytes_big_endian() -> None:
    assert frame(b"x" * 258) == b"\0\0\1\2" + b"x" * 258


@pytest.mark.parametrize("length", [1, MAX_FRAME])
def test_the_shortest_and_the_longest_frame(length: int) -> None:
    buffer = FrameBuffer()
    buffer.feed(frame(b"x" * length))
    assert taken(buffer) == [b"x" * length]


@pytest.mark.parametrize("length", [0, MAX_FRAME + 1])
def test_no_other_frame_is_made(length: int) -> None:
    with pytest.raises(LocalProtocolError, match=f"{length} bytes; it must be from 1 to 65536"):
        frame(b"x" * length)


@pytest.mark.parametrize(
    ("length", "code", "facts"),
    [
        (0, ErrorCode.FRAME_EMPTY, {}),
        (MAX_FRAME + 1, ErrorCode.FRAME_TOO_BIG, {"length": MAX_FRAME + 1, "maximum": MAX_FRAME}),
        (2**32 - 1, ErrorCode.FRAME_TOO_BIG, {"length": 2**32 - 1, "maximum": MAX_FRAME}),
    ],
)
def test_a_bad_length_is_refused_before_any_of_its_body(
    length: int, code: ErrorCode, facts: dict[str, int]
) -> None:
    buffer = FrameBuffer()
    buffer.feed(frame(b"good") + length.to_bytes(LENGTH_BYTES, "big"))
    assert buffer.take() == b"good"
    with pytest.raises(RemoteProtocolError) as caught:
        buffer.take()
    assert (caught.value.code, caught.value.facts, caught.value.fatal) == (code, facts, True)


def test_what_is_taken_is_not_kept() -> None:
    data = frame(b"x" * MAX_FRAME) + b"\0\0"
    with traced() as memory:
        buffer = FrameBuffer()
        for _ in range(20):
            buffer.feed(data)
            assert buffer.take() is not None
            buffer.feed(b"\0\1y")
            assert taken(buffer) == [b"y"]
        held, _ = memory()
    assert len(buffer) == 0
    assert held < CHUNK


def test_what_waits_is_counted_and_can_be_forgotten() -> None:
    buffer = FrameBuffer()
    buffer.feed(frame(b"whole") + frame(b"cut short")[:-1])
    assert taken(buffer) == [b"whole"]
    assert len(buffer) == LENGTH_BYTES + len(b"cut shor")
    buffer.clear()
    assert len(buffer) == 0
    buffer.feed(frame(b"next"))
    assert taken(buffer) == [b"next"]
