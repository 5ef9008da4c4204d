"""The protocol as lines of JSON on stdin and stdout, one message a line; docs/json-lines.md describes it.

What a line says is sent as it is: whether it is right, the server says. Only for what cannot be sent at all
there are errors of this end, in the protocol's form; their codes begin with ``line-``, or are ``link-lost``.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final, NoReturn, cast

import trio

from paiute_client.errors import LinkLost
from paiute_client.raw_link import PING, RawLink, RawMessage
from paiute_net import __version__
from paiute_net.game.errors import Fact
from paiute_net.wire.codec import pack
from paiute_net.wire.errors import ErrorCode, LocalProtocolError, is_fatal
from paiute_net.wire.messages import MAX_ID, PROTOCOL_VERSION, Closing, Error, Hello, Ok, Replaced
from paiute_net.wire.shapes import tag_of

__all__ = ["CODES", "LONGEST_LINE", "BadLine", "converse", "lines_of", "message_of"]

LONGEST_LINE: Final = 1 << 20
"""Bytes of a line. A frame holds far less, but JSON may write each character as an escape."""
CODES: Final[Mapping[str, str]] = {
    "line-too-long": "The line is longer than `maximum` bytes.",
    "line-not-utf8": "The line is not UTF-8.",
    "line-not-json": "The line is no JSON; `problem` says why not.",
    "line-not-a-map": "The line is JSON, but not a map.",
    "line-duplicate-key": "A map has the same `key` twice.",
    "line-not-sendable": "No frame can hold what the line says; `problem` says why not.",
    "link-lost": "The connection broke, or the server said what is no message. It is over.",
}
"""The codes of this end's own errors. All but the last have the fact ``line``, counted from 1."""


_HELLO: Final = tag_of(Hello)
_REPLIES: Final = (tag_of(Ok), tag_of(Error))
_FAREWELLS: Final = (tag_of(Replaced), tag_of(Closing))


class BadLine(Exception):
    """A line that cannot be sent; ``re`` is its id if it has one that could be read."""

    def __init__(self, code: str, re: str | None = None, **facts: Fact) -> None:
        super().__init__(code, re, facts)
        self.code: Final = code
        self.re: Final = re
        self.facts: Final = facts


def message_of(line: bytes) -> dict[str, Any]:
    """What a line says; raises BadLine."""
    if len(line) > LONGEST_LINE:
        raise BadLine("line-too-long", maximum=LONGEST_LINE)
    try:
        value: object = json.loads(line.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise BadLine("line-not-utf8") from None
    except json.JSONDecodeError as error:
        raise BadLine("line-not-json", problem=f"{error.msg}, at character {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise BadLine("line-not-json", problem=str(error)) from None
    if not isinstance(value, dict):
        raise BadLine("line-not-a-map")
    return cast("dict[str, Any]", value)


def _frame_of(message: Mapping[str, Any]) -> bytes:
    try:
        return pack(message)
    except (LocalProtocolError, RecursionError) as error:
        raise BadLine("line-not-sendable", _usable_id(message), problem=str(error)) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise BadLine("line-duplicate-key", key=next(name for name in names if names.count(name) > 1))
    return fields


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _usable_id(message: Mapping[str, Any]) -> str | None:
    given = message.get("id")
    return given if isinstance(given, str) and 0 < len(given) <= MAX_ID else None


async def lines_of(read: Callable[[], Awaitable[bytes]]) -> AsyncIterator[bytes]:
    """Lines without their ends, from pieces as ``read`` gives them, ``b""`` at the end.

    Of one that is too long no more is kept than shows it; where the last one has no end, it is a line too.
    """
    rest = b""
    while piece := await read():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line
        rest = rest[: LONGEST_LINE + 1]
    if rest:
        yield rest


async def converse(
    link: RawLink, lines: AsyncIterable[bytes], write: Callable[[str], None], *, name: str | None = None
) -> bool:
    """Send what the lines say, and write what the server says, each as a line, until one of both ends.

    What follows a hello waits until that is answered. When the lines end, what they asked for is still
    answered. With ``name``, hello is said for them.

    Returns:
      Whether the end was theirs: the server has not had the last word, and the link has not broken.
    """
    conversation = _Conversation(link, write)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(conversation.speak, lines, name)
        await conversation.hear()
        nursery.cancel_scope.cancel()
    return conversation.has_ended and not conversation.was_cut_off


class _Conversation:
    """``has_ended``: all lines have been sent. ``was_cut_off``: the server or the link ended it."""

    def __init__(self, link: RawLink, write: Callable[[str], None]) -> None:
        self.has_ended = False
        self.was_cut_off = False
        self._link: Final = link
        self._write: Final = write
        self._greeted = trio.Event()
        """Set when there is no hello that waits for its answer."""
        self._greeted.set()

    async def speak(self, lines: AsyncIterable[bytes], name: str | None) -> None:
        if name is not None:
            await self._send(_hello(name))
        number = 0
        async for line in lines:
            number += 1
            if line.strip():
                await self._say(line, number)
        self.has_ended = True
        try:
            await self._link.end()
        except LinkLost:  # which is heard, too
            return

    async def _say(self, line: bytes, number: int) -> None:
        try:
            await self._send(message_of(line))
        except BadLine as bad:
            self._tell_error(bad.re, bad.code, {"line": number, **bad.facts})

    async def _send(self, message: Mapping[str, Any]) -> None:
        data = _frame_of(message)
        await self._greeted.wait()
        if message.get("type") == _HELLO:
            self._greeted = trio.Event()
        try:
            await self._link.send(data)
        except LinkLost:  # what the server said before that is heard first
            return

    async def hear(self) -> None:
        try:
            while (message := await self._link.receive()) is not None:
                if message.get("type") != PING:
                    self.was_cut_off |= _is_last_word(message)
                    self._tell(message)
                if message.get("type") in _REPLIES:
                    self._greeted.set()
        except LinkLost as lost:
            self.was_cut_off = True
            self._tell_error(None, "link-lost", {} if lost.code is None else {"reason": lost.code})

    def _tell(self, message: RawMessage) -> None:
        self._write(_line_of(message) + "\n")

    def _tell_error(self, re: str | None, code: str, facts: Mapping[str, Fact]) -> None:
        self._tell({"type": "error", "re": re, "code": code, "facts": dict(facts)})


def _line_of(message: RawMessage) -> str:
    """A message as JSON; raises LinkLost for what JSON has no word for.

    What a terminal might obey, and what ends a line in some languages, is escaped.
    """
    try:
        line = json.dumps(message, ensure_ascii=False, allow_nan=False, default=repr)
        return line if line.isprintable() else json.dumps(message, default=repr)
    except ValueError:  # not a number, or infinite
        raise LinkLost(ErrorCode.FLOAT_VALUE) from None
    except RecursionError:
        raise LinkLost(ErrorCode.TOO_DEEP) from None


def _is_last_word(message: RawMessage) -> bool:
    kind = message.get("type")
    return kind in _FAREWELLS or (kind == "error" and is_fatal(str(message.get("code"))))


def _hello(name: str) -> dict[str, Any]:
    client = f"paiute-client {__version__}"
    return {"type": _HELLO, "id": "hello", "versions": [PROTOCOL_VERSION], "name": name, "client": client}
