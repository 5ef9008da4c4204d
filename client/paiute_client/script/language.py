"""Scripts as text: docs/scripts.md describes them for who writes one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn, cast

from paiute_net.statements import BadStatement, Statement, statements
from paiute_net.wire.framing import frame

__all__ = [
    "FORMS",
    "Asked",
    "Check",
    "Close",
    "Connect",
    "End",
    "Expect",
    "ExpectEnd",
    "Forget",
    "Ignore",
    "Names",
    "Order",
    "Play",
    "Script",
    "Send",
    "SendBytes",
    "Step",
    "Within",
    "parse_script",
]

FORMS: Final[Mapping[str, str]] = {
    "send": "send {MESSAGE}",
    "send-frame": "send-frame HEX ...",
    "send-hex": "send-hex HEX ...",
    "expect": "expect {PATTERN}",
    "expect-end": "expect-end",
    "connect": "connect",
    "end": "end",
    "close": "close",
    "asked": "asked MOVER OTHER ... of NAME NAME ...",
    "play": "play NAME ...",
    "within": "within SECONDS",
    "strict": "strict",
    "skipping": "skipping",
    "names": "names FIELD ...",
    "ignore": "ignore FIELD ...",
    "forget": "forget NAME ...",
    "check": "check TITLE",
}
"""Each statement's form; those up to ``close`` may have ``as NAME:`` before them."""
ALONE: Final = "client"
"""Who speaks where nobody is named."""
LONGEST_WAIT: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Step:
    """What a statement does; ``line`` is where it stands."""

    line: int


@dataclass(frozen=True, slots=True)
class _OfOne(Step):
    """The base of what one connection does, or what is expected of it."""

    who: str


@dataclass(frozen=True, slots=True)
class Send(_OfOne):
    """Send a message, with what is known in the place of its names."""

    message: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SendBytes(_OfOne):
    """Send just these bytes."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Expect(_OfOne):
    """The server says something of that pattern."""

    pattern: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExpectEnd(_OfOne):
    """The server closes the connection."""


@dataclass(frozen=True, slots=True)
class Connect(_OfOne):
    """Connect and say nothing yet."""


@dataclass(frozen=True, slots=True)
class End(_OfOne):
    """Say nothing more, and go on hearing."""


@dataclass(frozen=True, slots=True)
class Close(_OfOne):
    """Break the connection off."""


@dataclass(frozen=True, slots=True)
class Play(Step):
    """Those named play the hand to its end, with what their decisions offer them."""

    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked(Step):
    """Whichever of ``players`` is asked to decide is the first of ``aliases`` from here on."""

    aliases: tuple[str, ...]
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Within(Step):
    """How long to wait from here on, in seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Order(Step):
    """Whether from here on the next message has to be the one expected."""

    strict: bool


@dataclass(frozen=True, slots=True)
class Names(Step):
    """In these fields strings are names from here on."""

    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ignore(Step):
    """What these fields hold does not matter from here on."""

    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forget(Step):
    """These names are free again."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A part of a script that begins afresh; without a title, the whole of it."""

    title: str
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """Its checks, in order; each has the steps before the first one at its beginning."""

    checks: tuple[Check, ...]


_AS: Final = re.compile(r"as (\w+):\s*(.*)", re.DOTALL)
_ARROW: Final = re.compile(r"(\w+) ([<>]) (.*)", re.DOTALL)
_ARROWS: Final = {">": "send", "<": "expect"}


def parse_script(text: str) -> Script:
    """The script that a text is; raises BadStatement."""
    preamble: list[Step] = []
    checks: list[Check] = []
    for statement in statements(text):
        try:
            said = _read(statement)
        except ValueError as fault:
            raise BadStatement(str(fault), statement.line) from None
        match said:
            case str(title):
                checks.append(Check(title))
            case step if checks:
                checks[-1] = replace(checks[-1], steps=(*checks[-1].steps, step))
            case step:
                preamble.append(step)
    return Script(tuple(replace(check, steps=(*preamble, *check.steps)) for check in checks or [Check("")]))


