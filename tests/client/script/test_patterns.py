"""What a pattern matches, what it learns, and how a difference reads."""

from __future__ import annotations

import pytest

from paiute_client.script.patterns import Difference, Reading, Unknown, as_json, match, said

PLAIN = Reading()


def differences(pattern: object, value: object, reading: Reading = PLAIN, **known: object) -> list[str]:
    return [str(difference) for difference in match(pattern, value, known, reading)[0]]


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ({}, {"a": 1}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": None}, {"a": None}),
        ({"a": "*"}, {"a": None}),
        ({"a": ["*", 2]}, {"a": [1, 2]}),
        ({"a": [1, "..."]}, {"a": [1]}),
        ({"a": [1, "..."]}, {"a": [1, 2, 3]}),
        ({"a": ["..."]}, {"a": []}),
        ({"a": ["...", 1, "..."]}, {"a": [1]}),
        ({"a": ["...", 1, "..."]}, {"a": [0, 1, 2]}),
        ({"a": ["...", 1, 2, "..."]}, {"a": [1, 3, 1, 2]}),
        ({"a": ["...", {"b": 1}, "..."]}, {"a": [{"b": 2}, {"b": 1, "c": 1}]}),
        ({"a": ["...", 1]}, {"a": [1, 2, 1]}),
        ({"a": ["...", "..."]}, {"a": []}),
        ({"a": {"b": [{"c": "x"}]}}, {"a": {"b": [{"c": "x", "d": 1}]}}),
        ({"a": "$$x"}, {"a": "$x"}),
        ({"a": "**"}, {"a": "*"}),
        ({"a": "$"}, {"a": "$"}),
        ({"a": "***"}, {"a": "***"}),
        ({"a": "$x", "b": "$x"}, {"a": [1], "b": [1]}),
    ],
)
def test_it_matches(pattern: object, value: object) -> None:
    assert differences(pattern, value) == []


@pytest.mark.parametrize(
    ("pattern", "value", "said"),
    [
        ({"a": 1}, {}, ["a: missing"]),
        ({"a": "*"}, {}, ["a: missing"]),
        ({"a": 1}, {"a": 2}, ["a: 1 expected, 2 heard"]),
        ({"a": 1}, {"a": True}, ["a: 1 expected, true heard"]),
        ({"a": 0}, {"a": False}, ["a: 0 expected, false heard"]),
        ({"a": None}, {"a": 0}, ["a: null expected, 0 heard"]),
        ({"a": "1"}, {"a": 1}, ['a: "1" expected, 1 heard']),
        ({"a": {}}, {"a": None}, ["a: a map expected, null heard"]),
        ({"a": []}, {"a": {}}, ["a: a list expected, {} heard"]),
        ({"a": []}, {"a": [1]}, ["a: 0 elements expected, [1] heard"]),
        ({"a": [1, 2, "..."]}, {"a": [1]}, ["a: at least 2 elements expected, [1] heard"]),
        ({"a": ["..."]}, {"a": None}, ["a: a list expected, null heard"]),
        ({"a": ["...", 1, "..."]}, {"a": [0, 2]}, ["a: [1] expected among [0, 2]"]),
        ({"a": ["...", 1, 2, "..."]}, {"a": [1]}, ["a: [1, 2] expected among [1]"]),
        ({"a": ["...", 1]}, {"a": [1, 2]}, ["a: [1] expected at the end of [1, 2]"]),
        ({"a": ["...", 1]}, {"a": []}, ["a: [1] expected at the end of []"]),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 3}]}}, ["a.b[1].c: 2 expected, 3 heard"]),
        ({"a": "$x", "b": "$x"}, {"a": 1, "b": 2}, ["b: 1 ($x) expected, 2 heard"]),
        ({"a": 1, "b": 2}, {"a": 2, "b": 1}, ["a: 1 expected, 2 heard", "b: 2 expected, 1 heard"]),
        ({}, [], ["a map expected, [] heard"]),
    ],
)
def test_it_says_how_they_differ(pattern: object, value: object, said: list[str]) -> None:
    assert differences(pattern, value) == said


def test_what_is_learnt_is_all_that_was_known_and_more() -> None:
    found, known = match({"a": "$x", "b": "$y"}, {"a": 1, "b": None}, {"y": None, "z": 3}, PLAIN)
    assert (found, known) == ([], {"x": 1, "y": None, "z": 3})


def test_nothing_is_learnt_for_those_who_asked_before() -> None:
    known: dict[str, object] = {}
    match({"a": "$x", "b": 1}, {"a": 1, "b": 2}, known, PLAIN)
    assert known == {}


def test_in_named_fields_strings_stand_for_what_is_heard() -> None:
    reading = Reading(names=frozenset({"table", "names"}))
    pattern = {"table": "t1", "list": [{"table": "t2"}], "names": ["n1", None]}
    heard = {"table": "xx", "list": [{"table": "yy"}], "names": ["zz", None]}
    found, known = match(pattern, heard, {}, reading)
    assert found == []
    assert said({"table": "t2", "other": "t2", "names": ["n1"]}, known, reading) == {
        "table": "yy",
        "other": "t2",
        "names": ["zz"],
    }
    assert differences({"table": "t1"}, {"table": "yy"}, reading, **known) == [
        'table: "xx" (t1) expected, "yy" heard'
    ]
    assert differences({"table": None}, {"table": "xx"}, reading) == ['table: null expected, "xx" heard']


def test_the_same_example_in_two_named_fields_is_one_name() -> None:
    reading = Reading(names=frozenset({"player", "payer"}))
    assert differences({"player": "a", "payer": "a"}, {"player": 1, "payer": 1}, reading) == []
    assert differences({"player": "a", "payer": "a"}, {"player": 1, "payer": 2}, reading) == [
        "payer: 1 (a) expected, 2 heard"
    ]
    assert differences({"player": "a", "x": "$a"}, {"player": 1, "x": 2}, reading) == []


def test_ignored_fields_only_have_to_be_there() -> None:
    reading = Reading(ignored=frozenset({"time_ms"}))
    assert differences({"a": {"time_ms": 60000}}, {"a": {"time_ms": None}}, reading) == []
    assert differences({"time_ms": 60000}, {}, reading) == ["time_ms: missing"]


def test_a_message_says_what_is_known() -> None:
    message = {"a": "$x", "b": ["$x", {"c": "$y"}], "d": "$$x", "e": 1, "f": "**", "g": "*?"}
    assert said(message, {"x": 7, "y": ["Qh"]}, PLAIN) == {
        "a": 7,
        "b": [7, {"c": ["Qh"]}],
        "d": "$x",
        "e": 1,
        "f": "*",
        "g": "*?",
    }


def test_what_is_not_known_cannot_be_said() -> None:
    with pytest.raises(Unknown, match=r"^\$x has not been heard yet$"):
        said({"a": [{"b": "$x"}]}, {}, PLAIN)


def test_a_value_too_long_to_be_read_is_cut() -> None:
    [text] = differences({"a": 1}, {"a": "x" * 1000})
    assert len(text) < 450


def test_what_a_terminal_obeys_is_escaped() -> None:
    assert as_json({"a": "\x1b[2J\u202e"}) == '{"a": "\\u001b[2J\\u202e"}'
    assert as_json({"a": "ā"}) == '{"a": "ā"}'
    assert as_json({"a": b"x"}) == '{"a": "b\'x\'"}'
    assert str(Difference("", "odd")) == "odd"
