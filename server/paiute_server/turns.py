"""One step at a time: what a step wants stored is stored before it goes on, and before the next begins."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator

from structlog.typing import FilteringBoundLogger

from paiute_server.done import Done
from paiute_server.journal import Batch
from paiute_server.logs import fault

__all__ = ["Step", "Turns", "nothing"]

Step = Generator[Batch, None, None]
"""Yields what is to be stored, and goes on when it is; where it cannot be, why not is raised there."""


class Turns:
    """The steps of one table, each in its turn.

    Args:
      commit: stores a batch, and calls back, as a rule later.
      log: where it is said that a ``done`` has failed.
    """

    def __init__(self, commit: Callable[[Batch, Done], None], log: FilteringBoundLogger) -> None:
        self._commit = commit
        self._log = log
        self._steps: deque[tuple[Step, Done]] = deque()
        """The first is under way, until it has been told that it is done."""

    def take(self, step: Step, done: Done) -> None:
        """Do ``step`` when all before it are done, at once if there are none; then call ``done``.

        All that ``done`` does comes before the next step.
        """
        self._steps.append((step, done))
        if len(self._steps) == 1:
            self._go_on(None)

    def _go_on(self, error: Exception | None) -> None:
        """Go on with the first step, and with those after it, until one wants something stored."""
        while self._steps:
            step, done = self._steps[0]
            try:
                batch = next(step) if error is None else step.throw(error)
            except StopIteration:
                error = None
            except Exception as failure:  # noqa: BLE001 -- whose step it is gets it
                error = failure
            else:
                self._commit(batch, self._go_on)
                return
            self._tell(done, error)
            self._steps.popleft()
            error = None

    def _tell(self, done: Done, outcome: Exception | None) -> None:
        try:
            done(outcome)
        except Exception as error:  # noqa: BLE001 -- the others have their turn all the same
            fault(self._log, error)


def nothing() -> Step:
    """The step of who only wants to have his turn."""
    yield from ()
