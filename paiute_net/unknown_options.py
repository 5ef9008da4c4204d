"""Options that no command line has, found before anything else is said about it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final, NamedTuple

__all__ = ["UnknownOption", "unknown_option"]

_NEAR: Final = 0.7
"""How much alike two words are of which one may be meant for the other."""
_OPTION: Final = re.compile(r"--[a-z][a-z-]*")


class UnknownOption(NamedTuple):
    """An option as it was typed; ``near`` is the one that may be meant, None if none is like it."""

    word: str
    near: str | None


def unknown_option(words: Iterable[str], help_text: str) -> UnknownOption | None:
    """The first of ``words`` that would be an option, but is none that the help tells of; None if all are."""
    known = set(_OPTION.findall(help_text))
    for word in words:
        name = word.partition("=")[0]
        if name == "--":
            return None
        if name.startswith("--") and name not in known:
            near = get_close_matches(name[2:], [each[2:] for each in known], n=1, cutoff=_NEAR)
            return UnknownOption(name, f"--{near[0]}" if near else None)
    return None
