"""One client: its bytes become requests, served one after the other, each with exactly one answer."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import trio
from structlog.typing import FilteringBoundLogger

from paiute_net.game.errors import Refusal
from paiute_net.wire.connection import Connection, Received, Rejected, Role, State
from paiute_net.wire.errors import Denial, ErrorCode, RemoteProtocolError, error_reply, is_fatal
from paiute_net.wire.messages import Error, Notice, Ok, PresenceCause, Request
from paiute_server import handlers
from paiute_server.bell import Bell
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
        "_bell",
        "_cause",
        "_connection",
        "_hung_up",
        "_link",
        "_now",
        "_pieces",
        "_received",
        "_refusals",
        "_requests",
        "_scope",
        "_serving",
        "client",
        "following",
        "person",
        "server",
        "tell",
    )

    def __init__(self, server: Server, link: Link) -> None:
        limits = server.limits
        self.server = server
        self._now = server.clock.now
        now = self._now()
        self.person: Person | None = None
        self.client = ""
        self.following: Room | None = None
        self.tell: Final = link.offer
        """Sends a frame, soon; but nothing follows the last word."""
        self._link = link
        self._connection = Connection(Role.SERVER, now=now, timing=server.timing)
        self._requests = Bucket(limits.requests, now)
        self._refusals = Bucket(limits.refusals, now)
        self._cause = PresenceCause.CLOSED
        self._alarm = server.clock.alarm(self._on_alarm)
        self._bell: Final = Bell()
        self._serving: Request | None = None
        """The request that is under way."""
        self._received: deque[Received] = deque()
        """What comes after it."""
        self._hung_up = False
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
        """Serve what is not done in a turn, and what was sent ahead; all else is served where it arrives."""
        self._alarm.set(self._connection.deadline)
        self._link.listen(self._on_arrival)
        while not self._is_over:
            await self._bell.heard()
            if self._serving is None:
                self._attend_to_next(self._now())
            else:
                await self._serve(self._serving)

    @property
    def _is_over(self) -> bool:
        return self._hung_up or self._has_ended

    @property
    def _has_ended(self) -> bool:
        """Whether the last word was said."""
        return self._connection.state is _ENDED

    # --- hearing --------------------------------------------------------------------------------------------

    @property
    def _is_busy(self) -> bool:
        """Whether a request is served, which may wait for the disk: what comes meanwhile is not read."""
        return self._serving is not None or bool(self._received)

    def _on_arrival(self) -> None:
        try:
            if self._is_busy:
                self._link.rest()
            elif (data := self._link.arrived()) is not None:
                self._hear(data, self._now())
        except Exception as error:  # noqa: BLE001 -- one client's fault is not the others'
            self._fail(error)

    def _hear(self, data: bytes, now: float) -> None:
        self._received += self._connection.receive(data, now)
        self._take_for_size(data, now)
        if not data:
            self._hung_up = True
            self._bell.ring()
        self._attend_to_next(now)

    def _take_for_size(self, data: bytes, now: float) -> None:
        """What is long, or comes in many pieces, counts as more than one request: to read it costs more."""
        extra = len(data) // self.server.limits.bytes_per_request - len(self._received)
        if self._received:
            self._pieces = 0
        elif data:
            self._pieces += 1
            extra = max(extra, min(self._pieces - 1, 1))
        if extra > 0 and not self._requests.take(now, extra):
            self._refuse_pace(None, now)

    def _attend_to_next(self, now: float) -> None:
        if self._received:
            self._attend_to(self._received.popleft(), now)
        if self._serving is None:
            self._go_on()

    def _attend_to(self, received: Received, now: float) -> None:
        if self.server.is_closing or self._connection.state is _ENDED:
            return
        if not self._requests.take(now):
            self._refuse_pace(received, now)
        elif isinstance(received, Rejected):
            self._say(received.error)
        elif isinstance(received, Request):
            self._begin(received)

    def _go_on(self) -> None:
        """Whoever sends much at once does not go before the others: each in a later round of the loop."""
        if self._received:
            self._bell.ring()
        elif not self._is_over:
            self._link.listen(self._on_arrival)

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

    # --- serving --------------------------------------------------------------------------------------------

    def _begin(self, request: Request) -> None:
        self._serving = request
        in_turn = handlers.IN_TURN.get(type(request))
        if in_turn is None:
            self._bell.ring()
            return
        try:
            in_turn.begin(self, request, self._on_done)
        except Exception as error:  # noqa: BLE001 -- it is answered with what it is
            self._on_done(error)

    def _on_done(self, failure: Exception | None) -> None:
        """It may be called while others are served: what fails here is this client's alone."""
        request = self._serving
        if request is None or self._connection.state is _ENDED:
            return  # the client has gone, or was replaced meanwhile
        try:
            self._answer_done(request, failure)
        except Exception as error:  # noqa: BLE001 -- as above
            self._fail(error)

    def _answer_done(self, request: Request, failure: Exception | None) -> None:
        try:
            answer = self._answer_of(request, failure)
        except (Refusal, Denial) as error:
            self._refuse(request, error)
        else:
            self._answer(request, answer)

    def _answer_of(self, request: Request, failure: Exception | None) -> handlers.Answer:
        if failure is not None:
            raise failure
        in_turn = handlers.IN_TURN[type(request)]
        if in_turn.costs_nothing:
            self._requests.give_back()
        return in_turn.answer(self, request)

    async def _serve(self, request: Request) -> None:
        try:
            answer = await handlers.HANDLERS[type(request)](self, request)
        except (Refusal, Denial) as error:
            self._refuse(request, error)
        else:
            self._answer(request, answer)

    def _answer(self, request: Request, answer: handlers.Answer) -> None:
        """After what it caused and before what follows from it."""
        if self._connection.state is not _ENDED:  # as above
            self._offer(Ok(re=request.id, result=answer.result))
            if answer.then:
                self._link.offer(answer.then)
        self._serving = None
        self._go_on()

    def _refuse(self, request: Request, error: Refusal | Denial) -> None:
        self._say(error_reply(request.id, error))
        self._serving = None
        self._go_on()

    def pay(self, requests: int) -> None:
        """Let the request that is being served count as so many.

        Raises:
          Denial: there are not so many left.
        """
        if not self._requests.take(self._now(), requests - 1):
            raise Denial(ErrorCode.TOO_FAST, wait_ms=self._requests.wait_ms(requests))

    def _fail(self, error: Exception) -> None:
        """The server has a fault: log it, and end this connection alone. Never fails itself."""
        fault(self.log(), error)
        try:
            self._say(Error(re=None, code=ErrorCode.INTERNAL_ERROR))
        except Exception as further:  # noqa: BLE001 -- then it ends without a word
            fault(self.log(), further)
        self._scope.cancel()

    def end(self, farewell: Notice) -> None:
        """Say ``farewell`` and stop serving; from any task."""
        self._say(farewell)

    # --- speaking -------------------------------------------------------------------------------------------

    def _say(self, message: Error | Notice) -> None:
        if self._connection.state is _ENDED:
            return
        if isinstance(message, Error) and is_fatal(message.code):
            self._cause = PresenceCause.LOST if message.code in _LOSSES else PresenceCause.DROPPED
        self._offer(message)
        if self._has_ended:
            self._link.seal()
            self._scope.cancel()

    def _offer(self, message: Ok | Error | Notice) -> None:
        self._link.offer(self._connection.send(message, self._now()))

    # --- time -----------------------------------------------------------------------------------------------

    def _on_alarm(self) -> None:
        """Ping, or give up on a client that says nothing."""
        now = self._now()
        if self._is_busy:
            self._connection.excuse(now)
        rejected = self._connection.tick(now)
        self._link.offer(self._connection.data_to_send())
        if rejected is not None:
            self._say(rejected.error)
        else:
            self._alarm.set(self._connection.deadline)
