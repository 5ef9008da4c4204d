"""The one line that says what matters now, and what is said outside the screen: the bell and the title."""

from __future__ import annotations

from math import ceil
from typing import Final, NamedTuple

from paiute_client.address import Address, bot_command
from paiute_client.model import LinkPhase
from paiute_client.screen.middle import top_discard
from paiute_client.screen.people import time_left
from paiute_client.screen.state import Asked, Stage
from paiute_client.sentences import dealt_name
from paiute_client.words import combination, ngettext, short_card, tr, worth
from paiute_net.game.actions import Phase, Source
from paiute_net.game.house_rules import MIN_SEATS
from paiute_net.game.picture import HandPicture, Picture

__all__ = ["Moment", "clock_face", "moment", "rings", "window_title"]


class Moment(NamedTuple):
    """What matters now: in a sentence, in a shorter one for where there is no room, and its style."""

    sentence: str
    brief: str
    style: str


_NOTHING: Final = Moment("", "", "")


def moment(stage: Stage) -> Moment:
    """What matters now."""
    if not stage.is_linked:
        return Moment(*_link(stage), "class:moment.trouble")
    picture = stage.picture
    if picture is None:
        return _NOTHING
    if stage.asked is not None and stage.asked == stage.state.answered:
        return _calm(tr("One moment…"))
    if stage.model.own_decision is not None and picture.hand is not None:
        return Moment(*_own(stage, picture.hand), "class:moment.turn")
    return _waiting(picture, stage.model.address)


def _calm(sentence: str, brief: str = "") -> Moment:
    return Moment(sentence, brief or sentence, "class:moment")


def _link(stage: Stage) -> tuple[str, str]:
    link = stage.model.link
    match link.phase:
        case LinkPhase.ENDED:
            return tr("The session is over."), tr("The session is over.")
        case LinkPhase.LOST:
            seconds = _pause_left(stage)
            sentence = ngettext(
                "The link is lost and your seat kept; trying again in {seconds} second.",
                "The link is lost and your seat kept; trying again in {seconds} seconds.",
                seconds,
            )
            brief = tr("Link lost, seat kept; trying again in {seconds} s.")
            return sentence.format(seconds=seconds), brief.format(seconds=seconds)
        case _ if link.attempt:
            sentence = tr("The link is lost and your seat kept; trying to come back now.")
            return sentence, tr("Link lost, seat kept; trying to come back.")
        case _:
            return tr("Connecting…"), tr("Connecting…")


def _own(stage: Stage, hand: HandPicture) -> tuple[str, str]:
    actions = stage.actions
    if actions.cut is not None:
        sentence = brief = tr("You cut the pack: anywhere will do.")
    elif actions.draw and hand.calls:
        best = hand.calls[-1]
        sentence = tr("Last turn: draw. To call, it takes {worth} or better.").format(
            worth=worth(best.combination, best.ranks)
        )
        brief = tr("Last turn: draw, and beat or equal the {combination}.").format(
            combination=combination(best.combination)
        )
    elif Source.DISCARDS in actions.draw:
        sentence = tr("Your turn: draw from the stock, or take {card}.").format(card=top_discard(hand))
        brief = tr("Your turn: draw, or take {card}.").format(card=top_discard(hand))
    elif actions.draw:
        sentence = brief = tr("Your turn: draw from the stock.")
    elif actions.call:
        best_choice = actions.call[0]
        sentence = tr("You can call {worth}, or discard a card.").format(
            worth=worth(best_choice.combination, best_choice.ranks)
        )
        brief = tr("You can call, or discard a card.")
    elif hand.calls:
        sentence, brief = _nothing_left(hand)
    elif hand.taken and hand.drawn is not None:
        sentence = tr("Now discard a card, but not {card}, which you have just taken.").format(
            card=short_card(hand.drawn)
        )
        brief = tr("Now discard a card, but not {card}.").format(card=short_card(hand.drawn))
    else:
        sentence = brief = tr("Now discard a card.")
    return sentence, brief


def _nothing_left(hand: HandPicture) -> tuple[str, str]:
    """Drawn for the last time, and nothing can be called."""
    if hand.taken and hand.drawn is not None:
        message = tr("Last turn: nothing you hold equals the call; discard any card but {card}.")
        brief = tr("Last turn, no call: discard any card but {card}.")
        card = short_card(hand.drawn)
        return message.format(card=card), brief.format(card=card)
    return (
        tr("Last turn: nothing you hold equals the call; discard any card."),
        tr("Last turn, no call: discard any card."),
    )


def _waiting(picture: Picture, address: Address) -> Moment:
    hand = picture.hand
    if picture.closed:
        return _calm(tr("The table is closed."))
    if hand is not None and picture.going_on:
        return _others_turn(picture, hand)
    if len(picture.occupants) < MIN_SEATS:
        sentence = tr("A hand needs two: wait for others, or call a bot with {command}")
        return _calm(
            sentence.format(command=bot_command(address, picture.name)),
            tr("A hand needs two: wait for others, or call a bot."),
        )
    if hand is None:
        return _calm(tr("Ready to play: n deals the first hand."))
    return _calm(tr("The hand is over: n deals the next."))


def _others_turn(picture: Picture, hand: HandPicture) -> Moment:
    if hand.turn is None or hand.turn == picture.seat:
        return _NOTHING
    name = dealt_name(picture, hand.turn)
    if hand.phase is Phase.CUT:
        return _calm(tr("{name} cuts the pack.").format(name=name))
    if hand.calls:
        best = hand.calls[-1]
        sentence = tr("{name} has a last turn, against {worth}.")
        return _calm(
            sentence.format(name=name, worth=worth(best.combination, best.ranks)),
            tr("{name} has a last turn.").format(name=name),
        )
    if hand.phase is Phase.DRAW:
        return _calm(tr("{name} is to draw.").format(name=name))
    return _calm(tr("{name} is to discard.").format(name=name))


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
