"""Text from people, cleaned where it enters: names of players and tables, and chat.

Names follow PRECIS (RFC 8266, nicknames): compatibility characters are folded, spaces joined, and control,
formatting and unassigned characters refused. Beyond that they are of one script that people write today, and
hold nothing whose width terminals disagree on, so that a name looks the same to all and like no other.
"""

# ruff: noqa: RUF001 -- letters that look like others are what this module is about

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from precis_i18n import get_profile

from paiute_net.wire.errors import Denial, ErrorCode
from paiute_net.wire.messages import MAX_CHAT, MAX_NAME

__all__ = ["clean_chat", "clean_name", "look_alikes", "visible"]

_NICKNAME: Final = get_profile("NicknameCasePreserved")
_MARKS_IN_A_ROW: Final = 2
"""Combining marks on one letter, after composition; more of them grow into other lines."""

_SCRIPTS: Final = frozenset({
    "ARABIC", "ARMENIAN", "BENGALI", "BOPOMOFO", "CJK", "CYRILLIC", "DEVANAGARI", "ETHIOPIC", "GEORGIAN",
    "GREEK", "GUJARATI", "GURMUKHI", "HANGUL", "HEBREW", "HIRAGANA", "KANNADA", "KATAKANA", "KHMER", "LAO",
    "LATIN", "MALAYALAM", "MYANMAR", "ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN",
})  # fmt: skip
"""Scripts in everyday use, by the first word of their letters' names in the Unicode database."""
_SCRIPTS_TOGETHER: Final = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
)
"""Scripts that one name may mix, as Japanese, Korean and Chinese do."""
_EVERYDAY_LATIN: Final = re.compile("[A-Za-z\u00c0-\u01bf\u01cd-\u024f\u1e00-\u1eff]")
"""Without the letters of phonetic alphabets, which are there to look like others."""
_BESIDE_LETTERS: Final = re.compile("[ -~\u00b7\u2019]")
"""What a name of any script may hold: ASCII, the raised dot, the apostrophe."""

_LOOK_ALIKES: Final = str.maketrans(
    {
        alike: latin
        for latin, drawn_alike in {
            "A": "АΑ", "B": "ВΒ", "C": "С", "Đ": "ÐƉ", "E": "ЕΕ", "H": "НΗ", "J": "Ј", "K": "КΚ", "M": "МΜ",
            "N": "Ν", "O": "ОΟՕ0", "P": "РΡ", "Q": "Ԛ", "R": "Ʀ", "S": "ЅՏ", "T": "ТΤ", "U": "Ս",
            "W": "Ԝ", "X": "ХΧ", "Y": "УΥҮ", "Z": "Ζ",
            "a": "аα", "b": "ƅƄ", "c": "сϲ", "d": "ԁ", "e": "е", "g": "ց", "h": "һհ", "i": "іιı", "j": "јϳ",
            "k": "κĸ", "l": "I1|ƖІΙӀӏ", "n": "ո", "o": "оοօ", "p": "рρ", "q": "ԛզ", "s": "ѕ", "u": "υս",
            "v": "ѵν", "w": "ԝ", "x": "хχ", "y": "уγү",
            "'": "’`", "\u0327": "\u0326", "\u0306": "\u030c",
        }.items()
        for alike in drawn_alike
    }
)  # fmt: skip
"""Cyrillic, Greek and Armenian letters, and digits, to the Latin letters that they are drawn like; of Latin
letters, apostrophes, and marks below or above, those that are drawn alike to one of them."""
_LOST_DOT: Final = re.compile("(?<=[ij])\u0307")
"""It takes the place of the dot that is there already."""
_LETTERS: Final = frozenset({"Lu", "Ll", "Lo", "Lm", "Nd"})
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Me", "Zl", "Zp", "Zs"})
_BLANKS: Final = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters and symbols of no ink."""


def clean_name(name: str | None) -> str:
    """The name as it will be shown.

    Raises:
      Denial: it is empty, too long, or has characters that names may not have.
    """
    if name is None or not name.strip():
        raise Denial(ErrorCode.NAME_EMPTY)
    if len(" ".join(unicodedata.normalize("NFKC", name).split())) > MAX_NAME:
        raise Denial(ErrorCode.NAME_TOO_LONG, maximum=MAX_NAME)  # before much work is done for it
    try:
        cleaned = str(_NICKNAME.enforce(name))
    except UnicodeEncodeError:
        raise Denial(ErrorCode.NAME_NOT_ALLOWED) from None
    letters = [char for char in cleaned if not _BESIDE_LETTERS.fullmatch(char) or char.isalpha()]
    if not (all(map(_is_letter, letters)) and _are_of_one_script(letters)) or _marks_pile_up(cleaned):
        raise Denial(ErrorCode.NAME_NOT_ALLOWED)
    return cleaned


def look_alikes(name: str) -> frozenset[str]:
    """Keys of a clean name: names that share one look alike, in small letters, in capitals or as they are."""
    return frozenset(map(_skeleton, (name, name.casefold(), name.upper())))


def visible(line: str) -> str:
    """The line without what would not be seen, or would disturb what is beside it.

    Line breaks become spaces; control, formatting, unassigned and private characters and variation selectors
    are dropped, and so are marks beyond the second on one letter. Composed as Unicode's NFC.
    """
    spaced = "".join(" " if char.isspace() else char for char in unicodedata.normalize("NFC", line))
    return "".join(_without_piles(char for char in spaced if _is_visible(char))).strip()


def clean_chat(line: str) -> str:
    """What is `visible` of the line.

    Raises:
      Denial: nothing visible is left, or it is too long.
    """
    cleaned = visible(line)
    if not cleaned:
        raise Denial(ErrorCode.CHAT_EMPTY)
    if len(cleaned) > MAX_CHAT:
        raise Denial(ErrorCode.CHAT_TOO_LONG, maximum=MAX_CHAT)
    return cleaned


def _is_letter(char: str) -> bool:
    script = _script(char)
    if script == "LATIN":
        return _EVERYDAY_LATIN.fullmatch(char) is not None
    return _is_mark(char) or (script in _SCRIPTS and unicodedata.category(char) in _LETTERS)


def _script(char: str) -> str:
    """The first word of the character's name: for letters, their script."""
    return re.split("[ -]", unicodedata.name(char, "?"), maxsplit=1)[0]


def _are_of_one_script(letters: Iterable[str]) -> bool:
    scripts = {_script(letter) for letter in letters} - {"COMBINING"}
    return len(scripts) <= 1 or any(scripts <= together for together in _SCRIPTS_TOGETHER)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in {"Mn", "Mc"} and not _is_selector(char)


def _is_selector(char: str) -> bool:
    return "VARIATION SELECTOR" in unicodedata.name(char, "")


def _marks_pile_up(text: str) -> bool:
    return "".join(_without_piles(text)) != text


def _without_piles(chars: Iterable[str]) -> Iterator[str]:
    marks = _MARKS_IN_A_ROW  # none may come first: there is nothing for it to stand on
    for char in chars:
        marks = marks + 1 if _is_mark(char) else 0
        if marks <= _MARKS_IN_A_ROW:
            yield char


def _is_visible(char: str) -> bool:
    return char == " " or not (unicodedata.category(char) in _UNSEEN or _is_selector(char) or char in _BLANKS)


def _skeleton(name: str) -> str:
    return _LOST_DOT.sub("", unicodedata.normalize("NFD", name).translate(_LOOK_ALIKES))
