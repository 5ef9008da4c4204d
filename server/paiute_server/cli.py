"""The command ``paiute-server``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

import msgspec
import platformdirs
import trio

from paiute_net import __version__
from paiute_net.streams import flush_or_forget, say, use_standard_streams
from paiute_net.unknown_options import unknown_option
from paiute_net.wire.describe import describe
from paiute_server.daemon import Settings, run
from paiute_server.journal import JournalError, backup, check_command
from paiute_server.limit_options import add_limit_options, limits_of, whole_number
from paiute_server.limits import DEFAULTS
from paiute_server.listening import StartError, check_port
from paiute_server.logs import LogFormat, LogLevel, configure
from paiute_server.operator import NoOperatorToken, read_operator_token
from paiute_server.server import DEFAULT_TIME_LIMIT_MS
from paiute_server.status import DEFAULT_PORT, Place, StatusError, ask, place_of, said
from paiute_server.test_deals import BadDeals, Deals, read_deals

__all__ = ["main"]

_FAILED: Final = 2
_STATUS: Final = "status"
_LOG_WITHIN_S: Final = 1.0
"""How long the end waits for the last lines of the log to be read."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage before it."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        words = sys.argv[1:] if args is None else list(args)
        own = words[: words.index(_STATUS)] if _STATUS in words else words
        unknown = unknown_option(own, self.format_help())
        if unknown is not None:
            meant = "" if unknown.near is None else f"; did you mean {unknown.near}?"
            self.error(f"there is no option {unknown.word}{meant}")
        return super().parse_known_args(words, namespace or argparse.Namespace())

    def error(self, message: str) -> NoReturn:
        self.exit(_FAILED, f"{self.prog}: {message}; see {self.prog} --help.\n")


class _Describe(argparse.Action):
    """Prints every message, field, limit and error code there is."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        say(msgspec.json.format(msgspec.json.encode(describe())).decode() + "\n")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked for; returns the exit status: 0 for a clean end, 2 if it could not be done."""
    use_standard_streams(numbers=True)
    try:
        return _main(arguments)
    finally:
        flush_or_forget(sys.stdout)  # nobody may be reading


def _main(arguments: Sequence[str] | None) -> int:
    given = _parser().parse_args(arguments)
    act: Callable[[argparse.Namespace], int] = given.act
    try:
        return act(given)
    except (StartError, JournalError, NoOperatorToken, StatusError) as error:
        sys.stderr.write(f"paiute-server: {error}.\n")
        return _FAILED
    except KeyboardInterrupt:
        sys.stderr.write("paiute-server: it was broken off before it was done.\n")
        return _FAILED


def _serve(given: argparse.Namespace) -> int:
    if given.check is not None:
        return check_command(given.check)
    if given.backup is not None:
        say(f"The backup is {backup(*given.backup)}.\n")
        return 0
    log = configure(LogFormat(given.log_format), LogLevel(given.log_level))
    try:
        trio.run(run, _settings(given))
    except KeyboardInterrupt:  # before there was anything to end
        return 0
    finally:
        log.close(_LOG_WITHIN_S)
    _say_ended(None if given.ephemeral else given.data)
    return 0


def _say_ended(data: Path | None) -> None:
    kept = "nothing was kept" if data is None else f"everything is kept in {data}"
    say(f"Ended; {kept}.\n")


def _status(given: argparse.Namespace) -> int:
    status = trio.run(ask, given.place, read_operator_token(given.data))
    text = msgspec.json.encode(status).decode() if given.json else said(status)
    say(f"{text}\n")
    return 0


