"""House rules in one line of text: a named set and what differs from it, "family stake=100 payment=scale"."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from paiute_net.game.house_rules import NAMED_SETS, HouseRules, rules_from

__all__ = ["BadRules", "SwitchValue", "parse_rules", "rules_text", "split_rules"]

SwitchValue = str | int | bool | None

_NAMED_VALUES: Final[dict[str, SwitchValue]] = {"true": True, "false": False, "null": None}
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_FORM: Final = "a rule set, then switches as switch=value, each once, such as: family stake=100"


class BadRules(ValueError):
    """A text that has not the form of house rules."""


def rules_text(rules: HouseRules) -> str:
    """The rules as the named set with the fewest changes; `parse_rules` reads it."""
    texts = [" ".join([name, *_changes(base, rules)]) for name, base in NAMED_SETS.items()]
    return min(texts, key=lambda text: text.count("="))


def parse_rules(text: str) -> HouseRules:
    """The rules that a text stands for.

    Raises:
      BadRules: it has another form.
      Refusal: it names what there is not, or switches that contradict each other.
    """
    return rules_from(*split_rules(text))


def split_rules(text: str) -> tuple[str, dict[str, SwitchValue]]:
    """The rule set and the switches named in a text, values as JSON would have them, not checked further.

    Raises:
      BadRules: it has another form.
    """
    rule_set, *words = text.split() or [""]
    if not rule_set or "=" in rule_set:
        raise BadRules(f"{text!r} names no rule set: {_FORM}")
    switches: dict[str, SwitchValue] = {}
    for word in words:
        switch, is_given, value = word.partition("=")
        if not is_given or not switch or switch in switches:
            raise BadRules(f"{word!r} in {text!r} is no further switch: {_FORM}")
        switches[switch] = _value(value)
    return rule_set, switches


def _changes(base: HouseRules, rules: HouseRules) -> list[str]:
    before, after = msgspec.to_builtins(base), msgspec.to_builtins(rules)
    return [f"{switch}={_word(value)}" for switch, value in after.items() if value != before[switch]]


def _word(value: SwitchValue) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _value(word: str) -> SwitchValue:
    if _INTEGER.fullmatch(word):
        return int(word)
    return _NAMED_VALUES.get(word, word)
