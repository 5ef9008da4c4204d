"""Counts and quantiles: exact as far as they claim to be, and small whatever is noted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from paiute_server.metrics import Histogram, Metrics

LARGEST = 2**40 - 1


@given(st.lists(st.integers(0, LARGEST), min_size=1), st.sampled_from((0.01, 0.5, 0.9, 0.99, 1.0)))
def test_a_quantile_is_at_most_an_eighth_too_large(values: list[int], share: float) -> None:
    histogram = Histogram()
    for value in values:
        histogram.note(value)
    exact = sorted(values)[ceil(share * len(values)) - 1]
    quantile = histogram.quantile(share)
    assert quantile is not None
    assert exact <= quantile <= exact + exact // 8


def test_small_values_are_exact() -> None:
    for value in range(16):
        histogram = Histogram()
        histogram.note(value)
        assert histogram.quantile(0.5) == value


def test_what_is_larger_than_all_counts_as_the_largest() -> None:
    histogram = Histogram()
    histogram.note(2**80)
    assert (histogram.count, histogram.quantile(0.5)) == (1, LARGEST)


def test_without_values_there_is_no_quantile() -> None:
    assert Histogram().quantile(0.5) is None


def test_moves_are_measured_in_microseconds_of_the_clock() -> None:
    now = 100.0
    soon: list[Callable[[], None]] = []
    metrics = Metrics(soon.append, lambda: now)
    for took in (0.000_01, 0.000_012, 0.5):
        metrics.moved(metrics.clock())
        now += took
        while soon:
            soon.pop()()
    assert metrics.moves == 3
    assert metrics.told_us(0.5) in {11, 12}
    assert 500_000 <= (metrics.told_us(0.99) or 0) <= 562_500
    assert metrics.uptime_ms() == 500


def test_a_move_is_told_when_all_is_told_that_was_due_with_it() -> None:
    now = 0.0
    soon: deque[Callable[[], None]] = deque()
    metrics = Metrics(soon.append, lambda: now)
    metrics.moved(0.0)
    soon.append(lambda: metrics.moved(0.0))
    for _ in range(3):
        now += 0.01
        soon.popleft()()
    assert not soon
    assert metrics.moves == 2
    assert 30_000 <= (metrics.told_us(0.01) or 0) <= 33_750
