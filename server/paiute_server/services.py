"""What all parts of one server share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from paiute_net.game.chance import Chance
from paiute_server.clock import AlarmClock
from paiute_server.journal import GroupCommit
from paiute_server.limits import Limits
from paiute_server.metrics import Metrics
from paiute_server.people import People
from paiute_server.sender import Sender

__all__ = ["Services"]


@dataclass(frozen=True, slots=True)
class Services:
    """``start_soon`` does something in a task of its own, whose failure is logged and harms nobody else."""

    commits: GroupCommit
    chance: Chance
    clock: AlarmClock
    limits: Limits
    people: People
    metrics: Metrics
    sender: Sender
    start_soon: Callable[[Callable[[], Awaitable[None]]], None]
