"""A table in a server of this process, with clients who sit at it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from paiute_net.game.seen import (
    SeenEvent,
)
from paiute_net.wire.messages import (
    Decision,
    Request,
)
from paiute_server.journal import Journal
from paiute_server.limits import DEFAULTS, Limits
from tests.support.raw_client import Denied, RawClient
from tests.support.server import RunningServer, memory_server

__all__ = ["CALM", "LIMIT_S", "Scene", "denied", "events", "kinds", "scene", "since"]

LIMIT_S = 60.0
CALM = msgspec.structs.replace(DEFAULTS, ping_after_s=1e6, lost_after_s=2e6)
"""Nobody is pinged, so that nobody has to listen all the time."""


class Scene:
    """Clients who sit at one table, in the order of their seats."""

    def __init__(self, running: RunningServer, table: str, clients: list[RawClient]) -> None:
        self.running = running
        self.table = table
        self.clients = clients
        self.decision: Decision | None = None

    async def start(self) -> None:
        """Start a hand, and hear what everybody is told of it."""
        await self.clients[0].start(self.table)
        await self.settle()

    async def settle(self) -> None:
        """Let everybody hear everything that has been said."""
        await wait_all_tasks_blocked()
        for client in self.clients:
            for message in [] if client.ended else await client.hear_all():
                if isinstance(message, Decision):
                    self.note(message)

    def note(self, decision: Decision) -> None:
        """Keep the newest decision, as he heard it who is asked if he did."""
        last = self.decision
        if last is None or decision.decision > last.decision or decision.actions is not None:
            self.decision = decision

    @property
    def asked(self) -> Decision:
        """The last decision that was asked of anybody."""
        assert self.decision is not None
        return self.decision

    @property
    def acting(self) -> RawClient:
        return self.clients[self.asked.seat]

    async def act(self) -> None:
        """Whoever is asked does something legal; if his link is lost, his time passes."""
        if self.acting.ended:
            await trio.sleep(LIMIT_S)
        else:
            await self.acting.act(self.asked, Random(self.asked.decision))
        await self.settle()

    async def act_until(self, *kinds: type[SeenEvent]) -> None:
        listener = next(client for client in self.clients if not client.ended)
        heard = len(listener.heard)
        while not any(isinstance(message, kinds) for message in listener.heard[heard:]):
            await self.act()

    async def come_back(self, seat: int, seq: int | None = None) -> RawClient:
        """Whoever sits there connects anew, and catches up."""
        former = self.clients[seat]
        former.close()
        await trio.sleep(0.1)
        assert former.welcome is not None
        client = await self.running.client(token=former.welcome.token)
        assert client.welcome is not None
        assert (client.welcome.table, client.welcome.seat) == (self.table, seat)
        await client.catch_up(self.table, seq=seq)
        self.clients[seat] = client
        return client


@asynccontextmanager
async def scene(
    players: int = 3,
    time_limit_ms: int | None = 60_000,
    limits: Limits = CALM,
    journal: Journal | None = None,
    **table: object,
) -> AsyncGenerator[Scene]:
    async with memory_server(limits=limits, journal=journal) as running:
        clients = [await running.client(name) for name in ("Ana", "Bob", "Cyn", "Dan", "Eve")[:players]]
        opened = await clients[0].open_table(time_limit_ms=time_limit_ms, **table)
        for client in clients[1:]:
            await client.sit(opened)
        here = Scene(running, opened, clients)
        await here.settle()
        yield here


async def denied(client: RawClient, kind: type[Request], **fields: object) -> Denied:
    with pytest.raises(Denied) as refusal:
        await client.ask(kind, **fields)
    return refusal.value


def kinds(messages: list[Any]) -> list[type[Any]]:
    return [type(message) for message in messages]


def events(client: RawClient) -> list[SeenEvent]:
    return [message for message in client.heard if isinstance(message, SeenEvent)]


def since(client: RawClient, heard: int, kind: type[Any]) -> list[Any]:
    return [message for message in client.heard[heard:] if isinstance(message, kind)]
