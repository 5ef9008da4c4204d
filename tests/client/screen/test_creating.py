"""The dialog that opens a table says everything in words, and how it is typed."""

from __future__ import annotations

import pytest

from paiute_client.screen import creating

FIELDS = creating.FIELDS
SETTLED = ("name", "seats", "stake", "time")
"""Fields whose values are names, numbers, amounts and times."""


def each_value(field: str) -> list[dict[str, str]]:
    start = creating.start_values()
    return [{**start, field: value} for value in creating.choices(field, start)]


def test_every_field_has_a_name_in_words() -> None:
    assert set(creating.LABELS) == set(FIELDS)
    assert not any("-" in label for label in creating.LABELS.values())


@pytest.mark.parametrize("field", [field for field in FIELDS if field not in SETTLED and field != "rules"])
def test_every_value_is_shown_in_words(field: str) -> None:
    for values in each_value(field):
        words = creating.shown(field, values)
        assert "-" not in words
        assert words != "none"
        assert len(words) <= 27, "there is no more room at 60 columns"


@pytest.mark.parametrize("field", [field for field in FIELDS if field != "name"])
def test_every_field_says_how_it_is_typed(field: str) -> None:
    for values in each_value(field):
        typed = values[field] if field == "rules" else f"{field}={values[field]}"
        assert creating.meaning(field, values).endswith(f" ({typed})")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("stake", "25", "0.25"),
        ("time", "15", "15 seconds"),
        ("time", "none", "without limit"),
        ("wild-rule", "opposite-colour", "its other colour"),
        ("large-table", "yes", "yes"),
        ("name", "", "(the server names it)"),
        ("name", "Evening", "Evening"),
    ],
)
def test_values_are_shown_as_people_say_them(field: str, value: str, words: str) -> None:
    assert creating.shown(field, {**creating.start_values(), field: value}) == words


@pytest.mark.parametrize("rule_set", ["quarter", "family", "two-round"])
def test_another_rule_set_leaves_the_seats_that_were_set(rule_set: str) -> None:
    start = creating.start_values()
    by = creating.choices("rules", start).index(rule_set) - creating.choices("rules", start).index("hawaiian")
    most = creating.choices("seats", start)[-1]
    assert creating.turned(start, "rules", by)["seats"] == most
    for seats in creating.choices("seats", start):
        assert creating.turned({**start, "seats": seats}, "rules", by)["seats"] == seats
