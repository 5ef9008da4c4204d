"""The command line of ``paiute-client``.

Exit status: 0 when all went as it should, 1 when the server broke the session off or the program itself broke
down, 2 for what cannot be done as it was asked for; with one sentence on stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

import trio

from paiute_client import bot, crash, tools
from paiute_client.address import DEFAULT_PORT, Address, parse_address
from paiute_client.errors import BadAddress, ClientError, End
from paiute_client.failures import sentence_of
from paiute_client.options import PACE, BotOptions, Options, ScreenOptions
from paiute_client.signals import SIGNALLED, until_signalled
from paiute_client.words import clean, tr
from paiute_net import __version__
from paiute_net.streams import flush_or_forget, use_standard_streams
from paiute_net.unknown_options import unknown_option

__all__ = ["main"]

MAX_SEED: Final = 2**53 - 1
MAX_HANDS: Final = 1_000_000
MAX_PACE: Final = 60.0

_BROKEN: Final = 1
_FAILED: Final = 2
_ENDINGS: Final = ("SIGINT", "SIGTERM")
_OUTSIDE: Final = frozenset({End.LEFT, End.CLOSED, End.GAVE_UP})
"""Ends that a bot could do nothing about, and that nobody need look into."""
_FOR_BOTS: Final = ("hands", "pace", "seed")
_TOOLS: Final = ("jsonl", "script", "conformance")
_NOT_FOR_TOOLS: Final[Mapping[str, Sequence[str]]] = {
    "jsonl": ("table",),
    "script": ("name", "table"),
    "conformance": ("name", "table"),
}
_FOR_SCREEN: Final = ("theme", "sort", "bell", "title", "ascii")
_THEMES: Final = ("terminal", "dark", "light", "plain")
_SORTS: Final = ("rank", "suit")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the client; returns the exit status."""
    use_standard_streams()
    try:
        return _main(arguments)
    finally:
        flush_or_forget(sys.stdout)  # the terminal may be gone


