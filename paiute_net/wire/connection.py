"""A connection without its socket: what may be said by whom and when, for both ends.

Two things hold in this file. Every change of state is in `TRANSITIONS`, but for two that no table can hold:
in `State.GREETING` a reply that does not answer the hello changes nothing, and a peer that breaks framing or
falls silent is not heard again. And nothing here reads a clock: whoever drives a `Connection` hands it the
time, in seconds of any clock that only goes forward.

To drive one, `receive` what arrives, `send` what is to be said, and `tick` when `deadline` has come; after
each `receive` and `tick`, send what `data_to_send` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from math import inf
from typing import Final

import msgspec

from paiute_net.game.seen import SeenEvent
from paiute_net.wire.codec import (
    FromClient,
    FromServer,
    Message,
    Unknown,
    decode_notice,
    decode_request,
    encode,
)
from paiute_net.wire.errors import (
    ErrorCode,
    LocalProtocolError,
    RemoteProtocolError,
    error_reply,
    is_fatal,
)
from paiute_net.wire.framing import FrameBuffer
from paiute_net.wire.messages import (
    EVENTS,
    NOTICES,
    REQUESTS,
    Closing,
    Error,
    GetStatus,
    Hello,
    Notice,
    Ok,
    Ping,
    Pong,
    Replaced,
    Request,
)

__all__ = ["TRANSITIONS", "Connection", "Kind", "Received", "Rejected", "Role", "State", "Timing", "kind_of"]


@unique
class Role(StrEnum):
    """Whose end of the connection."""

    CLIENT = "client"
    SERVER = "server"


@unique
class State(StrEnum):
    """How far the two have come."""

    NEW = "new"
    """Nothing was said, or the last hello was refused."""
    GREETING = "greeting"
    """The client's hello waits for its answer."""
    GREETED = "greeted"
    """The hello was answered with ok."""
    ENDED = "ended"
    """The last word was said; what still arrives is ignored."""


@unique
class Kind(StrEnum):
    """What the table distinguishes."""

    HELLO = "hello"
    GET_STATUS = "get-status"
    """The operator's request, for which nobody need have said who he is."""
    REQUEST = "request"
    """Every other request."""
    PONG = "pong"
    OK = "ok"
    ERROR = "error"
    FATAL_ERROR = "fatal-error"
    NOTICE = "notice"
    """Every notice but farewells."""
    EVENT = "event"
    FAREWELL = "farewell"
    """The server's last word: `Replaced` or `Closing`."""


_MaySay = Mapping[State, Mapping[Kind, State]]

TRANSITIONS: Final[Mapping[Role, _MaySay]] = {
    Role.CLIENT: {
        State.NEW: {Kind.HELLO: State.GREETING, Kind.GET_STATUS: State.NEW},
        State.GREETING: {},
        State.GREETED: {
            Kind.GET_STATUS: State.GREETED,
            Kind.REQUEST: State.GREETED,
            Kind.PONG: State.GREETED,
        },
        State.ENDED: {},
    },
    Role.SERVER: {
        State.NEW: {
            Kind.OK: State.NEW,
            Kind.ERROR: State.NEW,
            Kind.FATAL_ERROR: State.ENDED,
            Kind.FAREWELL: State.ENDED,
        },
        State.GREETING: {
            Kind.OK: State.GREETED,
            Kind.ERROR: State.NEW,
            Kind.FATAL_ERROR: State.ENDED,
            Kind.FAREWELL: State.ENDED,
        },
        State.GREETED: {
            Kind.OK: State.GREETED,
            Kind.ERROR: State.GREETED,
            Kind.NOTICE: State.GREETED,
            Kind.EVENT: State.GREETED,
            Kind.FATAL_ERROR: State.ENDED,
            Kind.FAREWELL: State.ENDED,
        },
        State.ENDED: {},
    },
}
"""Who may say what in which state, and the state after it. What is not here may not be said."""

_REFUSALS: Final[Mapping[State, ErrorCode]] = {
    State.NEW: ErrorCode.HELLO_EXPECTED,
    State.GREETING: ErrorCode.HELLO_UNANSWERED,
    State.GREETED: ErrorCode.ALREADY_GREETED,
}
"""What a peer is told that says what it may not say in that state."""

