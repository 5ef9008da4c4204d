from __future__ import annotations

import re

import pytest

from paiute_client.commands import COMMANDS, TOPICS, Help, parse
from paiute_client.guide import guide
from paiute_client.model import Model
from paiute_net.game.house_rules import HouseRules
from tests.client.test_commands import CALLING, lobby, seated
from tests.client.test_sentences import picture

WORDS = [*TOPICS, *(spec.name for spec in COMMANDS)]


@pytest.mark.parametrize("word", WORDS)
def test_there_is_help_about_every_word(word: str) -> None:
    lines = guide(word, Model())
    assert lines
    assert all(re.fullmatch(r"[^{}\n]*[.:]", line) for line in lines)
    assert parse(f"help {word}", Model()) == Help(word)


def test_help_tells_what_can_be_typed_now_and_what_else_there_is() -> None:
    for model in (lobby(), seated(CALLING), seated(turn=1)):
        lines = guide(None, model)
        told = " ".join(lines)
        assert lines[0] == "This is what you can type now:"
        for spec in COMMANDS:
            assert (f"{spec.usage}: {spec.meaning}" in lines) is spec.open(model)
            assert spec.name in told


def test_the_combinations_are_told_by_the_rules_of_the_table() -> None:
    model = Model()
    assert guide("combinations", model)[0].startswith("Five of a kind")
    model.picture = picture(rules=HouseRules(royal_on_top=True))
    assert guide("combinations", model)[0].startswith("Royal flush")


def test_a_switch_is_explained_value_by_value() -> None:
    assert guide("opening-discard", Model()) == [
        (
            "opening-discard=no: The discards start empty, "
            "so that the first player can only draw from the stock."
        ),
        "opening-discard=yes: The top card of the stock is turned over to start the discards.",
    ]
    assert guide("round-limit", Model())[0].startswith("round-limit=none: ")
    assert guide("stake", Model())[1] == "stake=25: The stake is 0.25."


def test_no_help_is_told_about_what_is_no_word() -> None:
    assert guide("fold", Model()) == []
