"""The one sentence that a person reads when something cannot be done."""

from __future__ import annotations

from typing import Final

from paiute_client.errors import ClientError, LinkLost, ServerRefusal, SessionEnded, Unsendable
from paiute_client.refusals import explain
from paiute_client.words import tr
from paiute_net.game.picture import Picture

__all__ = ["UNDONE", "sentence_of", "why_undone"]

UNDONE: Final = (ServerRefusal, LinkLost, Unsendable)
"""How what a player asks for fails, while the session goes on."""


def sentence_of(error: ClientError, picture: Picture | None = None) -> str:
    """What ``error`` says; ``picture`` gives the players' names."""
    refusal = error.refusal if isinstance(error, SessionEnded) else error
    if isinstance(refusal, ServerRefusal):
        return explain(refusal.code, refusal.facts, picture)
    return str(error)


def why_undone(error: ServerRefusal | LinkLost | Unsendable, picture: Picture | None) -> str:
    """Why what the player has asked for is not done, and what to do."""
    match error:
        case ServerRefusal():
            return sentence_of(error, picture)
        case LinkLost():
            return tr("There is no link to the server at the moment; try again when it is back.")
        case Unsendable():
            return tr("That cannot be sent to the server; type something shorter or simpler.")