def _read(statement: Statement) -> Step | str:
    """What a statement does, or the title that it gives to a check."""
    who, text = None, statement.text.strip()
    if named := _AS.fullmatch(text):
        who, text = named.groups()
    elif arrow := _ARROW.fullmatch(text):
        who, text = arrow[1], f"{_ARROWS[arrow[2]]} {arrow[3]}"
    word, _, rest = text.partition(" ")
    if word in _OF_ONE:
        return _OF_ONE[word](statement.line, who or ALONE, rest.strip())
    if who is not None and word in _OF_ALL:
        raise ValueError(f"{word!r} concerns all connections, so leave out 'as {who}:'")
    if word == "check" and rest.strip():
        return rest.strip()
    if word in _OF_ALL:
        return _OF_ALL[word](statement.line, tuple(rest.split()))
    raise _unwritten(word)


def _unwritten(word: str) -> ValueError:
    if word in FORMS:
        return ValueError(f"this is written {FORMS[word]!r}")
    if word == "as":
        return ValueError("this is written 'as NAME: STATEMENT', where NAME is one word")
    return ValueError(f"no statement is called {word!r}: {', '.join(FORMS)}")


# --- messages and bytes -----------------------------------------------------------------------------------


def _message(word: str, text: str) -> dict[str, Any]:
    if not text:
        raise _unwritten(word)
    try:
        value: object = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"this is no JSON: {error.msg}, at {_excerpt(text, error.pos)}") from None
    if not isinstance(value, dict):
        raise ValueError(f"a message is a map, as in {FORMS[word]!r}")  # noqa: TRY004 -- of a file, not of code
    return cast("dict[str, Any]", value)


def _excerpt(text: str, position: int) -> str:
    return repr(text[position : position + 20]) if position < len(text) else "its end"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = next(key for key, _ in pairs if [name for name, _ in pairs].count(key) > 1)
        raise ValueError(f"the field {twice!r} is there twice")
    return fields


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _bytes(word: str, text: str) -> bytes:
    try:
        data = bytes.fromhex(text)
    except ValueError:
        raise ValueError(f"{text!r} are no bytes in hexadecimal digits") from None
    if not data:
        raise _unwritten(word)
    return data


def _nothing(word: str, text: str) -> None:
    if text:
        raise _unwritten(word)


def _bare(word: str, step: Callable[[int, str], Step]) -> Callable[[int, str, str], Step]:
    def read(line: int, who: str, rest: str) -> Step:
        _nothing(word, rest)
        return step(line, who)

    return read


_OF_ONE: Final[Mapping[str, Callable[[int, str, str], Step]]] = {
    "send": lambda line, who, rest: Send(line, who, _message("send", rest)),
    "send-frame": lambda line, who, rest: SendBytes(line, who, frame(_bytes("send-frame", rest))),
    "send-hex": lambda line, who, rest: SendBytes(line, who, _bytes("send-hex", rest)),
    "expect": lambda line, who, rest: Expect(line, who, _message("expect", rest)),
    "expect-end": _bare("expect-end", ExpectEnd),
    "connect": _bare("connect", Connect),
    "end": _bare("end", End),
    "close": _bare("close", Close),
}


# --- what concerns the whole script -----------------------------------------------------------------------


def _some(word: str, words: tuple[str, ...]) -> tuple[str, ...]:
    if not words:
        raise _unwritten(word)
    return words


def _asked(line: int, words: tuple[str, ...]) -> Step:
    aliases, players = words[: len(words) // 2], words[len(words) // 2 + 1 :]
    if not aliases or len(aliases) != len(players) or words[len(aliases)] != "of":
        raise _unwritten("asked")
    return Asked(line, aliases, players)


def _seconds(words: tuple[str, ...]) -> float:
    try:
        [text] = words
        seconds = float(text)
    except ValueError:
        raise _unwritten("within") from None
    if not 0 < seconds <= LONGEST_WAIT:
        raise ValueError(f"{text!r} is no number of seconds above 0 and up to {LONGEST_WAIT:g}")
    return seconds


def _order(word: str, strict: bool) -> Callable[[int, tuple[str, ...]], Step]:
    def read(line: int, words: tuple[str, ...]) -> Step:
        _nothing(word, " ".join(words))
        return Order(line, strict)

    return read


_OF_ALL: Final[Mapping[str, Callable[[int, tuple[str, ...]], Step]]] = {
    "asked": _asked,
    "play": lambda line, words: Play(line, _some("play", words)),
    "within": lambda line, words: Within(line, _seconds(words)),
    "strict": _order("strict", strict=True),
    "skipping": _order("skipping", strict=False),
    "names": lambda line, words: Names(line, _some("names", words)),
    "ignore": lambda line, words: Ignore(line, _some("ignore", words)),
    "forget": lambda line, words: Forget(line, _some("forget", words)),
}
