"""Names and chat are cleaned where they enter."""
# ruff: noqa: RUF001 -- letters that look like others are what these tests are about

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_net.wire.errors import Denial, ErrorCode
from paiute_net.wire.messages import MAX_CHAT, MAX_NAME
from paiute_server.text import clean_chat, clean_name, look_alikes


def refused(name: str | None) -> ErrorCode:
    with pytest.raises(Denial) as denied:
        clean_name(name)
    return denied.value.code


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("Ana", "Ana"),
        ("  Ana   Maria ", "Ana Maria"),
        ("Ana\u00a0Maria", "Ana Maria"),
        ("Jose\u0301", "José"),
        ("ﬁn", "fin"),
        ("Ａｎａ", "Ana"),
        ("O’Brien", "O’Brien"),
        ("Player_1!", "Player_1!"),
        ("Željko Čović", "Željko Čović"),
        ("Мария", "Мария"),
        ("Νίκος", "Νίκος"),
        ("日本ひらカー", "日本ひらカー"),
        ("한글 Kim", "한글 Kim"),
        ("नमस्ते", "नमस्ते"),
        ("ขวัญ", "ขวัญ"),
        ("مريم", "مريم"),
        ("Nguyễn", "Nguyễn"),
        ("x" * MAX_NAME, "x" * MAX_NAME),
    ],
)
def test_names_people_have(given_name: str, shown: str) -> None:
    assert clean_name(given_name) == shown


@pytest.mark.parametrize("name", [None, "", " ", "\u00a0\u3000", "\n"])
def test_an_empty_name_is_refused(name: str | None) -> None:
    assert refused(name) is ErrorCode.NAME_EMPTY


def test_a_long_name_is_refused() -> None:
    assert refused("x" * (MAX_NAME + 1)) is ErrorCode.NAME_TOO_LONG


@pytest.mark.parametrize("name", ["x", "\uac01", "\ufdfa", "a\u0301\u0323\u0316", "ﬃ", " x", "\u200b"])
def test_nothing_is_done_for_a_name_that_will_be_too_long(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PRECIS looks at each character for long, and some become 18."""
    monkeypatch.setattr("paiute_server.text._NICKNAME", None)
    assert refused(name * (2 * MAX_CHAT // len(name))) is ErrorCode.NAME_TOO_LONG


@pytest.mark.parametrize(
    "name",
    [
        "a\x00b",
        "a\x1b[31mb",
        "a\x9bb",
        "a\tb",
        "a\nb",
        "a\u2028b",
        "\u202eAna",
        "A\u2066na",
        "A\u200bna",
        "A\u200dna",
        "Ana\ufeff",
        "Ana\ufe0f",
        "Ana\u00ad",
        "Ana\u0378",
        "Ana\ue000",
        "\u3164",
        "\u2800",
        "A\u0301\u0301\u0301\u0301na",
        "\u0301Ana",
        "Ana😀",
        "Ana🇭🇷",
        "Аna",
        "Anа",
        "Ρaul",
        "Ꭺna",
        "ɑna",
        "Ana\u20e3",
    ],
)
def test_a_name_that_could_deceive_or_disturb_is_refused(name: str) -> None:
    assert refused(name) is ErrorCode.NAME_NOT_ALLOWED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana", "ANA"),
        ("Ana", "ana"),
        ("СОРА", "COPA"),
        ("СОРА", "copa"),
        ("Bill", "Bi11"),
        ("Bot 1", "Bot I"),
        ("Bob0", "BobO"),
        ("Straße", "STRASSE"),
        ("ΟΝ", "ON"),
        ("ос", "oc"),
        ("O'Neil", "O\u2019Neil"),
        ("O`Neil", "O\u2019Neil"),
        ("Mia", "Mi\u0307a"),
        ("Bj", "Bj\u0307"),
        ("Stefan\u0326", "Stefan\u0327"),
        ("Șerban", "Şerban"),
        ("Lăcră", "Lǎcrǎ"),
        ("Ivo", "Ɩvo"),
        ("Bob", "Boƅ"),
        ("Kim", "ĸim"),
        ("Đan", "Ðan"),
        ("Đan", "Ɖan"),
        ("Rae", "Ʀae"),
    ],
)
def test_names_that_look_alike_share_a_key(one: str, other: str) -> None:
    assert look_alikes(clean_name(one)) & look_alikes(clean_name(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ana", "Anna"), ("Jose", "José"), ("Bot 1", "Bot 2"), ("Ана", "Ana"), ("Ivo", "Eva"), ("Zoe", "Zoë")],
)
def test_names_that_differ_share_none(one: str, other: str) -> None:
    assert not look_alikes(clean_name(one)) & look_alikes(clean_name(other))


@given(st.text(max_size=40))
def test_a_clean_name_is_harmless_and_stays_as_it_is(name: str) -> None:
    try:
        cleaned = clean_name(name)
    except Denial:
        return
    assert clean_name(cleaned) == cleaned
    assert cleaned == unicodedata.normalize("NFC", cleaned)
    assert 0 < len(cleaned) <= MAX_NAME
    assert cleaned.isprintable()
    assert look_alikes(cleaned)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("hello", "hello"),
        ("  hello\r\nthere\u2028now  ", "hello  there now"),
        ("\x1b[31mred\x07", "[31mred"),
        ("\u202eabc\u2066", "abc"),
        ("a\u200bb\u200dc\ufe0fd", "abcd"),
        ("cafe\u0301", "café"),
        ("z" + "\u0301" * 20, "ź\u0301\u0301"),
        ("well played 😀", "well played 😀"),
        ("a\u0378\ue000b", "ab"),
    ],
)
def test_chat_loses_what_would_disturb(line: str, shown: str) -> None:
    assert clean_chat(line) == shown


@pytest.mark.parametrize("line", ["", "  ", "\u200b\u202e", "\u3164", "\u0301"])
def test_empty_chat_is_refused(line: str) -> None:
    with pytest.raises(Denial) as denied:
        clean_chat(line)
    assert denied.value.code is ErrorCode.CHAT_EMPTY


def test_long_chat_is_refused() -> None:
    assert clean_chat("x" * MAX_CHAT)
    with pytest.raises(Denial) as denied:
        clean_chat("x" * (MAX_CHAT + 1))
    assert denied.value.code is ErrorCode.CHAT_TOO_LONG


@given(st.text(max_size=80))
def test_clean_chat_is_harmless_and_stays_as_it_is(line: str) -> None:
    try:
        cleaned = clean_chat(line)
    except Denial:
        return
    assert clean_chat(cleaned) == cleaned
    assert cleaned.isprintable()
