"""Things that are begun at once and done later, without a task that waits for each."""

from __future__ import annotations

from collections.abc import Callable

import trio

__all__ = ["Done", "until_done"]

Done = Callable[[Exception | None], None]
"""Called once, with what became of it: None if it succeeded, else why it did not."""


async def until_done(begin: Callable[[Done], None], *, shielded: bool = False) -> None:
    """Begin something, and return when it is done; raises why it did not succeed.

    Args:
      begin: is handed whom to call when it is done.
      shielded: who waits cannot be cancelled, since he has to know what became of it. It is done in any case.
    """
    over = trio.Event()
    outcomes: list[Exception | None] = []

    def done(outcome: Exception | None) -> None:
        outcomes.append(outcome)
        over.set()

    begin(done)
    with trio.CancelScope(shield=shielded):
        await over.wait()
    (outcome,) = outcomes
    if outcome is not None:
        raise outcome
