"""Lines of JSON instead of frames, with the real server at the other end."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair

from paiute_client import jsonl
from paiute_client.jsonl import CODES, LONGEST_LINE, converse, lines_of
from paiute_client.raw_link import RawLink
from paiute_net.wire.codec import pack
from tests.support.client import House, open_house

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "json-lines.md"
HELLO = '{"type": "hello", "id": "1", "versions": [1]}'


class Talk:
    """A conversation whose lines a test writes; ``heard`` is what was written in answer."""

    def __init__(self, link: RawLink) -> None:
        self.link = link
        self.heard: list[dict[str, Any]] = []
        self._lines, self._said = trio.open_memory_channel[bytes](1000)

    def say(self, *lines: str | bytes) -> None:
        for line in lines:
            self._lines.send_nowait(line if isinstance(line, bytes) else line.encode())

    def end(self) -> None:
        self._lines.close()

    async def run(self, name: str | None = None) -> bool:
        def write(line: str) -> None:
            assert line.endswith("\n")
            assert line[:-1].isprintable()
            self.heard.append(json.loads(line))

        try:
            return await converse(self.link, self._said, write, name=name)
        finally:
            await self.link.aclose()

    def summary(self) -> list[str]:
        return [
            f"{message['type']} {message.get('re')} {message.get('code', '')}".strip()
            for message in self.heard
        ]


async def talk_to(house: House) -> Talk:
    return Talk(RawLink(await house.server.dial()))


async def said(house: House, *lines: str | bytes, name: str | None = None) -> tuple[bool, Talk]:
    """What comes of these lines and the end of the input."""
    talk = await talk_to(house)
    talk.say(*lines)
    talk.end()
    return await talk.run(name), talk


async def test_lines_are_messages_both_ways(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ended, talk = await said(house, HELLO, '{"type": "list-tables", "id": "2"}')
    assert ended
    assert talk.summary() == ["ok 1", "ok 2"]
    assert talk.heard[1]["result"] == {"tables": [], "next": None}


async def test_hello_is_said_for_whoever_gives_a_name(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ended, talk = await said(house, '{"type": "list-tables", "id": "2"}', name="Ann")
    assert ended
    assert talk.summary() == ["ok hello", "ok 2"]
    assert talk.heard[0]["result"]["name"] == "Ann"


async def test_what_follows_a_refused_hello_is_sent_all_the_same(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        _, talk = await said(
            house, '{"type": "hello", "id": "1"}', HELLO, '{"type": "list-tables", "id": "2"}'
        )
    assert talk.summary() == ["error 1 missing-field", "ok 1", "ok 2"]


@pytest.mark.parametrize(
    ("line", "code", "facts"),
    [
        ("nonsense", "line-not-json", {"problem": "Expecting value, at character 1"}),
        ('{"id": "7", "x": NaN}', "line-not-json", {"problem": "NaN is no number"}),
        ("[" * 100_000, "line-not-json", None),
        ("[1]", "line-not-a-map", {}),
        ("7", "line-not-a-map", {}),
        (b'{"id": "\xff"}', "line-not-utf8", {}),
        ('{"a": 1, "a": 2}', "line-duplicate-key", {"key": "a"}),
        ('{"b": {"a": 1, "a": 2}}', "line-duplicate-key", {"key": "a"}),
        ("x" * (LONGEST_LINE + 1), "line-too-long", {"maximum": LONGEST_LINE}),
        ('{"x": 99999999999999999999}', "line-not-sendable", None),
        ('{"x": "\\ud800"}', "line-not-sendable", None),
        (json.dumps({"x": "y" * 70_000}), "line-not-sendable", None),
    ],
    ids=lambda value: str(value)[:24],
)
async def test_a_bad_line_is_told_and_nothing_is_lost(
    autojump_clock: MockClock, line: str | bytes, code: str, facts: dict[str, object] | None
) -> None:
    async with open_house() as house:
        ended, talk = await said(house, HELLO, "", line, '{"type": "list-tables", "id": "2"}')
    assert ended
    assert sorted(talk.summary()) == sorted(["ok 1", f"error None {code}", "ok 2"])
    [error] = [message for message in talk.heard if message["type"] == "error"]
    assert error["facts"]["line"] == 3
    if facts is not None:
        assert error["facts"] == {"line": 3, **facts}


async def test_the_error_of_a_line_that_cannot_be_sent_names_its_request(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        _, talk = await said(house, '{"id": "big", "x": 99999999999999999999}')
    assert talk.summary() == ["error big line-not-sendable"]


async def test_what_only_the_protocol_forbids_the_server_refuses(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ended, talk = await said(house, HELLO, '{"type": "list-tables", "id": "2", "limit": 1.5}')
    assert ended
    assert talk.summary() == ["ok 1", "error 2 float-value"]


async def test_a_fatal_error_ends_it(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ended, talk = await said(house, HELLO, '{"type": "x", "id": "2", "y": [[[[[[[[[1]]]]]]]]]}')
    assert not ended
    assert talk.summary() == ["ok 1", "error 2 too-deep"]


async def test_being_replaced_ends_it(autojump_clock: MockClock) -> None:
    async with open_house() as house, trio.open_nursery() as nursery:
        talk = await talk_to(house)
        ends: list[bool] = []

        async def converse_() -> None:
            ends.append(await talk.run())

        nursery.start_soon(converse_)
        talk.say(HELLO)
        await trio.sleep(1)
        hello = {"type": "hello", "id": "1", "versions": [1], "token": talk.heard[0]["result"]["token"]}
        ended, _ = await said(house, json.dumps(hello))
        assert ended
        await trio.sleep(1)
        assert ends == [False]
        assert talk.heard[-1] == {"type": "replaced"}


async def test_pings_are_answered_and_not_shown(autojump_clock: MockClock) -> None:
    async with open_house() as house, trio.open_nursery() as nursery:
        talk = await talk_to(house)
        nursery.start_soon(talk.run)
        talk.say(HELLO)
        await trio.sleep(300)
        talk.say('{"type": "list-tables", "id": "2"}')
        await trio.sleep(1)
        assert talk.summary() == ["ok 1", "ok 2"]
        talk.end()


def nested(lists: int) -> list[Any] | None:
    value: list[Any] | None = None
    for _ in range(lists):
        value = [value]
    return value


def writes_as_deep() -> bool:
    """Whether JSON goes as deep as frames do, which differs from one Python to another."""
    try:
        return bool(json.dumps(nested(1016)))
    except RecursionError:
        return False


@pytest.mark.parametrize(
    ("data", "facts"),
    [
        (b"\0\0\0\0", {"reason": "frame-empty"}),
        (b"\0\0\0\x01\x90", {"reason": "not-a-map"}),
        (b"", {"reason": "peer-silent"}),
        (b"\0\0\0\x0c\x81\xa1x\xcb\x7f\xf8" + bytes(6), {"reason": "float-value"}),
        pytest.param(
            b"\0\0\x03\xfc\x81\xa1x" + b"\x91" * 1016 + b"\xc0",
            {"reason": "too-deep"},
            marks=pytest.mark.skipif(writes_as_deep(), reason="this Python's JSON goes as deep as any frame"),
        ),
    ],
)
async def test_a_lost_link_is_told(autojump_clock: MockClock, data: bytes, facts: dict[str, str]) -> None:
    here, there = memory_stream_pair()
    talk = Talk(RawLink(here))
    await there.send_all(pack({"type": "ping"}) + data)
    assert not await talk.run()
    assert talk.heard == [{"type": "error", "re": None, "code": "link-lost", "facts": facts}]


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b2J", "a\u202eb", "a\u2028b\x85c", "na\xefve \u2660 \u200b"])
async def test_nothing_that_a_server_says_is_obeyed_by_a_terminal_or_ends_a_line(
    autojump_clock: MockClock, text: str
) -> None:
    here, there = memory_stream_pair()
    talk = Talk(RawLink(here))
    await there.send_all(pack({"type": "x", "text": text}))
    there.send_stream.close()
    await talk.run()
    assert talk.heard == [{"type": "x", "text": text}]


async def test_a_link_that_breaks_is_lost(autojump_clock: MockClock) -> None:
    here, there = memory_stream_pair()
    talk = Talk(RawLink(here))
    there.send_stream.close()
    assert not await talk.run()
    assert talk.heard == []


async def pieces(*data: bytes) -> list[bytes]:
    rest = [*data, b""]

    async def read() -> bytes:
        await trio.lowlevel.checkpoint()
        return rest.pop(0)

    return [line async for line in lines_of(read)]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ((), []),
        ((b"a\nb\n",), [b"a", b"b"]),
        ((b"a\nb",), [b"a", b"b"]),
        ((b"a", b"b\n\nc", b"\n"), [b"ab", b"", b"c"]),
    ],
)
async def test_lines_are_made_of_pieces(data: Sequence[bytes], lines: list[bytes]) -> None:
    assert await pieces(*data) == lines


async def test_of_a_line_without_end_little_is_kept() -> None:
    longest = 0

    async def read() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"x" * 65_536

    source = read()

    async def next_piece() -> bytes:
        return await anext(source, b"")

    async for line in lines_of(next_piece):
        longest = max(longest, len(line))
    assert longest == LONGEST_LINE + 1


def test_the_codes_are_those_of_the_document() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows) == dict(CODES)
    source = Path(jsonl.__file__).read_text(encoding="utf-8")
    assert set(re.findall(r'"((?:line|link)-[a-z0-9-]+)"', source)) == set(CODES)
