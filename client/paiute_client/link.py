"""One connection to a server: messages out, messages in, over any trio stream. Pings answer themselves."""

from __future__ import annotations

from collections import deque
from typing import Final

import trio

from paiute_client.address import Address
from paiute_client.errors import CannotConnect, LinkLost, Obstacle, Unsendable
from paiute_net.wire import Connection, LocalProtocolError, Message, Received, Rejected, Role, State, Timing
from paiute_net.wire.codec import decode_request, encode
from paiute_net.wire.errors import RemoteProtocolError
from paiute_net.wire.framing import LENGTH_BYTES

__all__ = ["DIAL_WITHIN", "SEND_WITHIN", "Link", "dial"]

DIAL_WITHIN: Final = 10.0
"""Seconds for a server to take a connection."""
SEND_WITHIN: Final = 5.0
"""Seconds for it to take a message."""
_AT_ONCE: Final = 65_536
"""Bytes read at a time."""


async def dial(address: Address) -> trio.SocketStream:
    """A connection to ``address``, by whichever of its host's numbers answers first.

    Raises:
      CannotConnect: nobody there took it.
    """
    try:
        with trio.fail_after(DIAL_WITHIN):
            return await trio.open_tcp_stream(address.host, address.port)
    except (trio.socket.gaierror, UnicodeError):  # a part of a name may be empty or too long for the DNS
        obstacle = Obstacle.UNKNOWN_HOST
    except (OSError, trio.TooSlowError):
        obstacle = Obstacle.UNREACHABLE
    raise CannotConnect(obstacle, address)


class Link:
    """One connection, from its first byte to its last; close it with `aclose`.

    One task may `receive`, any number may `send`.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream: Final = stream
        self._connection: Final = Connection(Role.CLIENT, now=trio.current_time())
        self._arrived: Final[deque[Received]] = deque()
        self._sending: Final = trio.Lock()

    def set_timing(self, timing: Timing) -> None:
        """Wait as long as the server has said that it will let us wait."""
        self._connection.timing = timing

    async def send(self, message: Message) -> None:
        """Say ``message``.

        Raises:
          Unsendable: no message can hold what it says; nothing was sent.
          LocalProtocolError: it may not be said now; nothing was sent.
          LinkLost: the link is broken.
        """
        frame = _frame_of(message)
        async with self._sending:
            if self._connection.state is State.ENDED:
                raise LinkLost
            self._connection.say(message, trio.current_time())
            await self._send_all(frame)

    async def receive(self) -> Received:
        """The next message, or `Rejected` for one that breaks the protocol and yet can be passed over.

        Raises:
          LinkLost: the link is broken, or what arrives on it cannot be read.
        """
        while not self._arrived:
            await self._hear()
        received = self._arrived.popleft()
        if isinstance(received, Rejected) and received.fatal:
            raise LinkLost(received.error.code)
        return received

    async def aclose(self) -> None:
        """Break it off, now."""
        self._connection.close()
        await trio.aclose_forcefully(self._stream)

    async def _hear(self) -> None:
        with trio.move_on_at(self._connection.deadline) as silence:
            await self._take(await self._read())
        if silence.cancelled_caught and (lost := self._connection.tick(trio.current_time())) is not None:
            raise LinkLost(lost.error.code)

    async def _read(self) -> bytes:
        try:
            return bytes(await self._stream.receive_some(_AT_ONCE))
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise LinkLost from error

    async def _take(self, data: bytes) -> None:
        self._arrived.extend(self._connection.receive(data, trio.current_time()))
        if not data and not self._arrived:
            raise LinkLost
        if pong := self._connection.data_to_send():
            async with self._sending:
                await self._send_all(pong)

    async def _send_all(self, data: bytes) -> None:
        """Send all of ``data`` or break the link: half a frame would garble what follows.

        So this cannot be cancelled, and takes not long.
        """
        try:
            with trio.fail_after(SEND_WITHIN, shield=True):
                await self._stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError) as error:
            await self.aclose()
            raise LinkLost from error


def _frame_of(message: Message) -> bytes:
    """Raises Unsendable for what cannot be encoded, or would have a server break off the whole session."""
    try:
        frame = encode(message)
    except LocalProtocolError as error:
        raise Unsendable(str(error)) from error
    try:
        decode_request(frame[LENGTH_BYTES:])
    except RemoteProtocolError as error:
        if error.fatal:
            raise Unsendable(f"this cannot be sent: {error}") from error
    return frame
