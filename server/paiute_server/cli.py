"""The command ``paiute-server``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

import msgspec
import platformdirs
import trio

from paiute_net import __version__
from paiute_net.wire.describe import describe
from paiute_server.daemon import Settings, run
from paiute_server.journal import JournalError
from paiute_server.limits import DEFAULTS
from paiute_server.listening import StartError, check_port
from paiute_server.logs import LogFormat, LogLevel, configure
from paiute_server.server import DEFAULT_TIME_LIMIT_MS
from paiute_server.test_deals import BadDeals, Deals, read_deals

__all__ = ["main"]

_FAILED: Final = 2
_LOG_WITHIN_S: Final = 1.0
"""How long the end waits for the last lines of the log to be read."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(_FAILED, f"{self.prog}: {message}; see {self.prog} --help.\n")


class _Describe(argparse.Action):
    """Prints every message, field, limit and error code there is."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(describe())).decode() + "\n")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server; returns the exit status: 0 for a clean end, 2 if it could not start."""
    given = _parser().parse_args(arguments)
    log = configure(given.log_format, given.log_level)
    try:
        trio.run(run, _settings(given))
    except (StartError, JournalError) as error:
        sys.stderr.write(f"paiute-server: {error}.\n")
        return _FAILED
    except KeyboardInterrupt:  # before there was anything to end
        return 0
    finally:
        log.close(_LOG_WITHIN_S)
    return 0


def _settings(given: argparse.Namespace) -> Settings:
    return Settings(
        host=given.host,
        port=check_port(given.port),
        data=None if given.ephemeral else given.data,
        durability=given.durability,
        time_limit_ms=given.time_limit,
        limits=msgspec.structs.replace(
            DEFAULTS,
            max_connections=given.max_connections,
            max_connections_per_address=given.max_connections_per_address,
        ),
        seed=given.seed,
        test_deals=given.test_deals,
    )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="paiute-server",
        description="Host tables of Paiute. When it is ready it prints what the players have to type.",
        epilog=f"By default what happens is kept in {_data_directory()}.",
    )
    parser.add_argument("--version", action="version", version=f"paiute-server {__version__}")
    parser.add_argument("--describe", action=_Describe, nargs=0, help="print the protocol as JSON, and end")
    _add_network(parser)
    _add_game(parser)
    _add_records(parser)
    return parser


def _add_network(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("network")
    group.add_argument("--host", metavar="HOST", help="listen on this name or address only")
    group.add_argument(
        "--port",
        type=_whole_number,
        default=7000,
        help="the TCP port, 7000 by default; 0 lets the system choose, and the first line printed says which",
    )
    group.add_argument(
        "--max-connections",
        metavar="N",
        type=_count,
        default=DEFAULTS.max_connections,
        help="clients at a time, %(default)s by default",
    )
    group.add_argument(
        "--max-connections-per-address",
        metavar="N",
        type=_count,
        default=DEFAULTS.max_connections_per_address,
        help="the same from one address, %(default)s by default; a club behind one router is one address",
    )


def _add_game(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the game")
    group.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=_time_limit,
        default=DEFAULT_TIME_LIMIT_MS,
        help="the time for each decision at tables that choose none: seconds, 60 by default, or off",
    )
    deals = group.add_mutually_exclusive_group()
    deals.add_argument(
        "--seed",
        metavar="N",
        type=_whole_number,
        help="FOR TESTS ONLY: deal cards that can be foreseen, and say so to everybody",
    )
    deals.add_argument(
        "--test-deals",
        metavar="FILE",
        type=_test_deals,
        help="FOR TESTS ONLY: deal the cards that a file lists, and say so to everybody",
    )


def _add_records(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("records")
    where = group.add_mutually_exclusive_group()
    where.add_argument(
        "--data",
        metavar="DIR",
        type=Path,
        default=_data_directory(),
        help="keep what happens in this directory",
    )
    where.add_argument("--ephemeral", action="store_true", help="keep nothing; tables end with the server")
    group.add_argument(
        "--durability",
        choices=("normal", "full"),
        default="normal",
        help="moves survive the death of the program (normal, the default), or a power cut too (full)",
    )
    group.add_argument(
        "--log-format",
        type=LogFormat,
        choices=list(LogFormat),
        default=LogFormat.TEXT,
        help="lines for people (text, the default) or for programs (json), on standard error",
    )
    group.add_argument(
        "--log-level",
        type=LogLevel,
        choices=list(LogLevel),
        default=LogLevel.INFO,
        help="log this and what is worse, info by default; debug may show cards",
    )


def _test_deals(text: str) -> Deals:
    try:
        return read_deals(Path(text))
    except BadDeals as bad:
        raise argparse.ArgumentTypeError(str(bad)) from None


def _data_directory() -> Path:
    return platformdirs.user_data_path("paiute", appauthor=False)


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


def _count(text: str) -> int:
    number = _whole_number(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is too small, at least 1 is wanted")
    return number


def _time_limit(text: str) -> int | None:
    """Seconds as milliseconds, None for ``off``."""
    if text == "off":
        return None
    number = _whole_number(text)
    least, most = DEFAULTS.min_time_limit_ms // 1000, DEFAULTS.max_time_limit_ms // 1000
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"{number} is no time limit; give {least} to {most} seconds, or off")
    return number * 1000
