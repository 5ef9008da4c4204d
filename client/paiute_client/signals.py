"""The signals that end a program, and the exit statuses that stand for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from signal import Signals
from typing import Final

import trio

__all__ = ["ENDINGS", "HUNG_UP", "INTERRUPTED", "SIGNALLED", "until_signalled"]

SIGNALLED: Final = 128
"""Added to a signal's number, the exit status of a program that it ended."""
HUNG_UP: Final = SIGNALLED + 1
"""The status after SIGHUP, also where the platform has no such signal."""
INTERRUPTED: Final = SIGNALLED + 2
"""The status after SIGINT."""
ENDINGS: Final = ("SIGTERM", "SIGHUP", "SIGBREAK")
"""The signals that end a program and are no key."""


async def until_signalled(names: Iterable[str], play: Callable[[], Awaitable[int]]) -> int:
    """What ``play`` returns, or the status that stands for the signal that ends it.

    Args:
      names: the signals that do; those that the platform lacks are left out.

    Raises whatever ``play`` raises. Signals that follow the first change nothing: ending takes not long.
    """
    statuses: list[int] = []
    failures: list[Exception] = []
    numbers = [Signals[name] for name in names if name in Signals.__members__]
    with trio.open_signal_receiver(*numbers) as arriving:
        async with trio.open_nursery() as nursery:
            with trio.CancelScope() as playing:
                nursery.start_soon(_heed, arriving, statuses, playing)
                try:
                    statuses.append(await play())
                except Exception as failure:  # noqa: BLE001 -- raised below, where no group is made of it
                    failures.append(failure)
            nursery.cancel_scope.cancel()
    if failures:
        raise failures[0]
    return statuses[0]


async def _heed(arriving: AsyncIterator[int], statuses: list[int], playing: trio.CancelScope) -> None:
    """To the very end: what is not taken here would be delivered once more, and kill the program."""
    async for number in arriving:
        statuses.append(SIGNALLED + number)
        playing.cancel()
