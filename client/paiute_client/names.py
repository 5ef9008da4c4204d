"""What a player is called who has not said: by the login name, or as a bot, numbered where that is taken."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from random import Random
from typing import Final

from paiute_net.wire.messages import MAX_NAME

__all__ = ["default_names", "numbered"]

_BOT: Final = "Bot"
_NOBODY: Final = "Player"
"""For a login name that is none, or that the server does not like."""
_SMALL: Final = range(2, 6)
_LARGE: Final = (99, 999, 9_999, 99_999)
"""Where many are called the same, a number by chance finds a free one sooner."""


def default_names(*, bot: bool) -> tuple[str, ...]:
    """What to be called, the best first."""
    return (_BOT,) if bot else (_login_name(), _NOBODY)


def numbered(base: str, random: Random) -> Iterator[str]:
    """``base`` and some ways to tell it from others, to try until one is free."""
    yield base
    for number in (*_SMALL, *(random.randint(6, most) for most in _LARGE)):
        ending = f" {number}"
        yield base[: MAX_NAME - len(ending)] + ending


def _login_name() -> str:
    try:
        name = getpass.getuser()
    except (ImportError, KeyError, OSError):  # no such user, as in many containers
        return _NOBODY
    name = "".join(letter for letter in name if letter.isprintable()).strip()
    return name[:MAX_NAME] or _NOBODY
