"""Every variation of the game as data, the named sets, and which switches contradict (Rules, section 9)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum, unique
from functools import cache
from typing import Annotated, Any, Final

import msgspec

from paiute_net.game.cards import JOKERS, PACK, Card, colour, rank_of
from paiute_net.game.errors import Fact, Refusal, RefusalCode

__all__ = [
    "MAX_ROUND_LIMIT",
    "MAX_STAKE",
    "MIN_SEATS",
    "NAMED_SETS",
    "STANDARD",
    "HouseRules",
    "LastTurns",
    "PaiuteTurns",
    "Payment",
    "Ties",
    "WildRule",
    "allowed_values",
    "check",
    "check_seats",
    "max_seats",
    "paiute_turns",
    "rules_from",
    "wild_cards",
]

MAX_STAKE: Final = 1_000_000
MAX_ROUND_LIMIT: Final = 1_000
MIN_SEATS: Final = 2
EVERY_TURN: Final = 1 << 30
"""More turns than any hand has."""


@unique
class WildRule(StrEnum):
    """Which cards are wild (Rules, section 4)."""

    TURNED_RANK = "turned-rank"
    OPPOSITE_COLOUR = "opposite-colour"
    JOKERS = "jokers"


@unique
class LastTurns(StrEnum):
    """Who still has a turn after a first call that was not the closer's (Rules, section 6)."""

    TO_CLOSER = "to-closer"
    ONE_MORE_EACH = "one-more-each"


@unique
class PaiuteTurns(StrEnum):
    """On which of his own turns a player may call a paiute (Rules, section 6)."""

    AUTO = "auto"
    FIRST_TURN = "first-turn"
    FIRST_TWO_TURNS = "first-two-turns"
    ANY_TURN = "any-turn"


@unique
class Ties(StrEnum):
    """Who wins among equally high calls (Rules, section 7)."""

    SPLIT = "split"
    FIRST_CALLER = "first-caller"


@unique
class Payment(StrEnum):
    """How the winner is paid (Rules, section 8)."""

    POT = "pot"
    SCALE = "scale"


class HouseRules(msgspec.Struct, frozen=True, kw_only=True):
    """The switches of a table; the defaults are the standard game, ``hawaiian``.

    ``round_limit`` is null where there is none; ``stake`` is in minor units of money.
    """

    wild_rule: WildRule = WildRule.TURNED_RANK
    opening_discard: bool = False
    closed_discards: bool = False
    first_call_round: Annotated[int, msgspec.Meta(ge=1, le=2)] = 1
    round_limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_ROUND_LIMIT)] | None = None
    last_turns: LastTurns = LastTurns.TO_CLOSER
    paiute_turns: PaiuteTurns = PaiuteTurns.AUTO
    royal_on_top: bool = False
    ties: Ties = Ties.SPLIT
    payment: Payment = Payment.POT
    stake: Annotated[int, msgspec.Meta(ge=0, le=MAX_STAKE)] = 25
    large_table: bool = False
    house_deals: bool = False


STANDARD: Final = HouseRules()
NAMED_SETS: Final[Mapping[str, HouseRules]] = {
    "hawaiian": STANDARD,
    "quarter": HouseRules(payment=Payment.SCALE),
    "family": HouseRules(
        opening_discard=True, last_turns=LastTurns.ONE_MORE_EACH, paiute_turns=PaiuteTurns.ANY_TURN
    ),
    "two-round": HouseRules(
        first_call_round=2, round_limit=2, paiute_turns=PaiuteTurns.FIRST_TWO_TURNS, closed_discards=True
    ),
}

_LAST_PAIUTE_TURN: Final[Mapping[PaiuteTurns, int]] = {
    PaiuteTurns.AUTO: 1,
    PaiuteTurns.FIRST_TURN: 1,
    PaiuteTurns.FIRST_TWO_TURNS: 2,
    PaiuteTurns.ANY_TURN: EVERY_TURN,
}
_MANY_PLAYERS: Final = 6
"""From this many players dealt in, ``auto`` allows a paiute on any turn."""


def paiute_turns(rules: HouseRules, players: int) -> int:
    """On how many of his first turns one of ``players`` dealt in may call a paiute."""
    if rules.paiute_turns is PaiuteTurns.AUTO and players >= _MANY_PLAYERS:
        return EVERY_TURN
    return _LAST_PAIUTE_TURN[rules.paiute_turns]