def _settings(given: argparse.Namespace) -> Settings:
    return Settings(
        host=given.host,
        port=check_port(given.port),
        data=None if given.ephemeral else given.data,
        durability=given.durability,
        time_limit_ms=given.time_limit,
        limits=limits_of(given),
        seed=given.seed,
        test_deals=given.test_deals,
    )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="paiute-server",
        usage="paiute-server [OPTION ...]\n       paiute-server status [HOST[:PORT]] [OPTION ...]",
        description="Host tables of Paiute. When it is ready it prints what the players have to type.",
        epilog=f"By default what happens is kept in {_data_directory()}.",
    )
    parser.add_argument("--version", action="version", version=f"paiute-server {__version__}")
    parser.add_argument("--describe", action=_Describe, nargs=0, help="print the protocol as JSON, and end")
    parser.set_defaults(act=_serve)
    _add_network(parser)
    _add_game(parser)
    add_limit_options(parser)
    _add_records(parser)
    _add_log(parser)
    _add_status(parser)
    return parser


def _add_status(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(
        title="commands", metavar=_STATUS, help="say how a server is doing that is running"
    )
    status = commands.add_parser(
        _STATUS,
        prog="paiute-server status",
        description="Say how a server is doing that is running, to whoever may read its data directory.",
    )
    status.add_argument(
        "place",
        metavar="HOST[:PORT]",
        nargs="?",
        type=_place,
        default=f"localhost:{DEFAULT_PORT}",
        help="where it listens, %(default)s by default",
    )
    status.add_argument(
        "--data",
        metavar="DIR",
        type=_directory,
        default=argparse.SUPPRESS,
        help=f"its data directory, {_data_directory()} by default",
    )
    status.add_argument("--json", action="store_true", help="say it as JSON")
    status.set_defaults(act=_status)


def _place(text: str) -> Place:
    try:
        return place_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _add_network(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("network")
    group.add_argument("--host", metavar="HOST", help="listen on this name or address only")
    group.add_argument(
        "--port",
        type=whole_number,
        default=DEFAULT_PORT,
        help="the TCP port, 7000 by default; 0 lets the system choose, and the first line printed says which",
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
        type=whole_number,
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
        type=_directory,
        default=_data_directory(),
        help="keep what happens in this directory; the default is below",
    )
    where.add_argument("--ephemeral", action="store_true", help="keep nothing; tables end with the server")
    group.add_argument(
        "--durability",
        choices=("normal", "full"),
        default="normal",
        help="moves survive the death of the program (normal, the default), or a power cut too (full)",
    )
    instead = group.add_mutually_exclusive_group()
    instead.add_argument(
        "--check",
        metavar="DIR",
        type=_directory,
        help="replay all that is kept in DIR, say what is wrong with it, and end; a server may be running",
    )
    instead.add_argument(
        "--backup",
        metavar=("DIR", "TARGET"),
        nargs=2,
        type=_directory,
        help="copy what is kept in DIR into the directory TARGET, and end; a server may be running",
    )


def _add_log(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("log")
    group.add_argument(
        "--log-format",
        choices=[*map(str, LogFormat)],
        default=LogFormat.TEXT,
        help="lines for people (text, the default) or for programs (json), on standard error",
    )
    group.add_argument(
        "--log-level",
        choices=[*map(str, LogLevel)],
        default=LogLevel.INFO,
        help="log this and what is worse, info by default; debug may show cards",
    )


def _directory(text: str) -> Path:
    if not text:  # a variable of a shell that is not set, and not the folder that one happens to be in
        raise argparse.ArgumentTypeError("a directory is wanted, the name given is empty")
    return Path(text)


def _test_deals(text: str) -> Deals:
    try:
        return read_deals(Path(text))
    except BadDeals as bad:
        raise argparse.ArgumentTypeError(str(bad)) from None


def _data_directory() -> Path:
    return platformdirs.user_data_path("paiute", appauthor=False)


def _time_limit(text: str) -> int | None:
    """Seconds as milliseconds, None for ``off``."""
    if text == "off":
        return None
    number = whole_number(text)
    least, most = DEFAULTS.min_time_limit_ms // 1000, DEFAULTS.max_time_limit_ms // 1000
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"{number} is no time limit; give {least} to {most} seconds, or off")
    return number * 1000
