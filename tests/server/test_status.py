"""What the operator is told of a server, and who is not."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_net.wire.messages import Decision, GetStatus, Hello, MakeCut, MakeDraw, StatusResult
from paiute_server import SOFTWARE
from paiute_server.limits import DEFAULTS
from paiute_server.metrics import Metrics
from paiute_server.operator import (
    FILE,
    NoOperatorToken,
    Operator,
    keep_operator_token,
    read_operator_token,
)
from tests.support.journals import FailingJournal, SlowJournal
from tests.support.raw_client import Denied, RawClient
from tests.support.server import memory_server

TOKEN = "0123456789abcdef"  # noqa: S105 -- of no server but those here
OPERATOR = Operator(TOKEN)


async def status(client: RawClient) -> StatusResult:
    return await client.ask(GetStatus, StatusResult, token=TOKEN)


async def served_after_ms(client: RawClient, clock: MockClock) -> int:
    """How long somebody waits who comes again when he is told to."""
    waited_ms = 0
    while True:
        try:
            await status(client)
        except Denied as denied:
            assert denied.code == "too-fast"  # noqa: PT017 -- there may be none
            wait_ms = denied.facts["wait_ms"]
            assert isinstance(wait_ms, int)
            waited_ms += wait_ms
            clock.jump(wait_ms / 1000)
        else:
            return waited_ms


async def test_before_hello_and_without_becoming_a_player(autojump_clock: MockClock) -> None:
    async with memory_server(operator=OPERATOR) as running:
        told = await status(running.memory_client())
        assert (told.software, told.connections, told.players, told.seated) == (SOFTWARE, 1, 0, 0)
        assert (told.tables, told.hands, told.moves) == (0, 0, 0)
        assert told.told_p50_us is told.told_p99_us is None
        assert len(running.server.people) == 0


async def test_it_counts_what_happens(autojump_clock: MockClock) -> None:
    async with memory_server(operator=OPERATOR) as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        table = await ana.open_table()
        await bob.open_table()
        await running.client("Cyn")
        assert (await status(ana)).hands_going_on == 0
        await (cyn := await running.client("Dan")).sit(table)
        await ana.start(table)
        await cyn.hear_all()
        told = await status(ana)
        assert (told.connections, told.players, told.seated) == (4, 4, 3)
        assert (told.tables, told.hands_going_on, told.hands, told.moves) == (2, 1, 1, 0)
        cutter = ana if any(getattr(message, "actions", None) for message in ana.heard) else cyn
        await cutter.ask(MakeCut, table=table, decision=1, position=20)
        told = await status(bob)
        assert (told.hands, told.moves, told.tables_stopped) == (1, 1, 0)
        assert told.told_p50_us is not None
        assert told.told_p50_us == told.told_p99_us


async def test_a_house_play_is_a_move_too(autojump_clock: MockClock) -> None:
    async with memory_server(operator=OPERATOR, time_limit_ms=1_000) as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        table = await ana.open_table()
        await bob.sit(table)
        await ana.start(table)
        while (told := await status(ana)).moves == 0:
            autojump_clock.jump(1.0)
            await bob.hear_all()
        assert told.hands == 1


async def test_what_has_not_happened_is_no_move(autojump_clock: MockClock) -> None:
    journal = FailingJournal()
    async with memory_server(operator=OPERATOR, journal=journal) as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        table = await ana.open_table()
        await bob.sit(table)
        await ana.start(table)
        cut = {"table": table, "decision": 1, "position": 20}
        asked = await who_is_asked(ana, bob)
        for wrong in ({"decision": 2}, {"position": 1000}):
            with pytest.raises(Denied):
                await asked.ask(MakeCut, **(cut | wrong))
        journal.fails = True
        with pytest.raises(Denied, match="table-stopped"):
            await asked.ask(MakeCut, **cut)
        told = await status(ana)
        assert (told.moves, told.told_p50_us) == (0, None)
        journal.fails = False
        await asked.ask(MakeCut, **cut)
        assert (await status(ana)).moves == 1


async def who_is_asked(*clients: RawClient) -> RawClient:
    """To cut; he alone is told what he may do."""
    (asked,) = [client for client in clients if (await client.hear(Decision)).actions is not None]
    return asked


async def test_what_a_move_takes_includes_the_wait_for_its_turn(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paiute_server.server.Metrics", partial(Metrics, clock=trio.current_time))
    journal = SlowJournal()
    async with memory_server(operator=OPERATOR, journal=journal) as running:
        clients = [await running.client(name) for name in ("Ana", "Bob", "Cyn")]
        table = await clients[0].open_table()
        for client in clients[1:]:
            await client.sit(table)
        await clients[0].start(table)
        asked = await who_is_asked(*clients)
        journal.seconds = 1.0
        await asked.request(MakeCut, table=table, decision=1, position=20)
        await wait_all_tasks_blocked()
        for client in clients:  # one of them is next
            if client is not asked:
                await client.request(MakeDraw, table=table, decision=2, source="stock")
        await trio.sleep(10)
        told = await status(asked)
        assert told.moves == 2
        assert 1_000_000 <= (told.told_p50_us or 0) <= 1_125_000
        assert 2_000_000 <= (told.told_p99_us or 0) <= 2_250_000


async def test_tables_that_stand_still_are_counted(autojump_clock: MockClock) -> None:
    journal = FailingJournal()
    async with memory_server(operator=OPERATOR, journal=journal) as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        table = await ana.open_table()
        await bob.sit(table)
        journal.fails = True
        with pytest.raises(Denied):
            await ana.start(table)
        assert (await status(ana)).tables_stopped == 1


@pytest.mark.parametrize("token", ["x", TOKEN[:-1], f"{TOKEN}0", TOKEN.upper(), "x" * 64, "ä"])
async def test_no_other_token_will_do(token: str, autojump_clock: MockClock) -> None:
    async with memory_server(operator=OPERATOR) as running:
        client = running.memory_client()
        with pytest.raises(Denied, match="bad-operator-token"):
            await client.ask(GetStatus, StatusResult, token=token)
        assert (await client.greet("Ana")).name == "Ana"


async def test_without_an_operator_no_token_will_do(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        with pytest.raises(Denied, match="bad-operator-token"):
            await running.memory_client().ask(GetStatus, StatusResult, token=TOKEN)


async def test_nobody_tries_many_tokens(autojump_clock: MockClock) -> None:
    async with memory_server(operator=OPERATOR) as running:
        client = running.memory_client()
        refusals: list[Denied] = []
        for guess in range(DEFAULTS.requests.burst // DEFAULTS.requests_per_status + 1):
            with pytest.raises(Denied) as denied:
                await client.ask(GetStatus, StatusResult, token=f"guess{guess}")
            refusals.append(denied.value)
        assert {refusal.code for refusal in refusals[:-1]} == {"bad-operator-token"}
        assert refusals[-1].code == "too-fast"
        assert 950 <= await served_after_ms(client, autojump_clock) <= 1_050


async def test_it_is_no_hello(autojump_clock: MockClock) -> None:
    """Whoever only asks how the server is doing has to go when nobody has said hello in time."""
    async with memory_server(operator=OPERATOR) as running:
        client = running.memory_client()
        await status(client)
        autojump_clock.jump(DEFAULTS.hello_within_s)
        assert "hello-overdue" in str(await client.hear_end())


async def test_hello_after_it(autojump_clock: MockClock) -> None:
    async with memory_server(operator=OPERATOR) as running:
        client = running.memory_client()
        await client.request(GetStatus, token=TOKEN)
        await client.request(Hello, versions=(1,))
        assert [type(message).__name__ for message in await client.hear_all()] == ["Ok", "Ok"]


# --- the file -------------------------------------------------------------------------------------------


def test_the_token_is_made_once_and_kept(tmp_path: Path) -> None:
    token = keep_operator_token(tmp_path)
    assert len(token) == 32
    assert keep_operator_token(tmp_path) == read_operator_token(tmp_path) == token
    (tmp_path / "other").mkdir()
    assert keep_operator_token(tmp_path / "other") != token


@pytest.mark.skipif(os.name != "posix", reason="rights are given otherwise there")
def test_the_owner_alone_can_read_it(tmp_path: Path) -> None:
    keep_operator_token(tmp_path)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    (tmp_path / FILE).chmod(0o644)
    keep_operator_token(tmp_path)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"\n", b"x" * 65, "ä".encode(), b"two words", b"\xff"])
def test_a_file_without_a_token_is_said_to_be_one(content: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(NoOperatorToken, match="holds no token"):
        keep_operator_token(tmp_path)


def test_where_there_is_none_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoOperatorToken, match=f"there is no {FILE} in "):
        read_operator_token(tmp_path)


def test_a_directory_in_its_place_is_said(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(NoOperatorToken, match="cannot be"):
        keep_operator_token(tmp_path)


def test_a_half_made_token_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / f"{FILE}.new").write_text("half")
    assert len(keep_operator_token(tmp_path)) == 32
    assert [file.name for file in tmp_path.iterdir()] == [FILE]
