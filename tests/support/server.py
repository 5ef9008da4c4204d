"""Servers to test against, in this process: on memory links, or on a port of this machine.

async with running_server(seed=1) as running:
    stream = await trio.open_tcp_stream("127.0.0.1", running.port)
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random

import trio

from paiute_net.game.chance import Chance, RandomChance
from paiute_server.journal import Journal, MemoryJournal
from paiute_server.limits import DEFAULTS, Limits
from paiute_server.link import memory_transports
from paiute_server.listening import accept, open_listeners
from paiute_server.operator import Operator
from paiute_server.server import DEFAULT_TIME_LIMIT_MS, Server
from tests.support.raw_client import RawClient, connect

__all__ = ["RunningServer", "memory_server", "running_server"]


@dataclass
class RunningServer:
    """A server in this process; ``port`` is 0 where it has none."""

    server: Server
    port: int = 0
    clients: list[RawClient] = field(default_factory=list[RawClient])

    async def client(self, name: str | None = None, **fields: object) -> RawClient:
        """A client that has connected, over TCP if the server has a port, and said hello."""
        client = await self.stranger() if self.port else self.memory_client()
        await client.greet(name, **fields)
        return client

    async def stranger(self, host: str = "127.0.0.1") -> RawClient:
        """A client that has connected over TCP, and said nothing."""
        client = await connect(self.port, host)
        self.clients.append(client)
        return client

    def memory_client(
        self, *, capacity: int = 65_536, address: str = "memory", answers_pings: bool = True
    ) -> RawClient:
        """A client that has connected through memory, and said nothing."""
        here, there = memory_transports(capacity, address)
        self.server.admit(there, address)
        return RawClient(here, answers_pings=answers_pings)


@asynccontextmanager
async def memory_server(
    *,
    seed: int = 1,
    chance: Chance | None = None,
    journal: Journal | None = None,
    limits: Limits = DEFAULTS,
    time_limit_ms: int | None = DEFAULT_TIME_LIMIT_MS,
    operator: Operator | None = None,
    wall_clock: Callable[[], float] = time.time,
) -> AsyncGenerator[RunningServer]:
    """A server without a port; when it ends, its clients find themselves cut off, as by a crash."""
    server = Server(
        journal or MemoryJournal(),
        chance or RandomChance(Random(seed)),
        limits=limits,
        time_limit_ms=time_limit_ms,
        operator=operator,
        wall_clock=wall_clock,
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(server.run)
        running = RunningServer(server)
        yield running
        nursery.cancel_scope.cancel()
    for client in running.clients:
        client.close()


@asynccontextmanager
async def running_server(
    host: str | None = "127.0.0.1",
    *,
    seed: int = 1,
    chance: Chance | None = None,
    journal: Journal | None = None,
    limits: Limits = DEFAULTS,
    time_limit_ms: int | None = DEFAULT_TIME_LIMIT_MS,
    operator: Operator | None = None,
) -> AsyncGenerator[RunningServer]:
    """The same with a port of this machine; ``host`` None: on all its addresses."""
    async with memory_server(
        seed=seed,
        chance=chance,
        journal=journal,
        limits=limits,
        time_limit_ms=time_limit_ms,
        operator=operator,
    ) as running:
        listeners = await open_listeners(host, 0, 64)
        async with trio.open_nursery() as nursery:
            for listener in listeners:
                nursery.start_soon(accept, listener, running.server.admit, running.server.limits)
            running.port = listeners[0].getsockname()[1]
            try:
                yield running
            finally:
                nursery.cancel_scope.cancel()
                for listener in listeners:
                    listener.close()