def _main(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    words = sys.argv[1:] if arguments is None else list(arguments)
    _refuse_unknown(parser, words)
    given, strays = parser.parse_known_args(words)
    if strays:
        parser.error(_about_strays(given, strays))
    _refuse_strays(parser, given)
    try:
        return _run(given)
    except ClientError as error:
        _complain(sentence_of(error))
        return _FAILED
    except KeyboardInterrupt:  # before there was anything to end
        return 0
    except Exception as error:  # noqa: BLE001 -- whatever it is, a player is told what to do
        _complain(crash.told(error))
        return _BROKEN


def _refuse_unknown(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """A word that was mistyped is named before what its value would mean without it."""
    unknown = unknown_option(words, parser.format_help())
    if unknown is None:
        return
    if unknown.near is None:
        parser.error(tr("there is no option {option}").format(option=unknown.word))
    message = tr("there is no option {option}; did you mean {near}?")
    parser.error(message.format(option=unknown.word, near=unknown.near))


def _about_strays(given: argparse.Namespace, strays: Sequence[str]) -> str:
    if len(strays) == 1 and strays[0].isascii() and strays[0].isdigit():
        address = given.address._replace(port=strays[0])
        return tr("write host and port as one word, {address}").format(address=address)
    return tr("{words} is too much").format(words=" ".join(strays))


def _refuse_strays(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """An option that would change nothing is a mistake of whoever typed it."""
    for word in _FOR_BOTS:
        if getattr(given, word) is not None and not given.bot:
            parser.error(tr("--{option} is for bots; add --bot, or leave it out").format(option=word))
    way = next((way for way in ("bot", "plain", *_TOOLS) if getattr(given, way)), None)
    for word in _FOR_SCREEN:
        if getattr(given, word) is not None and way is not None:
            message = tr("--{option} is for the full screen; leave it out, or leave out --{way}")
            parser.error(message.format(option=word, way=way))
    for word in _NOT_FOR_TOOLS.get(way or "", ()):
        if getattr(given, word) is not None:
            parser.error(tr("--{option} does not go with --{way}; leave it out").format(option=word, way=way))


def _complain(sentence: str) -> None:
    sys.stderr.write(f"paiute-client: {clean(sentence)}\n")


# --- what was asked for ---------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(_FAILED, f"{self.prog}: {clean(message)}; see {self.prog} --help.\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="paiute-client", description=tr("Sit down at a table of Paiute."), allow_abbrev=False
    )
    parser.add_argument(
        "address",
        metavar="HOST[:PORT]",
        type=_address,
        help=tr("where the server is; without a port, {port} is meant").format(port=DEFAULT_PORT),
    )
    parser.add_argument("--version", action="version", version=f"paiute-client {__version__}")
    parser.add_argument("--name", type=_text, help=tr("what the others call you"))
    parser.add_argument(
        "--table",
        type=_text,
        help=tr("the table to sit down at; if there is none of that name, it is opened"),
    )
    _add_ways(parser)
    _add_for_screen(parser)
    _add_for_bots(parser)
    return parser


def _add_ways(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group(tr("ways to play")).add_mutually_exclusive_group()
    how.add_argument(
        "--plain",
        action="store_true",
        help=tr("line by line, and not in full screen; so it is also where input or output is no terminal"),
    )
    how.add_argument("--bot", action="store_true", help=tr("not yourself: the program plays"))
    how.add_argument(
        "--jsonl", action="store_true", help=tr("the protocol itself, as lines of JSON on input and output")
    )
    how.add_argument(
        "--script", metavar="FILE", type=Path, help=tr("say what a file says, and see what comes back")
    )
    how.add_argument(
        "--conformance", action="store_true", help=tr("check that the server speaks as the protocol says")
    )


def _add_for_screen(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        tr("for the full screen"), tr("Without these, the settings file and PAIUTE_* variables decide.")
    )
    group.add_argument("--theme", choices=_THEMES, help=tr("the colours"))
    group.add_argument("--sort", choices=_SORTS, help=tr("the order of the cards in the own hand"))
    for name, meaning in (
        ("bell", tr("ring when it is your turn")),
        ("title", tr("say so in the title of the window")),
        ("ascii", tr("draw with plain letters")),
    ):
        group.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, default=None, help=meaning)


def _add_for_bots(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(tr("for bots"))
    group.add_argument(
        "--hands", metavar="N", type=partial(_whole, 1, MAX_HANDS), help=tr("leave after so many hands")
    )
    group.add_argument(
        "--pace",
        metavar="SECONDS",
        type=_pace,
        help=tr("the time for a move where people sit, and between hands of bots alone; 1 by default"),
    )
    group.add_argument(
        "--seed",
        metavar="N",
        type=partial(_whole, 0, MAX_SEED),
        help=tr("repeat what chance decides, for tests"),
    )


def _options(given: argparse.Namespace) -> Options:
    return Options(address=given.address, name=given.name, table=given.table)


def _screen_options(given: argparse.Namespace) -> ScreenOptions:
    return ScreenOptions(
        address=given.address,
        name=given.name,
        table=given.table,
        theme=given.theme,
        sort=given.sort,
        bell=given.bell,
        title=given.title,
        ascii=given.ascii,
    )


def _bot_options(given: argparse.Namespace) -> BotOptions:
    return BotOptions(
        address=given.address,
        name=given.name,
        table=given.table,
        hands=given.hands,
        pace=PACE if given.pace is None else given.pace,
        seed=given.seed,
    )


def _address(text: str) -> Address:
    try:
        return parse_address(text)
    except BadAddress as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from None


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:  # bytes of the command line that were no text stand in it as half letters
        raise argparse.ArgumentTypeError(
            tr("{text} has bytes that are no letters").format(text=ascii(text))
        ) from None
    return text


def _whole(least: int, most: int, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most):
        raise argparse.ArgumentTypeError(
            tr("{text} is no whole number from {least} to {most}").format(
                text=repr(text), least=least, most=most
            )
        )
    return int(text)


def _pace(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_PACE:
        raise argparse.ArgumentTypeError(
            tr("{text} is no number of seconds from 0 to {most:g}").format(text=repr(text), most=MAX_PACE)
        )
    return seconds


# --- the ways to play -----------------------------------------------------------------------------------


def _run(given: argparse.Namespace) -> int:
    if given.bot:
        return _run_bot(_bot_options(given))
    if given.jsonl:
        return _run_endless(partial(tools.speak_json, given.address, given.name, _complain))
    if check := _check(given):
        return trio.run(until_signalled, _ENDINGS, check)
    if given.plain or not _is_screen():
        return _run_plain(_options(given))
    return _run_screen(_screen_options(given))


def _check(given: argparse.Namespace) -> Callable[[], Awaitable[int]] | None:
    """What is to be checked, if that is what was asked for."""
    if given.script is not None:
        return partial(tools.run_script, given.script, given.address, _Lines().say, _complain)
    if given.conformance:
        return partial(tools.check_conformance, given.address, _Lines().say, _complain)
    return None


def _is_screen() -> bool:
    """Whether this process has a terminal that can do more than print lines."""
    return (
        sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in {"dumb", "unknown"}
    )


def _run_screen(options: ScreenOptions) -> int:
    from paiute_client import screen  # noqa: PLC0415 -- as below

    return screen.run(options)


def _run_plain(options: Options) -> int:
    from paiute_client import plain  # noqa: PLC0415 -- a bot has no use for a terminal's library

    return plain.run(options)


def _run_bot(options: BotOptions) -> int:
    return _run_endless(partial(_play_bot, options))


def _run_endless(play: Callable[[], Awaitable[int]]) -> int:
    """The status of ``play``; 0 if a signal ends it before, as is usual for what runs without end."""
    status = trio.run(until_signalled, _ENDINGS, play)
    return 0 if status > SIGNALLED else status


async def _play_bot(options: BotOptions) -> int:
    try:
        ended = await bot.play(options, _Lines().say)
    except ClientError as error:
        _complain(sentence_of(error))
        return _FAILED
    if ended is None:
        return 0
    _complain(sentence_of(ended))
    return 0 if ended.end in _OUTSIDE else 1


class _Lines:
    """Lines on stdout, each at once; where nobody reads them any more, none."""

    def __init__(self) -> None:
        self._is_read = True

    def say(self, line: str) -> None:
        if self._is_read:
            try:
                sys.stdout.write(f"{clean(line)}\n")
                sys.stdout.flush()
            except OSError:
                self._is_read = False
