"""Who sits where at the table, and what there is to say of each: the facts that a seat is drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Final, NamedTuple

from paiute_client.deeds import Deed, Discarded, HasCut
from paiute_client.screen.state import Stage
from paiute_client.sentences import dealt_name, seated_name
from paiute_client.words import money, short_card, short_combination, tr, worth
from paiute_net.game.actions import Phase
from paiute_net.game.events import Outcome
from paiute_net.game.picture import Called, HandPicture, Picture, PlayerPicture

__all__ = ["Mark", "Person", "others", "person", "signed", "time_left"]


class Mark(NamedTuple):
    """Something of note about a player, in a word and in a letter for where there is no room."""

    word: str
    letter: str


class Person(NamedTuple):
    """One at the table.

    ``balance`` is None where they play for nothing. ``seconds`` is what is left for the decision, and
    ``share`` how much of all the time that is, if it is this one's turn; ``marks`` are words such as "dealer"
    or "away"; ``doing`` is what this one does or last did, and ``brief`` the same where there is little room.
    """

    seat: int
    name: str
    is_own: bool
    is_turn: bool
    seconds: int | None
    share: float
    cards: int
    called: Called | None
    balance: int | None
    marks: tuple[Mark, ...]
    doing: str
    brief: str


def others(picture: Picture) -> list[int]:
    """The seats of the others, from the own left on; also of who has left during the hand going on."""
    seats = {each.seat for each in picture.occupants}
    if picture.hand is not None and picture.going_on:
        seats |= {each.seat for each in picture.hand.players}
    own = -1 if picture.seat is None else picture.seat
    return sorted(seats - {own}, key=lambda seat: (seat - own) % picture.seats)


def person(stage: Stage, picture: Picture, seat: int) -> Person:
    """What there is to say of who sits in ``seat``."""
    hand = picture.hand
    player = None if hand is None else _dealt_in(hand, seat)
    is_turn = hand is not None and picture.going_on and hand.turn == seat
    milliseconds = time_left(stage) if is_turn else None
    call = None if hand is None else _call_of(hand, seat)
    doing = _doing(stage, picture, seat, player)
    return Person(
        seat=seat,
        name=_name(picture, seat),
        is_own=seat == picture.seat,
        is_turn=is_turn,
        seconds=None if milliseconds is None else ceil(milliseconds / 1000),
        share=0.0 if milliseconds is None else milliseconds / (picture.time_limit_ms or milliseconds or 1),
        cards=player.cards if player is not None else 0,
        called=call,
        balance=_balance(picture, seat),
        marks=tuple(_marks(stage, picture, seat)),
        doing=doing.words,
        brief=doing.brief,
    )


def time_left(stage: Stage) -> int | None:
    """The milliseconds left for the open decision; None without a limit."""
    decision = stage.model.decision
    return None if decision is None else decision.remaining_ms(stage.now)


def signed(amount: int) -> str:
    """A balance: "+0.75"."""
    return money(amount) if amount <= 0 else tr("+{amount}").format(amount=money(amount))


def _dealt_in(hand: HandPicture, seat: int) -> PlayerPicture | None:
    return next((player for player in hand.players if player.seat == seat), None)


def _call_of(hand: HandPicture, seat: int) -> Called | None:
    return next((call for call in hand.calls if call.seat == seat), None)


def _name(picture: Picture, seat: int) -> str:
    return dealt_name(picture, seat) if picture.occupant(seat) is None else seated_name(picture, seat)


def _balance(picture: Picture, seat: int) -> int | None:
    occupant = picture.occupant(seat)
    account = None if occupant is None else picture.account(occupant.player)
    return None if account is None or picture.rules.stake == 0 else account.balance


_DEALER: Final = Mark(tr("dealer"), tr("D"))
_LEFT: Final = Mark(tr("left"), tr("L"))
_BOT: Final = Mark(tr("bot"), tr("B"))
_NO_LINK: Final = Mark(tr("no link"), tr("N"))
_AWAY: Final = Mark(tr("away"), tr("A"))


def _marks(stage: Stage, picture: Picture, seat: int) -> list[Mark]:
    hand, occupant = picture.hand, picture.occupant(seat)
    presence = stage.model.presence.get(seat)
    marks: list[Mark] = []
    if hand is not None and hand.dealer == seat:
        marks.append(_DEALER)
    if occupant is None:
        marks.append(_LEFT)
    elif occupant.bot:
        marks.append(_BOT)
    if presence is not None and not presence.connected:
        marks.append(_NO_LINK)
    if presence is not None and presence.away:
        marks.append(_AWAY)
    return marks


_TURNS: Final[Mapping[Phase, str]] = {
    Phase.CUT: tr("to cut"),
    Phase.DRAW: tr("to draw"),
    Phase.DISCARD: tr("to discard"),
}


class _Doing(NamedTuple):
    """What somebody does or last did, also for where there is little room."""

    words: str
    brief: str


def _said(words: str, brief: str = "") -> _Doing:
    return _Doing(words, brief or words)


def _doing(stage: Stage, picture: Picture, seat: int, player: PlayerPicture | None) -> _Doing:
    hand = picture.hand
    if hand is None:
        return _said("")
    if not picture.going_on:
        return _won_or_lost(hand, seat)
    if player is None:
        return _said(tr("waits for the next hand"), tr("waits"))
    if hand.turn == seat:
        return _said(_TURNS.get(hand.phase, ""))
    call = _call_of(hand, seat)
    if call is not None:
        return _called(call)
    done = stage.model.last_done.get(seat)
    return _said("") if done is None else _done(done)


def _won_or_lost(hand: HandPicture, seat: int) -> _Doing:
    result = hand.result
    if result is None:
        return _said("")
    amount = sum(paid.amount for paid in result.payments if paid.seat == seat)
    if amount:
        words = _GETS_BACK if result.outcome is Outcome.VOID else _WINS if seat in result.winners else _PAYS
        return _said(words.format(amount=money(abs(amount))), signed(amount))
    if seat in result.winners:
        return _said(tr("wins"))
    call = _call_of(hand, seat)
    return _said("") if call is None else _called(call)


_GETS_BACK: Final = tr("gets back {amount}")
_WINS: Final = tr("wins {amount}")
_PAYS: Final = tr("pays {amount}")


def _called(call: Called) -> _Doing:
    return _said(worth(call.combination, call.ranks), short_combination(call.combination))


def _done(deed: Deed) -> _Doing:
    match deed:
        case HasCut():
            return _said(tr("has cut"))
        case Discarded(card=card) if card is not None:
            return _said(tr("discarded {card}").format(card=short_card(card)))
        case Discarded():
            return _said(tr("discarded, face down"), tr("discarded"))
