"""What holds for every test: assertions in the test tools are explained, and Hypothesis repeats itself."""

from __future__ import annotations

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
