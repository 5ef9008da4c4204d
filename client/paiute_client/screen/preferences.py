"""The settings as the player can turn them on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from paiute_client.screen.settings import Settings, Sort, Theme
from paiute_client.words import tr

__all__ = ["PREFERENCES", "Preference", "shown_value", "turned"]


class Preference(NamedTuple):
    """A setting: its field, its name on the screen, what it means, and the words for its values."""

    field: str
    label: str
    meaning: str
    values: Mapping[Any, str]


_YES_NO: Final = {True: tr("yes"), False: tr("no")}

PREFERENCES: Final = (
    Preference(
        "theme",
        tr("colours"),
        tr("Those of the terminal, or ones for a dark or a light background, or none."),
        {
            Theme.TERMINAL: tr("of the terminal"),
            Theme.DARK: tr("dark"),
            Theme.LIGHT: tr("light"),
            Theme.PLAIN: tr("none"),
        },
    ),
    Preference(
        "sort",
        tr("sort cards by"),
        tr("The order of the cards in your hand; s at the table changes it too."),
        {Sort.RANK: tr("rank"), Sort.SUIT: tr("suit")},
    ),
    Preference("bell", tr("bell"), tr("Ring when your turn comes."), _YES_NO),
    Preference("title", tr("window title"), tr("Say in the window's title when your turn comes."), _YES_NO),
    Preference(
        "ascii",
        tr("plain letters"),
        tr("Draw with letters that every terminal has, and c, d, h and s for the suits."),
        {None: tr("as found out"), **_YES_NO},
    ),
)


def shown_value(settings: Settings, preference: Preference) -> str:
    """The word for the value that a setting has."""
    return preference.values[getattr(settings, preference.field)]


def turned(settings: Settings, number: int, by: int) -> Settings:
    """The settings after the one of that number has taken its next value."""
    preference = PREFERENCES[number]
    values = list(preference.values)
    place = values.index(getattr(settings, preference.field)) + by
    changes: dict[str, Any] = {preference.field: values[place % len(values)]}
    return msgspec.structs.replace(settings, **changes)
