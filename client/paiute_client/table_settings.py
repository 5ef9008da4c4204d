"""The settings of a new table as people type them: "family stake=50 seats=4 name='Friday night'"."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from paiute_client.refusals import as_typed, explain, value_as_typed
from paiute_client.rulebook import RULE_SETS, SWITCHES
from paiute_client.typed_cards import Misunderstood
from paiute_client.words import tr
from paiute_net.game.errors import Fact, Refusal
from paiute_net.game.house_rules import allowed_values, check_seats, rules_from

__all__ = ["SETTINGS", "Create", "read_settings", "setting_words", "typed_values"]


class Create(msgspec.Struct, frozen=True, kw_only=True):
    """Open a table and sit down at it.

    ``time_limit_ms`` is the time for a decision, null for no limit, 0 for what the server has by default.
    """

    name: str | None = None
    rule_set: str = "hawaiian"
    switches: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    seats: int | None = None
    time_limit_ms: int | None = 0


SETTINGS: Final[Mapping[str, str]] = {
    "name": tr("What the table is called."),
    "seats": tr("How many may sit there."),
    "time": tr("How many seconds there are for a decision, or none; by default what the server has."),
}
"""What can be set beside the switches of the rules."""


def read_settings(text: str) -> Create:
    """The table that ``text`` describes: a rule set, settings and switches as ``word=value``, in any order.

    Raises:
      Misunderstood: there is no such table.
    """
    rule_set = None
    settings: dict[str, str] = {}
    for word in _split(text):
        setting, equals, value = word.partition("=")
        if equals:
            settings[setting.casefold()] = value
        elif rule_set is None:
            rule_set = word.casefold()
        else:
            raise Misunderstood(
                tr("Give one rule set, and the rest as settings, for example create family stake=50 seats=4.")
            )
    return _checked(rule_set or Create().rule_set, settings)


def setting_words(before: Iterable[str], partial: str) -> list[tuple[str, str]]:
    """The words that may follow those ``before``, each with what it means."""
    setting, equals, _ = partial.partition("=")
    if equals:
        return [(f"{setting}={value}", "") for value in typed_values(setting)]
    given = {word.partition("=")[0] for word in before}
    sets = [] if given & set(RULE_SETS) else list(RULE_SETS.items())
    plain = [(f"{name}=", meaning) for name, meaning in SETTINGS.items() if name not in given]
    switches = [(f"{as_typed(switch)}=", "") for switch in SWITCHES if as_typed(switch) not in given]
    return sets + plain + switches


def typed_values(setting: str) -> list[str]:
    """The values that a switch can be given, if they can be counted out."""
    return [value_as_typed(value) for value in _words(_allowed(_switch(setting)))]


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise Misunderstood(
            tr('A quotation mark is missing; a name of several words is typed as in name="Friday night".')
        ) from None


def _checked(rule_set: str, settings: Mapping[str, str]) -> Create:
    switches = {
        _switch(setting): _value(_switch(setting), value)
        for setting, value in settings.items()
        if setting not in SETTINGS
    }
    seats = _seats(settings.get("seats"))
    try:
        rules = rules_from(rule_set, switches)
        if seats is not None:
            check_seats(rules, seats)
    except Refusal as refusal:
        raise Misunderstood(explain(refusal.code, refusal.facts)) from None
    return Create(
        name=settings.get("name"),
        rule_set=rule_set,
        switches=switches,
        seats=seats,
        time_limit_ms=_time_limit(settings.get("time")),
    )


def _switch(setting: str) -> str:
    return setting.replace("-", "_")


def _seats(typed: str | None) -> int | None:
    if typed is None:
        return None
    if not re.fullmatch("[0-9]{1,6}", typed):
        raise Misunderstood(tr("The number of seats is a whole number, for example seats=4."))
    return int(typed)


def _time_limit(typed: str | None) -> int | None:
    """Typed seconds, as milliseconds."""
    if typed is None or typed.casefold() == "default":
        return Create().time_limit_ms
    if typed.casefold() == "none":
        return None
    seconds = re.fullmatch(r"([1-9][0-9]{0,5})\s*s?", typed.casefold())
    if seconds is None:
        raise Misunderstood(
            tr("The time for a decision is given in seconds, for example time=30, or time=none for no limit.")
        )
    return 1000 * int(seconds[1])


_TRUTHS: Final = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}


def _value(switch: str, typed: str) -> bool | int | str | None:
    """A switch's value as the rules take it; what makes no sense stays text, for them to refuse."""
    allowed = _allowed(switch)
    word = typed.casefold()
    if "true" in _words(allowed):
        return _TRUTHS.get(word, word)
    if "null" in _words(allowed) and word == "none":
        return None
    if "minimum" in allowed and re.fullmatch("[0-9]{1,9}", word):
        return int(word)
    return word


def _allowed(switch: str) -> Mapping[str, Fact]:
    try:
        return allowed_values(switch)
    except KeyError:
        return {}


def _words(allowed: Mapping[str, Fact]) -> list[str]:
    words = allowed.get("allowed")
    return [str(word) for word in words] if isinstance(words, list) else []
