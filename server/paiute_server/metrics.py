"""Counting what happens, so cheaply that it need not be switched off."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

__all__ = ["Histogram", "Metrics"]

_FINE_BITS: Final = 3
"""Each doubling is divided into so many (2 to this) buckets: a value is known to an eighth of itself."""
_FINE: Final = 1 << _FINE_BITS
_LARGEST: Final = 2**40 - 1
"""As microseconds, twelve days."""


class Histogram:
    """How often which value was noted, in a fixed number of buckets that grow with the values."""

    __slots__ = ("_buckets", "count")

    def __init__(self) -> None:
        self.count = 0
        self._buckets = [0] * (_bucket(_LARGEST) + 1)

    def note(self, value: int) -> None:
        """Note a value of 0 or more."""
        self._buckets[_bucket(min(value, _LARGEST))] += 1
        self.count += 1

    def quantile(self, share: float) -> int | None:
        """A value that ``share`` of all noted do not exceed, up to an eighth too large; None without any."""
        below = 0
        for bucket, number in enumerate(self._buckets):
            below += number
            if number and below >= share * self.count:
                return _highest(bucket)
        return None


def _bucket(value: int) -> int:
    if value < 2 * _FINE:
        return value
    shift = value.bit_length() - _FINE_BITS - 1
    return (shift << _FINE_BITS) + (value >> shift)


def _highest(bucket: int) -> int:
    """The largest value that `_bucket` puts there."""
    if bucket < 2 * _FINE:
        return bucket
    shift = (bucket >> _FINE_BITS) - 1
    return ((bucket - (shift << _FINE_BITS) + 1) << shift) - 1


class Metrics:
    """What a server has done since its start.

    Args:
      soon: calls what it is handed when all that is due has been done: a sender's.
      clock: seconds of real time, since what is measured is the work of this machine.
    """

    def __init__(
        self, soon: Callable[[Callable[[], None]], None], clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.clock: Final = clock
        self._soon = soon
        self.hands = 0
        self._began = clock()
        self._telling: list[float] = []
        """When the moves arrived that are about to be told."""
        self._told = Histogram()
        """Of each move, the microseconds from its arrival to its having been sent to all seats."""

    @property
    def moves(self) -> int:
        return self._told.count

    def moved(self, since: float) -> None:
        """A move that had arrived at ``since``, a reading of ``clock``, is about to be told."""
        if not self._telling:
            self._soon(lambda: self._soon(self._on_told))  # after all that is due by then
        self._telling.append(since)

    def _on_told(self) -> None:
        now = self.clock()
        telling, self._telling = self._telling, []
        for since in telling:
            self._told.note(int((now - since) * 1_000_000))

    def told_us(self, share: float) -> int | None:
        """In so many microseconds ``share`` of all moves were told; None before the first."""
        return self._told.quantile(share)

    def uptime_ms(self) -> int:
        return int((self.clock() - self._began) * 1000)
