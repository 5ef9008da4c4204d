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
      clock: seconds of real time, since what is measured is the work of this machine.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.clock: Final = clock
        self.hands = 0
        self._began = clock()
        self._told = Histogram()
        """Of each move, the microseconds from its arrival to its having been sent to all seats."""

    @property
    def moves(self) -> int:
        return self._told.count

    def moved(self, since: float) -> None:
        """A move that had arrived at ``since``, a reading of ``clock``, has been told."""
        self._told.note(int((self.clock() - since) * 1_000_000))

    def told_us(self, share: float) -> int | None:
        """In so many microseconds ``share`` of all moves were told; None before the first."""
        return self._told.quantile(share)

    def uptime_ms(self) -> int:
        return int((self.clock() - self._began) * 1000)
