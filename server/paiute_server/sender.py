"""Sending once for all that has happened meanwhile, instead of piece by piece.

Each small send wakes the process at the other end, which costs more than the send; and while many tables
move, one client after another. So links only note what they are offered. When the tasks that could run have
run, or all are told of what was stored together, it leaves, to each client in one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from paiute_server.bell import Bell
from paiute_server.logs import fault, get_logger

__all__ = ["Sender"]


class Sender:
    """Does what is to be done once for all that happens meanwhile; `run` is its task."""

    def __init__(self) -> None:
        self._due: list[Callable[[], None]] = []
        self._bell: Final = Bell()
        self._at_it = False
        self._log: Final = get_logger()

    def soon(self, act: Callable[[], None]) -> None:
        """Call ``act`` when the tasks that can run now have run, or before; what was asked for first, first.

        If it fails, that is logged.
        """
        if not (self._due or self._at_it):
            self._bell.ring()
        self._due.append(act)

    def now(self, act: Callable[[], None]) -> None:
        """Call ``act``, and then all that was asked for, by it too. What fails is logged."""
        self._due.insert(0, act)
        self._do()

    async def run(self) -> None:
        """Do what is due, until cancelled."""
        while True:
            self._do()
            await self._bell.heard()

    def _do(self) -> None:
        self._at_it = True
        try:
            while self._due:
                due, self._due = iter(self._due), []
                while not self._has_done(due):
                    pass
        finally:
            self._at_it = False

    def _has_done(self, due: Iterator[Callable[[], None]]) -> bool:
        """Do what is left of it; False if something failed, after which there may be more."""
        try:
            for act in due:
                act()
        except Exception as error:  # noqa: BLE001 -- the others have their turn all the same
            fault(self._log, error)
            return False
        return True
