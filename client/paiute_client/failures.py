"""The one sentence that a person reads when something cannot be done."""

from __future__ import annotations

from paiute_client.errors import ClientError, ServerRefusal, SessionEnded
from paiute_client.refusals import explain
from paiute_net.game.picture import Picture

__all__ = ["sentence_of"]


def sentence_of(error: ClientError, picture: Picture | None = None) -> str:
    """What ``error`` says; ``picture`` gives the players' names."""
    refusal = error.refusal if isinstance(error, SessionEnded) else error
    if isinstance(refusal, ServerRefusal):
        return explain(refusal.code, refusal.facts, picture)
    return str(error)
