"""The server as a process: its settings, its journal, its port, its signals, and its end."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from random import Random, SystemRandom
from threading import Timer
from typing import Final

import msgspec
import trio

from paiute_net import __version__
from paiute_net.game.chance import Chance, RandomChance
from paiute_net.streams import say
from paiute_net.wire.messages import Capability
from paiute_server.journal import Durability, Journal, MemoryJournal, SqliteJournal
from paiute_server.limits import DEFAULTS, Limits
from paiute_server.listening import accept, from_elsewhere, open_listeners, typed
from paiute_server.logs import get_logger
from paiute_server.operator import Operator, keep_operator_token
from paiute_server.server import DEFAULT_TIME_LIMIT_MS, Server
from paiute_server.test_deals import Deals, ListedChance

__all__ = ["Deadline", "Settings", "run"]

_ENDING: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
_HANGUP: Final = getattr(signal, "SIGHUP", None)

GARBAGE: Final = (10_000, 2, 2)
"""When the garbage collector looks. At new objects when there are so many: what hundreds of moves under way
hold is gone by then; looked at sooner, it would be taken for lasting. At all objects about as often as it
always does, so that what visitors leave behind does not pile up."""
TIDYING_S: Final = 5.0
"""How long an end may take beside what it waits for."""
_AT_ONCE_S: Final = 1.0


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a server runs.

    ``host`` is null to listen everywhere; ``data`` is null to keep nothing; ``seed`` and ``test_deals`` are
    null for real deals.
    """

    host: str | None = None
    port: int = 7000
    data: Path | None = None
    durability: Durability = "normal"
    time_limit_ms: int | None = DEFAULT_TIME_LIMIT_MS
    limits: Limits = DEFAULTS
    seed: int | None = None
    test_deals: Deals | None = None

    @property
    def foreseen(self) -> str | None:
        """What it is by which all cards can be foreseen; None for real deals."""
        if self.test_deals is not None:
            return "the file"
        return None if self.seed is None else f"the seed, {self.seed},"

    def chance(self) -> Chance:
        """What the cards come from."""
        if self.test_deals is not None:
            return ListedChance(self.test_deals)
        return RandomChance(SystemRandom() if self.seed is None else Random(self.seed))


async def run(settings: Settings) -> None:
    """Serve until a signal ends it.

    Raises:
      StartError: the host or the port cannot be had.
      JournalError: the data directory cannot be used.
      NoOperatorToken: no token can be kept there.
    """
    _allow_descriptors(settings.limits.max_connections)
    gc.set_threshold(*GARBAGE)
    with ExitStack() as resources:
        deadline = resources.enter_context(closing(Deadline()))
        journal = resources.enter_context(closing(_open_journal(settings)))
        server = Server(
            journal,
            settings.chance(),
            limits=settings.limits,
            time_limit_ms=settings.time_limit_ms,
            operator=None if settings.data is None else Operator(keep_operator_token(settings.data)),
            capabilities=() if settings.foreseen is None else (Capability.TEST_DEALS,),
        )
        listeners = await open_listeners(settings.host, settings.port, settings.limits.listen_backlog)
        for listener in listeners:
            resources.enter_context(listener)
        await _serve(server, settings, listeners, deadline)


def _open_journal(settings: Settings) -> Journal:
    if settings.data is None:
        return MemoryJournal()
    return SqliteJournal.open(settings.data, settings.durability)


async def _serve(
    server: Server, settings: Settings, listeners: Sequence[socket.socket], deadline: Deadline
) -> None:
    with trio.open_signal_receiver(*_ending()) as signals:
        async with trio.open_nursery() as hurrying:
            async with trio.open_nursery() as nursery:
                await nursery.start(server.run)
                name = await _accept_until_signalled(server, settings, listeners, signals)
                deadline.set(settings.limits.finish_moves_s + settings.limits.shutdown_within_s + TIDYING_S)
                hurrying.start_soon(_hurry, nursery.cancel_scope, signals, deadline)
                # Whoever stops a service starts it again; whoever presses Ctrl-C is done for today.
                await server.shut_down(restart=name == "SIGTERM" and settings.data is not None)
                nursery.cancel_scope.cancel()
            hurrying.cancel_scope.cancel()


