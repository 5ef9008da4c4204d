"""Waiting for what is done later."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_server.done import Done, until_done


async def test_it_returns_when_it_is_done(autojump_clock: MockClock) -> None:
    begun: list[Done] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(until_done, begun.append)
        await wait_all_tasks_blocked()
        (done,) = begun
        assert len(nursery.child_tasks) == 1
        done(None)
        await wait_all_tasks_blocked()
        assert not nursery.child_tasks


async def test_what_is_done_at_once_is_waited_for_no_longer() -> None:
    await until_done(lambda done: done(None))


async def test_why_it_failed_is_raised() -> None:
    with pytest.raises(LookupError, match="not there"):
        await until_done(lambda done: done(LookupError("not there")))


async def test_who_waits_for_what_may_not_come_can_be_cancelled(autojump_clock: MockClock) -> None:
    begun: list[Done] = []
    with trio.move_on_after(10):
        await until_done(begun.append)
    assert trio.current_time() == 10
    begun[0](None)  # which harms nobody


async def test_who_is_shielded_cannot_be_cancelled(autojump_clock: MockClock) -> None:
    begun: list[Done] = []
    over: list[bool] = []

    async def wait() -> None:
        await until_done(begun.append, shielded=True)
        over.append(True)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await trio.sleep(10)
            assert not over
            begun[0](None)
            await wait_all_tasks_blocked()
    assert over
