"""What becomes of the seat when the player goes."""

from __future__ import annotations

from paiute_client.words import tr
from paiute_net.game.house_rules import Payment
from paiute_net.game.picture import Picture

__all__ = ["is_dealt_in", "seat_kept", "what_leaving_means"]


def is_dealt_in(picture: Picture | None) -> bool:
    """Whether the reader plays in the hand going on."""
    if picture is None or picture.hand is None or not picture.going_on:
        return False
    return any(player.seat == picture.seat and not player.left for player in picture.hand.players)


def what_leaving_means(picture: Picture | None) -> list[str]:
    """What happens to the seat and the stake of who leaves now, in sentences."""
    if picture is None or picture.seat is None:
        return [tr("You sit at no table, so nothing is lost.")]
    if not is_dealt_in(picture):
        return [tr("You give up your seat.")]
    return [
        tr("A hand is going on: if you leave, the house plays it to its end for you."),
        _stake(picture),
        tr("You cannot come back into this hand."),
    ]


def _stake(picture: Picture) -> str:
    if picture.rules.stake == 0:
        return tr("You play for nothing, so it costs nothing.")
    if picture.rules.payment is Payment.POT:
        return tr("Your stake stays in the pot.")
    return tr("You pay if somebody else wins it.")


def seat_kept() -> str:
    """What is said to who goes without leaving the table."""
    return tr(
        "Your seat is kept: start this program again in the same way to come back to it; "
        "when it is your turn and your time is over, the house plays for you."
    )
