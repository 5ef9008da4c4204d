"""Bytes to frames and back: a length of 4 bytes, big-endian, then that many bytes of body."""

from __future__ import annotations

from struct import Struct
from typing import Final

from paiute_net.wire.errors import ErrorCode, LocalProtocolError, RemoteProtocolError

__all__ = ["CHUNK", "LENGTH_BYTES", "MAX_FRAME", "FrameBuffer", "frame"]

MAX_FRAME: Final = 65_536
"""Bytes of a frame's body. The first byte of a length is therefore always 0."""
_LENGTH: Final = Struct(">I")
LENGTH_BYTES: Final = _LENGTH.size
CHUNK: Final = 4_096
"""Bytes to read at once from a peer that is not trusted: of tiny frames, more would become many objects."""


def frame(body: bytes) -> bytes:
    """The frame that carries ``body``.

    Raises:
      LocalProtocolError: the body is empty or above `MAX_FRAME`.
    """
    length = len(body)
    if not 0 < length <= MAX_FRAME:
        raise LocalProtocolError(f"a frame of {length} bytes; it must be from 1 to {MAX_FRAME}")
    return _LENGTH.pack(length) + body


class FrameBuffer:
    """Bytes as they arrive, in whatever pieces; frames as they are whole.

    Once all whole frames are taken, it holds less than one.
    """

    def __init__(self) -> None:
        self._bytes = b""
        self._start = 0

    def __len__(self) -> int:
        """How many bytes wait for the rest of their frame."""
        return len(self._bytes) - self._start

    def feed(self, data: bytes) -> None:
        """Take in what has arrived."""
        self._bytes = self._bytes + data if self._bytes else data

    def take(self) -> bytes | None:
        """The body of the next frame, None if it is not whole yet.

        Raises:
          RemoteProtocolError: its length is 0 or above `MAX_FRAME`, known before its body is waited for.
        """
        there, body = len(self._bytes), self._start + LENGTH_BYTES
        if there >= body:
            (length,) = _LENGTH.unpack_from(self._bytes, self._start)
            end = body + _checked(length)
            if there >= end:
                self._start = end
                return self._bytes[body:end]
        self._forget(self._start)
        return None

    def clear(self) -> None:
        """Forget all that waits."""
        self._forget(len(self._bytes))

    def _forget(self, count: int) -> None:
        self._bytes = self._bytes[count:]
        self._start = 0


def _checked(length: int) -> int:
    if length == 0:
        raise RemoteProtocolError(ErrorCode.FRAME_EMPTY)
    if length > MAX_FRAME:
        raise RemoteProtocolError(ErrorCode.FRAME_TOO_BIG, length=length, maximum=MAX_FRAME)
    return length
