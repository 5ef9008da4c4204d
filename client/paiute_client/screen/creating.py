"""The dialog that opens a table: its fields, the values each takes, and what they mean."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from paiute_client.refusals import as_typed, value_as_typed
from paiute_client.rulebook import RULE_SETS, SWITCHES, explain_switch
from paiute_client.table_settings import SETTINGS, Create, read_settings
from paiute_client.typed_cards import Misunderstood
from paiute_client.words import money, ngettext, tr
from paiute_net.game.house_rules import MIN_SEATS, NAMED_SETS, allowed_values, max_seats

__all__ = [
    "FIELDS",
    "LABELS",
    "choices",
    "fault",
    "meaning",
    "new_table",
    "shown",
    "start_values",
    "turned",
    "typed",
]

_RULE_SET: Final = "rules"
_NAME: Final = "name"
_SEATS: Final = "seats"
_TIME: Final = "time"
_STAKE: Final = "stake"
_TIMES: Final = ("default", "15", "30", "60", "120", "300", "none")
_STAKES: Final = ("0", "5", "10", "25", "50", "100", "200", "500", "1000")
_MOST_ROUNDS: Final = 10
_LONGEST: Final = 24
"""Letters of the name of a table."""

FIELDS: Final = (_NAME, _RULE_SET, _SEATS, _TIME, *map(as_typed, SWITCHES))
"""The lines of the dialog, top to bottom."""
_SWITCH: Final = {as_typed(switch): switch for switch in SWITCHES}
LABELS: Final[Mapping[str, str]] = {
    _NAME: tr("name"),
    _RULE_SET: tr("rule set"),
    _SEATS: tr("seats"),
    _TIME: tr("time for a decision"),
    "large-table": tr("up to eight players"),
    "house-deals": tr("the house deals"),
    _STAKE: tr("stake"),
    "payment": tr("payment"),
    "wild-rule": tr("wild cards"),
    "opening-discard": tr("an opening discard"),
    "closed-discards": tr("discards face down"),
    "first-call-round": tr("calls from round"),
    "paiute-turns": tr("a paiute counts on"),
    "royal-on-top": tr("royal flush on top"),
    "last-turns": tr("turns after a call"),
    "ties": tr("equal combinations"),
    "round-limit": tr("washed after round"),
}
"""What the fields are called in the dialog."""
_WORDS: Final[Mapping[tuple[str, str], str]] = {
    (_TIME, "default"): tr("as the server has it"),
    (_TIME, "none"): tr("without limit"),
    ("payment", "pot"): tr("into a pot"),
    ("payment", "scale"): tr("by the combination"),
    ("wild-rule", "turned-rank"): tr("the rank turned up"),
    ("wild-rule", "opposite-colour"): tr("its other colour"),
    ("wild-rule", "jokers"): tr("two jokers"),
    ("paiute-turns", "auto"): tr("first turn, any with six"),
    ("paiute-turns", "first-turn"): tr("first turn"),
    ("paiute-turns", "first-two-turns"): tr("first two turns"),
    ("paiute-turns", "any-turn"): tr("any turn"),
    ("last-turns", "to-closer"): tr("to the end of the round"),
    ("last-turns", "one-more-each"): tr("one more for everybody"),
    ("ties", "split"): tr("share the win"),
    ("ties", "first-caller"): tr("the first called wins"),
    ("round-limit", "none"): tr("never"),
}
"""How values are shown, by field, where the word that is typed would not do."""
_ANYWHERE: Final[Mapping[str, str]] = {"yes": tr("yes"), "no": tr("no")}

_Values = Mapping[str, str]


def start_values() -> dict[str, str]:
    """The values of a new dialog: the standard game."""
    return {_NAME: "", _TIME: "default", **_of_set("hawaiian")}


def _of_set(name: str) -> dict[str, str]:
    rules = NAMED_SETS[name]
    switches = {typed: value_as_typed(getattr(rules, switch)) for typed, switch in _SWITCH.items()}
    return {_RULE_SET: name, _SEATS: str(max_seats(rules)), **switches}


def choices(field: str, values: _Values) -> Sequence[str]:
    """The values that a field can be turned to; none for a name."""
    if field == _NAME:
        return ()
    if field == _RULE_SET:
        return tuple(RULE_SETS)
    if field == _SEATS:
        most = 8 if values["large-table"] == "yes" else 5
        return tuple(str(count) for count in range(MIN_SEATS, most + 1))
    if field == _TIME:
        return _TIMES
    return _STAKES if field == _STAKE else _switch_choices(_SWITCH[field])


def _switch_choices(switch: str) -> Sequence[str]:
    allowed = allowed_values(switch)
    words = allowed.get("allowed")
    named = [value_as_typed(word) for word in words] if isinstance(words, list) else []
    if "minimum" not in allowed:
        return named
    least, most = allowed["minimum"], allowed["maximum"]
    if not isinstance(least, int) or not isinstance(most, int):
        return named
    return [*named, *map(str, range(least, min(most, _MOST_ROUNDS) + 1))]


def shown(field: str, values: _Values) -> str:
    """The value of a field in words."""
    value = values[field]
    if field == _NAME:
        return value or tr("(the server names it)")
    if field == _STAKE:
        return money(int(value))
    if field == _TIME and value.isdigit():
        seconds = int(value)
        return ngettext("{seconds} second", "{seconds} seconds", seconds).format(seconds=seconds)
    return _WORDS.get((field, value)) or _ANYWHERE.get(value, value)


def turned(values: _Values, field: str, by: int) -> dict[str, str]:
    """The values after the field has taken the next of its choices; a rule set brings its own switches."""
    options = choices(field, values)
    if not options:
        return dict(values)
    now = values[field]
    place = options.index(now) + by if now in options else 0
    return _with(values, field, options[place % len(options)])


def typed(values: _Values, field: str, text: str) -> dict[str, str]:
    """The values after ``text`` was typed into the field; "" takes its last letter away."""
    now = values[field]
    if field == _NAME:
        return {**values, field: (now + text if text else now[:-1])[:_LONGEST]}
    if field != _STAKE or not (text == "" or text.isdigit()):
        return dict(values)
    return {**values, field: ((now if now != "0" else "") + text if text else now[:-1])[:7] or "0"}


def _with(values: _Values, field: str, value: str) -> dict[str, str]:
    if field == _RULE_SET:
        return _with_set(values, value)
    changed = {**values, field: value}
    if field == "large-table":
        changed[_SEATS] = choices(_SEATS, changed)[-1]
    return changed


def _with_set(values: _Values, name: str) -> dict[str, str]:
    """The values with another rule set, which leaves the seats as they are if they were set."""
    changed = {**values, **_of_set(name)}
    are_set = values[_SEATS] != choices(_SEATS, values)[-1]
    if are_set and values[_SEATS] in choices(_SEATS, changed):
        changed[_SEATS] = values[_SEATS]
    return changed


def new_table(values: _Values) -> Create:
    """The table that the values describe; raises Misunderstood, with a sentence, if there is none such."""
    standard = _of_set(values[_RULE_SET])
    words = [values[_RULE_SET], *(f"{field}={values[field]}" for field in (_SEATS, _TIME))]
    words += [f"{each}={values[each]}" for each in _SWITCH if values[each] != standard[each]]
    if values[_NAME].strip():
        words.append(f"{_NAME}={values[_NAME].strip()}")
    return read_settings(shlex.join(words))


def fault(values: _Values) -> str:
    """Why there can be no such table, "" if there can."""
    try:
        new_table(values)
    except Misunderstood as why:
        return str(why)
    return ""


def meaning(field: str, values: _Values) -> str:
    """What the value of a field says, in a sentence, and how it is typed."""
    if field == _NAME:
        return tr("What the table is called; type a name, or leave it to the server.")
    if field == _RULE_SET:
        sentence = RULE_SETS[values[field]]
    elif field in SETTINGS:
        sentence = SETTINGS[field]
    else:
        sentence = _switch_meaning(_SWITCH[field], values[field])
    typed_as = values[field] if field == _RULE_SET else f"{field}={values[field]}"
    return tr("{sentence} ({typed})").format(sentence=sentence, typed=typed_as)


_PLAIN: Final = {"yes": True, "no": False, "none": None}


def _switch_meaning(switch: str, value: str) -> str:
    return explain_switch(switch, int(value) if value.isdigit() else _PLAIN.get(value, value))
