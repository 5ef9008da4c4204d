"""``paiute-server status``: asks a running server how it is doing, over the protocol, and says it."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import msgspec
import trio

from paiute_net.wire.codec import decode_result
from paiute_net.wire.connection import Connection, Rejected, Role
from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.messages import Closing, Error, GetStatus, Ok, StatusResult

__all__ = ["DEFAULT_PORT", "Place", "StatusError", "ask", "place_of", "said"]

DEFAULT_PORT: Final = 7000
_WITHIN_S: Final = 10.0
_CHUNK: Final = 4_096
_ID: Final = "status"


class StatusError(Exception):
    """The server did not say how it is; the message is one sentence that says why."""


class Place(NamedTuple):
    """Where a server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def place_of(text: str) -> Place:
    """What ``HOST``, ``HOST:PORT`` or ``[IPV6]:PORT`` names; raises ValueError."""
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _no_place(text) from None
    if not host or parts.netloc != text or "@" in text or text.endswith(":") or port == 0:
        raise _no_place(text)
    return Place(host, DEFAULT_PORT if port is None else port)


def _no_place(text: str) -> ValueError:
    return ValueError(f"{text!r} is no place of a server; write localhost:7000 or [::1]:7000")


async def ask(place: Place, token: str) -> StatusResult:
    """How the server at ``place`` is doing.

    Raises:
      StatusError: there is none, it does not answer in time, or ``token`` is not its operator's.
    """
    with trio.move_on_after(_WITHIN_S):
        try:
            async with await trio.open_tcp_stream(place.host, place.port) as stream:
                return await _converse(stream, place, token)
        except OSError:
            raise StatusError(f"no server can be reached at {place}; see that it runs there") from None
        except (trio.BrokenResourceError, msgspec.ValidationError):
            raise _no_server(place) from None
    raise StatusError(f"the server at {place} did not answer within {_WITHIN_S:.0f} seconds")


async def _converse(stream: trio.SocketStream, place: Place, token: str) -> StatusResult:
    connection = Connection(Role.CLIENT, now=trio.current_time())
    await stream.send_all(connection.send(GetStatus(id=_ID, token=token), trio.current_time()))
    while data := await stream.receive_some(_CHUNK):
        for message in connection.receive(data, trio.current_time()):
            match message:
                case Ok():
                    return decode_result(message, StatusResult)
                case Error():
                    raise StatusError(_why_not(message, place))
                case Rejected():  # it is the answer that is no message
                    raise _no_server(place)
                case Closing():
                    raise StatusError(f"the server at {place} is about to end")
                case _:
                    pass
    raise StatusError(f"the server at {place} broke the connection off")


def _no_server(place: Place) -> StatusError:
    return StatusError(f"what answers at {place} is no server that can say how it is")


def _why_not(error: Error, place: Place) -> str:
    if error.code == ErrorCode.BAD_OPERATOR_TOKEN.value:
        return (
            f"the server at {place} has another operator's token, or with --ephemeral none; "
            "name its data directory with --data"
        )
    return f"the server at {place} refused: {error.code}"


# --- in words -----------------------------------------------------------------------------------------------


def said(status: StatusResult) -> str:
    """Some lines for people."""
    rows = {
        "running": str(timedelta(seconds=status.uptime_ms // 1000)),
        "tables": f"{status.tables}, a hand going on at {status.hands_going_on}",
        "standing still": str(status.tables_stopped),
        "players": f"{status.players} known, {status.seated} seated",
        "connections": str(status.connections),
        "hands": str(status.hands),
        "moves": str(status.moves),
        "move to told": _latency(status.told_p50_us, status.told_p99_us),
        "journal": _size(status.journal_bytes),
        "log lines lost": str(status.log_lines_lost),
    }
    return "\n".join([status.software, *(f"{name:<15} {value}" for name, value in rows.items())])


def _latency(half: int | None, most: int | None) -> str:
    if half is None or most is None:
        return "no move yet"
    return f"{half / 1000:.2f} ms (p50), {most / 1000:.2f} ms (p99)"


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
