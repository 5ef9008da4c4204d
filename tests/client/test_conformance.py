"""Our server passes the checks of conformance; a server that does something else fails them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from paiute_client import conformance
from paiute_client.conformance import CHAPTERS, chapter, check_server
from paiute_client.conformance.observer import Onlooker
from paiute_client.script import Result, Unexpected, perform
from paiute_net.wire.codec import pack, unpack
from paiute_net.wire.framing import FrameBuffer
from paiute_net.wire.messages import REQUESTS, GetStatus
from paiute_net.wire.replies import CONNECTION
from paiute_net.wire.shapes import tag_of
from tests.support.client import House, open_house

Change = Callable[[dict[str, Any]], dict[str, Any] | None]


@pytest.mark.parametrize("name", CHAPTERS)
async def test_our_server_passes(autojump_clock: MockClock, name: str) -> None:
    failures: list[Result] = []
    async with open_house() as house:
        good = await perform(chapter(name), house.server.dial, failures.append, Onlooker)
    assert [(result.check.title, str(result.failure)) for result in failures if result.failure] == []
    assert good


async def test_all_chapters_are_run(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "CHAPTERS", ("greeting", "values"))
    made: Counter[str] = Counter()
    async with open_house() as house:
        await check_server(house.server.dial, lambda name, _: made.update([name]))
    assert made == {name: len(chapter(name).checks) for name in ("greeting", "values")}


def test_every_check_has_a_title_of_its_own() -> None:
    titles = Counter(check.title for name in CHAPTERS for check in chapter(name).checks)
    assert [title for title, number in titles.items() if number > 1 or not title] == []


def test_every_way_a_frame_can_be_wrong_is_checked() -> None:
    """All codes that whoever connects can bring about at will."""
    written = "".join(str(chapter(name)) for name in CHAPTERS)
    beyond_anyone = {
        "peer-silent",
        "flooding",
        "server-full",
        "too-many-connections",
        "internal-error",
    }
    for code in {each.value for each in CONNECTION} - beyond_anyone:
        assert repr(code) in written, code


def test_every_request_of_a_player_is_made() -> None:
    written = "".join(str(chapter(name)) for name in CHAPTERS)
    for request in set(REQUESTS) - {GetStatus}:
        assert repr(tag_of(request)) in written, request


# --- a server that does something else ----------------------------------------------------------------------


class Meddler(trio.abc.HalfCloseableStream):
    """A connection on whose way to the client messages are changed, or lost."""

    def __init__(self, stream: trio.abc.Stream, change: Change) -> None:
        self._stream = stream
        self._change = change
        self._frames = FrameBuffer()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        while data := bytes(await self._stream.receive_some()):
            self._frames.feed(data)
            changed = b""
            while (body := self._frames.take()) is not None:
                message = self._change(unpack(body))
                changed += b"" if message is None else pack(message)
            if changed:
                return changed
        return b""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        assert isinstance(self._stream, trio.abc.HalfCloseableStream)
        await self._stream.send_eof()

    async def aclose(self) -> None:
        await self._stream.aclose()


async def failures(house: House, name: str, change: Change) -> list[Unexpected]:
    async def dial() -> trio.abc.Stream:
        return Meddler(await house.server.dial(), change)

    found: list[Result] = []
    await perform(chapter(name), dial, found.append, Onlooker)
    return [result.failure for result in found if result.failure is not None]


def on(kind: str, **changes: object) -> Change:
    """In messages of that type, fields are changed; a callable is given what the field holds."""

    def change(message: dict[str, Any]) -> dict[str, Any]:
        if message["type"] != kind:
            return message
        new = {name: value(message[name]) if callable(value) else value for name, value in changes.items()}
        return {**message, **new}

    return change


def without(kind: str, field: str) -> Change:
    def change(message: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in message.items() if (message["type"], name) != (kind, field)}

    return change


def losing(kind: str) -> Change:
    return lambda message: None if message["type"] == kind else message


def told_to_one(change: Change) -> Change:
    """Every other time, so that of two who are told the same only one is told something else."""
    times = count()

    def sometimes(message: dict[str, Any]) -> dict[str, Any] | None:
        changed = change(message)
        return message if changed == message or next(times) % 2 else changed

    return sometimes


def amid_others(message: dict[str, Any]) -> dict[str, Any]:
    """News of the lobby, with news of strangers before and after them."""
    if message["type"] not in {"lobby-changed", "people-changed"}:
        return message
    around: dict[str, list[Any]] = {"gone": ["s1", *message["gone"], "s2"]}
    for field, id in (("tables", "table"), ("people", "player")):
        rows = message.get(field)
        if rows:
            around[field] = [{**rows[0], id: "s3"}, *rows, {**rows[0], id: "s4"}]
    return {**message, **around}


def seeing_all(message: dict[str, Any]) -> dict[str, Any]:
    hidden = message["type"] == "card-drawn" and message["card"] is None
    return {**message, "card": "Qh"} if hidden else message


def richer(picture: dict[str, Any]) -> dict[str, Any]:
    return {**picture, "pot": picture["pot"] + 1}


async def test_news_of_others_in_the_lobby_are_no_fault(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        assert await failures(house, "lobby", amid_others) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (seeing_all, "a card of somebody else"),
        (on("card-drawn", card=None), "an own card that is hidden"),
        (on("hand-dealt", cards=None), "own cards that are hidden"),
        (losing("card-drawn"), "where"),
        (on("card-drawn", stock=7), "a snapshot that is not what the events have made"),
        (on("snapshot", picture=richer), "sum to zero"),
        (on("hand-ended", pot=7), "sum to zero"),
        (on("decision", decision=1), ""),
        (on("decision", seat=0), "actions for"),
        (on("decision", actions=None), "no actions for whom it asks"),
        (on("player-sat", seq=2), ""),
        (without("hand-dealt", "wild"), "wild"),
        (without("decision", "time_ms"), "time_ms"),
        (without("ok", "result"), "ok without result"),
        (on("card-discarded", round="one"), "round"),
        (on("ok", re="other"), "a reply to 'other', which waits for none"),
        (told_to_one(on("card-discarded", card="Qh")), "somebody else was told another card"),
        (on("pack-cut", type="replaced"), ""),
    ],
)
async def test_what_no_server_may_say_is_found(autojump_clock: MockClock, change: Change, said: str) -> None:
    async with open_house() as house:
        found = await failures(house, "hands", change)
    assert found
    assert any(said in failure.problem for failure in found), [failure.problem for failure in found]


@pytest.mark.parametrize("kind", ["replaced", "presence-changed", "snapshot", "chat-said"])
async def test_what_a_server_forgets_to_say_is_found(autojump_clock: MockClock, kind: str) -> None:
    async with open_house() as house:
        assert await failures(house, "resuming", losing(kind))


@pytest.mark.parametrize("kind", ["lobby-changed", "people-changed", "chat-said"])
async def test_what_a_server_forgets_to_say_of_the_lobby_is_found(
    autojump_clock: MockClock, kind: str
) -> None:
    async with open_house() as house:
        assert await failures(house, "lobby", losing(kind))


async def test_a_word_that_a_later_server_says_is_no_fault(autojump_clock: MockClock) -> None:
    def later(message: dict[str, Any]) -> dict[str, Any]:
        new = {"colour": "red"} if message["type"] != "error" else {}
        return {**message, **new}

    async with open_house() as house:
        assert await failures(house, "hands", later) == []
