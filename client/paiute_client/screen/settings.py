r"""What a player has set for good: the settings file, which PAIUTE_* variables and options override.

The file is ``settings.toml`` in the platform's directory for settings: ``~/.config/paiute`` on Linux,
``~/Library/Application Support/paiute`` on macOS, ``%LOCALAPPDATA%\paiute`` on Windows::

    name = "Keala"       # who to be, where --name does not say
    theme = "terminal"   # terminal, dark, light or plain
    sort = "rank"        # rank or suit
    bell = true          # ring when it is your turn
    title = true         # say so in the title of the window
    ascii = false        # draw with plain letters; left out, that is found out

Each has a variable of its own, such as ``PAIUTE_THEME`` or ``PAIUTE_BELL=no``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from enum import StrEnum, unique
from pathlib import Path
from typing import Any, Final

import msgspec
from platformdirs import user_config_path

from paiute_client.errors import ClientError
from paiute_client.words import alternatives, tr

__all__ = [
    "BadSettings",
    "Settings",
    "Sort",
    "Theme",
    "load_settings",
    "save_settings",
    "settings_file",
    "with_options",
    "with_variables",
]

_PREFIX: Final = "PAIUTE_"


@unique
class Theme(StrEnum):
    """The colours: those of the terminal, ones for a dark or a light background, or none."""

    TERMINAL = "terminal"
    DARK = "dark"
    LIGHT = "light"
    PLAIN = "plain"


@unique
class Sort(StrEnum):
    """The order in which the own cards are shown."""

    RANK = "rank"
    SUIT = "suit"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings; ``ascii`` is None where the terminal decides."""

    name: str | None = None
    theme: Theme = Theme.TERMINAL
    sort: Sort = Sort.RANK
    bell: bool = True
    title: bool = True
    ascii: bool | None = None


class BadSettings(ClientError):
    """A setting that cannot be; says in a sentence where it stands and what would be right."""


_FIELDS: Final[Mapping[str, Any]] = {field.name: field.type for field in msgspec.structs.fields(Settings)}
_WORDS: Final[Mapping[str, list[str]]] = {
    "theme": [str(each) for each in Theme],
    "sort": [str(each) for each in Sort],
    "bell": ["yes", "no"],
    "title": ["yes", "no"],
    "ascii": ["yes", "no"],
}
_TRUTHS: Final = {"yes": True, "1": True, "true": True, "on": True, "no": False, "0": False} | {
    "false": False,
    "off": False,
}


def settings_file() -> Path:
    """Where the settings are kept."""
    return user_config_path("paiute", appauthor=False) / "settings.toml"


def load_settings(file: Path) -> Settings:
    """The settings that ``file`` has; what it does not say, or a missing file, is as by default.

    Raises:
      BadSettings: it cannot be read, or says what cannot be.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(tr("The settings in {file} cannot be read.").format(file=file)) from error
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = tr("The settings in {file} are no TOML: {fault}.")
        raise BadSettings(message.format(file=file, fault=error)) from error
    known = {name: _from_file(file, name, value) for name, value in given.items() if name in _FIELDS}
    return msgspec.structs.replace(Settings(), **known)


def _from_file(file: Path, name: str, value: object) -> object:
    try:
        return _converted(name, value)
    except msgspec.ValidationError as error:
        raise BadSettings(_fault(tr("in {file}").format(file=file), name)) from error


def _converted(name: str, value: object) -> object:
    converted: object = msgspec.convert(value, _FIELDS[name])
    return converted


def _fault(place: str, name: str) -> str:
    if name not in _WORDS:
        return tr("The setting {name} {place} must be text.").format(name=name, place=place)
    message = tr("The setting {name} {place} must be {allowed}.")
    return message.format(name=name, place=place, allowed=alternatives(_WORDS[name]))


def with_variables(settings: Settings, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings as the variables ``PAIUTE_NAME``, ``PAIUTE_THEME`` and so on change them.

    Raises:
      BadSettings: one of them says what cannot be.
    """
    changes: dict[str, Any] = {}
    for name in _FIELDS:
        word = environment.get(_PREFIX + name.upper())
        if word:
            changes[name] = _from_variable(name, word)
    return msgspec.structs.replace(settings, **changes)


def with_options(settings: Settings, given: Mapping[str, object]) -> Settings:
    """The settings as options of the command line change them; None stands for what was not said.

    Raises:
      BadSettings: one of them says what cannot be.
    """
    changes = {name: _from_option(name, value) for name, value in given.items() if value is not None}
    return msgspec.structs.replace(settings, **changes)


def _from_option(name: str, value: object) -> object:
    try:
        return _converted(name, value)
    except msgspec.ValidationError as error:
        raise BadSettings(_fault(tr("on the command line"), name)) from error


def _from_variable(name: str, word: str) -> object:
    value: object = _TRUTHS.get(word.casefold(), word) if name in {"bell", "title", "ascii"} else word
    try:
        return _converted(name, value)
    except msgspec.ValidationError as error:
        place = tr("in the variable {variable}").format(variable=_PREFIX + name.upper())
        raise BadSettings(_fault(place, name)) from error


def save_settings(file: Path, settings: Settings) -> None:
    """Keep the settings in ``file``; raises OSError if that cannot be.

    Written beside it and put in its place, so that a program that ends midway leaves the old ones.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    values = {name: value for name, value in msgspec.to_builtins(settings).items() if value is not None}
    lines = [f"{name} = {_toml(value)}\n" for name, value in values.items()]
    beside = file.with_suffix(".new")
    beside.write_text("".join(lines), encoding="utf-8")
    beside.replace(file)


def _toml(value: object) -> str:
    """Booleans and text are written in TOML as in JSON, but for DEL."""
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
