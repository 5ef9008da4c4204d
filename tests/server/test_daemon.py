"""The server as a process: how it begins, how signals end it, what it logs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from paiute_net.game.cards import parse_cards
from paiute_net.game.seen import HandDealt
from paiute_net.wire.messages import Closing, Hello, HelloResult, MakeCut
from tests.support.raw_client import RawClient, connect

if sys.platform == "win32":
    pytest.skip("signals are sent otherwise there", allow_module_level=True)


class Process:
    """``paiute-server``, ready; ``said`` is what it has printed."""

    def __init__(self, process: trio.Process, said: str) -> None:
        self.process = process
        self.said = said
        self._log = b""
        ready = re.match(r"Ready on port (\d+)\.\n", said)
        assert ready is not None
        self.port = int(ready[1])

    async def client(
        self, name: str | None = None, token: str | None = None
    ) -> tuple[RawClient, HelloResult]:
        client = await connect(self.port)
        return client, await client.greet(name, token=token)

    async def end(self, number: signal.Signals) -> tuple[int, str]:
        """Its exit status and its log, once it has ended after a signal."""
        self.process.send_signal(number)
        return await self.wait()

    async def wait(self) -> tuple[int, str]:
        assert self.process.stderr is not None
        with trio.fail_after(20):
            async for chunk in self.process.stderr:
                self._log += chunk
            return await self.process.wait(), self._log.decode()

    async def hear_log(self, word: str) -> None:
        """Wait until ``word`` is in the log."""
        assert self.process.stderr is not None
        with trio.fail_after(20):
            while word.encode() not in self._log:
                chunk = await self.process.stderr.receive_some()
                assert chunk, f"it ended without logging {word}"
                self._log += chunk


@asynccontextmanager
async def process(*options: str) -> AsyncGenerator[Process]:
    command = [sys.executable, "-m", "paiute_server", "--port", "0", "--host", "127.0.0.1", *options]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    async with trio.open_nursery() as nursery:

        async def start(task_status: trio.TaskStatus[trio.Process]) -> None:
            await trio.run_process(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                check=False,
                task_status=task_status,
                env={**plain, "PYTHONPATH": os.pathsep.join(sys.path)},
            )

        running: trio.Process = await nursery.start(start)
        assert running.stdout is not None
        said = b""
        with trio.fail_after(20):
            while b"Ctrl-C ends the server.\n" not in said:
                chunk = await running.stdout.receive_some()
                assert chunk, "it ended before it was ready"
                said += chunk
        yield Process(running, said.decode())
        nursery.cancel_scope.cancel()


async def test_it_ends_cleanly_though_nobody_reads_what_it_says(tmp_path: Path) -> None:
    async with process("--data", str(tmp_path)) as server:
        assert server.process.stdout is not None
        await server.process.stdout.aclose()
        server.process.send_signal(signal.SIGTERM)
        status, log = await server.wait()
        assert status == 0
        assert "Exception" not in log


@pytest.mark.parametrize(
    ("number", "kept", "restart"),
    [
        (signal.SIGINT, True, False),
        (signal.SIGTERM, True, True),
        (signal.SIGTERM, False, False),
        (signal.SIGHUP, True, False),
    ],
)
async def test_a_signal_ends_it_cleanly_and_the_clients_are_told(
    number: signal.Signals, kept: bool, restart: bool, tmp_path: Path
) -> None:
    async with process(*(["--data", str(tmp_path)] if kept else ["--ephemeral"])) as server:
        client, _ = await server.client("Ana")
        server.process.send_signal(number)
        assert await client.hear_end() == [Closing(restart=restart)]
        client.close()
        status, log = await server.wait()
        assert status == 0
        assert number.name in log
        assert "Traceback" not in log


async def test_who_starts_it_with_nohup_may_hang_up() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # which those inherit whom a process starts
    try:
        async with process("--ephemeral") as server:
            server.process.send_signal(signal.SIGHUP)
            client, _ = await server.client("Ana")
            client.close()
            status, log = await server.end(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert status == 0
    assert "name=SIGTERM" in log
    assert "SIGHUP" not in log


async def test_it_says_what_to_type() -> None:
    async with process("--ephemeral") as server:
        assert server.said.splitlines() == [
            f"Ready on port {server.port}.",
            "Only this machine can connect.",
            "On this machine, type:",
            f"    paiute-client localhost:{server.port}",
            "Ctrl-C ends the server.",
        ]
        assert (await server.end(signal.SIGTERM))[0] == 0


async def test_a_second_signal_ends_it_at_once() -> None:
    async with process("--ephemeral") as server:
        client, _ = await server.client("Ana")
        server.process.send_signal(signal.SIGTERM)
        await client.hear(Closing)
        status, _ = await server.end(signal.SIGTERM)
        assert status == 0
        client.close()


async def test_signals_after_the_second_do_not_kill_it() -> None:
    async with process("--ephemeral") as server:
        client, _ = await server.client("Ana")
        # Stopped, it gets them all at the same time.
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            server.process.send_signal(number)
        status, log = await server.end(signal.SIGCONT)
        assert status == 0
        assert "Traceback" not in log
        client.close()


async def test_a_seed_is_announced_everywhere() -> None:
    async with process("--ephemeral", "--seed", "7") as server:
        client, welcome = await server.client("Ana")
        assert welcome.capabilities == ("test-deals",)
        client.close()
        assert "THESE DEALS ARE FOR TESTS" in server.said
        _, log = await server.end(signal.SIGINT)
        assert "test-deals" in log


async def test_deals_from_a_file_are_announced_and_dealt(tmp_path: Path) -> None:
    deals = tmp_path / "deals"
    deals.write_text("test-deals 1\ncloser 1\npack cut=9 Qh 2c Qd 3c Qc 4c Qs 5c 9h 6c\n")
    async with process("--ephemeral", "--test-deals", str(deals)) as server:
        client, welcome = await server.client("Ana")
        other, _ = await server.client("Ben")
        assert welcome.capabilities == ("test-deals",)
        table = await client.open_table()
        await other.sit(table)
        await client.start(table)
        asked = await client.own_decision()
        await client.ask(MakeCut, table=table, decision=asked.decision, position=9)
        assert (await client.hear(HandDealt)).cards == parse_cards("Qh Qd Qc Qs 9h")
        client.close()
        other.close()
        assert "THESE DEALS ARE FOR TESTS: whoever knows the file" in server.said
        _, log = await server.end(signal.SIGINT)
        assert "test-deals" in log
        assert "Qh" not in log


async def test_who_comes_back_after_a_restart_finds_his_seat(tmp_path: Path) -> None:
    async with process("--data", str(tmp_path)) as server:
        client, welcome = await server.client("Ana")
        table = await client.open_table()
        server.process.kill()
        await server.wait()
        client.close()
    async with process("--data", str(tmp_path)) as server:
        client, back = await server.client(token=welcome.token)
        assert (back.player, back.table, back.seat) == (welcome.player, table, 0)
        client.close()
        await server.end(signal.SIGTERM)


async def test_logs_are_lines_of_json_if_wanted() -> None:
    async with process("--ephemeral", "--log-format", "json") as server:
        client = await connect(server.port)
        welcome = await client.ask(
            Hello, HelloResult, versions=(1,), name="Ana", client='sketch "0.3"\n\x1b[31m{}\u202e'
        )
        client.close()
        status, log = await server.end(signal.SIGTERM)
        assert status == 0
        lines = [json.loads(line) for line in log.splitlines()]
        assert all({"event", "level", "timestamp"} <= line.keys() for line in lines)
        assert {
            "event": "player-new",
            "player": welcome.player,
            "client": 'sketch "0.3" [31m{}',
        }.items() <= next(line for line in lines if line["event"] == "player-new").items()
