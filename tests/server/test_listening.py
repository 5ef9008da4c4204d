"""The port: one for both families, checked before use; who may connect, and what they type."""

from __future__ import annotations

import errno
import socket
from contextlib import ExitStack, suppress
from typing import cast

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.wire.messages import ListTables, TablesResult
from paiute_server import listening
from paiute_server.limits import DEFAULTS
from paiute_server.link import Transport
from paiute_server.listening import (
    StartError,
    accept,
    check_port,
    counted_by,
    from_elsewhere,
    open_listeners,
    typed,
)
from tests.support.server import running_server


async def opened(resources: ExitStack, host: str | None, port: int = 0) -> list[socket.socket]:
    listeners = await open_listeners(host, port, 8)
    for listener in listeners:
        resources.enter_context(listener)
    return listeners


def port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


@pytest.mark.parametrize("port", [-1, 65_536, 70_000])
def test_a_port_out_of_range_is_refused(port: int) -> None:
    with pytest.raises(StartError, match=f"there is no port {port}; choose one from 1 to 65535"):
        check_port(port)


@pytest.mark.parametrize("port", [0, 1, 7000, 65_535])
def test_a_port_in_range_is_taken(port: int) -> None:
    assert check_port(port) == port


async def test_one_port_serves_both_families() -> None:
    with ExitStack() as resources:
        listeners = await opened(resources, None)
        assert {listener.family for listener in listeners} == {socket.AF_INET, socket.AF_INET6}
        assert len({port_of(listener) for listener in listeners}) == 1
        assert all(listener.getblocking() is False for listener in listeners)


async def test_clients_of_both_families_are_served() -> None:
    async with running_server(None) as running:
        for host in ("127.0.0.1", "::1"):
            client = await running.stranger(host)
            await client.greet()
            await client.ask(ListTables, TablesResult)


async def test_only_the_named_host_is_listened_on() -> None:
    with ExitStack() as resources:
        (four,) = await opened(resources, "127.0.0.1")
        assert four.getsockname()[0] == "127.0.0.1"
        (six,) = await opened(resources, "::1")
        assert six.getsockname()[0] == "::1"
        assert await opened(resources, "localhost")


async def test_a_port_in_use_is_said_to_be() -> None:
    with ExitStack() as resources:
        (taken,) = await opened(resources, "127.0.0.1")
        port = port_of(taken)
        for host in ("127.0.0.1", None):
            with pytest.raises(StartError, match=f"port {port} is in use; choose another with --port"):
                await open_listeners(host, port, 8)


async def test_a_port_chosen_by_the_system_is_free_in_both_families(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []
    real = listening.open_one

    def busy(place: listening.Place, port: int, backlog: int) -> socket.socket:
        tries.append(port)
        if port and len(tries) < 6:
            raise OSError(errno.EADDRINUSE, "in use")
        return real(place, port, backlog)

    monkeypatch.setattr(listening, "open_one", busy)
    with ExitStack() as resources:
        await opened(resources, None)
    assert len(tries) > 5


async def test_where_no_port_is_free_in_both_families(monkeypatch: pytest.MonkeyPatch) -> None:
    real = listening.open_one

    def busy(place: listening.Place, port: int, backlog: int) -> socket.socket:
        if port:
            raise OSError(errno.EADDRINUSE, "in use")
        return real(place, port, backlog)

    monkeypatch.setattr(listening, "open_one", busy)
    with pytest.raises(StartError, match="no port is free in both"):
        await open_listeners(None, 0, 8)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EACCES, "port 80 is kept for the system; choose one from 1024 to 65535"),
        (errno.EADDRNOTAVAIL, "kona.example is no address of this machine; leave --host out"),
        (errno.EIO, "listening on port 80 failed"),
    ],
)
async def test_why_a_port_cannot_be_had(number: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> socket.socket:
        raise OSError(number, "refused")

    async def resolve(*_: object, **__: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 0))]

    monkeypatch.setattr(listening, "open_one", refuse)
    monkeypatch.setattr(trio.socket, "getaddrinfo", resolve)
    with pytest.raises(StartError, match=said):
        await open_listeners("kona.example", 80, 8)


