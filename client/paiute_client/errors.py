"""Everything that can go wrong between a client and its server, with one root.

::

    ClientError
     ├─ BadAddress      a text that names no server
     ├─ CannotConnect   no server of this protocol was reached
     ├─ LinkLost        the link broke, and what was asked may or may not have been done
     ├─ Unsendable      what was to be asked is nothing that a message can hold; nothing was asked
     ├─ SessionEnded    the session is over for good
     └─ ServerRefusal   the server said no, and why
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum, unique
from typing import TYPE_CHECKING, Any, Final

from paiute_client.words import tr

if TYPE_CHECKING:
    from paiute_client.address import Address

__all__ = [
    "BadAddress",
    "CannotConnect",
    "ClientError",
    "End",
    "LinkLost",
    "Obstacle",
    "ServerRefusal",
    "SessionEnded",
    "Unsendable",
]


class ClientError(Exception):
    """The root of all these."""


class BadAddress(ClientError, ValueError):
    """A text that names no server; says in a sentence what is wrong with it."""


@unique
class Obstacle(StrEnum):
    """Why no server was reached."""

    UNKNOWN_HOST = "unknown-host"
    UNREACHABLE = "unreachable"
    """Nobody listens there, or the way there is barred."""
    SILENT = "silent"
    """Somebody took the connection and then said nothing."""
    CLOSING = "closing"
    """The server is about to end."""
    FOREIGN = "foreign"
    """Whoever answers there does not speak this protocol."""


_OBSTACLES: Final[Mapping[Obstacle, str]] = {
    Obstacle.UNKNOWN_HOST: tr("There is no host of the name {host}; check how it is written."),
    Obstacle.UNREACHABLE: tr(
        "No server can be reached at {address}; check that it is running there, and on that port."
    ),
    Obstacle.SILENT: tr("{address} does not answer; check that a Paiute server is running there."),
    Obstacle.CLOSING: tr("The server at {address} is about to end; try again later."),
    Obstacle.FOREIGN: tr("What answers at {address} is no Paiute server; check the port."),
}


class CannotConnect(ClientError):
    """No server of this protocol was reached at an address."""

    def __init__(self, obstacle: Obstacle, address: Address) -> None:
        super().__init__(obstacle, address)
        self.obstacle: Final = obstacle
        self.address: Final = address

    def __str__(self) -> str:
        return _OBSTACLES[self.obstacle].format(host=self.address.host, address=self.address)


class LinkLost(ClientError):
    """The link broke before the server had replied: what was asked may or may not have been done.

    ``code`` says what was wrong with what arrived, as the wire's list of codes has it; None if it just ended.
    """

    def __init__(self, code: str | None = None) -> None:
        super().__init__(code)
        self.code: Final = code

    def __str__(self) -> str:
        return tr("The link to the server was lost.")


class Unsendable(ClientError, ValueError):
    """What was to be asked holds what no message can; says what. Nothing was sent; the session goes on."""


@unique
class End(StrEnum):
    """Why a session is over."""

    LEFT = "left"
    """This client closed it."""
    CLOSED = "closed"
    """The server ended and is not expected back."""
    REPLACED = "replaced"
    """The same player came in from elsewhere."""
    REFUSED = "refused"
    """The server broke it off, or would not have us back; `SessionEnded.refusal` says why."""
    GAVE_UP = "gave-up"
    """The link was lost and did not come back in the time allowed."""


_ENDS: Final[Mapping[End, str]] = {
    End.LEFT: tr("The session is over."),
    End.CLOSED: tr("The server has ended."),
    End.REPLACED: tr("You have come in from elsewhere, so this session is over."),
    End.REFUSED: tr("The server has broken off the session."),
    End.GAVE_UP: tr("The link to the server was lost and has not come back."),
}


class SessionEnded(ClientError):
    """The session is over for good: nothing can be asked of it any more."""

    def __init__(self, end: End, refusal: ServerRefusal | None = None) -> None:
        super().__init__(end, refusal)
        self.end: Final = end
        self.refusal: Final = refusal

    def __str__(self) -> str:
        return _ENDS[self.end] if self.refusal is None else str(self.refusal)


class ServerRefusal(ClientError):
    """The server refused a request: nothing has changed there.

    ``code`` is one of the protocol's error codes, and ``facts`` what it comes with. ``str()`` names both; for
    a sentence see `paiute_client.refusals.explain`.
    """

    def __init__(self, code: str, facts: Mapping[str, Any]) -> None:
        super().__init__(code, facts)
        self.code: Final = code
        self.facts: Final = facts

    def __str__(self) -> str:
        return ", ".join([self.code, *(f"{name} {value!r}" for name, value in self.facts.items())])
