from __future__ import annotations

import signal
import sys

import pytest
import trio

from paiute_client.signals import ENDINGS, HUNG_UP, INTERRUPTED, SIGNALLED, until_signalled


async def test_what_comes_to_its_end_has_its_own_status() -> None:
    async def play() -> int:
        return 7

    assert await until_signalled(ENDINGS, play) == 7


@pytest.mark.parametrize(
    "name", [name for name in ("SIGTERM", "SIGHUP", "SIGINT") if name in signal.Signals.__members__]
)
async def test_a_signal_ends_what_has_no_end(name: str) -> None:
    number = signal.Signals[name]

    async def play() -> int:
        signal.raise_signal(number)
        await trio.sleep_forever()

    assert await until_signalled((name,), play) == SIGNALLED + number


async def test_what_is_raised_comes_out_as_it_was_raised() -> None:
    async def play() -> int:
        raise LookupError("a fault")

    with pytest.raises(LookupError, match="a fault"):
        await until_signalled(ENDINGS, play)


async def test_signals_that_the_platform_lacks_are_left_out() -> None:
    async def play() -> int:
        return 0

    assert await until_signalled(("SIGNONE", "SIGTERM"), play) == 0


def test_statuses_are_those_of_the_platforms_signals() -> None:
    if sys.platform == "win32":
        pytest.skip("it has no SIGHUP")
    assert (SIGNALLED + signal.SIGHUP, SIGNALLED + signal.SIGINT) == (HUNG_UP, INTERRUPTED)
