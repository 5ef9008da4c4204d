from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_client.table_settings import SETTINGS, Create, read_settings, setting_words, typed_values
from paiute_client.typed_cards import Misunderstood
from paiute_net.game.house_rules import NAMED_SETS, HouseRules


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", Create()),
        ("family", Create(rule_set="family")),
        ("Family STAKE=50", Create(rule_set="family", switches={"stake": 50})),
        ("stake=50 family", Create(rule_set="family", switches={"stake": 50})),
        ("opening-discard=yes", Create(switches={"opening_discard": True})),
        ("opening_discard=on", Create(switches={"opening_discard": True})),
        ("two-round closed-discards=no", Create(rule_set="two-round", switches={"closed_discards": False})),
        ("round-limit=none", Create(switches={"round_limit": None})),
        ("round-limit=7", Create(switches={"round_limit": 7})),
        (
            "wild-rule=Jokers ties=first-caller",
            Create(switches={"wild_rule": "jokers", "ties": "first-caller"}),
        ),
        ("seats=4 time=30", Create(seats=4, time_limit_ms=30_000)),
        ("time=30s", Create(time_limit_ms=30_000)),
        ("time=none", Create(time_limit_ms=None)),
        ("time=default", Create(time_limit_ms=0)),
        ("name=Friday", Create(name="Friday")),
        ("name='Friday night' seats=3", Create(name="Friday night", seats=3)),
        ('name="Ana\'s table"', Create(name="Ana's table")),
        ("large-table=yes seats=8", Create(switches={"large_table": True}, seats=8)),
    ],
)
def test_a_table_can_be_described_in_one_line(typed: str, expected: Create) -> None:
    assert read_settings(typed) == expected


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("poker", "There is no rule set called poker; choose hawaiian, quarter, family or two-round."),
        ("colour=red", "The rules have no switch called colour; type help create for those there are."),
        ("opening-discard=maybe", "The switch opening-discard must be no or yes."),
        ("stake=0.25", "The stake is a whole number of cents, from 0 to 1000000."),
        ("stake=-1", "The stake is a whole number of cents, from 0 to 1000000."),
        ("stake=1000001", "The stake is a whole number of cents, from 0 to 1000000."),
        ("ties=", "The switch ties must be split or first-caller."),
        ("first-call-round=3", "The switch first-call-round must be a whole number from 1 to 2."),
        ("family quarter", "Give one rule set, and the rest as settings, for example create family stake=50"),
        ("seats=many", "The number of seats is a whole number, for example seats=4."),
        ("seats=6", "A table of these rules has 2 to 5 seats."),
        ("time=0", "The time for a decision is given in seconds, for example time=30, or time=none"),
        ("time=soon", "The time for a decision is given in seconds, for example time=30, or time=none"),
        ("name='Friday", "A quotation mark is missing; a name of several words is typed as in name="),
        (
            "first-call-round=2 round-limit=1",
            "The hand would be washed before anybody may call: make round-limit",
        ),
        ("first-call-round=2", "A paiute could never be called: let paiute-turns reach the round named by"),
    ],
)
def test_what_makes_no_table_is_explained(typed: str, sentence: str) -> None:
    with pytest.raises(Misunderstood) as why:
        read_settings(typed)
    assert str(why.value).startswith(sentence)


@given(st.text(max_size=30))
def test_whatever_is_typed_is_a_table_or_misunderstood(typed: str) -> None:
    try:
        created = read_settings(typed)
    except Misunderstood:
        return
    assert created.rule_set in NAMED_SETS


def test_what_may_be_typed_next_is_suggested() -> None:
    words = [word for word, _ in setting_words([], "")]
    assert words[: len(NAMED_SETS)] == list(NAMED_SETS)
    assert set(words) >= {f"{setting}=" for setting in SETTINGS}
    assert len(words) == len(NAMED_SETS) + len(SETTINGS) + len(HouseRules.__struct_fields__)


def test_what_has_been_typed_is_not_suggested_again() -> None:
    words = [word for word, _ in setting_words(["family", "seats=4", "royal-on-top=yes"], "")]
    assert not {"family", "hawaiian", "seats=", "royal-on-top="} & set(words)


def test_the_values_of_a_switch_are_suggested() -> None:
    assert setting_words([], "ties=") == [("ties=split", ""), ("ties=first-caller", "")]
    assert typed_values("opening-discard") == ["no", "yes"]
    assert typed_values("round-limit") == ["none"]
    assert typed_values("stake") == typed_values("name") == typed_values("colour") == []
