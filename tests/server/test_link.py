"""A link sends at once what it can, keeps the rest within bounds, and waits for nobody."""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_server.arrivals import TaskForEach
from paiute_server.limits import DEFAULTS
from paiute_server.link import Link, SocketTransport, Transport, memory_transports
from paiute_server.sender import Sender

LIMITS = msgspec.structs.replace(DEFAULTS, outbox_bytes=100_000, linger_s=2.0)
CAPACITY = 1_000


def socket_transports() -> tuple[Transport, Transport]:
    """Two connected TCP sockets with small buffers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        near = socket.create_connection(listener.getsockname())
        far, _ = listener.accept()
    near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    return SocketTransport(near, "near"), SocketTransport(far, "far")


@dataclass
class Joined:
    """A link and the other end of it; ``writers`` counts the writer tasks that were started."""

    link: Link
    peer: Transport
    writers: list[Callable[[], Awaitable[None]]]

    async def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            data += await self.read_some()
        return data

    async def read_some(self) -> bytes:
        await self.peer.readable()
        try:
            return self.peer.receive(65_536)
        except BlockingIOError:
            return b""


@asynccontextmanager
async def joined(make: Callable[[], tuple[Transport, Transport]]) -> AsyncGenerator[Joined]:
    near, far = make()
    async with trio.open_nursery() as nursery:
        writers: list[Callable[[], Awaitable[None]]] = []

        def start_soon(act: Callable[[], Awaitable[None]]) -> None:
            writers.append(act)
            nursery.start_soon(act)

        sender = Sender()
        nursery.start_soon(sender.run)
        yield Joined(Link(near, sender, TaskForEach(start_soon), start_soon, LIMITS), far, writers)
        nursery.cancel_scope.cancel()
    near.close()
    far.close()


def in_memory() -> tuple[Transport, Transport]:
    return memory_transports(CAPACITY)


both = pytest.mark.parametrize("make", [socket_transports, in_memory])


@both
async def test_what_the_client_takes_is_sent_without_a_writer(
    make: Callable[[], tuple[Transport, Transport]],
) -> None:
    async with joined(make) as ends:
        ends.link.offer(b"one")
        ends.link.offer(b"two")
        assert await ends.read(6) == b"onetwo"
        assert ends.writers == []


async def test_what_is_offered_at_once_leaves_in_one_piece() -> None:
    async with joined(in_memory) as ends:
        for _ in range(3):
            ends.link.offer(b"one")
            ends.link.offer(b"two")
            assert await ends.read_some() == b"onetwo"


@both
async def test_what_is_left_over_is_sent_in_order_by_one_writer(
    make: Callable[[], tuple[Transport, Transport]],
) -> None:
    async with joined(make) as ends:
        expected = b""
        for number in range(20_000):
            frame = b"%05d" % number
            ends.link.offer(frame)
            expected += frame
            if number % 100 == 0:
                await trio.lowlevel.checkpoint()
                expected = expected.removeprefix(await _arrived(ends))
        assert await ends.read(len(expected)) == expected


async def _arrived(ends: Joined) -> bytes:
    try:
        return ends.peer.receive(65_536)
    except BlockingIOError:
        return b""


async def test_a_writer_exists_only_while_bytes_are_left() -> None:
    async with joined(in_memory) as ends:
        for _ in range(3):
            ends.link.offer(b"x" * 3 * CAPACITY)
            ends.link.offer(b"y")
            await ends.read(3 * CAPACITY + 1)
            await wait_all_tasks_blocked()
            ends.link.offer(b"z")
            assert await ends.read(1) == b"z"
        assert len(ends.writers) == 3


@both
async def test_a_client_that_does_not_read_loses_its_link(
    make: Callable[[], tuple[Transport, Transport]],
) -> None:
    async with joined(make) as ends:
        offered = 0
        while not ends.link.overflowed:
            ends.link.offer(b"x" * 10_000)
            offered += 10_000
            assert offered < 50_000_000
        assert offered > LIMITS.outbox_bytes
        ends.link.offer(b"more")
        assert await ends.link.receive() == b""
        await wait_all_tasks_blocked()


@both
async def test_what_the_client_sends_is_received(make: Callable[[], tuple[Transport, Transport]]) -> None:
    async with joined(make) as ends:
        assert ends.peer.send(b"hello") == 5
        assert await ends.link.receive() == b"hello"
        ends.peer.end()
        assert await ends.link.receive() == b""


@both
async def test_who_listens_is_called_until_he_rests(make: Callable[[], tuple[Transport, Transport]]) -> None:
    async with joined(make) as ends:
        heard: list[bytes | None] = []

        def hear() -> None:
            heard.append(ends.link.arrived())
            ends.link.rest()

        for text in (b"one", b"two"):
            ends.link.listen(hear)
            ends.link.listen(hear)  # he does already
            ends.peer.send(text)
            await wait_until(lambda: bool(heard))
            ends.peer.send(b"not yet heard")
            await wait_all_tasks_blocked()
            assert heard == [text]
            assert await ends.link.receive() == b"not yet heard"
            assert ends.link.arrived() is None
            heard.clear()


async def wait_until(condition: Callable[[], bool]) -> None:
    with trio.fail_after(5):
        while not condition():
            await trio.lowlevel.checkpoint()


async def drop(ends: Joined) -> None:
    ends.link.drop()


async def end(ends: Joined) -> None:
    ends.peer.end()


async def send_in_vain(ends: Joined) -> None:
    """The client has vanished, which shows when something is sent to him."""
    ends.peer.send(b"unread")
    ends.peer.close()
    for _ in range(3):
        ends.link.offer(b"x")
        await wait_all_tasks_blocked()


async def overflow(ends: Joined) -> None:
    ends.link.offer(b"x" * 2 * LIMITS.outbox_bytes * 10)


@both
@pytest.mark.parametrize("finish", [drop, end, send_in_vain, overflow])
@pytest.mark.parametrize("before", [True, False], ids=["he listens before", "he listens after"])
async def test_who_listens_hears_of_the_end(
    make: Callable[[], tuple[Transport, Transport]],
    finish: Callable[[Joined], Awaitable[None]],
    before: bool,
) -> None:
    """However it comes: else nobody would ever see to the client again."""
    async with joined(make) as ends:
        heard: list[bytes | None] = []

        def hear() -> None:
            heard.append(ends.link.arrived())
            if heard[-1] == b"":
                ends.link.rest()

        if before:
            ends.link.listen(hear)
        await finish(ends)
        if not before:
            ends.link.listen(hear)
        await wait_until(lambda: heard[-1:] == [b""])


@both
async def test_finishing_lets_the_client_have_everything(
    make: Callable[[], tuple[Transport, Transport]],
) -> None:
    async with joined(make) as ends, trio.open_nursery() as nursery:
        ends.peer.send(b"what the server never reads")
        ends.link.offer(b"x" * 90_000)
        nursery.start_soon(ends.link.finish)
        assert await ends.read(90_000) == b"x" * 90_000
        assert await ends.read_some() == b""
        ends.peer.end()


async def test_finishing_waits_only_so_long(autojump_clock: MockClock) -> None:
    async with joined(in_memory) as ends:
        ends.link.offer(b"x" * 5 * CAPACITY)
        start = trio.current_time()
        await ends.link.finish()
        assert trio.current_time() - start == LIMITS.linger_s
        with pytest.raises(BrokenPipeError):
            ends.peer.send(b"x")


async def test_what_is_offered_while_it_lingers_is_lost(autojump_clock: MockClock) -> None:
    async with joined(in_memory) as ends, trio.open_nursery() as nursery:
        ends.link.offer(b"x" * 2 * CAPACITY)
        nursery.start_soon(ends.link.finish)
        await wait_all_tasks_blocked()
        ends.link.offer(b"while some waits")
        assert await ends.read(2 * CAPACITY) == b"x" * 2 * CAPACITY
        assert await ends.read_some() == b""
        ends.link.offer(b"after the end")
        await wait_all_tasks_blocked()
        assert not ends.link.broken
        ends.peer.send(b"so that it lingers still")
        ends.peer.end()


@both
async def test_who_listens_hears_nothing_while_it_lingers(
    make: Callable[[], tuple[Transport, Transport]],
) -> None:
    heard: list[bytes | None] = []
    async with joined(make) as ends:
        ends.link.listen(lambda: heard.append(ends.link.arrived()))
        await wait_all_tasks_blocked()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ends.link.finish)
            await wait_all_tasks_blocked()
            for _ in range(3):
                ends.peer.send(b"too late")
                await wait_all_tasks_blocked()
            ends.peer.end()
        await wait_all_tasks_blocked()
    assert heard == []


@both
async def test_dropping_wakes_whoever_receives(make: Callable[[], tuple[Transport, Transport]]) -> None:
    async with joined(make) as ends, trio.open_nursery() as nursery:

        async def receive() -> None:
            assert await ends.link.receive() == b""

        nursery.start_soon(receive)
        await wait_all_tasks_blocked()
        ends.link.drop()
        ends.link.drop()


@both
async def test_a_client_that_is_gone_closes_the_link(
    make: Callable[[], tuple[Transport, Transport]],
) -> None:
    async with joined(make) as ends:
        ends.peer.send(b"unread")
        ends.peer.close()
        while await ends.link.receive():
            pass
        for _ in range(3):
            ends.link.offer(b"x")
            await trio.lowlevel.checkpoint()
        assert await ends.link.receive() == b""
        await ends.link.finish()


@both
async def test_a_client_that_goes_while_bytes_wait_ends_the_writer(
    make: Callable[[], tuple[Transport, Transport]],
) -> None:
    async with joined(make) as ends:
        while not ends.writers:
            ends.link.offer(b"x" * 10_000)
        ends.peer.close()
        with trio.fail_after(5):
            await ends.link.finish()
        assert await ends.link.receive() == b""
