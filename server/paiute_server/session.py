"""One client: its bytes become requests, served one after the other, each with exactly one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio
from structlog.typing import FilteringBoundLogger

from paiute_net.game.errors import Refusal
from paiute_net.wire.connection import Connection, Received, Rejected, Role, State
from paiute_net.wire.errors import Denial, ErrorCode, RemoteProtocolError, error_reply, is_fatal
from paiute_net.wire.messages import Error, Notice, Ok, PresenceCause, Request
from paiute_server import handlers
from paiute_server.limits import Bucket
from paiute_server.link import Link
from paiute_server.logs import fault, get_logger

if TYPE_CHECKING:
    from paiute_server.people import Person
    from paiute_server.room import Room
    from paiute_server.server import Server

__all__ = ["Session"]

_ENDED: Final = State.ENDED
"""By a name of its own: until Python 3.12, a look at a member of an enum costs as much as a small call."""
_LOSSES: Final = frozenset({ErrorCode.PEER_SILENT.value, ErrorCode.FRAME_CUT_SHORT.value})
"""Ends that are nobody's fault."""


class Session:
    """A client's connection from its first byte to its last.

    ``person`` is who speaks, once he has said hello, and ``client`` the program with which he does, for the
    log; ``following`` is the table that he is told of.
    """

    __slots__ = (
        "_alarm",
        "_cause",
        "_connection",
        "_link",
        "_listens",
        "_pieces",
        "_refusals",
        "_requests",
        "_scope",
        "client",
        "following",
        "person",
        "server",
    )

    def __init__(self, server: Server, link: Link) -> None:
        now = trio.current_time()
        limits = server.limits
        self.server = server
        self.person: Person | None = None
        self.client = ""
        self.following: Room | None = None
        self._link = link
        self._connection = Connection(Role.SERVER, now=now, timing=server.timing)
        self._requests = Bucket(limits.requests, now)
        self._refusals = Bucket(limits.refusals, now)
        self._cause = PresenceCause.CLOSED
        self._alarm = server.clock.alarm(self._on_alarm)
        self._listens = True
        """False while a request is served, which may wait for the disk: what comes meanwhile is not read."""
        self._pieces = 0
        """How often something has arrived since the last request: parts of the next one, or pongs."""
        self._scope = trio.CancelScope()

    # --- its life -------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Serve the client until one of both ends it; never raises but for cancellation."""
        try:
            try:
                with self._scope:
                    await self._converse()
            except Exception as error:  # noqa: BLE001 -- one client's fault is not the others'
                self._fail(error)
            finally:
                self._alarm.end()
                self._connection.close()
                self.server.ended(self)
                if self._link.overflowed:
                    self.log().warning("client-too-slow")
            await self._link.finish()
        finally:
            self._link.drop()

    @property
    def cause(self) -> PresenceCause:
        """How it has ended, as others are told."""
        if self._link.overflowed:
            return PresenceCause.DROPPED
        return PresenceCause.LOST if self._link.broken else self._cause

    def log(self) -> FilteringBoundLogger:
        """A logger whose lines name the client."""
        context = {"peer": self._link.peer}
        return get_logger(**context) if self.person is None else get_logger(**context, player=self.person.id)

    async def _converse(self) -> None:
        self._alarm.set(self._connection.deadline)
        while self._connection.state is not _ENDED:
            data = await self._link.receive()
            self._listens = False
            await self._hear(data)
            self._listens = True
            if not data:
                return

    async def _hear(self, data: bytes) -> None:
        now = trio.current_time()
        received = self._connection.receive(data, now)
        extra = len(data) // self.server.limits.bytes_per_request - len(received)
        if received:
            self._pieces = 0
        elif data:
            self._pieces += 1
            extra = max(extra, min(self._pieces - 1, 1))  # to read costs more than there is to be read
        if extra > 0 and not self._requests.take(now, extra):
            self._refuse_pace(None, now)
        for place, one in enumerate(received):
            if place:
                await trio.lowlevel.checkpoint()  # whoever sends much at once does not go before the others
                now = trio.current_time()
            if self._connection.state is _ENDED:
                return
            await self._attend_to(one, now)

    async def _attend_to(self, received: Received, now: float) -> None:
        if self.server.is_closing:
            return
        if not self._requests.take(now):
            self._refuse_pace(received, now)
        elif isinstance(received, Rejected):
            self._say(received.error)
        elif isinstance(received, Request):
            await self._serve(received)

    def _refuse_pace(self, received: Received | None, now: float) -> None:
        """Refuse what comes too fast; whoever goes on like that is cut off."""
        if not self._refusals.take(now):
            self._say(error_reply(None, RemoteProtocolError(ErrorCode.FLOODING)))
        elif isinstance(received, Request):
            self._say(error_reply(received.id, Denial(ErrorCode.TOO_FAST, wait_ms=self._pause_ms())))
        elif isinstance(received, Rejected):
            self._say(received.error)

    def _pause_ms(self) -> int:
        """Until a request is served again and a refusal forgiven: who always waits so long is never cut."""
        return max(self._requests.wait_ms(), self._refusals.period_ms)

    async def _serve(self, request: Request) -> None:
        """Answer ``request``, after what it caused and before what follows from it."""
        try:
            answer = await handlers.HANDLERS[type(request)](self, request)
        except (Refusal, Denial) as error:
            self._say(error_reply(request.id, error))
            return
        except Exception as error:  # noqa: BLE001 -- as above
            self._fail(error)
            return
        if self._connection.state is _ENDED:
            return  # replaced meanwhile, or the server is ending
        if answer.costs_nothing:
            self._requests.give_back()
        self._offer(Ok(re=request.id, result=answer.result))
        if answer.then:
            self._link.offer(answer.then)

    def pay(self, requests: int) -> None:
        """Let the request that is being served count as so many.

        Raises:
          Denial: there are not so many left.
        """
        if not self._requests.take(trio.current_time(), requests - 1):
            raise Denial(ErrorCode.TOO_FAST, wait_ms=self._requests.wait_ms(requests))

    def _fail(self, error: Exception) -> None:
        """The server has a fault: log it, and end this connection alone."""
        fault(self.log(), error)
        self._say(Error(re=None, code=ErrorCode.INTERNAL_ERROR))

    def end(self, farewell: Notice) -> None:
        """Say ``farewell`` and stop serving; from any task."""
        self._say(farewell)
        self._scope.cancel()

    # --- speaking -------------------------------------------------------------------------------------------

    def tell(self, frame: bytes) -> None:
        """Send a frame, soon."""
        if self._connection.state is not _ENDED:  # nothing follows the last word
            self._link.offer(frame)

    def _say(self, message: Error | Notice) -> None:
        if self._connection.state is _ENDED:
            return
        if isinstance(message, Error) and is_fatal(message.code):
            self._cause = PresenceCause.LOST if message.code in _LOSSES else PresenceCause.DROPPED
        self._offer(message)

    def _offer(self, message: Ok | Error | Notice) -> None:
        self._link.offer(self._connection.send(message, trio.current_time()))

    # --- time -----------------------------------------------------------------------------------------------

    def _on_alarm(self) -> None:
        """Ping, or give up on a client that says nothing."""
        now = trio.current_time()
        if not self._listens:
            self._connection.excuse(now)
        rejected = self._connection.tick(now)
        self._link.offer(self._connection.data_to_send())
        if rejected is not None:
            self._say(rejected.error)
            self._scope.cancel()
        else:
            self._alarm.set(self._connection.deadline)