def max_seats(rules: HouseRules) -> int:
    """How many players may sit at a table of these rules (Rules, section 2)."""
    return 8 if rules.large_table else 5


def check_seats(rules: HouseRules, seats: int) -> None:
    """Raises Refusal where a table of these rules cannot have so many seats."""
    if not MIN_SEATS <= seats <= max_seats(rules):
        raise Refusal(RefusalCode.SEATS_OUT_OF_RANGE, minimum=MIN_SEATS, maximum=max_seats(rules))


def check(rules: HouseRules) -> None:
    """Raises Refusal, naming both switches, where two contradict each other (Rules, section 9)."""
    first = rules.first_call_round
    if rules.round_limit is not None and first > rules.round_limit:
        raise Refusal(RefusalCode.CONTRADICTING_SWITCHES, switches=["first_call_round", "round_limit"])
    if _LAST_PAIUTE_TURN[rules.paiute_turns] < first:
        raise Refusal(RefusalCode.CONTRADICTING_SWITCHES, switches=["first_call_round", "paiute_turns"])


def rules_from(rule_set: str, changes: Mapping[str, object]) -> HouseRules:
    """The named set with single switches changed.

    Args:
      changes: switch to value, values as JSON would have them.

    Raises:
      Refusal: unknown set, unknown switch, a value of the wrong type or out of range, contradicting switches.
    """
    try:
        base = NAMED_SETS[rule_set]
    except KeyError:
        raise Refusal(RefusalCode.UNKNOWN_RULE_SET, rule_set=rule_set, allowed=list(NAMED_SETS)) from None
    switches: dict[str, Any] = msgspec.structs.asdict(base)
    for switch, value in changes.items():
        switches[switch] = _checked(switch, value)
    rules = HouseRules(**switches)
    check(rules)
    return rules


def allowed_values(switch: str) -> dict[str, Fact]:
    """What a switch may be: ``allowed`` values, or ``minimum`` and ``maximum`` (and ``allowed`` null).

    Raises:
      KeyError: there is no such switch.
    """
    return _ALLOWED[switch]


@cache
def wild_cards(rule: WildRule, turned: Card | None) -> frozenset[Card]:
    """The cards that are wild when ``turned`` lies face up (None with jokers), itself never among them."""
    if turned is None:
        return frozenset(JOKERS)
    others = (card for card in PACK if rank_of(card) == rank_of(turned) and card != turned)
    if rule is WildRule.OPPOSITE_COLOUR:
        return frozenset(card for card in others if colour(card) != colour(turned))
    return frozenset(others)


def _checked(switch: str, value: object) -> object:
    if switch not in _TYPES:
        raise Refusal(RefusalCode.UNKNOWN_SWITCH, switch=switch, allowed=list(_TYPES))
    try:
        converted: object = msgspec.convert(value, _TYPES[switch])
    except msgspec.ValidationError:
        raise Refusal(RefusalCode.BAD_SWITCH_VALUE, switch=switch, **allowed_values(switch)) from None
    return converted


_TYPES: Final[dict[str, Any]] = {field.name: field.type for field in msgspec.structs.fields(HouseRules)}
_ALLOWED: Final[dict[str, dict[str, Fact]]] = {
    "wild_rule": {"allowed": [str(value) for value in WildRule]},
    "opening_discard": {"allowed": ["false", "true"]},
    "closed_discards": {"allowed": ["false", "true"]},
    "first_call_round": {"minimum": 1, "maximum": 2},
    "round_limit": {"allowed": ["null"], "minimum": 1, "maximum": MAX_ROUND_LIMIT},
    "last_turns": {"allowed": [str(value) for value in LastTurns]},
    "paiute_turns": {"allowed": [str(value) for value in PaiuteTurns]},
    "royal_on_top": {"allowed": ["false", "true"]},
    "ties": {"allowed": [str(value) for value in Ties]},
    "payment": {"allowed": [str(value) for value in Payment]},
    "stake": {"minimum": 0, "maximum": MAX_STAKE},
    "large_table": {"allowed": ["false", "true"]},
    "house_deals": {"allowed": ["false", "true"]},
}
