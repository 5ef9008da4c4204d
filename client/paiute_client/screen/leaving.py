"""What becomes of the seat when the player goes."""

from __future__ import annotations

from paiute_client.screen.state import Stage
from paiute_client.words import tr
from paiute_net.game.house_rules import Payment
from paiute_net.game.picture import Picture

__all__ = ["is_dealt_in", "what_leaving_means"]


def is_dealt_in(stage: Stage) -> bool:
    """Whether the player is in the hand going on."""
    picture, hand = stage.picture, stage.hand
    if picture is None or hand is None or not picture.going_on:
        return False
    return any(player.seat == picture.seat and not player.left for player in hand.players)


def what_leaving_means(stage: Stage, *, ends: bool) -> list[str]:
    """What happens to the seat and the stake, in sentences."""
    picture = stage.picture
    if picture is None:
        return [tr("You sit at no table, so nothing is lost.")]
    lines = [tr("You give up your seat.")]
    if is_dealt_in(stage):
        lines = [
            tr("A hand is going on. If you give up your seat, the house plays it to its end for you."),
            _stake(picture),
            tr("You cannot come back into this hand."),
        ]
    if ends:
        lines.append(
            tr("Or press Ctrl-C to end and keep the seat: start this program again to come back to it.")
        )
    return lines


def _stake(picture: Picture) -> str:
    if picture.rules.stake == 0:
        return tr("You play for nothing, so it costs nothing.")
    if picture.rules.payment is Payment.POT:
        return tr("Your stake stays in the pot.")
    return tr("You pay if somebody else wins it.")
