"""Whatever a client sends, in whatever pieces: only outcomes that the protocol names, no harm to others."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

import msgspec
import trio
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs
from trio.testing import MockClock

from paiute_net.wire.codec import Unknown, pack
from paiute_net.wire.errors import CODES, ErrorCode, check_facts, is_fatal
from paiute_net.wire.framing import LENGTH_BYTES, MAX_FRAME, frame
from paiute_net.wire.messages import (
    Decision,
    Error,
    ListTables,
    TablesResult,
)
from paiute_server.limits import DEFAULTS, Rate
from tests.support.messages import FROM_CLIENT, anything, maps
from tests.support.raw_client import RawClient, random_action
from tests.support.server import RunningServer, memory_server
from tests.support.splits import cut_at

TABLE = "T" * 11
"""Stands in messages for the id of the table where a hand is going on, and is as long."""
LIMITS = msgspec.structs.replace(
    DEFAULTS,
    requests=Rate(1e6, 1_000_000),
    chat=Rate(1e6, 1_000_000),
    chat_together=Rate(1e6, 1_000_000),
    outbox_bytes=100_000,
)


def at_the_table(fields: dict[str, Any]) -> dict[str, Any]:
    """The same about the table where a hand is going on, and mostly the decision that is open there."""
    here = {"table": TABLE, "decision": fields.get("decision", 0) % 4 + 1}
    return {name: here.get(name, value) for name, value in fields.items()}


@st.composite
def spoilt(draw: st.DrawFn) -> dict[str, Any]:
    """A message one of whose fields holds something else."""
    fields = draw(VALID)
    return {**fields, draw(st.sampled_from([*fields, "new"])): draw(anything | st.floats() | st.binary())}


VALID = st.sampled_from(FROM_CLIENT).flatmap(maps)
FRAMES = st.one_of(
    VALID.map(pack),
    VALID.map(at_the_table).map(pack),
    spoilt().map(pack),
    st.binary(min_size=1, max_size=40).map(frame),
    st.binary(max_size=8),
)


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    """Frames, mostly good, of which some bytes may have been changed."""
    stream = bytearray(b"".join(draw(st.lists(FRAMES, min_size=1, max_size=10))))
    if stream and draw(st.booleans()):
        stream[draw(st.integers(0, len(stream) - 1))] = draw(st.integers(0, 255))
    return bytes(stream)


PLACES = st.just(set(range(2_000))) | st.sets(st.integers(1, 300), max_size=12)
"""Where a stream is cut: byte by byte, or anywhere."""


async def a_hand(running: RunningServer) -> tuple[str, list[RawClient]]:
    """Two neighbours and somebody else are in the middle of a hand."""
    clients = [await running.client(name) for name in ("Ann", "Ben", "Cleo")]
    table = await clients[0].open_table(time_limit_ms=None)
    for client in clients[1:]:
        await client.sit(table)
    await clients[0].start(table)
    return table, clients


async def neighbours_go_on(table: str, neighbours: list[RawClient]) -> None:
    """The two others are answered, and can play as far as it is their turn."""
    for client in neighbours:
        await client.ask(ListTables, TablesResult)
        decision = next((one for one in reversed(client.heard) if isinstance(one, Decision)), None)
        if decision is not None and decision.actions is not None and decision.table == table:
            kind, fields = random_action(decision, Random(1))
            await client.ask(kind, table=table, decision=decision.decision, **fields)


def check_outcome(client: RawClient) -> None:
    """All that was heard is of the protocol, and nothing follows a fatal error."""
    for place, message in enumerate(client.heard):
        assert not isinstance(message, Unknown), message
        if isinstance(message, Error):
            assert message.code != ErrorCode.INTERNAL_ERROR
            assert message.code in CODES
            check_facts(message.code, message.facts)
            assert not is_fatal(message.code) or place == len(client.heard) - 1


def check_bounded(running: RunningServer) -> None:
    """No connection holds more than a frame that is not whole, and what may wait to be sent."""
    for session in vars(running.server)["_sessions"]:
        assert len(session._connection._frames) < LENGTH_BYTES + MAX_FRAME
        assert len(session._link._waiting) <= LIMITS.outbox_bytes


async def send(stream: bytes, places: set[int], *, greeted: bool) -> None:
    async with memory_server(limits=LIMITS) as running:
        table, (*neighbours, client) = await a_hand(running)
        if not greeted:
            client = running.memory_client()
        assert len(table) == len(TABLE)
        with suppress(BrokenPipeError):  # the server has hung up meanwhile
            for piece in cut_at(stream.replace(TABLE.encode(), table.encode()), places):
                await client.send(piece)
                await trio.lowlevel.checkpoint()
        await client.hear_all()
        check_outcome(client)
        check_bounded(running)
        await neighbours_go_on(table, neighbours)
        client.end()
        await client.hear_end()
        check_outcome(client)
        await neighbours_go_on(table, neighbours)


@given(streams(), PLACES, st.booleans())
def test_only_defined_outcomes_and_the_others_go_on(stream: bytes, places: set[int], greeted: bool) -> None:
    with capture_logs() as logs:
        trio.run(partial(send, stream, places, greeted=greeted), clock=MockClock(autojump_threshold=0))
    assert [line for line in logs if line["log_level"] in {"error", "critical"}] == []