async def test_a_machine_without_ipv6_listens_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    real = listening.open_one

    def without(place: listening.Place, port: int, backlog: int) -> socket.socket:
        if place.family == socket.AF_INET6:
            raise OSError(errno.EAFNOSUPPORT, "no IPv6")
        return real(place, port, backlog)

    monkeypatch.setattr(listening, "open_one", without)
    with ExitStack() as resources:
        (only,) = await opened(resources, None)
        assert only.family == socket.AF_INET


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a..b", "x" * 70, ""])
async def test_a_host_that_is_not_known(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    monkeypatch.setattr(trio.socket, "getaddrinfo", resolve)
    with pytest.raises(StartError, match="is not known here; leave --host out to listen everywhere"):
        await open_listeners(host, 7000, 8)


class Tired:
    """A listening socket from which, for a while, no connection can be had."""

    def __init__(self, real: socket.socket, failures: list[int]) -> None:
        self._real = real
        self._failures = failures

    def fileno(self) -> int:
        return self._real.fileno()

    def accept(self) -> tuple[socket.socket, object]:
        if self._failures:
            raise OSError(self._failures.pop(0), "not now")
        return self._real.accept()


async def first_accepted(failures: list[int]) -> float:
    """When a connection is accepted at last."""
    times: list[float] = []
    with ExitStack() as resources:
        (listener,) = await opened(resources, "127.0.0.1")
        client = resources.enter_context(socket.create_connection(listener.getsockname()))
        async with trio.open_nursery() as nursery:

            def admit(transport: Transport, address: str) -> None:
                assert (transport.peer, address) == (typed(*client.getsockname()), "127.0.0.1")
                transport.close()
                times.append(trio.current_time())
                nursery.cancel_scope.cancel()

            tired = cast("socket.socket", Tired(listener, failures))
            nursery.start_soon(accept, tired, admit, DEFAULTS)
    return times[0]


async def test_when_descriptors_run_out_accepting_rests_and_goes_on(autojump_clock: MockClock) -> None:
    assert await first_accepted([errno.EMFILE, errno.ENFILE]) == pytest.approx(2 * DEFAULTS.accept_pause_s)


async def test_a_connection_that_was_gone_is_no_reason_to_rest(autojump_clock: MockClock) -> None:
    assert await first_accepted([errno.ECONNABORTED, errno.EAGAIN]) == 0


async def test_the_system_holds_little_for_a_client_that_does_not_read(autojump_clock: MockClock) -> None:
    """Whatever it holds, the outbox does not count."""
    held: list[int] = []
    with ExitStack() as resources:
        (listener,) = await opened(resources, "127.0.0.1")
        deaf = resources.enter_context(socket.socket())
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(listener.getsockname())
        async with trio.open_nursery() as nursery:

            async def fill(transport: Transport) -> None:
                taken = 0
                with trio.move_on_after(1):
                    while True:
                        await transport.writable()
                        with suppress(BlockingIOError):
                            taken += transport.send(bytes(10_000))
                held.append(taken)
                transport.close()
                nursery.cancel_scope.cancel()

            def admit(transport: Transport, address: str) -> None:
                nursery.start_soon(fill, transport)

            nursery.start_soon(accept, listener, admit, DEFAULTS)
    assert 0 < held[0] <= DEFAULTS.outbox_bytes


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_by_what_an_address_is_counted(host: str, counted: str) -> None:
    assert counted_by(host) == counted


@pytest.mark.parametrize(
    ("host", "text"), [("192.0.2.7", "192.0.2.7:7000"), ("2001:db8::7", "[2001:db8::7]:7000")]
)
def test_what_is_typed(host: str, text: str) -> None:
    assert typed(host, 7000) == text


async def test_what_those_on_other_machines_type(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {
        socket.AF_INET: ["127.0.0.1", "192.0.2.7", "169.254.3.4"],
        socket.AF_INET6: ["::1", "fe80::7", "2001:db8::7"],
    }

    def addresses(family: socket.AddressFamily) -> list[str]:
        return own[family]

    monkeypatch.setattr(listening, "own_addresses", addresses)
    with ExitStack() as resources:
        everywhere = await opened(resources, None)
        port = port_of(everywhere[0])
        assert from_elsewhere(everywhere) == [f"192.0.2.7:{port}", f"[2001:db8::7]:{port}"]
        assert from_elsewhere(await opened(resources, "127.0.0.1")) == []


async def test_this_machines_addresses_are_found() -> None:
    assert "127.0.0.1" in listening.own_addresses(socket.AF_INET)
    assert "::1" in listening.own_addresses(socket.AF_INET6)


async def test_connections_over_tcp_are_counted_by_address() -> None:
    limits = msgspec.structs.replace(DEFAULTS, max_connections_per_address=2)
    async with running_server(limits=limits) as running:
        clients = [await running.stranger() for _ in range(3)]
        assert len(await clients[2].hear_end()) == 1
