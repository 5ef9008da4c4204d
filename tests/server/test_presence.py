"""Whoever sits at a table is told what has become of the others, and why."""

from __future__ import annotations

import socket
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.wire.messages import Closing, PresenceCause, PresenceChanged, Say
from paiute_server.limits import DEFAULTS, Rate
from tests.support.raw_client import RawClient, connect
from tests.support.server import RunningServer, memory_server, running_server

SLOW_SILENT_S = 20.0
LIMITS = msgspec.structs.replace(
    DEFAULTS,
    ping_after_s=SLOW_SILENT_S,
    lost_after_s=2 * SLOW_SILENT_S,
    outbox_bytes=20_000,
    chat=Rate(1e6, 1_000_000),
    chat_together=Rate(1e6, 1_000_000),
    requests=Rate(1e6, 1_000_000),
)


@dataclass
class Pair:
    """Two players at one table: ``seen`` sits in seat 0, ``other`` is told of it."""

    running: RunningServer
    table: str
    seen: RawClient
    other: RawClient

    async def told(self) -> PresenceChanged:
        return await self.other.hear(PresenceChanged)


@asynccontextmanager
async def pair(**options: object) -> AsyncGenerator[Pair]:
    async with memory_server(limits=LIMITS) as running:
        seen = running.memory_client(**options)  # type: ignore[arg-type]  # what the test asks for
        await seen.greet("Seen")
        table = await seen.open_table()
        other = await running.client("Other")
        await other.sit(table)
        await seen.hear_all()
        yield Pair(running, table, seen, other)


async def close(here: Pair) -> None:
    here.seen.close()


async def stop_speaking(here: Pair) -> None:
    here.seen.end()


async def break_the_protocol(here: Pair) -> None:
    await here.seen.send(bytes(4))


async def break_off_within_a_frame(here: Pair) -> None:
    await here.seen.send(b"\0\0\0\x08half")
    here.seen.end()


@pytest.mark.parametrize(
    ("end", "cause"),
    [
        (close, PresenceCause.CLOSED),
        (stop_speaking, PresenceCause.CLOSED),
        (break_the_protocol, PresenceCause.DROPPED),
        (break_off_within_a_frame, PresenceCause.LOST),
    ],
)
async def test_how_a_connection_ended_is_told(
    autojump_clock: MockClock, end: Callable[[Pair], Awaitable[None]], cause: PresenceCause
) -> None:
    async with pair() as here:
        await end(here)
        gone = await here.told()
    assert gone == PresenceChanged(table=here.table, seat=0, connected=False, away=False, cause=cause)


async def test_silence_is_a_lost_link(autojump_clock: MockClock) -> None:
    async with pair(answers_pings=False) as here:
        assert (await here.told()).cause == PresenceCause.LOST


async def test_a_link_that_broke_is_lost() -> None:
    async with running_server(limits=LIMITS) as running:
        seen = await connect(running.port)
        await seen.greet("Seen")
        other = await running.client("Other")
        await other.sit(await seen.open_table())
        await seen.hear_all()
        with_reset(seen)
        with trio.fail_after(5):
            assert (await other.hear(PresenceChanged)).cause == PresenceCause.LOST


def with_reset(client: RawClient) -> None:
    """Close the connection as if its machine knew nothing of it any more."""
    cast("Any", client)._transport._socket.setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
    )
    client.close()


async def test_who_does_not_read_is_dropped(autojump_clock: MockClock) -> None:
    async with pair(capacity=1_000) as here:
        for _ in range(100):
            await here.other.ask(Say, table=here.table, text="x" * 200)
        assert (await here.told()).cause == PresenceCause.DROPPED


async def test_coming_back_is_told(autojump_clock: MockClock) -> None:
    async with pair() as here:
        here.seen.close()
        await here.told()
        assert here.seen.welcome is not None
        await here.running.client(token=here.seen.welcome.token)
        back = await here.told()
    assert (back.seat, back.connected, back.cause) == (0, True, PresenceCause.BACK)


async def test_being_replaced_is_told_once(autojump_clock: MockClock) -> None:
    async with pair() as here:
        assert here.seen.welcome is not None
        await here.running.client(token=here.seen.welcome.token)
        replaced = await here.told()
        assert (replaced.seat, replaced.connected, replaced.cause) == (0, True, PresenceCause.REPLACED)
        assert not [one for one in await here.other.hear_all() if isinstance(one, PresenceChanged)]


async def test_who_catches_up_is_told_how_it_is_without_a_cause(autojump_clock: MockClock) -> None:
    async with pair() as here:
        await here.other.catch_up(here.table, seq=3)
        now = [one for one in await here.other.hear_all() if isinstance(one, PresenceChanged)]
    assert [(one.seat, one.cause) for one in now] == [(0, None), (1, None)]


async def test_nothing_follows_the_last_word(autojump_clock: MockClock) -> None:
    """Those who are told that the server ends are not told who else has gone then."""
    async with pair() as here:
        third = await here.running.client("Third")
        await third.sit(here.table)
        await here.other.hear_all()
        async with trio.open_nursery() as nursery:

            async def end() -> None:
                await here.running.server.shut_down(restart=False)

            nursery.start_soon(end)
            for client in (here.other, third):
                assert (await client.hear_end())[-1] == Closing(restart=False)


async def test_who_has_just_connected_is_told_too_that_the_server_ends(autojump_clock: MockClock) -> None:
    async with memory_server() as running, trio.open_nursery() as nursery:
        stranger = running.memory_client()

        async def end() -> None:
            await running.server.shut_down(restart=True)

        nursery.start_soon(end)
        assert await stranger.hear_end() == [Closing(restart=True)]
        stranger.close()