_KINDS: Final[Mapping[type[msgspec.Struct], Kind]] = {
    **dict.fromkeys(REQUESTS, Kind.REQUEST),
    **dict.fromkeys(NOTICES, Kind.NOTICE),
    **dict.fromkeys(EVENTS, Kind.EVENT),
    **dict.fromkeys((Replaced, Closing), Kind.FAREWELL),
    Hello: Kind.HELLO,
    GetStatus: Kind.GET_STATUS,
    Pong: Kind.PONG,
    Ok: Kind.OK,
    Error: Kind.ERROR,
    Unknown: Kind.NOTICE,
}
_REPLIES: Final = frozenset({Kind.OK, Kind.ERROR})


def kind_of(message: msgspec.Struct) -> Kind:
    """What the table calls ``message``; raises KeyError if it is no message."""
    if isinstance(message, Error) and is_fatal(message.code):
        return Kind.FATAL_ERROR
    return _KINDS[type(message)]


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """How long which end waits, in seconds."""

    hello_within: float = 10.0
    """The server, for a hello, from the connection's start or the last refused hello on."""
    ping_after: float = 15.0
    """The server, for a frame, before it asks for one, and again before each further time."""
    lost_after: float = 45.0
    """Either, for a frame, before it takes the link for lost."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The peer broke the protocol, or its time.

    A server sends ``error`` with `Connection.send`, in its turn, and closes the connection if it is
    ``fatal``. A client has nobody to send it to: it is there to be shown or logged.
    """

    error: Error

    @property
    def fatal(self) -> bool:
        return is_fatal(self.error.code)


Received = Request | Ok | Error | Notice | SeenEvent | Unknown | Rejected
"""What `Connection.receive` gives: to a server `Request` and `Rejected`, to a client all but `Request`."""

# By names of their own: until Python 3.12, a look at a member of an enum costs as much as a small call.
SERVER = Role.SERVER
NEW, GREETING, GREETED, ENDED = State

_PING: Final = encode(Ping())
_PONG: Final = encode(Pong())
_PEER: Final = {Role.CLIENT: Role.SERVER, Role.SERVER: Role.CLIENT}


