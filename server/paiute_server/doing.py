"""Things that are begun at once and done later, without a task that waits for each."""

from __future__ import annotations

from collections.abc import Callable

import trio

__all__ = ["Done", "settled"]

Done = Callable[[Exception | None], None]
"""Called once, with what became of it: None if it succeeded, else why it did not."""


async def settled(begin: Callable[[Done], None]) -> None:
    """Begin something, and return when it is done; raises why it did not succeed.

    It cannot be cancelled: nobody would know what had become of it.
    """
    over = trio.Event()
    outcomes: list[Exception | None] = []

    def done(outcome: Exception | None) -> None:
        outcomes.append(outcome)
        over.set()

    begin(done)
    with trio.CancelScope(shield=True):
        await over.wait()
    (outcome,) = outcomes
    if outcome is not None:
        raise outcome
