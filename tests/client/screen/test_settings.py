"""The settings: what the file says, what overrides it, what cannot be, and that they are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from paiute_client.address import Address
from paiute_client.options import ScreenOptions
from paiute_client.screen.program import settings_for
from paiute_client.screen.settings import (
    BadSettings,
    Settings,
    Sort,
    Theme,
    load_settings,
    save_settings,
    settings_file,
    with_variables,
)
from paiute_client.screen.style import style_of

OPTIONS = ScreenOptions(address=Address("localhost", 7000))


def written(folder: Path, text: str) -> Path:
    file = folder / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_without_a_file_all_is_as_by_default(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none" / "settings.toml") == Settings()


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "settings.toml"
    settings = Settings(
        name='Zoë "Z" \\ \x7f', theme=Theme.DARK, sort=Sort.SUIT, bell=False, title=False, ascii=True
    )
    save_settings(file, settings)
    assert load_settings(file) == settings
    save_settings(file, Settings())
    assert load_settings(file) == Settings()
    assert [each.name for each in file.parent.iterdir()] == ["settings.toml"]


def test_what_later_versions_may_add_is_passed_over(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, 'theme = "light"\nsound = "loud"\n')) == Settings(
        theme=Theme.LIGHT
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('theme = "pink"', "The setting theme in {file} must be terminal, dark, light or plain."),
        ("sort = 3", "The setting sort in {file} must be rank or suit."),
        ('bell = "loud"', "The setting bell in {file} must be yes or no."),
        ("name = 3", "The setting name in {file} must be text."),
        ("name =", "The settings in {file} are no TOML: "),
    ],
)
def test_a_file_that_cannot_be_says_where_and_what_would_be_right(
    text: str, fault: str, tmp_path: Path
) -> None:
    file = written(tmp_path, text)
    with pytest.raises(BadSettings) as raised:
        load_settings(file)
    assert str(raised.value).startswith(fault.format(file=file))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(BadSettings, match=r"cannot be read"):
        load_settings(file)


def test_variables_override_the_file() -> None:
    environment = {
        "PAIUTE_NAME": "Ana",
        "PAIUTE_THEME": "dark",
        "PAIUTE_SORT": "suit",
        "PAIUTE_BELL": "no",
        "PAIUTE_TITLE": "off",
        "PAIUTE_ASCII": "1",
        "PAIUTE_OTHER": "x",
    }
    assert with_variables(Settings(name="Noa"), environment) == Settings(
        name="Ana", theme=Theme.DARK, sort=Sort.SUIT, bell=False, title=False, ascii=True
    )
    assert with_variables(Settings(name="Noa"), {"PAIUTE_NAME": ""}) == Settings(name="Noa")


def test_a_variable_that_cannot_be() -> None:
    with pytest.raises(BadSettings) as raised:
        with_variables(Settings(), {"PAIUTE_BELL": "loud"})
    assert str(raised.value) == "The setting bell in the variable PAIUTE_BELL must be yes or no."


def test_options_override_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIUTE_THEME", "dark")
    monkeypatch.setenv("PAIUTE_SORT", "suit")
    given = replace(OPTIONS, theme="light", bell=False)
    assert settings_for(given, Settings(title=False)) == Settings(
        theme=Theme.LIGHT, sort=Sort.SUIT, bell=False, title=False
    )


def test_the_file_has_its_place_in_the_platforms_directory() -> None:
    assert settings_file().name == "settings.toml"
    assert settings_file().parent.name == "paiute"


@pytest.mark.parametrize("theme", Theme)
def test_a_theme_is_always_the_same_object(theme: Theme) -> None:
    """For another one has the whole screen written anew, however little has changed."""
    assert style_of(theme) is style_of(theme)
