"""A connection that says what it is told to, right or wrong, and hears maps as the server sends them."""

from __future__ import annotations

from typing import Any, Final

import trio

from paiute_client.errors import LinkLost
from paiute_client.link import SEND_WITHIN
from paiute_net.wire.codec import encode, unpack
from paiute_net.wire.connection import Timing
from paiute_net.wire.errors import ErrorCode, RemoteProtocolError
from paiute_net.wire.framing import FrameBuffer
from paiute_net.wire.messages import Ping, Pong
from paiute_net.wire.shapes import tag_of

__all__ = ["PING", "RawLink", "RawMessage"]

RawMessage = dict[str, Any]
_AT_ONCE: Final = 65_536
PING: Final = tag_of(Ping)
"""The type of what only asks for a sign of life."""
_PONG: Final = encode(Pong())


class RawLink:
    """One connection over ``stream``. One task may `receive`, any number may `send`.

    ``lost_after`` is the time in seconds without a word from the server after which the link is lost.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.lost_after = Timing().lost_after
        self._stream: Final = stream
        self._frames: Final = FrameBuffer()
        self._sending: Final = trio.Lock()

    async def send(self, data: bytes) -> None:
        """Send bytes, whatever they are; raises LinkLost."""
        async with self._sending:
            try:
                with trio.fail_after(SEND_WITHIN):
                    await self._stream.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError) as error:
                raise LinkLost from error

    async def receive(self) -> RawMessage | None:
        """The next message; None once the server has closed. Pings have been answered.

        Raises:
          LinkLost: the link is broken or silent, or what arrives is no message; its code says which.
        """
        try:
            message = await self._next()
        except RemoteProtocolError as error:
            raise LinkLost(error.code) from error
        if message is not None and message.get("type") == PING:
            await self.send(_PONG)
        return message

    async def _next(self) -> RawMessage | None:
        while (body := self._frames.take()) is None:
            data = await self._read()
            if not data:
                if len(self._frames):
                    raise LinkLost(ErrorCode.FRAME_CUT_SHORT)
                return None
            self._frames.feed(data)
        return unpack(body)

    async def _read(self) -> bytes:
        try:
            with trio.fail_after(self.lost_after):
                return bytes(await self._stream.receive_some(_AT_ONCE))
        except trio.TooSlowError:
            raise LinkLost(ErrorCode.PEER_SILENT) from None
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise LinkLost from error

    async def end(self) -> None:
        """Say nothing more, and hear what is still to come."""
        if not isinstance(self._stream, trio.abc.HalfCloseableStream):
            raise TypeError("only both halves of this stream can be closed")
        async with self._sending:
            try:
                await self._stream.send_eof()
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise LinkLost from error

    async def aclose(self) -> None:
        """Close it at once."""
        await trio.aclose_forcefully(self._stream)
