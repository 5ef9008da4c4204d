"""A session greeted by a server that a test speaks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import inf
from random import Random

import trio
import trio.testing
from msgspec import structs

from paiute_client.errors import (
    ClientError,
)
from paiute_client.session import Session
from paiute_net.wire.messages import (
    CatchUp,
    Decision,
    HelloResult,
)
from tests.support.client import GREETING, TABLE, Play, ScriptedLink, ScriptedServer

__all__ = ["AT_TABLE", "Outcome", "come_back", "decision_of", "greet", "settled", "start", "start_at_table"]

AT_TABLE = structs.replace(GREETING, table=TABLE, seat=0)


async def start(
    nursery: trio.Nursery, script: ScriptedServer, greeting: HelloResult = GREETING, patience: float = inf
) -> tuple[Session, ScriptedLink]:
    """A session that has been greeted, and the server's end of its link."""
    session = Session(script.server, "Keala", random=Random(1), patience=patience)
    link = await greet(script, session, greeting)
    nursery.start_soon(session.run)
    return session, link


async def greet(script: ScriptedServer, session: Session, greeting: HelloResult = GREETING) -> ScriptedLink:
    async with trio.open_nursery() as both:
        both.start_soon(session.open)
        link = await script.accept()
        await link.greet(greeting)
    return link


async def start_at_table(
    nursery: trio.Nursery, script: ScriptedServer, play: Play
) -> tuple[Session, ScriptedLink]:
    """The same, of a player in seat 0 who has been told all of the table."""
    session, link = await start(nursery, script, AT_TABLE)
    assert (await link.consent(CatchUp)).seq is None
    await link.say(play.snapshot(0))
    await trio.testing.wait_all_tasks_blocked()
    assert session.model.picture == play.picture(0)
    return session, link


async def come_back(script: ScriptedServer, after: int | None) -> ScriptedLink:
    """The player of seat 0 comes back, and asks for what came after that event."""
    link = await script.accept()
    hello = await link.greet(AT_TABLE)
    assert hello.token == GREETING.token
    assert (await link.hear(CatchUp)).seq == after
    return link


class Outcome:
    """What becomes of a request that runs in a task of its own."""

    def __init__(self, nursery: trio.Nursery, ask: Callable[[], Awaitable[object]]) -> None:
        self._ask = ask
        self._there = trio.Event()
        self._value: object = None
        nursery.start_soon(self._run)

    async def _run(self) -> None:
        try:
            self._value = await self._ask()
        except ClientError as error:
            self._value = error
        self._there.set()

    @property
    def is_open(self) -> bool:
        return not self._there.is_set()

    async def get(self) -> object:
        await self._there.wait()
        return self._value


def decision_of(play: Play) -> Decision:
    """What the player in seat 0 is told of the open decision."""
    decision = play.decision(0)
    assert decision is not None
    return decision


async def settled() -> None:
    await trio.testing.wait_all_tasks_blocked()
