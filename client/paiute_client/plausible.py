"""Whether what a server tells of a table can be so at all; if not, it is broken, or means harm.

Whoever shows a picture or chooses from a decision relies on all this, and looks no further. All functions
raise ValueError, or LookupError, for what cannot be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paiute_net.game import seen
from paiute_net.game.actions import Phase, Source
from paiute_net.game.cards import Card, Rank
from paiute_net.game.combinations import Combination, evaluator, worth
from paiute_net.game.errors import Refusal
from paiute_net.game.events import Outcome
from paiute_net.game.hand import HAND_SIZE, cut_range, dealt_pack
from paiute_net.game.house_rules import HouseRules, WildRule, check_seats, wild_cards
from paiute_net.game.picture import HandPicture, Picture, PlayerPicture, Result
from paiute_net.wire.messages import Actions, CallChoice, Decision

__all__ = ["check_decision", "check_event", "check_picture"]


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def _are_different(items: Sequence[object]) -> bool:
    return len(set(items)) == len(items)


# --- the picture ----------------------------------------------------------------------------------------


def check_picture(picture: Picture) -> None:
    """Whether a table can look so to any reader."""
    try:
        check_seats(picture.rules, picture.seats)
    except Refusal as refusal:
        raise ValueError(str(refusal)) from None
    seats = range(picture.seats)
    taken = [occupant.seat for occupant in picture.occupants]
    _need(all(seat in seats for seat in taken) and _are_different(taken), "who sits where")
    _need(picture.seat is None or picture.seat in seats, "the reader's seat")
    if picture.hand is not None:
        _check_players(picture, picture.hand)
        _check_cards(picture.rules, picture.hand)
        _check_own(picture, picture.hand)
        _check_end(picture.hand)


def _check_players(picture: Picture, hand: HandPicture) -> None:
    order = [player.seat for player in hand.players]
    _need(all(seat in range(picture.seats) for seat in order) and _are_different(order), "who is dealt in")
    _need(hand.cutter in order and hand.dealer in (None, *order), "who deals and cuts")
    _need((hand.turn is None) == (hand.phase is Phase.OVER), "that nobody's turn is the end")
    _need(hand.turn in (None, *order), "whose turn it is")
    called = [call.seat for call in hand.calls]
    _need(set(called) <= set(order) and _are_different(called), "who has called")
    _need(all(player.cards in _numbers_held(hand, player) for player in hand.players), "how many are held")
    _need(all(len(player.known) <= player.cards for player in hand.players), "how many are known")


def _numbers_held(hand: HandPicture, player: PlayerPicture) -> Sequence[int]:
    """How many cards a player may hold now."""
    if hand.phase is Phase.OVER:
        return range(HAND_SIZE + 2)
    if hand.phase is Phase.CUT or any(call.seat == player.seat for call in hand.calls):
        return (0,)
    return (HAND_SIZE + (hand.phase is Phase.DISCARD and player.seat == hand.turn),)


def _check_cards(rules: HouseRules, hand: HandPicture) -> None:
    """Every card is of the pack, and lies in one place."""
    pack = dealt_pack(rules)
    is_dealt = hand.round > 0
    _need(is_dealt or hand.phase in (Phase.CUT, Phase.OVER), "a turn before the first round")
    lying = list(hand.known_cards())
    _need(set(lying) | {hand.drawn} <= {None, *pack} and _are_different(lying), "which cards lie where")
    _need(
        (hand.turned is not None) == (is_dealt and rules.wild_rule is not WildRule.JOKERS), "what is turned"
    )
    wild = wild_cards(rules.wild_rule, hand.turned) if is_dealt else frozenset[Card]()
    _need(len(hand.wild) == len(wild) and frozenset(hand.wild) == wild, "which cards are wild")
    laid = sum(len(call.cards) for call in hand.calls)
    held = sum(player.cards for player in hand.players)
    count = hand.stock + len(hand.discards) + held + laid + (hand.turned is not None)
    _need(hand.stock >= 0 and count == (len(pack) if is_dealt else 0), "how many cards there are")
    for call in hand.calls:
        _check_worth(rules, hand, call.cards, call.combination, call.ranks)


def _check_worth(
    rules: HouseRules, hand: HandPicture, laid: Sequence[Card], kind: Combination, ranks: Sequence[Rank]
) -> None:
    values = evaluator(frozenset(hand.wild), rules.royal_on_top)
    value = values.five(laid) if len(laid) == HAND_SIZE else values.six(laid)
    _need(worth(value) == (kind, ranks), "what a call is worth")


def _check_own(picture: Picture, hand: HandPicture) -> None:
    reader = next((player for player in hand.players if player.seat == picture.seat), None)
    if reader is None:
        _need(not hand.own, "cards of who is not dealt in")
    elif reader.left:  # who has left goes on knowing what he held
        _need(len(hand.own) in (0, HAND_SIZE, HAND_SIZE + 1), "cards of who has left")
    else:
        _need(len(hand.own) == reader.cards and not reader.known, "the own cards")


def _check_end(hand: HandPicture) -> None:
    result = hand.result
    if result is None:
        return
    _need(hand.phase is Phase.OVER, "a result before the end")
    _need(all(_has_player(hand, paid.seat) for paid in result.payments), "who is paid")
    _need({*result.winners} <= {call.seat for call in hand.calls}, "who has won")
    _need(_are_different(result.winners) and _fits(result), "how many have won")


def _has_player(hand: HandPicture, seat: int) -> bool:
    return any(player.seat == seat for player in hand.players)


def _fits(result: Result) -> bool:
    """Whether so many can have won."""
    winners = len(result.winners)
    return {Outcome.WON: winners == 1, Outcome.SPLIT: winners > 1}.get(result.outcome, winners == 0)


# --- what happens ---------------------------------------------------------------------------------------

_HAPPENS: Final = {
    seen.PackCut: Phase.CUT,
    seen.CardDrawn: Phase.DRAW,
    seen.CardDiscarded: Phase.DISCARD,
    seen.CombinationCalled: Phase.DISCARD,
}
"""What somebody does on his turn, and in which phase of it."""


def check_event(event: seen.SeenEvent, picture: Picture) -> None:
    """Whether the next thing that happens at the table of ``picture`` can be done by whoever does it."""
    if isinstance(event, seen.PackCut | seen.CardDrawn | seen.CardDiscarded | seen.CombinationCalled):
        hand = picture.hand
        _need(hand is not None and (hand.turn, hand.phase) == (event.seat, _HAPPENS[type(event)]), "a turn")


# --- the decision ---------------------------------------------------------------------------------------


def check_decision(decision: Decision, picture: Picture) -> None:
    """Whether the table of ``picture`` waits for that, and its reader can choose from what is offered."""
    hand = picture.hand
    if hand is None or (decision.seat, decision.phase) != (hand.turn, hand.phase):
        raise ValueError("what is to be decided")
    if decision.actions is not None:
        _need(decision.seat == picture.seat, "whose decision it is")
        _check_actions(decision.actions, picture.rules, hand)


def _check_actions(actions: Actions, rules: HouseRules, hand: HandPicture) -> None:
    offered = (actions.cut is not None, bool(actions.draw), bool(actions.discard))
    _need(offered == tuple(hand.phase is phase for phase in _TURN), "what can be done in which phase")
    if actions.cut is not None:
        least, most = cut_range(rules)
        _need(least <= actions.cut.minimum <= actions.cut.maximum <= most, "where to cut")
    _need(Source.DISCARDS not in actions.draw or bool(hand.discards), "a draw from no discards")
    _need(set(actions.discard) <= set(hand.own), "a discard of what is not held")
    _need(not actions.call or hand.phase is Phase.DISCARD, "a call before the draw")
    for choice in actions.call:
        _check_choice(choice, rules, hand)


_TURN: Final = (Phase.CUT, Phase.DRAW, Phase.DISCARD)


def _check_choice(choice: CallChoice, rules: HouseRules, hand: HandPicture) -> None:
    sixth = () if choice.discard is None else (choice.discard,)
    _need(sorted((*choice.cards, *sixth)) == sorted(hand.own), "a call of what is not held")
    _check_worth(rules, hand, choice.cards, choice.combination, choice.ranks)
