"""House rules as text, there and back."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_net.game.cards import PACK_WITH_JOKERS, Card, parse_cards, text
from paiute_net.game.errors import Refusal, RefusalCode
from paiute_net.game.house_rules import MAX_STAKE, NAMED_SETS, HouseRules, Payment
from paiute_net.game.rules_text import BadRules, parse_rules, rules_text, split_rules
from tests.support.playthrough import Dice, random_rules


@given(st.lists(st.sampled_from(PACK_WITH_JOKERS)))
def test_cards_go_there_and_back(cards: list[Card]) -> None:
    assert parse_cards(text(cards)) == tuple(cards)


@given(seed=st.integers(0, 2**32), stake=st.integers(0, MAX_STAKE))
def test_rules_go_there_and_back(seed: int, stake: int) -> None:
    rules = random_rules(Dice(seed), stake=stake)
    assert parse_rules(rules_text(rules)) == rules


@pytest.mark.parametrize("name", NAMED_SETS)
def test_a_named_set_is_its_name(name: str) -> None:
    assert rules_text(NAMED_SETS[name]) == name


@pytest.mark.parametrize(
    ("rules", "line"),
    [
        (HouseRules(stake=0), "hawaiian stake=0"),
        (HouseRules(payment=Payment.SCALE, stake=5), "quarter stake=5"),
        (msgspec.structs.replace(NAMED_SETS["two-round"], round_limit=None), "two-round round_limit=null"),
        (
            msgspec.structs.replace(NAMED_SETS["family"], large_table=True, stake=100),
            "family stake=100 large_table=true",
        ),
    ],
)
def test_changes_follow_the_nearest_set(rules: HouseRules, line: str) -> None:
    assert rules_text(rules) == line
    assert parse_rules(line) == rules


def test_changes_come_in_any_order_and_spacing() -> None:
    assert parse_rules(" family  large_table=true\tstake=100 ") == parse_rules(
        "family stake=100 large_table=true"
    )


def test_values_are_those_of_json() -> None:
    assert split_rules("any a=1 b=-7 c=true d=false e=null f=jokers g= h=1.5") == (
        "any",
        {"a": 1, "b": -7, "c": True, "d": False, "e": None, "f": "jokers", "g": "", "h": "1.5"},
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "'' names no rule set"),
        ("  ", "'  ' names no rule set"),
        ("stake=5", "'stake=5' names no rule set"),
        ("family stake", "'stake' in 'family stake' is no further switch"),
        ("family =5", "'=5' in"),
        ("family stake=5 stake=6", "'stake=6' in"),
    ],
)
def test_another_form_is_refused_with_the_right_one(line: str, said: str) -> None:
    with pytest.raises(BadRules) as refused:
        parse_rules(line)
    assert said in str(refused.value)
    assert "switch=value" in str(refused.value)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("poker", RefusalCode.UNKNOWN_RULE_SET),
        ("family colour=red", RefusalCode.UNKNOWN_SWITCH),
        ("family stake=1000001", RefusalCode.BAD_SWITCH_VALUE),
        ("family stake=" + "9" * 5000, RefusalCode.BAD_SWITCH_VALUE),
        ("family stake=٣", RefusalCode.BAD_SWITCH_VALUE),
        ("family stake=true", RefusalCode.BAD_SWITCH_VALUE),
        ("family opening_discard=1", RefusalCode.BAD_SWITCH_VALUE),
        ("family opening_discard=yes", RefusalCode.BAD_SWITCH_VALUE),
        ("two-round round_limit=1", RefusalCode.CONTRADICTING_SWITCHES),
    ],
)
def test_what_there_is_not_is_refused(line: str, code: RefusalCode) -> None:
    with pytest.raises(Refusal) as refused:
        parse_rules(line)
    assert refused.value.code is code
