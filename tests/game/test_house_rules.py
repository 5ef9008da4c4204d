"""The named sets, the switches, and what is refused (Rules, section 9)."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_net.game.errors import Refusal, RefusalCode
from paiute_net.game.house_rules import (
    MAX_ROUND_LIMIT,
    NAMED_SETS,
    STANDARD,
    HouseRules,
    allowed_values,
    check,
    rules_from,
)
from paiute_net.game.table import Table
from tests.game.rulings import ruling
from tests.support.playthrough import SWITCHES

HAWAIIAN: dict[str, object] = {
    "wild_rule": "turned-rank",
    "opening_discard": False,
    "closed_discards": False,
    "first_call_round": 1,
    "round_limit": None,
    "last_turns": "to-closer",
    "paiute_turns": "auto",
    "royal_on_top": False,
    "ties": "split",
    "payment": "pot",
    "stake": 25,
    "large_table": False,
    "house_deals": False,
}
DIFFERENCES: dict[str, dict[str, object]] = {
    "hawaiian": {},
    "quarter": {"payment": "scale"},
    "family": {"opening_discard": True, "last_turns": "one-more-each", "paiute_turns": "any-turn"},
    "two-round": {
        "first_call_round": 2,
        "round_limit": 2,
        "paiute_turns": "first-two-turns",
        "closed_discards": True,
    },
}
NO_CHOICE: tuple[object, ...] = (
    *("", "no", "Turned-Rank", "turned_rank", "null", "true", "1", "25", b"pot"),
    *(-1, 1.0, 25.5, float("nan"), float("inf"), 10**30, -(10**30)),
    *([], {}, [1], ["pot"], {"pot": 1}, (), Ellipsis),
)
"""What no switch may be."""


def refusal_of(rule_set: str, changes: dict[str, object]) -> Refusal:
    with pytest.raises(Refusal) as refused:
        rules_from(rule_set, changes)
    return refused.value


# --- named sets -----------------------------------------------------------------------------------------


@ruling("9.1", "9.2", "9.3", "9.4", "9.5")
@pytest.mark.parametrize("rule_set", DIFFERENCES)
def test_what_a_named_set_differs_in(rule_set: str) -> None:
    assert msgspec.to_builtins(rules_from(rule_set, {})) == HAWAIIAN | DIFFERENCES[rule_set]


@ruling("9.1", "8.2")
def test_the_standard_game_is_hawaiian() -> None:
    assert set(NAMED_SETS) == set(DIFFERENCES)
    assert HouseRules() == STANDARD == NAMED_SETS["hawaiian"]
    assert STANDARD.stake == 25


@ruling("9.5")
def test_all_but_quarter_play_for_the_pot() -> None:
    assert {name: str(house_rules.payment) for name, house_rules in NAMED_SETS.items()} == {
        "hawaiian": "pot",
        "quarter": "scale",
        "family": "pot",
        "two-round": "pot",
    }
    assert {house_rules.stake for house_rules in NAMED_SETS.values()} == {25}


def test_an_unknown_set_is_refused() -> None:
    refusal = refusal_of("poker", {})
    assert refusal.code is RefusalCode.UNKNOWN_RULE_SET
    assert refusal.facts == {"rule_set": "poker", "allowed": ["hawaiian", "quarter", "family", "two-round"]}


# --- switches -------------------------------------------------------------------------------------------


@ruling("9.6")
def test_every_variation_is_a_switch_and_can_be_chosen() -> None:
    assert set(SWITCHES) == set(HAWAIIAN) == set(HouseRules.__struct_fields__)
    for switch, values in SWITCHES.items():
        for value in values:
            chosen = rules_from("hawaiian", {"paiute_turns": "any-turn"} | {switch: value})
            assert getattr(chosen, switch) == value


@ruling("9.6", "8.2")
@pytest.mark.parametrize("switch", HAWAIIAN)
@pytest.mark.parametrize("value", NO_CHOICE, ids=repr)
def test_a_switch_takes_no_value_of_another_kind(switch: str, value: object) -> None:
    refusal = refusal_of("hawaiian", {switch: value})
    assert refusal.code is RefusalCode.BAD_SWITCH_VALUE
    assert refusal.facts == {"switch": switch, **allowed_values(switch)}


@ruling("9.6", "8.2")
@pytest.mark.parametrize(
    ("switch", "value"),
    [
        *product(("wild_rule", "last_turns", "paiute_turns", "ties", "payment"), (None, True, False, 0, 1)),
        *product(("opening_discard", "closed_discards", "royal_on_top"), (None, 0, 1)),
        *product(("large_table", "house_deals"), (None, 0, 1)),
        *product(("first_call_round",), (None, True, False, 0, 3)),
        *product(("round_limit",), (True, False, 0, MAX_ROUND_LIMIT + 1)),
        *product(("stake",), (None, True, False, 1_000_001)),
        ("wild_rule", "any-turn"),
        ("ties", "pot"),
    ],
)
def test_nor_one_out_of_its_range(switch: str, value: object) -> None:
    refusal = refusal_of("hawaiian", {switch: value})
    assert (refusal.code, refusal.facts["switch"]) == (RefusalCode.BAD_SWITCH_VALUE, switch)


@pytest.mark.parametrize("switch", HAWAIIAN)
def test_a_refusal_names_what_a_switch_may_be(switch: str) -> None:
    facts = allowed_values(switch)
    named = facts.get("allowed", [])
    assert isinstance(named, list)
    words = {"false": False, "true": True, "null": None}
    ends = [facts[end] for end in ("minimum", "maximum") if end in facts]
    for value in [*(words.get(str(word), word) for word in named), *ends]:
        base = "two-round" if switch == "first_call_round" else "hawaiian"
        assert getattr(rules_from(base, {switch: value}), switch) == value
    assert named or ends


def test_what_switches_there_are() -> None:
    with pytest.raises(KeyError):
        allowed_values("rounds")
    refusal = refusal_of("family", {"stake": 5, "rounds": 3})
    assert refusal.code is RefusalCode.UNKNOWN_SWITCH
    assert refusal.facts == {"switch": "rounds", "allowed": list(HAWAIIAN)}


@given(
    st.dictionaries(
        st.sampled_from([*HAWAIIAN, "x"]), st.none() | st.booleans() | st.integers() | st.text() | st.floats()
    )
)
def test_whatever_is_asked_for_is_a_set_of_rules_or_refused(changes: dict[str, object]) -> None:
    try:
        chosen = rules_from("hawaiian", changes)
    except Refusal:
        return
    assert msgspec.convert(msgspec.to_builtins(chosen), HouseRules) == chosen
    assert {switch: msgspec.to_builtins(getattr(chosen, switch)) for switch in changes} == changes


# --- contradictions -------------------------------------------------------------------------------------


@ruling("9.7")
def test_calls_must_begin_within_the_round_limit() -> None:
    changes: dict[str, object] = {"first_call_round": 2, "round_limit": 1, "paiute_turns": "any-turn"}
    refusal = refusal_of("hawaiian", changes)
    assert refusal.code is RefusalCode.CONTRADICTING_SWITCHES
    assert refusal.facts == {"switches": ["first_call_round", "round_limit"]}
    assert rules_from("hawaiian", changes | {"round_limit": 2}).round_limit == 2
    assert refusal_of("two-round", {"round_limit": 1}).facts == refusal.facts


@ruling("9.8")
@pytest.mark.parametrize("paiute_turns", ["auto", "first-turn"])
def test_a_paiute_must_be_possible_when_calls_begin(paiute_turns: str) -> None:
    refusal = refusal_of("two-round", {"paiute_turns": paiute_turns, "large_table": True})
    assert refusal.code is RefusalCode.CONTRADICTING_SWITCHES
    assert refusal.facts == {"switches": ["first_call_round", "paiute_turns"]}
    assert rules_from("two-round", {"paiute_turns": paiute_turns, "first_call_round": 1}).round_limit == 2


@ruling("9.8")
def test_later_calls_alone_contradict_the_standard_paiute() -> None:
    assert refusal_of("hawaiian", {"first_call_round": 2}).facts == {
        "switches": ["first_call_round", "paiute_turns"]
    }


@ruling("9.9")
def test_everything_else_goes_together() -> None:
    for values in product(*SWITCHES.values()):
        house_rules = HouseRules(**dict(zip(SWITCHES, values, strict=True)))  # type: ignore[arg-type]
        contradiction = house_rules.first_call_round == 2 and (
            house_rules.round_limit == 1 or house_rules.paiute_turns in ("auto", "first-turn")
        )
        try:
            check(house_rules)
        except Refusal:
            assert contradiction
        else:
            assert not contradiction


def test_a_table_is_not_opened_with_contradicting_rules() -> None:
    with pytest.raises(Refusal) as refused:
        Table.opening(name="Table", rules=HouseRules(first_call_round=2))
    assert refused.value.code is RefusalCode.CONTRADICTING_SWITCHES
