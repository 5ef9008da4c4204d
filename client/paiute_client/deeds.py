"""What each player did last: as it was heard, or as a picture of the table shows it to who has just come.

Only what is worth telling of a player whose turn it is not: the cut, until that player has had a turn, and
the discards. A call lies on the table by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from paiute_net.game import seen
from paiute_net.game.actions import Phase
from paiute_net.game.cards import Card
from paiute_net.game.picture import HandPicture, Picture, PlayerPicture

__all__ = ["Deed", "Discarded", "HasCut", "deed", "deeds"]


class HasCut(msgspec.Struct, frozen=True):
    """Cut the pack."""


class Discarded(msgspec.Struct, frozen=True):
    """Ended a turn with a discard: ``card``, None if it lay face down and is not known."""

    card: Card | None


Deed = HasCut | Discarded


def deed(event: seen.SeenEvent) -> Deed | None:
    """What the player in the event's ``seat`` did, if it is worth telling."""
    match event:
        case seen.PackCut():
            return HasCut()
        case seen.CardDiscarded(card=card):
            return Discarded(card)
        case _:
            return None


def deeds(picture: Picture) -> dict[int, Deed]:
    """What those in the hand going on did last, by seat, as far as that is beyond doubt.

    Turns go round: whoever came before the player whose turn it is discarded the top card, and so on down the
    pile, until somebody may have taken a card from it.
    """
    hand = picture.hand
    if hand is None or not picture.going_on or hand.phase is Phase.CUT:
        return {}
    known: dict[int, Deed] = {}
    if any(player.seat == hand.cutter and not player.turns for player in hand.players):
        known[hand.cutter] = HasCut()
    pile = [*hand.discards, hand.drawn] if hand.taken else list(hand.discards)
    called = {call.seat for call in hand.calls}
    for player in _backwards(hand):
        if not player.turns or not pile or player.seat in called:
            break
        known[player.seat] = Discarded(pile.pop())
        if _may_have_taken(picture, player):
            break
    return known


def _backwards(hand: HandPicture) -> Iterator[PlayerPicture]:
    """Who had the turns before the one going on, the last first, one turn of each."""
    place = next((place for place, player in enumerate(hand.players) if player.seat == hand.turn), None)
    if place is not None:
        yield from reversed([*hand.players[place + 1 :], *hand.players[:place]])


def _may_have_taken(picture: Picture, player: PlayerPicture) -> bool:
    """Whether the last draw of ``player`` may have been from the discards.

    A card that was taken is known until it is discarded itself; not so where discards lie face down, and
    among the own cards it does not stand out.
    """
    return bool(player.known) or player.seat == picture.seat or picture.rules.closed_discards
