from __future__ import annotations

import re

import msgspec
import pytest

from paiute_client import rulebook
from paiute_net.game.combinations import Combination
from paiute_net.game.house_rules import NAMED_SETS, STANDARD, HouseRules
from tests.support.playthrough import SWITCHES as VALUES


def test_every_switch_is_explained_and_no_other() -> None:
    assert set(rulebook.SWITCHES) == set(HouseRules.__struct_fields__)


@pytest.mark.parametrize(
    ("switch", "value"), [(switch, value) for switch, values in VALUES.items() for value in values]
)
def test_every_value_is_explained_in_one_sentence(switch: str, value: object) -> None:
    assert re.fullmatch(r"[A-Z][^{}\n]*\.", rulebook.explain_switch(switch, value))


@pytest.mark.parametrize("switch", VALUES)
def test_each_value_of_a_switch_says_something_else(switch: str) -> None:
    said = [rulebook.explain_switch(switch, value) for value in VALUES[switch]]
    assert len(set(said)) == len(said)


def test_what_cannot_be_is_not_explained() -> None:
    with pytest.raises(KeyError):
        rulebook.explain_switch("ties", "toss")
    with pytest.raises(KeyError):
        rulebook.explain_switch("colour", "red")


def test_every_named_set_is_explained_and_known_by_its_name() -> None:
    assert set(rulebook.RULE_SETS) == set(NAMED_SETS)
    for name, rules in NAMED_SETS.items():
        assert rulebook.name_of(rules) == name
        assert rulebook.name_of(msgspec.structs.replace(rules, stake=500)) == name
    assert rulebook.name_of(HouseRules(royal_on_top=True)) is None


def test_the_rules_of_a_table_are_a_sentence_for_each_switch() -> None:
    lines = rulebook.explain_rules(NAMED_SETS["two-round"])
    assert len(lines) == len(HouseRules.__struct_fields__)
    assert "Calls may be made from the second round on." in lines
    assert "If nobody has called after 2 rounds, the hand is washed: nobody wins, and the pot stays." in lines


def test_the_stake_is_told_as_money() -> None:
    assert rulebook.explain_switch("stake", 125) == "The stake is 1.25."
    assert rulebook.explain_switch("stake", 0) == "You play for nothing."


def test_the_combinations_are_told_from_high_to_low() -> None:
    names = [line.partition(":")[0] for line in rulebook.combinations(royal_on_top=False)]
    assert names == ["Five of a kind", "Royal flush", "Straight flush", "Four-two", "Three-three", "Paiute"]
    assert [line.partition(":")[0] for line in rulebook.combinations(royal_on_top=True)][:2] == [
        "Royal flush",
        "Five of a kind",
    ]
    assert len(names) == len(Combination)


@pytest.mark.parametrize("switch", VALUES)
def test_the_values_of_each_switch_can_be_listed(switch: str) -> None:
    meanings = rulebook.meanings(switch)
    assert getattr(STANDARD, switch) in meanings
    assert all(meaning == rulebook.explain_switch(switch, value) for value, meaning in meanings.items())


def test_the_game_is_told_in_sentences() -> None:
    assert all(re.fullmatch(r"[A-Z][^{}\n]*\.", line) for line in rulebook.game())


def test_six_players_are_spoken_of_only_where_so_many_can_sit() -> None:
    for large in (False, True):
        told = " ".join(rulebook.explain_rules(HouseRules(large_table=large)))
        assert ("six players" in told) is large
