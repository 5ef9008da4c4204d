"""What a player is called who has not said: by the login name, numbered where that is taken."""

from __future__ import annotations

import getpass
from typing import Final

from paiute_net.wire.messages import MAX_NAME

__all__ = ["default_names"]

_NUMBERS: Final = range(2, 6)
"""Beyond these, the server finds a free name sooner."""


def default_names(*, bot: bool) -> tuple[str | None, ...]:
    """Names to try until one is free; None leaves the choice to the server."""
    login = None if bot else _login_name()
    return (None,) if login is None else (login, *(_numbered(login, number) for number in _NUMBERS), None)


def _numbered(name: str, number: int) -> str:
    ending = f" {number}"
    return name[: MAX_NAME - len(ending)] + ending


def _login_name() -> str | None:
    try:
        name = getpass.getuser()
    except (ImportError, KeyError, OSError):  # no such user, as in many containers
        return None
    return "".join(letter for letter in name if letter.isprintable()).strip()[:MAX_NAME] or None
