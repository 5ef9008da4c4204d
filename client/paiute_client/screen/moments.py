"""The one line that says what matters now, and what is said outside the screen: the bell and the title."""

from __future__ import annotations

from math import ceil

from paiute_client.model import LinkPhase
from paiute_client.screen.canvas import Span
from paiute_client.screen.middle import top_discard
from paiute_client.screen.people import time_left
from paiute_client.screen.state import Asked, Stage
from paiute_client.sentences import dealt_name
from paiute_client.words import ngettext, short_card, tr, worth
from paiute_net.game.actions import Phase, Source
from paiute_net.game.house_rules import MIN_SEATS
from paiute_net.game.picture import HandPicture, Picture

__all__ = ["clock_face", "link_words", "moment", "rings", "window_title"]


def moment(stage: Stage) -> Span:
    """What matters now, and its style."""
    if not stage.is_linked:
        return link_words(stage), "class:moment.trouble"
    picture = stage.picture
    if picture is None:
        return "", ""
    if stage.asked is not None and stage.asked == stage.state.answered:
        return tr("One moment…"), "class:moment"
    if stage.model.own_decision is not None and picture.hand is not None:
        return _own(stage, picture.hand), "class:moment.turn"
    return _waiting(picture), "class:moment"


def link_words(stage: Stage) -> str:
    """How it stands with the link."""
    link = stage.model.link
    match link.phase:
        case LinkPhase.UP:
            return tr("connected")
        case LinkPhase.CONNECTING if link.attempt == 0:
            return tr("Connecting…")
        case LinkPhase.CONNECTING:
            return tr("The link is lost and your seat kept; trying to come back now.")
        case LinkPhase.LOST:
            seconds = _pause_left(stage)
            return ngettext(
                "The link is lost and your seat kept; trying again in {seconds} second.",
                "The link is lost and your seat kept; trying again in {seconds} seconds.",
                seconds,
            ).format(seconds=seconds)
        case LinkPhase.ENDED:
            return tr("The session is over.")


def _own(stage: Stage, hand: HandPicture) -> str:
    actions = stage.actions
    if actions.cut is not None:
        return tr("You cut the pack: anywhere will do.")
    if actions.draw:
        if hand.calls:
            best = hand.calls[-1]
            return tr("Your last turn: draw. Only {worth} or better can still be called.").format(
                worth=worth(best.combination, best.ranks)
            )
        if Source.DISCARDS in actions.draw:
            return tr("Your turn: draw from the stock, or take {card}.").format(card=top_discard(hand))
        return tr("Your turn: draw from the stock.")
    if actions.call:
        return tr("You can call {worth}, or discard a card.").format(
            worth=worth(actions.call[0].combination, actions.call[0].ranks)
        )
    if hand.taken and hand.drawn is not None:
        return tr("Now discard a card, but not {card}, which you have just taken.").format(
            card=short_card(hand.drawn)
        )
    return tr("Now discard a card.")


def _waiting(picture: Picture) -> str:
    hand = picture.hand
    if picture.closed:
        return tr("The table is closed.")
    if hand is not None and picture.going_on:
        return _others_turn(picture, hand)
    if len(picture.occupants) < MIN_SEATS:
        return tr("A hand needs two: wait for others, or call a bot with paiute-client --bot.")
    if hand is None:
        return tr("Ready to play: n deals the first hand.")
    return tr("The hand is over: n deals the next.")


def _others_turn(picture: Picture, hand: HandPicture) -> str:
    if hand.turn is None or hand.turn == picture.seat:
        return ""
    name = dealt_name(picture, hand.turn)
    if hand.phase is Phase.CUT:
        return tr("{name} cuts the pack.").format(name=name)
    if hand.calls:
        best = hand.calls[-1]
        return tr("{name} has a last turn, against {worth}.").format(
            name=name, worth=worth(best.combination, best.ranks)
        )
    if hand.phase is Phase.DRAW:
        return tr("{name} is to draw.").format(name=name)
    return tr("{name} is to discard.").format(name=name)


def rings(before: Asked | None, stage: Stage) -> bool:
    """Whether the bell is to ring: the turn has come; ``before`` is the decision that was open till then."""
    if not stage.state.settings.bell or stage.asked is None or stage.asked == before:
        return False
    return bool(stage.actions.draw) or stage.actions.cut is not None


def clock_face(stage: Stage) -> tuple[int | None, int]:
    """The seconds that are shown: for the open decision, and until the next try to come back."""
    left = time_left(stage)
    return None if left is None else ceil(left / 1000), _pause_left(stage)


def _pause_left(stage: Stage) -> int:
    return max(1, ceil((stage.model.link.pause or 0) - (stage.now - stage.state.link_at)))


def window_title(stage: Stage) -> str:
    """What the title of the terminal's window says; "" if nothing."""
    if not stage.state.settings.title:
        return ""
    if stage.asked is not None:
        return tr("Your turn - Paiute")
    picture = stage.picture
    return tr("Paiute") if picture is None else tr("{table} - Paiute").format(table=picture.name)
