"""What becomes of the seat when the player goes."""

from __future__ import annotations

from collections.abc import Sequence

from paiute_client.address import command, option
from paiute_client.errors import End, SessionEnded
from paiute_client.failures import sentence_of
from paiute_client.model import Model
from paiute_client.sentences import won_or_lost
from paiute_client.words import tr
from paiute_net.game.house_rules import Payment
from paiute_net.game.picture import Picture

__all__ = ["is_dealt_in", "last_words", "seat_kept", "what_leaving_means"]


def is_dealt_in(picture: Picture | None) -> bool:
    """Whether the reader plays in the hand going on."""
    if picture is None or picture.hand is None or not picture.going_on:
        return False
    return any(player.seat == picture.seat and not player.left for player in picture.hand.players)


def what_leaving_means(picture: Picture | None) -> list[str]:
    """What happens to the seat and the stake of who leaves now, in sentences."""
    if picture is None or picture.seat is None:
        return [tr("You sit at no table, so nothing is lost.")]
    own = picture.occupant(picture.seat)
    account = won_or_lost(picture, None if own is None else own.player)
    if not is_dealt_in(picture):
        return [*account, tr("You give up your seat.")]
    return [
        *account,
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


def seat_kept(model: Model, *options: str) -> str:
    """What is said to who goes without leaving the table; ``options`` belong to the command to come back."""
    return tr(
        "Your seat is kept, and your account: come back with {command}; "
        "when it is your turn and your time is over, the house plays for you."
    ).format(command=_way_back(model, options))


def last_words(ended: SessionEnded, model: Model, *options: str) -> list[str]:
    """Why the session is over, and what becomes of the seat where the server has ended."""
    lines = [sentence_of(ended)]
    if ended.end is End.CLOSED and model.seat is not None:
        message = tr(
            "If it is started again with all that it has kept, come back to your seat with {command}."
        )
        lines.append(message.format(command=_way_back(model, options)))
    return lines


def _way_back(model: Model, options: Sequence[str]) -> str:
    name = () if model.name is None else option("--name", model.name)
    return command(*options, str(model.address), *name)
