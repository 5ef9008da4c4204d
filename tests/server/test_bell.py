"""A bell wakes the one task that waits for it, and keeps a ring for who does not wait yet."""

from __future__ import annotations

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_server.bell import Bell
from tests.support.faults import Rounds


async def listen(bell: Bell, heard: list[str]) -> None:
    while True:
        await bell.heard()
        heard.append("ring")


async def test_each_ring_is_heard_once(autojump_clock: MockClock) -> None:
    bell, heard = Bell(), list[str]()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen, bell, heard)
        for number in range(1, 4):
            await wait_all_tasks_blocked()
            bell.ring()
            await wait_all_tasks_blocked()
            assert len(heard) == number
        nursery.cancel_scope.cancel()


async def test_several_rings_at_once_are_one(autojump_clock: MockClock) -> None:
    bell, heard = Bell(), list[str]()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen, bell, heard)
        await wait_all_tasks_blocked()
        for _ in range(3):
            bell.ring()
        await wait_all_tasks_blocked()
        assert heard == ["ring"]
        nursery.cancel_scope.cancel()


async def test_a_ring_before_anybody_waits_is_heard() -> None:
    bell = Bell()
    bell.ring()
    await bell.heard()


async def test_a_ring_before_anybody_waits_gives_the_others_a_round() -> None:
    bell, rounds = Bell(), Rounds()
    bell.ring()
    trio.lowlevel.add_instrument(rounds)
    await bell.heard()
    trio.lowlevel.remove_instrument(rounds)
    assert rounds.rounds == 1


async def test_who_waits_can_be_cancelled_and_wait_again(autojump_clock: MockClock) -> None:
    bell = Bell()
    with trio.move_on_after(1):
        await bell.heard()
    bell.ring()
    await bell.heard()
