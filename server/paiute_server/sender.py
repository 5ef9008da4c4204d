"""Sending once for all that has happened meanwhile, instead of piece by piece.

Each small send wakes the process at the other end, which costs more than the send; and while many tables
move, one client after another. So links only note what they are offered. When the tasks that could run have
run, all of it leaves, to each client in one piece.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from paiute_server.logs import fault, get_logger

__all__ = ["Sender"]


class Sender:
    """Does what is to be done when the tasks that can run now have run; `run` is its task."""

    def __init__(self) -> None:
        self._due: list[Callable[[], None]] = []
        self._waiting: trio.lowlevel.Task | None = None
        self._log: Final = get_logger()

    def soon(self, act: Callable[[], None]) -> None:
        """Call ``act`` soon, after all that was asked for before. If it fails, that is logged."""
        self._due.append(act)
        if self._waiting is not None:
            trio.lowlevel.reschedule(self._waiting)
            self._waiting = None

    async def run(self) -> None:
        """Do what is due, until cancelled."""
        while True:
            due, self._due = self._due, []
            for act in due:
                try:
                    act()
                except Exception as error:  # noqa: BLE001 -- the others have their turn all the same
                    fault(self._log, error)
            if not self._due:
                self._waiting = trio.lowlevel.current_task()
                await trio.lowlevel.wait_task_rescheduled(self._abort)

    def _abort(self, _: object) -> trio.lowlevel.Abort:
        self._waiting = None
        return trio.lowlevel.Abort.SUCCEEDED
