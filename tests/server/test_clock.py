"""Alarms go off once, at their time; countdowns count what was left."""

from __future__ import annotations

import gc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from io import StringIO
from math import inf
from random import Random
from weakref import ref

import pytest
import trio
from trio.testing import MockClock

from paiute_server.clock import Alarm, AlarmClock, Countdown


@asynccontextmanager
async def running() -> AsyncGenerator[AlarmClock]:
    clock = AlarmClock()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(clock.run)
        yield clock
        nursery.cancel_scope.cancel()


class Bell:
    """An alarm, and when it rang."""

    def __init__(self, clock: AlarmClock) -> None:
        self.rung: list[float] = []
        self.alarm: Alarm = clock.alarm(lambda: self.rung.append(trio.current_time()))


async def test_an_alarm_goes_off_once_at_its_time(autojump_clock: MockClock) -> None:
    async with running() as clock:
        bell = Bell(clock)
        bell.alarm.set(10.0)
        await trio.sleep(100)
        assert bell.rung == [10.0]


async def test_an_alarm_set_anew_goes_off_only_at_the_last_time(autojump_clock: MockClock) -> None:
    async with running() as clock:
        later, sooner, cleared, again = (Bell(clock) for _ in range(4))
        for bell in (later, sooner, cleared, again):
            bell.alarm.set(10.0)
        await trio.sleep(5)
        later.alarm.set(20.0)
        sooner.alarm.set(7.0)
        cleared.alarm.clear()
        again.alarm.clear()
        again.alarm.set(10.0)
        await trio.sleep(100)
        assert [bell.rung for bell in (later, sooner, cleared, again)] == [[20.0], [7.0], [], [10.0]]


async def test_an_alarm_in_the_past_goes_off_at_once(autojump_clock: MockClock) -> None:
    await trio.sleep(50)
    async with running() as clock:
        bell = Bell(clock)
        bell.alarm.set(1.0)
        await trio.testing.wait_all_tasks_blocked()
        assert bell.rung == [50.0]


async def test_an_alarm_may_set_itself_and_others(autojump_clock: MockClock) -> None:
    async with running() as clock:
        bell = Bell(clock)
        times: list[float] = []

        def again() -> None:
            times.append(trio.current_time())
            bell.alarm.set(trio.current_time())
            if len(times) < 3:
                alarm.set(trio.current_time() + 1)

        alarm = clock.alarm(again)
        alarm.set(1.0)
        await trio.sleep(10)
        assert times == [1.0, 2.0, 3.0]
        assert bell.rung == times


async def test_an_alarm_that_fails_keeps_no_other_from_going_off(
    autojump_clock: MockClock, log: StringIO
) -> None:
    def fail() -> None:
        raise KeyError("Qh")

    async with running() as clock:
        clock.alarm(fail).set(1.0)
        bell = Bell(clock)
        bell.alarm.set(2.0)
        await trio.sleep(10)
        assert bell.rung == [2.0]
        assert "KeyError" in log.getvalue()


async def test_many_alarms_set_at_random_ring_when_they_should(autojump_clock: MockClock) -> None:
    random = Random(1)
    async with running() as clock:
        bells = [Bell(clock) for _ in range(50)]
        expected: list[list[float]] = [[] for _ in bells]
        due = [inf for _ in bells]
        for now in range(1, 200):
            await trio.sleep_until(now - 0.5)
            for _ in range(20):
                one = random.randrange(len(bells))
                due[one] = now + random.choice((0, 1, 5, 60, inf))
                bells[one].alarm.set(due[one])
            await trio.sleep_until(now + 0.1)
            for one in range(len(bells)):
                if due[one] == now:
                    expected[one].append(now)
                    due[one] = inf
        assert [bell.rung for bell in bells] == expected


async def test_moving_alarms_to_and_fro_leaves_nothing_behind(autojump_clock: MockClock) -> None:
    async with running() as clock:
        bell = Bell(clock)
        for time in range(10_000):
            bell.alarm.set(20_000.0 - time)
        assert len(clock) <= 65


@pytest.mark.parametrize("lasting", [0, 1, 200])
async def test_nothing_is_kept_of_alarms_that_are_cleared(autojump_clock: MockClock, lasting: int) -> None:
    async with running() as clock:
        bells = [Bell(clock) for _ in range(lasting)]
        for bell in bells:
            bell.alarm.set(50_000.0)
        cleared = [ref(bell) for bell in cleared_bells(clock, 1000)]
        gc.collect()
        assert {each() for each in cleared} == {None}
        assert len(clock) <= 2 * lasting + 65
        (again,) = cleared_bells(clock, 1)
        again.alarm.set(60_000.0)
        await trio.sleep(70_000)
        assert again.rung == [60_000.0]
        assert all(bell.rung == [50_000.0] for bell in bells)
        assert len(clock) == 0


def cleared_bells(clock: AlarmClock, number: int) -> list[Bell]:
    """Bells that were to ring, and shall not."""
    bells = [Bell(clock) for _ in range(number)]
    for bell in bells:
        bell.alarm.set(50_000.0)
    for place, bell in enumerate(bells):
        bell.alarm.set(inf) if place % 2 else bell.alarm.clear()
    return bells


async def test_a_countdown_stands_still_while_it_does_not_run(autojump_clock: MockClock) -> None:
    async with running() as clock:
        zeros: list[float] = []
        countdown = Countdown(clock, lambda: zeros.append(trio.current_time()))
        countdown.start(10.0)
        await trio.sleep(100)
        countdown.run(True)
        await trio.sleep(4)
        assert countdown.left_ms() == 6000
        countdown.run(False)
        countdown.run(False)
        await trio.sleep(100)
        assert countdown.left_ms() == 6000
        countdown.run(True)
        countdown.run(True)
        await trio.sleep(5)
        assert zeros == []
        await trio.sleep(100)
        assert zeros == [210.0]
        assert countdown.left_ms() == 0


async def test_a_countdown_started_anew_forgets_the_old_one(autojump_clock: MockClock) -> None:
    async with running() as clock:
        zeros: list[float] = []
        countdown = Countdown(clock, lambda: zeros.append(trio.current_time()))
        countdown.run(True)
        countdown.start(10.0)
        await trio.sleep(5)
        countdown.start(10.0)
        await trio.sleep(9)
        countdown.stop()
        assert countdown.left_ms() is None
        countdown.run(False)
        countdown.run(True)
        await trio.sleep(100)
        assert zeros == []


@pytest.mark.parametrize("pauses", [1, 10])
async def test_no_time_is_gained_by_pauses(pauses: int, autojump_clock: MockClock) -> None:
    async with running() as clock:
        counted: list[float] = []
        countdown = Countdown(clock, lambda: counted.append(trio.current_time()))
        countdown.run(True)
        countdown.start(30.0)
        for _ in range(pauses):
            await trio.sleep(2)
            countdown.run(False)
            await trio.sleep(7)
            countdown.run(True)
        await trio.sleep(100)
        assert counted == [pytest.approx(30.0 + 7 * pauses)]
