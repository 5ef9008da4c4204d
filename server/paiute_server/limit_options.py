"""The limits that an operator may set on the command line, and how they are written there."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from paiute_server.limits import DEFAULTS, Limits, Rate

__all__ = ["add_limit_options", "limits_of", "whole_number"]

_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_MOST: Final = 1_000_000
_LONGEST_S: Final = 366 * _UNITS["d"]


class _Option(NamedTuple):
    """``read`` makes of what was typed the value of the limit ``limit``, or raises ArgumentTypeError."""

    option: str
    metavar: str
    limit: str
    read: Callable[[str], Any]
    help: str


def whole_number(text: str) -> int:
    """A whole number, as argparse wants it read."""
    if re.fullmatch("[+-]?[0-9]{1,18}", text.strip()) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number, or too large")
    return int(text)


def _count(least: int = 1, most: int = _MOST) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = whole_number(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is too small, at least {least} is wanted")
        if number > most:
            raise argparse.ArgumentTypeError(f"{number} is too much, at most {most} can be had")
        return number

    return read


def _duration(text: str) -> float:
    """``90s``, ``45m``, ``12h`` or ``7d`` as seconds."""
    written = re.fullmatch(r"([0-9]{1,9})([smhd])", text.strip().lower())
    if written is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no length of time; write 90s, 45m, 12h or 7d")
    seconds = int(written[1]) * _UNITS[written[2]]
    if not _UNITS["m"] <= seconds <= _LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is too short or too long; give 1m to 366d")
    return float(seconds)


def _lines_a_minute(text: str) -> Rate:
    return Rate(_count(most=600)(text) / 60, DEFAULTS.chat.burst)


def _requests_a_second(text: str) -> Rate:
    number = _count(least=5, most=10_000)(text)
    return Rate(float(number), 5 * number)


def _kibibytes(text: str) -> int:
    return 1024 * _count(least=128)(text)


_OPTIONS: Final = (
    _Option("--max-connections", "N", "max_connections", _count(), "clients at a time, 4096 by default"),
    _Option(
        "--max-connections-per-address",
        "N",
        "max_connections_per_address",
        _count(),
        "the same from one address, 256 by default; a club behind one router is one address",
    ),
    _Option("--max-players", "N", "max_players", _count(), "players known at a time, 50000 by default"),
    _Option("--max-tables", "N", "max_tables", _count(), "open tables, 10000 by default"),
    _Option(
        "--max-tables-per-player",
        "N",
        "tables_per_player",
        _count(),
        "open tables that one player has opened, 4 by default",
    ),
    _Option(
        "--table-ttl",
        "TIME",
        "table_ttl_s",
        _duration,
        "how long a table waits while nobody seated there is connected, 12h by default",
    ),
    _Option(
        "--token-life",
        "TIME",
        "token_life_s",
        _duration,
        "how long seat and name of a player whose link is lost are kept, 12h by default",
    ),
    _Option("--chat-rate", "N", "chat", _lines_a_minute, "chat lines of a player a minute, 60 by default"),
    _Option(
        "--request-rate",
        "N",
        "requests",
        _requests_a_second,
        "requests of a client a second, 20 by default; moves that are made do not count",
    ),
    _Option(
        "--outbox",
        "KIB",
        "outbox_bytes",
        _kibibytes,
        "KiB that may wait for a client that does not read, 512 by default",
    ),
)


def add_limit_options(parser: argparse.ArgumentParser) -> None:
    """Let the limits be set."""
    group = parser.add_argument_group("limits", "A TIME is written 90s, 45m, 12h or 7d.")
    for option in _OPTIONS:
        group.add_argument(
            option.option,
            metavar=option.metavar,
            dest=option.limit,
            type=option.read,
            default=getattr(DEFAULTS, option.limit),
            help=option.help,
        )


def limits_of(given: argparse.Namespace) -> Limits:
    """The limits as they were set."""
    return msgspec.structs.replace(
        DEFAULTS, **{option.limit: getattr(given, option.limit) for option in _OPTIONS}
    )
