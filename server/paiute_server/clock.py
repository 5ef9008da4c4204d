"""Alarms and countdowns: things to be done at a time, all of them kept by one task.

Setting an alarm anew costs next to nothing while it moves to a later time, as most do: a sign of life moves a
connection's, an action its table's. An entry of the heap is looked at only when its time has come.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from math import inf
from typing import Final

import trio

from paiute_server.logs import fault, get_logger

__all__ = ["Alarm", "AlarmClock", "Countdown"]

_FEW: Final = 64
"""So many entries that nobody waits for any more are not worth sweeping out."""


class _Entry:
    """A place in the heap: ``alarm`` is to be looked at when it is ``due``; None is let go of."""

    __slots__ = ("alarm", "due")

    def __init__(self, due: float, alarm: Alarm | None) -> None:
        self.due = due
        self.alarm = alarm


_NOWHERE: Final = _Entry(inf, None)


class Alarm:
    """Calls ``on_due`` once, at the time last set; an alarm that went off may be set again."""

    __slots__ = ("_clock", "due", "entry", "on_due")

    def __init__(self, clock: AlarmClock, on_due: Callable[[], None]) -> None:
        self._clock = clock
        self.on_due = on_due
        self.due = inf
        self.entry = _NOWHERE
        """Its place in the heap, due at or before the alarm; for `AlarmClock` alone."""

    def set(self, due: float) -> None:
        """Go off at ``due``, in seconds of trio's clock, and at no other time; never at infinity."""
        self.due = due
        if due < self.entry.due:
            self._clock.enter(self)
        elif due == inf:
            self.clear()

    def clear(self) -> None:
        """Do not go off."""
        self.due = inf
        self._clock.leave(self)

    def end(self) -> None:
        """Never go off again, and let go of whom it was for, so that the two do not keep each other."""
        self.clear()
        self.on_due = _nothing


def _nothing() -> None:
    """What an alarm does that has been ended."""


class AlarmClock:
    """Keeps alarms; `run` is its task."""

    def __init__(self) -> None:
        self.now: Final = trio.lowlevel.current_clock().current_time
        """The seconds of trio's clock, at a third of what `trio.current_time` costs."""
        self._heap: list[tuple[float, int, _Entry]] = []
        self._entered = 0
        self._left = 0
        """How many entries are there for nothing."""
        self._sleep = trio.CancelScope()

    def __len__(self) -> int:
        """How many entries are kept, those for nothing included."""
        return len(self._heap)

    def alarm(self, on_due: Callable[[], None]) -> Alarm:
        """A new alarm, not yet set. If ``on_due`` fails, that is logged."""
        return Alarm(self, on_due)

    def enter(self, alarm: Alarm) -> None:
        """Look at ``alarm`` when it is due; for `Alarm` alone."""
        self.leave(alarm)
        alarm.entry = _Entry(alarm.due, alarm)
        self._entered += 1
        heappush(self._heap, (alarm.due, self._entered, alarm.entry))
        self._sleep.deadline = min(self._sleep.deadline, alarm.due)

    def leave(self, alarm: Alarm) -> None:
        """Do not look at ``alarm``, and keep nothing of it in memory; for `Alarm` alone."""
        if alarm.entry is _NOWHERE:
            return
        alarm.entry.alarm = None
        alarm.entry = _NOWHERE
        self._left += 1
        if self._left > max(_FEW, len(self._heap) // 2):
            self._sweep()

    def _sweep(self) -> None:
        self._heap = [item for item in self._heap if item[2].alarm is not None]
        self._left = 0
        heapify(self._heap)

    async def run(self) -> None:
        """Let the alarms go off; never returns."""
        while True:
            self._ring(self.now())
            with trio.move_on_at(self._heap[0][0] if self._heap else inf) as self._sleep:
                await trio.sleep_forever()

    def _ring(self, now: float) -> None:
        while self._heap and self._heap[0][0] <= now:
            alarm = heappop(self._heap)[2].alarm
            if alarm is None:
                self._left -= 1
                continue
            alarm.entry = _NOWHERE
            if alarm.due <= now:
                alarm.due = inf
                self._go_off(alarm)
            else:
                self.enter(alarm)

    def _go_off(self, alarm: Alarm) -> None:
        try:
            alarm.on_due()
        except Exception as error:  # noqa: BLE001 -- the other alarms go off all the same
            fault(get_logger(), error)


class Countdown:
    """The time that somebody has left; it can stand still, and goes on with what was left."""

    def __init__(self, clock: AlarmClock, on_zero: Callable[[], None]) -> None:
        self._now = clock.now
        self._alarm = clock.alarm(on_zero)
        self._running = False
        self._left = inf
        """What is left, or was when it last began to run; infinite where there is no limit."""
        self._end = inf

    def start(self, seconds: float) -> int | None:
        """Count down from ``seconds``; infinity never ends. Returns what is left, as `left_ms` does."""
        self._left = seconds
        self._end = self._now() + seconds
        self._set()
        return _ms(seconds)

    def stop(self) -> None:
        """Nobody's time is counted."""
        self.start(inf)

    def end(self) -> None:
        """Nobody's time will be counted again."""
        self._alarm.end()

    def run(self, running: bool) -> None:
        """Let the time run, or stand still."""
        if running == self._running:
            return
        now = self._now()
        if running:
            self._end = now + self._left
        else:
            self._left = max(0.0, self._end - now)
        self._running = running
        self._set()

    def _set(self) -> None:
        if self._running:
            self._alarm.set(self._end)
        else:
            self._alarm.clear()

    def left_ms(self) -> int | None:
        """What is left in milliseconds, None where there is no limit."""
        return _ms(self._end - self._now() if self._running else self._left)


def _ms(seconds: float) -> int | None:
    return None if seconds == inf else max(0, round(seconds * 1000))
