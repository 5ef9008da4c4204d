"""The signals that end a program, and the exit statuses that stand for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
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

    Raises whatever ``play`` raises.
    """
    statuses: list[int] = []
    failures: list[Exception] = []
    async with trio.open_nursery() as nursery:
        await nursery.start(_heed, names, statuses, nursery.cancel_scope)
        try:
            statuses.append(await play())
        except Exception as failure:  # noqa: BLE001 -- raised below, where it does not become one of a group
            failures.append(failure)
        nursery.cancel_scope.cancel()
    if failures:
        raise failures[0]
    return statuses[0]


async def _heed(
    names: Iterable[str],
    statuses: list[int],
    scope: trio.CancelScope,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    numbers = [Signals[name] for name in names if name in Signals.__members__]
    with trio.open_signal_receiver(*numbers) as arriving:
        task_status.started()
        async for number in arriving:
            statuses.append(SIGNALLED + number)
            scope.cancel()