class Connection:
    """One end of a connection, ``role`` being this end's.

    It holds less than one frame of what has arrived. ``timing`` may be set at any time, as a client does that
    has been told the server's.
    """

    def __init__(self, role: Role, *, now: float, timing: Timing = Timing()) -> None:  # noqa: B008
        self.role: Final = role
        self.timing = timing
        self.state: State = NEW
        self._frames = FrameBuffer()
        self._hears = True
        self._hello: str | None = None
        self._owed = 0
        """Replies to what came before the hello, which come before its answer."""
        self._hello_from = now
        self._heard = now
        self._pinged = now
        self._due = b""
        self._decode: Final = decode_request if role is SERVER else decode_notice
        self._may_hear: Final = TRANSITIONS[_PEER[role]]
        self._may_say: Final = TRANSITIONS[role]

    # --- what the peer says -------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> list[Received]:
        """What arrived, in order; ``b""`` is the end of what the peer says.

        Never raises for what a peer does: that is `Rejected`. After a fatal one, and after the end, nothing
        more is heard. Pongs are not handed on; pings are, but have been answered.
        """
        if not self._hears:
            return []
        if not data:
            return self._receive_end()
        self._frames.feed(data)
        received: list[Received] = []
        while (message := self._take(now)) is not None:
            if not isinstance(message, Pong):
                received.append(message)
        return received

    def _receive_end(self) -> list[Received]:
        rest = len(self._frames)
        self._stop_hearing()
        if not rest:
            return []
        return [self._reject(RemoteProtocolError(ErrorCode.FRAME_CUT_SHORT, received=rest))]

    def _take(self, now: float) -> Received | Pong | None:
        """What the next whole frame says; None if there is none."""
        if not self._hears:
            return None
        try:
            body = self._frames.take()
            if body is None:
                return None
            self._heard = now
            message = self._decode(body)
        except RemoteProtocolError as error:
            return self._reject(error)
        return self._hear(message, now)

    def _hear(self, message: FromClient | FromServer, now: float) -> Received | Pong:
        state = self._state_after(self._may_hear, message)
        if state is None:
            re = message.id if isinstance(message, Request) else None
            return self._reject(RemoteProtocolError(_REFUSALS[self.state], re))
        self._enter(state, message, now)
        if isinstance(message, Ping):
            self._due = _PONG
        return message

    def _reject(self, error: RemoteProtocolError) -> Rejected:
        if error.fatal:
            self._stop_hearing()
        elif self.state is NEW and self.role is SERVER:
            self._owed += 1
        return Rejected(error_reply(error.re, error))

    def _stop_hearing(self) -> None:
        self._hears = False
        self._frames.clear()

    # --- what this end says -------------------------------------------------------------------------

    def send(self, message: Message, now: float) -> bytes:
        """The frame that says ``message``.

        Raises:
          LocalProtocolError: it may not be said now, or cannot be encoded; nothing has changed.
        """
        frame = encode(message)
        self.say(message, now)
        return frame

    def say(self, message: Message, now: float) -> None:
        """Take ``message`` for said, without encoding it: for one frame (of `encode`) that goes to many.

        Raises:
          LocalProtocolError: it may not be said now; nothing has changed.
        """
        state = self._state_after(self._may_say, message)
        if state is None:
            raise LocalProtocolError(f"a {self.role} may not say {kind_of(message)} when {self.state}")
        self._enter(state, message, now)

    def data_to_send(self) -> bytes:
        """What the connection says by itself, pings and pongs; each is returned once."""
        due, self._due = self._due, b""
        return due

    def close(self) -> None:
        """The link is gone, or about to be: nothing more is said or heard."""
        self._end()

    # --- the state ----------------------------------------------------------------------------------

    def _state_after(self, may_say: _MaySay, message: Message | Unknown) -> State | None:
        """The state once ``message`` is said by whoever may say that; None if he may not."""
        kind = kind_of(message)
        if self.state is GREETING and kind in _REPLIES and not self._answers_hello(message):
            return self.state
        return may_say[self.state].get(kind)

    def _answers_hello(self, message: Message | Unknown) -> bool:
        """Its id alone does not tell: what came before it may have had the same."""
        return isinstance(message, Ok | Error) and message.re == self._hello and not self._owed

    def _enter(self, state: State, message: Message | Unknown, now: float) -> None:
        if state is not self.state:
            self._hello_from = now
            if isinstance(message, Hello):
                self._hello = message.id
        elif state is NEW and isinstance(message, Request):
            self._owed += 1
        elif self._owed and isinstance(message, Ok | Error):
            self._owed -= 1
        self.state = state
        if state is ENDED:
            self._end()

    def _end(self) -> None:
        self.state = ENDED
        self._due = b""
        self._stop_hearing()

    # --- time ---------------------------------------------------------------------------------------

    @property
    def deadline(self) -> float:
        """When `tick` is to be called; infinite if never."""
        return min((time for time, _ in self._alarms()), default=inf)

    def tick(self, now: float) -> Rejected | None:
        """See to what is due at ``now``: a ping (in `data_to_send`), or an end, which is returned."""
        for time, act in self._alarms():
            if time <= now and (rejected := act(now)) is not None:
                return rejected
        return None

    def excuse(self, now: float) -> None:
        """Nobody has read what the peer says, so its silence does not count; pings go on."""
        self._heard = max(self._heard, now - self.timing.ping_after)

    def _alarms(self) -> Iterator[tuple[float, Callable[[float], Rejected | None]]]:
        """What comes at what time if the peer says nothing, the worst first."""
        if not self._hears:
            return
        yield self._heard + self.timing.lost_after, self._lose
        if self.role is SERVER and self.state is NEW:
            yield self._hello_from + self.timing.hello_within, self._give_up
        if self.role is SERVER and self.state is GREETED:
            yield max(self._heard, self._pinged) + self.timing.ping_after, self._ping

    def _lose(self, now: float) -> Rejected:
        return self._overdue(ErrorCode.PEER_SILENT, self.timing.lost_after)

    def _give_up(self, now: float) -> Rejected:
        return self._overdue(ErrorCode.HELLO_OVERDUE, self.timing.hello_within)

    def _overdue(self, code: ErrorCode, seconds: float) -> Rejected:
        return self._reject(RemoteProtocolError(code, time_ms=round(seconds * 1000)))

    def _ping(self, now: float) -> None:
        self._pinged = now
        self._due = _PING
