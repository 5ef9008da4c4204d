"""The rules in sentences: how the game goes, the combinations, and what each switch of a table means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from paiute_client.words import money, ngettext, tr
from paiute_net.game.combinations import Combination
from paiute_net.game.house_rules import (
    NAMED_SETS,
    HouseRules,
    LastTurns,
    PaiuteTurns,
    Payment,
    Ties,
    WildRule,
)

__all__ = [
    "RULE_SETS",
    "SWITCHES",
    "combinations",
    "explain_rules",
    "explain_switch",
    "game",
    "meanings",
    "name_of",
]

_Meaning = Mapping[Any, str] | Callable[[Any], str]


def game() -> list[str]:
    """How the game goes, for somebody who has never played it."""
    return [
        tr("You hold five cards, and want to be the one who lays down the best combination."),
        tr("On your turn you draw a card, from the stock or the top of the discards, and then discard one."),
        tr("Instead of discarding you may call: lay down five or all six of your cards as a combination."),
        tr("Wild cards stand for whatever card helps you most."),
        tr("Who still has a turn after a call may only call what equals or beats the best one shown."),
        tr("The best combination wins the hand; what nobody called is never shown."),
    ]


def combinations(*, royal_on_top: bool) -> list[str]:
    """What can be called, a sentence each, from high to low."""
    order = list(Combination)
    if royal_on_top:
        order.remove(Combination.ROYAL_FLUSH)
        order.insert(0, Combination.ROYAL_FLUSH)
    return [_COMBINATIONS[kind] for kind in order]


def name_of(rules: HouseRules) -> str | None:
    """The named set that a table plays, whatever its stake; None for rules of its own."""
    for name, named in NAMED_SETS.items():
        if msgspec.structs.replace(rules, stake=named.stake) == named:
            return name
    return None


def explain_rules(rules: HouseRules) -> list[str]:
    """What each switch of ``rules`` says, in the order in which a hand meets them.

    What holds for six players is left out where so many can never sit.
    """
    if rules.paiute_turns is PaiuteTurns.AUTO and not rules.large_table:
        rules = msgspec.structs.replace(rules, paiute_turns=PaiuteTurns.FIRST_TURN)
    return [explain_switch(switch, getattr(rules, switch)) for switch in SWITCHES]


def meanings(switch: str) -> dict[Any, str]:
    """Values that a switch can have, each with what it then says; examples where they are too many."""
    meaning = SWITCHES[switch]
    if callable(meaning):
        return {value: meaning(value) for value in _EXAMPLES[switch]}
    return dict(meaning)


def explain_switch(switch: str, value: object) -> str:
    """What a switch of the house rules says when it has this value; raises KeyError if it cannot have it."""
    meaning = SWITCHES[switch]
    return meaning(value) if callable(meaning) else meaning[value]


_COMBINATIONS: Final[Mapping[Combination, str]] = {
    Combination.FIVE_OF_A_KIND: tr("Five of a kind: five cards of one rank, which takes a wild card."),
    Combination.ROYAL_FLUSH: tr("Royal flush: ace, king, queen, jack and ten of one suit."),
    Combination.STRAIGHT_FLUSH: tr(
        "Straight flush: five cards of one suit in sequence; five, four, three, two, ace is the lowest."
    ),
    Combination.FOUR_TWO: tr("Four-two: all six cards, four of one rank and two of another."),
    Combination.THREE_THREE: tr("Three-three: all six cards, three of one rank and three of another."),
    Combination.PAIUTE: tr("Paiute: all six cards, pairs of three different ranks."),
}

RULE_SETS: Final[Mapping[str, str]] = {
    "hawaiian": tr("The standard game: all play for the pot, and a paiute counts only on the first turn."),
    "quarter": tr(
        "The standard game without a pot: the better the combination, the more the losers pay for it."
    ),
    "family": tr(
        "A card is laid out to start the discards, everybody has one more turn after a call, "
        "and a paiute counts on any turn."
    ),
    "two-round": tr(
        "A hand of two rounds with the discards face down: calls from the second round on, "
        "and without one the pot stays for the next hand."
    ),
}
"""The named sets, each in a sentence."""


def _round_limit(rounds: int | None) -> str:
    if rounds is None:
        return tr("A hand goes on until somebody calls.")
    return ngettext(
        "If nobody has called after {rounds} round, the hand is washed: nobody wins, and the pot stays.",
        "If nobody has called after {rounds} rounds, the hand is washed: nobody wins, and the pot stays.",
        rounds,
    ).format(rounds=rounds)


def _stake(amount: int) -> str:
    return (
        tr("The stake is {amount}.").format(amount=money(amount)) if amount else tr("You play for nothing.")
    )


_EXAMPLES: Final[Mapping[str, tuple[int | None, ...]]] = {"stake": (0, 25), "round_limit": (None, 3)}

SWITCHES: Final[Mapping[str, _Meaning]] = {
    "large_table": {
        False: tr("Up to five players may sit at the table."),
        True: tr("Up to eight players may sit at the table."),
    },
    "house_deals": {
        False: tr("The deal passes to the left, and the dealer has the last turn of each round."),
        True: tr(
            "The house deals; its place moves one player to the left after each hand, "
            "and the player on its right cuts and has the last turn of each round."
        ),
    },
    "stake": _stake,
    "payment": {
        Payment.POT: tr(
            "Everybody pays the stake into the pot before the deal, and the winner takes the pot."
        ),
        Payment.SCALE: tr(
            "Each of the others pays the winner the stake for a paiute, twice the stake for a three-three, "
            "three times for a four-two, four times for a straight or royal flush and "
            "five times for five of a kind; all of it double if it was called on the winner's first turn."
        ),
    },
    "wild_rule": {
        WildRule.TURNED_RANK: tr(
            "A card is turned up after the deal; the three others of its rank are wild."
        ),
        WildRule.OPPOSITE_COLOUR: tr(
            "A card is turned up after the deal; both cards of its rank in the other colour are wild."
        ),
        WildRule.JOKERS: tr("The pack has two jokers, and only they are wild."),
    },
    "opening_discard": {
        False: tr("The discards start empty, so that the first player can only draw from the stock."),
        True: tr("The top card of the stock is turned over to start the discards."),
    },
    "closed_discards": {
        False: tr("Discards lie face up, and the top one may be taken."),
        True: tr(
            "Discards lie face down; the top one may be taken, and is seen only by the player who takes it."
        ),
    },
    "first_call_round": {
        1: tr("Calls may be made from the first round on."),
        2: tr("Calls may be made from the second round on."),
    },
    "paiute_turns": {
        PaiuteTurns.AUTO: tr(
            "A paiute may be called on the player's own first turn, or with six players and more on any turn."
        ),
        PaiuteTurns.FIRST_TURN: tr("A paiute may be called only on the player's own first turn."),
        PaiuteTurns.FIRST_TWO_TURNS: tr("A paiute may be called only on the player's own first two turns."),
        PaiuteTurns.ANY_TURN: tr("A paiute may be called on any turn."),
    },
    "royal_on_top": {
        False: tr("Five of a kind is the highest combination, and beats a royal flush."),
        True: tr("The royal flush is the highest combination, and beats five of a kind."),
    },
    "last_turns": {
        LastTurns.TO_CLOSER: tr(
            "After the first call the round is played to its end, and then the hand is over."
        ),
        LastTurns.ONE_MORE_EACH: tr(
            "After the first call everybody else has one more turn, "
            "unless it was made on the last turn of a round: then the hand is over at once."
        ),
    },
    "ties": {
        Ties.SPLIT: tr("Equal combinations share the win."),
        Ties.FIRST_CALLER: tr("Of equal combinations the one called first wins."),
    },
    "round_limit": _round_limit,
}
"""What each switch means at each of its values, in the order in which a hand meets them."""
