"""A sender does what is due once the tasks that can run have run, in order, whatever fails."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_server.sender import Sender
from tests.support.faults import Rounds


@asynccontextmanager
async def running(sender: Sender) -> AsyncGenerator[None]:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(sender.run)
        await wait_all_tasks_blocked()
        yield
        nursery.cancel_scope.cancel()


def noting(done: list[str], what: str) -> Callable[[], None]:
    return lambda: done.append(what)


async def test_it_comes_after_all_tasks_that_can_run(autojump_clock: MockClock) -> None:
    sender, done = Sender(), list[str]()

    async def work(name: str) -> None:
        done.append(name)
        sender.soon(noting(done, f"sent by {name}"))

    async with running(sender), trio.open_nursery() as nursery:
        for name in "abcde":
            nursery.start_soon(work, name)
    await wait_all_tasks_blocked()
    assert set(done[:5]) == set("abcde")
    assert done[5:] == [f"sent by {name}" for name in done[:5]]


async def test_what_follows_from_it_is_done_too(autojump_clock: MockClock) -> None:
    sender, done = Sender(), list[str]()
    async with running(sender):
        for _ in range(3):
            sender.soon(lambda: sender.soon(noting(done, "second")))
            sender.soon(noting(done, "first"))
            await wait_all_tasks_blocked()
            assert done == ["first", "second"]
            done.clear()


async def test_what_was_asked_for_before_it_ran_is_done(autojump_clock: MockClock) -> None:
    sender, done = Sender(), list[str]()
    sender.soon(noting(done, "early"))
    async with running(sender):
        assert done == ["early"]


async def test_a_failure_is_logged_and_keeps_nothing_from_being_done(autojump_clock: MockClock) -> None:
    sender, done = Sender(), list[str]()
    with capture_logs() as log_lines:
        async with running(sender):
            sender.soon(lambda: done.remove("what is not there"))
            sender.soon(noting(done, "after it"))
            await wait_all_tasks_blocked()
    assert done == ["after it"]
    assert [line["event"] for line in log_lines] == ["fault"]


async def test_asking_for_something_after_its_end_harms_nobody(autojump_clock: MockClock) -> None:
    sender, done = Sender(), list[str]()
    async with running(sender):
        pass
    sender.soon(noting(done, "never"))
    await wait_all_tasks_blocked()
    assert done == []


@pytest.mark.parametrize("fails", [False, True])
async def test_what_is_done_now_comes_first_and_then_all_that_is_due(
    fails: bool, autojump_clock: MockClock
) -> None:
    sender, done = Sender(), list[str]()

    def act() -> None:
        done.append("now")
        sender.soon(noting(done, "due by it"))
        if fails:
            raise LookupError

    with capture_logs() as log_lines:
        async with running(sender):
            sender.soon(noting(done, "due"))
            sender.soon(lambda: sender.soon(noting(done, "due by what was due")))
            sender.now(act)
            assert done == ["now", "due", "due by it", "due by what was due"]
            await wait_all_tasks_blocked()
            assert len(done) == 4
    assert [line["event"] for line in log_lines] == ["fault"] * fails


async def test_what_is_done_now_wakes_no_task(autojump_clock: MockClock) -> None:
    """Nor is anything forgotten that is asked for afterwards."""
    sender, done, loop = Sender(), list[str](), Rounds()
    async with running(sender):
        trio.lowlevel.add_instrument(loop)
        sender.now(lambda: sender.soon(noting(done, "due by it")))
        await wait_all_tasks_blocked()
        trio.lowlevel.remove_instrument(loop)
        assert loop.steps == 1  # of this task
        sender.soon(noting(done, "later"))
        await wait_all_tasks_blocked()
        assert done == ["due by it", "later"]
