"""What all parts of one server share."""

from __future__ import annotations

from dataclasses import dataclass

from paiute_net.game.chance import Chance
from paiute_server.clock import AlarmClock
from paiute_server.journal import GroupCommit
from paiute_server.limits import Limits
from paiute_server.metrics import Metrics
from paiute_server.people import People

__all__ = ["Services"]


@dataclass(frozen=True, slots=True)
class Services:
    """``commits`` stores what happens, ``chance`` decides what nobody does."""

    commits: GroupCommit
    chance: Chance
    clock: AlarmClock
    limits: Limits
    people: People
    metrics: Metrics
