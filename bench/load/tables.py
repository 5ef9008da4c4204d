"""Tables of four scripted players: what they send, and when all of them have been told.

The driver shares the machine with what it measures, so it reads only what it must: which type a frame is, and
of the decisions only the one that its reader has to make.
"""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

import msgpack

__all__ = ["SEATS", "BareTable", "PaiuteTable", "Seat", "Table", "connect", "hello", "request"]

SEATS: Final = 4
PATIENCE_S: Final = 60.0
LENGTH: Final = 4
_NUMBERS: Final = count(1)


def framed(message: Mapping[str, Any]) -> bytes:
    """A message as it travels."""
    body: bytes = msgpack.packb(message)
    return len(body).to_bytes(LENGTH, "big") + body


class Seat:
    """A player's connection, and what has arrived of a frame that is not whole yet."""

    __slots__ = ("place", "rest", "socket", "table")

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.rest = b""
        self.table: Table | None = None
        self.place = 0

    def frames(self) -> list[bytes]:
        """The bodies of the frames that have arrived; waits for the first bytes if the socket does.

        Raises:
          ConnectionError: the server has ended the connection.
        """
        data = self.socket.recv(65_536)
        if not data:
            raise ConnectionError("the server has ended a connection")
        if self.rest:
            data = self.rest + data
        bodies: list[bytes] = []
        start, there = 0, len(data)
        while there - start >= LENGTH:
            body = start + LENGTH
            end = body + int.from_bytes(data[start:body], "big")
            if end > there:
                break
            bodies.append(data[body:end])
            start = end
        self.rest = data[start:]
        return bodies


class Table(ABC):
    """Four seats that take turns; one move is under way at a time."""

    def __init__(self, seats: Sequence[Seat]) -> None:
        self.seats: Final = seats
        self.sent = 0.0
        """When the move under way was sent, by the driver's clock."""
        self.told = 0
        """How many seats have been told of it."""
        for place, seat in enumerate(seats):
            seat.table = self
            seat.place = place
            seat.socket.setblocking(False)

    @abstractmethod
    def move(self) -> tuple[Seat, bytes]:
        """Who moves next, and the frame that he sends."""

    @abstractmethod
    def hear(self, seat: Seat, body: bytes) -> None:
        """Take in a frame; the one that ends what a seat is told of a move counts it as told."""


class BareTable(Table):
    """Seats of a bare server: a frame is a move. It is as long as what a player of Paiute is told of one."""

    _FRAME: Final = framed({"type": "move", "filling": "x" * 180})

    def __init__(self, seats: Sequence[Seat]) -> None:
        super().__init__(seats)
        self._turn = 0

    def move(self) -> tuple[Seat, bytes]:
        self._turn = (self._turn + 1) % SEATS
        return self.seats[self._turn], self._FRAME

    def hear(self, seat: Seat, body: bytes) -> None:
        self.told += 1


class PaiuteTable(Table):
    """Players who call as soon as they may; else they draw from the stock and discard the first card."""

    def __init__(self, seats: Sequence[Seat], table: str) -> None:
        super().__init__(seats)
        self._table = table
        self._next: tuple[Seat, Mapping[str, Any]] | None = None

    def move(self) -> tuple[Seat, bytes]:
        seat, action = self._next or (self.seats[0], {"type": "start-hand"})
        self._next = None
        return seat, framed({"id": "1", "table": self._table, **action})

    def hear(self, seat: Seat, body: bytes) -> None:
        """What is told of a move ends with the next decision, or else with the end of the hand."""
        if body.startswith(_DECISION, 1):
            self.told += 1
            if not body.endswith(_NOT_MINE):
                self._decide(seat, msgpack.unpackb(body))
        elif body.startswith(_HAND_ENDED, 1):
            self.told += 1
        elif body.startswith(_PING, 1):
            seat.socket.send(_PONG)
        elif body.startswith(_BAD, 1):
            raise RuntimeError(f"the server says {msgpack.unpackb(body)}")

    def _decide(self, seat: Seat, decision: Mapping[str, Any]) -> None:
        if decision["actions"] is not None:
            self._next = seat, {"decision": decision["decision"], **choose(decision["actions"])}


_TYPE: Final = b"\xa4type"
_DECISION: Final = _TYPE + msgpack.packb("decision")
_HAND_ENDED: Final = _TYPE + msgpack.packb("hand-ended")
_PING: Final = _TYPE + msgpack.packb("ping")
_BAD: Final = tuple(_TYPE + msgpack.packb(word) for word in ("error", "closing", "replaced"))
_NOT_MINE: Final = msgpack.packb("actions") + msgpack.packb(None)
_PONG: Final = framed({"type": "pong"})


def choose(actions: Mapping[str, Any]) -> Mapping[str, Any]:
    """One of the actions offered, always the same of the same ones."""
    if actions["call"]:
        return {"type": "call", "cards": actions["call"][0]["cards"]}
    if actions["discard"]:
        return {"type": "discard", "card": actions["discard"][0]}
    if actions["draw"]:
        return {"type": "draw", "source": actions["draw"][0]}
    return {"type": "cut", "position": actions["cut"]["maximum"] // 2}


# --- before the first move ----------------------------------------------------------------------------------


def connect(port: int) -> Seat:
    """A connection that waits."""
    connected = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Seat(connected)


def request(seat: Seat, kind: str, **fields: Any) -> Mapping[str, Any]:  # noqa: ANN401 - any field
    """Send a request and wait for its answer; what else arrives meanwhile is passed over.

    Returns:
      The ``result`` of the answer.
    """
    own = f"r{next(_NUMBERS)}"
    seat.socket.sendall(framed({"type": kind, "id": own, **fields}))
    answer = next(message for message in _messages(seat) if message.get("re") == own)
    if answer["type"] != "ok":
        raise RuntimeError(f"the server answers {kind} with {answer}")
    return answer["result"] or {}


def _messages(seat: Seat) -> Iterator[Mapping[str, Any]]:
    while True:
        yield from map(msgpack.unpackb, seat.frames())


def hello(port: int) -> Seat:
    """A connection that has said hello."""
    seat = connect(port)
    request(seat, "hello", versions=[1], name=f"Player {next(_NUMBERS)}")
    return seat


def bare_table(port: int) -> Table:
    """Four connections to a bare server."""
    return BareTable([connect(port) for _ in range(SEATS)])


def paiute_table(port: int) -> Table:
    """Four players who have sat down at a new table."""
    seats = [hello(port) for _ in range(SEATS)]
    table = request(seats[0], "create-table", seats=SEATS)["table"]
    for seat in seats:
        request(seat, "join-table", table=table)
    return PaiuteTable(seats, table)
