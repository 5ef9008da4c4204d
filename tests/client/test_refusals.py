from __future__ import annotations

import re

import pytest

from paiute_client.refusals import SENTENCES, as_typed, explain, value_as_typed
from paiute_client.table_settings import read_settings
from paiute_client.typed_cards import Misunderstood
from paiute_net.game.errors import Fact, RefusalCode
from paiute_net.wire.errors import CODES, ErrorCode
from tests.support.client import Play

FACTS: dict[str, Fact] = {
    "allowed": ["one", "two"],
    "card": "Qh",
    "combination": "four-two",
    "decision": 7,
    "expected": "string",
    "field": "cards",
    "fields": ["colour", "shape"],
    "got": "integer",
    "key": "name",
    "length": 70_000,
    "maximum": 50,
    "minimum": 2,
    "name": "Ana",
    "ranks": ["Q", "6"],
    "received": 3,
    "round": 2,
    "rule_set": "poker",
    "seat": 1,
    "switch": "opening_discard",
    "switches": ["first_call_round", "round_limit"],
    "table": "t-1",
    "time_ms": 1500,
    "turns": 1,
    "type": "fold",
    "versions": [1, 2],
    "wait_ms": 400,
}
"""A value for every fact that a code may come with."""


def facts_of(code: str) -> dict[str, Fact]:
    info = CODES[code]
    return {name: FACTS[name] for name in (*info.facts, *info.optional)}


def test_every_code_has_its_sentence_and_no_other() -> None:
    assert set(SENTENCES) == set(CODES)


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_sentence_of_each_code_is_whole(code: str) -> None:
    sentence = explain(code, facts_of(code))
    assert re.fullmatch(r"[A-Z][^{}\n]*\.", sentence)
    assert "does not know: " not in sentence


def test_no_two_codes_have_the_same_sentence() -> None:
    sentences = [explain(code, facts_of(code)) for code in CODES]
    assert len(set(sentences)) == len(sentences)


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_code_without_its_facts_still_ends_in_a_sentence(code: str) -> None:
    assert re.fullmatch(r"[A-Z][^{}\n]*\.", explain(code, {}))


@pytest.mark.parametrize("facts", [{}, {"card": "Zz"}, {"card": 7}, {"card": None}])
def test_facts_that_make_no_sense_are_survived(facts: dict[str, Fact]) -> None:
    assert explain(RefusalCode.CARD_NOT_HELD, facts) == (
        "The server refused this for a reason that this client does not know: card-not-held."
    )


def test_a_code_of_a_newer_server_is_named() -> None:
    assert explain("too-late-at-night", {"hour": 3}).endswith("does not know: too-late-at-night.")


@pytest.mark.parametrize(
    ("code", "facts", "sentence"),
    [
        (RefusalCode.CARD_NOT_HELD, {"card": "Qh"}, "You do not hold the queen of hearts; type hand"),
        (RefusalCode.TAKEN_CARD, {"card": "9s"}, "You took the nine of spades from the discards"),
        (RefusalCode.BAD_CUT, {"minimum": 1, "maximum": 53}, "A cut takes from 1 to 53 cards"),
        (RefusalCode.WRONG_ACTION, {"allowed": ["draw"]}, "That is not possible now; you can draw or take."),
        (
            RefusalCode.WRONG_ACTION,
            {"allowed": ["discard", "call"]},
            "now; you can discard or call.",
        ),
        (
            RefusalCode.CALL_TOO_LOW,
            {"combination": "five-of-a-kind", "ranks": ["K"]},
            "equal or beat the best one shown, five of a kind, kings;",
        ),
        (RefusalCode.PAIUTE_NOT_ALLOWED, {"turns": 1}, "only on your first turn of a hand"),
        (RefusalCode.PAIUTE_NOT_ALLOWED, {"turns": 2}, "only on your first 2 turns of a hand"),
        (RefusalCode.BAD_CALL, {"allowed": [5, 6]}, "A call names the 5 or 6 cards"),
        (RefusalCode.NO_SUCH_SEAT, {"minimum": 0, "maximum": 4}, "numbered from 1 to 5."),
        (
            RefusalCode.UNKNOWN_RULE_SET,
            {"rule_set": "poker", "allowed": ["a", "b"]},
            "called poker; choose a or b.",
        ),
        (
            RefusalCode.BAD_SWITCH_VALUE,
            {"switch": "opening_discard", "allowed": ["false", "true"]},
            "The switch opening-discard must be no or yes.",
        ),
        (
            RefusalCode.BAD_SWITCH_VALUE,
            {"switch": "round_limit", "allowed": ["null"], "minimum": 1, "maximum": 9},
            "The switch round-limit must be none, or a whole number from 1 to 9.",
        ),
        (
            RefusalCode.BAD_SWITCH_VALUE,
            {"switch": "stake", "minimum": 0, "maximum": 1000},
            "The stake is a whole number of cents, from 0 to 1000.",
        ),
        (RefusalCode.CONTRADICTING_SWITCHES, {"switches": ["a_b", "c"]}, "The switches a-b and c contradict"),
        (ErrorCode.TOO_FAST, {"wait_ms": 400}, "wait 1 second and try again."),
        (ErrorCode.TOO_FAST, {"wait_ms": 1001}, "wait 2 seconds and try again."),
        (ErrorCode.NAME_TAKEN, {"name": "Ana"}, "The name Ana is taken; choose another one."),
        (ErrorCode.NAME_TOO_LONG, {"maximum": 24}, "at most 24 characters."),
        (ErrorCode.BAD_TIME_LIMIT, {"minimum": 1000, "maximum": 60_000}, "from 1 second to 60 seconds."),
    ],
)
def test_a_sentence_says_what_is_wrong_and_what_would_be_right(
    code: str, facts: dict[str, Fact], sentence: str
) -> None:
    assert sentence in explain(code, facts)


def test_whose_turn_it_is_is_told_by_name_where_that_is_known() -> None:
    picture = Play(players=2).picture(0)
    assert (
        explain(RefusalCode.NOT_YOUR_TURN, {"seat": 1}, picture) == "It is not your turn: wait for Player 1."
    )
    assert explain(RefusalCode.NOT_YOUR_TURN, {"seat": 4}, picture).endswith("wait for the player in seat 5.")
    assert explain(RefusalCode.NOT_YOUR_TURN, {"seat": 4}).endswith("wait for the player in seat 5.")


def test_switches_and_values_are_told_as_they_are_typed() -> None:
    assert as_typed("first_call_round") == "first-call-round"
    assert [value_as_typed(value) for value in (True, False, None, "true", "null", 3, "split")] == [
        "yes", "no", "none", "yes", "none", "3", "split",
    ]  # fmt: skip


def test_a_mistake_is_explained_alike_here_and_by_the_server() -> None:
    with pytest.raises(Misunderstood, match="washed before anybody may call"):
        read_settings("first-call-round=2 round-limit=1")
