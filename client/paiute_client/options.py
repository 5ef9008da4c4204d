"""What a person asked for on the command line, as every front end gets it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paiute_client.address import Address

__all__ = ["PACE", "BotOptions", "Options", "ScreenOptions"]

PACE: Final = 1.0
"""Seconds that suit people who look on."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Where to go, as whom, and to which table (its name or id).

    Without ``name`` the login name will do; without ``table`` the front end offers those there are.
    """

    address: Address
    name: str | None = None
    table: str | None = None


@dataclass(frozen=True, kw_only=True)
class BotOptions(Options):
    """Also for how many hands (None: without end), how fast, and whether chance repeats itself.

    ``pace`` is the time in seconds that a bot takes for a move where people sit, and between hands of bots.
    """

    hands: int | None = None
    pace: float = PACE
    seed: int | None = None


@dataclass(frozen=True, kw_only=True)
class ScreenOptions(Options):
    """Also what is to be different from the settings on this occasion; None where nothing was said.

    The words are those of the settings file; see `paiute_client.screen.settings`.
    """

    theme: str | None = None
    sort: str | None = None
    bell: bool | None = None
    title: bool | None = None
    ascii: bool | None = None
