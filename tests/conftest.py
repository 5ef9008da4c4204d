"""What holds for every test: assertions in the test tools are explained, Hypothesis repeats itself, and
signals do what they do in a terminal, however the tests are started.
"""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.support")

# The same examples in every run, and no example judged by the real clock of a busy machine.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# For hunting: other examples in each run, and many of them.
settings.register_profile(
    "thorough", settings.get_profile("repeatable"), derandomize=False, max_examples=2000
)
settings.load_profile("repeatable")


def _live_on(*_: object) -> None:
    """Who starts the tests with nohup means them, and not the programs that they start.

    Those inherit that a signal is ignored, but not that it has a handler.
    """


if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, _live_on)

# A script's shell lets what it starts in the background ignore it; neither asyncio nor trio takes it then.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