def _ending() -> tuple[int, ...]:
    """The signals that end the server. Who starts it with nohup wants it to outlive the terminal."""
    outlives = _HANGUP is not None and signal.getsignal(_HANGUP) is signal.SIG_IGN
    return tuple(number for number in _ENDING if not (outlives and number == _HANGUP))


async def _accept_until_signalled(
    server: Server, settings: Settings, listeners: Sequence[socket.socket], signals: AsyncIterator[int]
) -> str:
    """Take connections until a signal comes; returns its name."""
    async with trio.open_nursery() as accepting:
        for listener in listeners:
            accepting.start_soon(accept, listener, server.admit, settings.limits)
        _announce(settings, listeners)
        name = await _next(signals)
        accepting.cancel_scope.cancel()
    for listener in listeners:
        listener.close()
    get_logger().info("signal", name=name)
    return name


async def _next(signals: AsyncIterator[int]) -> str:
    async for number in signals:
        return signal.Signals(number).name
    raise AssertionError("signals never end")


async def _hurry(scope: trio.CancelScope, signals: AsyncIterator[int], deadline: Deadline) -> None:
    """A second signal ends at once. Further ones are taken too, or they would kill the process in its end."""
    async for _ in signals:
        deadline.set(_AT_ONCE_S)
        scope.cancel()


class Deadline:
    """Ends the process, whatever it waits for: a commit is never broken off, and a disk may never answer.

    Nobody has been told of a commit that is still under way, so that nothing is lost with it.
    """

    def __init__(self, end: Callable[[int], object] = os._exit) -> None:
        self._end = end
        self._timer: Timer | None = None

    def set(self, seconds: float) -> None:
        """End so many seconds from now, and at no other time."""
        self.close()
        self._timer = Timer(seconds, self._end, (0,))
        self._timer.daemon = True
        self._timer.start()

    def close(self) -> None:
        """Do not end any more."""
        if self._timer is not None:
            self._timer.cancel()


def _announce(settings: Settings, listeners: Sequence[socket.socket]) -> None:
    """Say that all is ready, and what the players have to type. The first line is for programs too."""
    port = listeners[0].getsockname()[1]
    lines = [f"Ready on port {port}.", *_invitation(listeners)]
    if settings.foreseen is not None:
        lines.append(f"THESE DEALS ARE FOR TESTS: whoever knows {settings.foreseen} knows every card.")
        get_logger().warning("test-deals", seed=settings.seed)
    lines.append("Ctrl-C ends the server.")
    say("\n".join([*lines, ""]))
    get_logger().info("ready", port=port, version=__version__)


def _invitation(listeners: Sequence[socket.socket]) -> list[str]:
    port = listeners[0].getsockname()[1]
    elsewhere = from_elsewhere(listeners)
    there = ["On other machines, type one of these:", *(f"    paiute-client {place}" for place in elsewhere)]
    hosts = {str(listener.getsockname()[0]) for listener in listeners}
    here = "localhost" if hosts & {"0.0.0.0", "::", "127.0.0.1", "::1"} else min(hosts)  # noqa: S104
    return [
        *(there if elsewhere else ["Only this machine can connect."]),
        "On this machine, type:",
        f"    paiute-client {typed(here, port)}",
    ]


def _allow_descriptors(connections: int) -> None:
    """Let the system allow so many connections, as far as it will."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 -- not there on Windows

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = connections + OTHER_DESCRIPTORS
        if soft != resource.RLIM_INFINITY and soft < wanted:
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            with suppress(OSError, ValueError):  # macOS allows less than it says
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


OTHER_DESCRIPTORS: Final = 128
"""Beside connections: listeners, the journal, the loop's own."""
