"""Listening on a port of this machine, for IPv4 and IPv6 alike, and what others type to get there."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Final, NamedTuple

import ifaddr
import trio

from paiute_server.limits import Limits
from paiute_server.link import SocketTransport, Transport
from paiute_server.logs import get_logger

__all__ = [
    "Place",
    "StartError",
    "accept",
    "check_port",
    "counted_by",
    "from_elsewhere",
    "open_listeners",
    "open_one",
    "own_addresses",
    "typed",
]

MAX_PORT: Final = 65_535
_TRIES: Final = 16
"""A port that the system chose for one family may be in use in the other."""
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_NOT_HERE: Final = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})


class StartError(Exception):
    """The server cannot start; the message is one sentence that says why and what to do."""


class Place(NamedTuple):
    """An address to listen on."""

    family: socket.AddressFamily
    host: str
    scope: int


def check_port(port: int) -> int:
    """``port`` if it is one; 0 lets the system choose. Raises StartError."""
    if not 0 <= port <= MAX_PORT:
        raise StartError(f"there is no port {port}; choose one from 1 to {MAX_PORT}")
    return port


async def open_listeners(host: str | None, port: int, backlog: int) -> list[socket.socket]:
    """Listening sockets, all on the same port: for every address of ``host``, or (None) of this machine.

    Raises:
      StartError: the host is not known or not this machine, or the port cannot be had.
    """
    places = await _places(host)
    for _ in range(_TRIES if port == 0 else 1):
        try:
            return _open_all(places, host, port, backlog)
        except OSError as error:
            if port != 0 or error.errno != errno.EADDRINUSE:
                raise StartError(_why_not(error, host, port)) from None
    raise StartError("no port is free in both IPv4 and IPv6; choose one with --port")


async def _places(host: str | None) -> list[Place]:
    try:
        found = await trio.socket.getaddrinfo(
            host, 0, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError):
        raise StartError(
            f"the host {host} is not known here; leave --host out to listen everywhere"
        ) from None
    places = {
        Place(family, str(address[0]), int(address[3]) if len(address) == 4 else 0): None
        for family, _, _, _, address in found
    }
    return list(places)


def _open_all(places: Iterable[Place], host: str | None, port: int, backlog: int) -> list[socket.socket]:
    """A listener for each place; what this machine has no address for is passed over, if others remain."""
    missing: OSError | None = None
    with ExitStack() as opened:
        listeners: list[socket.socket] = []
        for place in places:
            try:
                listener = open_one(place, port, backlog)
            except OSError as error:
                if error.errno not in _NOT_HERE:
                    raise
                missing = error
                continue
            opened.enter_context(listener)
            listeners.append(listener)
            port = listener.getsockname()[1]
        if missing is not None and not listeners:
            raise missing
        opened.pop_all()
        return listeners


def open_one(place: Place, port: int, backlog: int) -> socket.socket:
    """A listener on one address; raises OSError."""
    listener = socket.socket(place.family, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            # There, SO_REUSEADDR would let another program take the port over.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if place.family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind((place.host, port, 0, place.scope))
        else:
            listener.bind((place.host, port))
        listener.listen(backlog)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


def _why_not(error: OSError, host: str | None, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} is in use; choose another with --port, or end the program that uses it"
        case errno.EACCES | errno.EPERM:
            return f"port {port} is kept for the system; choose one from 1024 to {MAX_PORT} with --port"
        case errno.EADDRNOTAVAIL | errno.EAFNOSUPPORT:
            return f"{host} is no address of this machine; leave --host out to listen everywhere"
        case _:
            return f"listening on port {port} failed: {error.strerror}; choose another with --port"


async def accept(listener: socket.socket, admit: Callable[[Transport, str], None], limits: Limits) -> None:
    """Hand every connection to ``admit``, with the address that it is counted by, until cancelled.

    When the system has nothing left for another connection, accepting rests; those that are there go on.
    """
    rests = False
    while True:
        await trio.lowlevel.wait_readable(listener)
        try:
            connected, address = listener.accept()
        except BlockingIOError:
            continue
        except OSError as error:
            if error.errno in _EXHAUSTED:
                if not rests:
                    get_logger().warning("accepting-rests", reason=error.strerror)
                rests = True
                await trio.sleep(limits.accept_pause_s)
            continue
        rests = False
        _welcome(connected, str(address[0]), int(address[1]), admit, limits)


def _welcome(
    connected: socket.socket, host: str, port: int, admit: Callable[[Transport, str], None], limits: Limits
) -> None:
    try:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, limits.send_buffer_bytes)
        transport = SocketTransport(connected, typed(host, port))
    except OSError:  # it is gone already
        connected.close()
    else:
        admit(transport, counted_by(host))


def counted_by(host: str) -> str:
    """The address, or for IPv6 its network: a single machine has as many addresses there as it likes."""
    address = ipaddress.ip_address(host.partition("%")[0])
    return str(address) if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))


def typed(host: str, port: int) -> str:
    """How one types an address and a port."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def from_elsewhere(listeners: Sequence[socket.socket]) -> list[str]:
    """What those on other machines type, IPv4 first; nothing if only this machine can connect."""
    hosts: dict[str, None] = {}
    for listener in sorted(listeners, key=lambda one: one.family != socket.AF_INET):
        host = str(listener.getsockname()[0])
        own = (
            own_addresses(listener.family)
            if ipaddress.ip_address(host.partition("%")[0]).is_unspecified
            else [host]
        )
        hosts |= dict.fromkeys(filter(_reaches_others, own))
    return [typed(host, listeners[0].getsockname()[1]) for host in hosts]


def own_addresses(family: socket.AddressFamily) -> list[str]:
    """This machine's addresses, as its network interfaces have them."""
    ips = (ip for adapter in ifaddr.get_adapters() for ip in adapter.ips)
    return [
        ip.ip if isinstance(ip.ip, str) else ip.ip[0]
        for ip in ips
        if ip.is_IPv4 == (family == socket.AF_INET)
    ]


def _reaches_others(host: str) -> bool:
    address = ipaddress.ip_address(host.partition("%")[0])
    return not (address.is_loopback or address.is_link_local)
