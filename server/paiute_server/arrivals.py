"""Being called when something arrives: where the system allows it, without a task for each connection.

Such a task costs a call of the system and a switch between tasks each time, a sixth of what a move costs.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, suppress
from typing import Final, Protocol

import trio

__all__ = [
    "Arrivals",
    "Gathering",
    "OnArrival",
    "Source",
    "StartSoon",
    "Stop",
    "TaskForEach",
    "best_arrivals",
]

StartSoon = Callable[[Callable[[], Awaitable[None]]], None]
OnArrival = Callable[[], None]
"""What is called must not fail."""
Stop = Callable[[], None]
Gathering = Callable[[], AbstractContextManager[None]]


class Source(Protocol):
    """Where something may arrive."""

    descriptor: int | None
    """What the system knows it by; None for what is in memory."""

    async def readable(self) -> None:
        """Returns when something has arrived; raises ClosedResourceError once the source is closed."""
        ...


class Arrivals(Protocol):
    """Calls whoever watches a source, in each round of the loop in which it has something to be received."""

    def watch(self, source: Source, act: OnArrival) -> Stop:
        """Call ``act`` from now on; returns how to end that, to be done before the source is closed."""
        ...

    async def run(self) -> None:
        """What has to be done for all of them, until cancelled."""
        ...

    def close(self) -> None:
        """Nothing is watched any more."""
        ...


class TaskForEach:
    """With a task for each source."""

    def __init__(self, start_soon: StartSoon) -> None:
        self._start_soon = start_soon

    def watch(self, source: Source, act: OnArrival) -> Stop:
        scope = trio.CancelScope()

        async def wait() -> None:
            with scope, suppress(trio.ClosedResourceError):
                while not scope.cancel_called:
                    await source.readable()
                    if not scope.cancel_called:  # in this very round
                        act()

        self._start_soon(wait)
        return scope.cancel

    async def run(self) -> None:
        await trio.sleep_forever()

    def close(self) -> None:
        """There is nothing to let go of."""


if sys.platform == "linux":
    import select

    class Polling:
        """With one task for all that the system knows."""

        def __init__(self, start_soon: StartSoon, gathering: Gathering) -> None:
            self._gathering = gathering
            self._in_memory: Final = TaskForEach(start_soon)
            self._epoll: Final = select.epoll()
            self._acts: Final[dict[int, OnArrival]] = {}

        def watch(self, source: Source, act: OnArrival) -> Stop:
            descriptor = source.descriptor
            if descriptor is None:
                return self._in_memory.watch(source, act)
            self._epoll.register(descriptor, select.EPOLLIN)
            self._acts[descriptor] = act
            return lambda: self._stop(descriptor)

        def _stop(self, descriptor: int) -> None:
            del self._acts[descriptor]
            if not self._epoll.closed:
                self._epoll.unregister(descriptor)

        async def run(self) -> None:
            while True:
                await trio.lowlevel.wait_readable(self._epoll.fileno())
                with self._gathering():
                    for descriptor, _ in self._epoll.poll(0):
                        act = self._acts.get(descriptor)
                        if act is not None:  # or it was let go of just now
                            act()

        def close(self) -> None:
            self._epoll.close()


def best_arrivals(start_soon: StartSoon, gathering: Gathering) -> Arrivals:
    """What costs least on this system.

    Args:
      start_soon: starts the tasks that it needs.
      gathering: what it calls one after the other, it calls in this.
    """
    best: Arrivals
    if sys.platform == "linux":
        best = Polling(start_soon, gathering)
    else:
        best = TaskForEach(start_soon)
    return best
