"""Whoever watches a connection is called in each round in which something is there, until he stops."""

from __future__ import annotations

import socket
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, closing, contextmanager, nullcontext
from functools import partial
from typing import Final

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from paiute_server.arrivals import Arrivals, StartSoon, TaskForEach, best_arrivals
from paiute_server.link import MemoryTransport, SocketTransport, Transport, memory_transports
from tests.support.faults import Rounds

Make = Callable[[StartSoon], Arrivals]


def polling(start_soon: StartSoon) -> Arrivals:
    return best_arrivals(start_soon, nullcontext)


WAYS: Final[list[Make]] = [TaskForEach, *((polling,) if sys.platform == "linux" else ())]


def socket_pair() -> tuple[Transport, Transport]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        far = socket.create_connection(listener.getsockname())
        near, _ = listener.accept()
    return SocketTransport(near, "near"), SocketTransport(far, "far")


def memory_pair() -> tuple[MemoryTransport, MemoryTransport]:
    return memory_transports()


@asynccontextmanager
async def watching(make: Make) -> AsyncGenerator[Arrivals]:
    async with trio.open_nursery() as nursery:
        with closing(make(nursery.start_soon)) as arrivals:
            async with trio.open_nursery() as running:
                running.start_soon(arrivals.run)
                yield arrivals
                running.cancel_scope.cancel()
        nursery.cancel_scope.cancel()


every_way = pytest.mark.parametrize("make", WAYS)
either_end = pytest.mark.parametrize("pair", [socket_pair, memory_pair])
Ends = tuple[Transport, Transport]
Pair = Callable[[], Ends]


@pytest.fixture(params=[socket_pair, memory_pair])
async def ends(request: pytest.FixtureRequest) -> AsyncGenerator[Ends]:
    """Two ends of one stream, closed with the test."""
    made: Ends = request.param()
    yield made
    for end in made:
        end.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each has a task of its own")
async def test_what_arrives_in_one_round_is_together() -> None:
    said: list[str] = []

    @contextmanager
    def together() -> Generator[None]:
        said.append("begin")
        yield
        said.append("end")

    def make(start_soon: StartSoon) -> Arrivals:
        return best_arrivals(start_soon, together)

    pairs = [socket_pair() for _ in range(3)]
    async with watching(make) as arrivals:
        for _, far in pairs:
            far.send(b"something")
        await wait_all_tasks_blocked()
        stops: list[Callable[[], None]] = []

        def hear(number: int) -> None:
            said.append("heard")
            stops[number]()

        stops += [arrivals.watch(near, partial(hear, number)) for number, (near, _) in enumerate(pairs)]
        await until(lambda: said.count("heard") == 3)
    for pair in pairs:
        for end in pair:
            end.close()
    assert said == ["begin", "heard", "heard", "heard", "end"]


@every_way
async def test_what_arrives_is_received_once(make: Make, ends: Ends) -> None:
    near, far = ends
    received: list[bytes] = []
    async with watching(make) as arrivals:
        stop = arrivals.watch(near, lambda: received.append(near.receive(100)))
        for text in (b"one", b"two", b"three"):
            far.send(text)
            await until(partial(ends_with, received, text))
        stop()
        assert received == [b"one", b"two", b"three"]


def ends_with(received: list[bytes], text: bytes) -> bool:
    return received[-1:] == [text]


async def until(condition: Callable[[], bool]) -> None:
    """Loopback takes its time, a round of the loop or two."""
    for _ in range(10_000):
        if condition():
            return
        await trio.lowlevel.checkpoint()
    raise AssertionError("it has not arrived")


@every_way
async def test_who_leaves_it_there_is_called_again_each_round(make: Make, ends: Ends) -> None:
    near, far = ends
    rounds, called = Rounds(), list[int]()
    async with watching(make) as arrivals:
        far.send(b"something")
        stop = arrivals.watch(near, lambda: called.append(rounds.rounds))
        trio.lowlevel.add_instrument(rounds)
        await until(lambda: len(called) >= 20)
        trio.lowlevel.remove_instrument(rounds)
        stop()
        assert called == [*range(called[0], called[0] + len(called))]


@every_way
async def test_who_has_stopped_is_called_no_more_and_may_watch_again(make: Make, ends: Ends) -> None:
    near, far = ends
    called: list[str] = []
    async with watching(make) as arrivals:
        arrivals.watch(near, lambda: called.append("first"))()
        far.send(b"something")
        await wait_all_tasks_blocked()
        assert called == []
        stop = arrivals.watch(near, lambda: called.append("second"))
        await until(lambda: bool(called))
        stop()
        assert set(called) == {"second"}


@every_way
async def test_the_end_arrives_too(make: Make, ends: Ends) -> None:
    near, far = ends
    received: list[bytes] = []
    async with watching(make) as arrivals:
        stop = arrivals.watch(near, lambda: received.append(near.receive(100)))
        far.close()
        await until(lambda: bool(received))
        stop()
        assert received[0] == b""


@every_way
@either_end
async def test_one_may_stop_and_close_another_in_the_same_round(make: Make, pair: Pair) -> None:
    """Whoever comes first ends all: nobody is called for what is closed."""
    pairs = [pair() for _ in range(5)]
    called: list[int] = []
    async with watching(make) as arrivals:

        def end_all(number: int) -> None:
            called.append(number)
            for stop, (near, _) in zip(stops, pairs, strict=True):
                stop()
                near.close()

        stops = [arrivals.watch(near, partial(end_all, number)) for number, (near, _) in enumerate(pairs)]
        for _, far in pairs:
            far.send(b"something")
        await until(lambda: bool(called))
        await wait_all_tasks_blocked()
        assert len(called) == 1
    for _, far in pairs:
        far.close()
