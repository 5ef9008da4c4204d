"""Whole hands against a server: what each client is told, in which order, and how it ends."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.game.seen import HandEnded
from paiute_net.wire.messages import Decision
from paiute_server.arrivals import Arrivals, Gathering, StartSoon, TaskForEach, best_arrivals
from tests.support.raw_client import RawClient
from tests.support.server import memory_server, running_server


async def play_hand(table: str, clients: list[RawClient], random: Random) -> None:
    """Play until every client has heard that the hand is over."""
    await clients[0].start(table)

    async def play(client: RawClient) -> None:
        while True:
            message = await client.hear(msgspec.Struct)
            if isinstance(message, HandEnded):
                return
            if isinstance(message, Decision) and message.actions is not None:
                await client.act(message, random)

    async with trio.open_nursery() as nursery:
        for client in clients:
            nursery.start_soon(play, client)


@pytest.mark.parametrize("players", [2, 3, 5])
async def test_hands_are_played_to_their_end(players: int, autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        clients = [await running.client(f"Player {number}") for number in range(players)]
        table = await clients[0].open_table()
        for client in clients[1:]:
            await client.sit(table)
        for _ in range(3):
            await play_hand(table, clients, Random(players))


def with_a_task_for_each(start_soon: StartSoon, _: Gathering) -> Arrivals:
    return TaskForEach(start_soon)


@pytest.mark.parametrize("arrivals", [best_arrivals, with_a_task_for_each])
async def test_hands_are_played_over_sockets(arrivals: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """On every system, whether or not one task can wait for all of them."""
    monkeypatch.setattr("paiute_server.server.best_arrivals", arrivals)
    async with running_server() as running:
        clients = [await running.client(f"Player {number}") for number in range(3)]
        table = await clients[0].open_table()
        for client in clients[1:]:
            await client.sit(table)
        for _ in range(3):
            await play_hand(table, clients, Random(3))
