"""A running server as its operator has it: asked how it is, checked, backed up, ended, in mid-game."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
import trio

from paiute_net.game.seen import PackCut
from paiute_net.wire.messages import (
    Closing,
    Decision,
    ListTables,
    MakeCut,
    Ok,
    Snapshot,
    TablesResult,
)
from paiute_server.cli import main
from paiute_server.daemon import Deadline
from paiute_server.journal.directory import JOURNAL
from paiute_server.operator import FILE
from tests.server.test_daemon import Process, process
from tests.support.raw_client import RawClient

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")


async def command(*arguments: str | Path) -> int:
    """The exit status of ``paiute-server`` with these arguments."""
    return await trio.to_thread.run_sync(main, [str(argument) for argument in arguments])


async def two_at_a_table(server: Process) -> tuple[str, list[RawClient]]:
    """A hand has been started; the first of both is to cut."""
    clients = [(await server.client(name))[0] for name in ("Ana", "Bob")]
    table = await clients[0].open_table()
    await clients[1].sit(table)
    await clients[0].start(table)
    cutters = [(await client.hear(Decision)).actions is not None for client in clients]
    return table, clients if cutters[0] else clients[::-1]


async def test_status_is_told_to_who_can_read_the_data_directory(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with process("--data", str(tmp_path)) as server:
        _, clients = await two_at_a_table(server)
        place = f"127.0.0.1:{server.port}"
        assert await command("status", place, "--data", tmp_path) == 0
        lines = capfd.readouterr().out.splitlines()
        assert lines[0].startswith("paiute-server ")
        assert "tables          1, a hand going on at 1" in lines
        assert "players         2 known, 2 seated" in lines
        assert "move to told    no move yet" in lines
        assert await command("status", place, "--data", tmp_path, "--json") == 0
        told = json.loads(capfd.readouterr().out)
        assert (told["hands"], told["moves"], told["connections"]) == (1, 0, 3)
        assert told["journal_bytes"] > 0
        for client in clients:
            client.close()


async def test_why_there_is_no_status(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with process("--data", str(tmp_path)) as server:
        place = f"127.0.0.1:{server.port}"
        other = tmp_path / "other"
        assert await command("status", place, "--data", other) == 2
        assert f"there is no {FILE} in {other}; name the server's data directory" in capfd.readouterr().err
        other.mkdir()
        (other / FILE).write_text("0123456789abcdef\n")
        assert await command("status", place, "--data", other) == 2
        assert f"the server at {place} has another operator's token, or " in capfd.readouterr().err
        await server.end(signal.SIGTERM)
        assert await command("status", place, "--data", tmp_path) == 2
        assert capfd.readouterr().err == (
            f"paiute-server: no server can be reached at {place}; see that it runs there.\n"
        )


@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\x01\xc0", b"\0\0\0\x02\x81\xa1", b"\0\0\0\x01\x80"],
    ids=["HTTP", "no map", "no MessagePack", "no message"],
)
async def test_what_answers_otherwise_is_no_server(
    answer: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FILE).write_text("0123456789abcdef\n")

    async def reply(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(answer)

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, reply, [listener])
        place = f"127.0.0.1:{listener.socket.getsockname()[1]}"
        assert await command("status", place, "--data", tmp_path) == 2
        nursery.cancel_scope.cancel()
    said = f"paiute-server: what answers at {place} is no server that can say how it is.\n"
    assert capfd.readouterr().err == said


async def test_it_is_checked_while_it_runs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with process("--data", str(tmp_path)) as server:
        _, clients = await two_at_a_table(server)
        assert await command("--check", tmp_path) == 0
        said = capfd.readouterr().out
        assert "players: 2, tables: 1, of them unfinished: 1, hands: 1, events: 4, faults: 0" in said
        for client in clients:
            client.close()


async def test_a_backup_made_while_it_runs_is_restored(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data, target = tmp_path / "data", tmp_path / "backup"
    async with process("--data", str(data)) as server:
        table, (cutter, other) = await two_at_a_table(server)
        assert await command("--backup", data, target) == 0
        assert capfd.readouterr().out == f"The backup is {target / JOURNAL}.\n"
        await cutter.ask(MakeCut, table=table, decision=1, position=20)
        for client in (cutter, other):
            client.close()
    assert await command("--check", target) == 0
    async with process("--data", str(target)) as server:
        assert cutter.welcome is not None
        client, back = await server.client(token=cutter.welcome.token)
        assert back.table == table
        await client.catch_up(table)
        asked = (await client.hear(Snapshot)).decision
        assert asked is not None
        assert asked.decision == 1
        await client.ask(MakeCut, table=table, decision=1, position=30)
        client.close()


async def test_no_backup_overwrites_another(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with process("--data", str(tmp_path / "data")):
        assert await command("--backup", tmp_path / "data", tmp_path / "backup") == 0
        assert await command("--backup", tmp_path / "data", tmp_path / "backup") == 2
        assert capfd.readouterr().err.endswith("a backup goes into a directory without a journal.\n")


async def test_a_move_that_is_being_stored_is_told_before_the_end(tmp_path: Path) -> None:
    async with process("--data", str(tmp_path), "--durability", "full") as server:
        table, (cutter, other) = await two_at_a_table(server)
        with closing(sqlite3.connect(tmp_path / JOURNAL, isolation_level=None)) as locking:
            locking.execute("BEGIN IMMEDIATE")
            await cutter.request(MakeCut, table=table, decision=1, position=20)
            await cutter.request(MakeCut, table=table, decision=1, position=21)
            for _ in range(2):  # once the second is answered, what came before the first is under way
                await other.ask(ListTables, TablesResult)
            server.process.send_signal(signal.SIGTERM)
            await server.hear_log("shutting-down")
        heard = await cutter.hear_end()
        assert [type(message) for message in heard if isinstance(message, PackCut | Ok | Closing)] == [
            PackCut,
            Ok,
            Closing,
        ]
        assert heard[-1] == Closing(restart=True)
        heard = await other.hear_end()
        assert [type(message) for message in heard if isinstance(message, PackCut | Closing)] == [
            PackCut,
            Closing,
        ]
        for client in (cutter, other):
            client.close()
        status, _ = await server.wait()
        assert status == 0


# --- an end that does not come ----------------------------------------------------------------------------


def test_the_deadline_ends_the_process_whatever_it_waits_for() -> None:
    ended = Event()
    statuses: list[int] = []

    def end(status: int) -> None:
        statuses.append(status)
        ended.set()

    with closing(Deadline(end)) as deadline:
        deadline.set(3600)
        deadline.set(0)
        assert ended.wait(10)
    assert statuses == [0]


def test_who_has_ended_in_time_is_not_ended_again() -> None:
    ended = Event()
    with closing(Deadline(end=lambda _: ended.set())) as deadline:
        deadline.set(3600)
    deadline.close()
    assert not ended.is_set()
