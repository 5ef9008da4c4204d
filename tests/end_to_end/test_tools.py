"""What authors use, as the installed program: lines of JSON, scripts, and the checks of conformance."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from signal import SIGINT, SIGTERM
from typing import IO

import pytest
import trio

from paiute_client import cli, conformance, tools
from paiute_client.address import parse_address
from tests.support.annotated_session import deals_of, script_of
from tests.support.programs import command, environment, run, serving, started
from tests.support.protocol_document import PATH, sections
from tests.support.server import running_server

HELLO = '{"type": "hello", "id": "1", "versions": [1], "name": "Ann"}'
NEVER = '{"type": "never-said"}'
NOT_OK = '{"type": "error", "re": "1", "code": "not-ok"}'


async def test_lines_of_json_through_pipes(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        with started("paiute-client", "--jsonl", server.place, home=tmp_path) as program:
            program.say(HELLO)
            greeted = json.loads((await program.hear(r"(.*)\n"))[1])
            assert greeted["result"]["name"] == "Ann"
            program.say("nonsense")
            assert json.loads((await program.hear(r"(.*)\n"))[1])["code"] == "line-not-json"
            program.say('{"type": "list-tables", "id": "2"}')
            program.hang_up()
            ended = await program.end()
        assert (ended.status, ended.complaints) == (0, "")
        assert json.loads(ended.output.splitlines()[-1])["re"] == "2"


async def test_lines_of_json_with_a_name(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        ended = await run("paiute-client", "--jsonl", "--name", "Zoë", server.place, home=tmp_path)
    assert (ended.status, ended.complaints) == (0, "")
    assert json.loads(ended.output)["result"]["name"] == "Zoë"


async def test_lines_of_json_are_utf8_whatever_the_encoding_of_the_system(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        ended = await trio.run_process(
            [command("paiute-client"), "--jsonl", "--name", "Zo\u00eb", server.place],
            capture_stdout=True,
            env=environment(tmp_path, PYTHONIOENCODING="ascii"),
        )
    assert json.loads(ended.stdout.decode("utf-8"))["result"]["name"] == "Zo\u00eb"


async def test_lines_of_json_end_with_the_server_or_by_a_signal(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        with (
            started("paiute-client", "--jsonl", server.place, home=tmp_path) as one,
            started("paiute-client", "--jsonl", server.place, home=tmp_path) as other,
        ):
            for program in (one, other):
                program.say('{"type": "hello", "id": "1", "versions": [1]}')
                await program.hear(r'"ok".*\n')
            other.signal(SIGINT)
            assert (await other.end()).status == 0
            await server.stop(SIGINT)
            ended = await one.end()
    assert ended.status == 1
    assert json.loads(ended.output.splitlines()[-1]) == {"type": "closing", "restart": False}


async def test_scripts_succeed_and_fail(tmp_path: Path) -> None:
    good, bad, none = (tmp_path / name for name in ("good", "bad", "none"))
    good.write_text(f'send {HELLO}\nexpect {{"type": "ok", "re": "1"}}\n', encoding="utf-8")
    bad.write_text(f"check it greets\nsend {HELLO}\nexpect {NOT_OK}\n", encoding="utf-8")
    none.write_text("sing", encoding="utf-8")
    async with serving(tmp_path, "--ephemeral") as server:
        ended = await run("paiute-client", "--script", str(good), server.place, home=tmp_path)
        assert ended == (0, "ok      good\n", "")
        ended = await run("paiute-client", "--script", str(bad), server.place, home=tmp_path)
        assert (ended.status, ended.complaints) == (1, "")
        assert ended.output.startswith(
            "FAILED  it greets\n        bad, line 3: client hears something else\n"
        )
        ended = await run("paiute-client", "--script", str(none), server.place, home=tmp_path)
        assert (ended.status, ended.output) == (2, "")
        assert ended.complaints.startswith(f"paiute-client: {none}, line 1: no statement is called 'sing'")
        ended = await run("paiute-client", "--script", str(tmp_path), server.place, home=tmp_path)
        assert (ended.status, ended.output) == (2, "")
    ended = await run("paiute-client", "--script", str(good), server.place, home=tmp_path)
    assert (ended.status, ended.output) == (2, "")
    assert ended.complaints.startswith("paiute-client: No server can be reached at")


@pytest.mark.parametrize("number", [SIGINT, SIGTERM])
@pytest.mark.parametrize("way", ["--script", "--conformance"])
async def test_checks_that_a_signal_cuts_short_have_not_gone_well(
    tmp_path: Path, way: str, number: int
) -> None:
    script = tmp_path / "endless"
    script.write_text(f"check begin\ncheck wait\nwithin 600\nsend {HELLO}\nexpect {NEVER}\n", "utf-8")
    asked = [way, str(script)] if way == "--script" else [way]
    async with serving(tmp_path, "--ephemeral") as server:
        with started("paiute-client", *asked, server.place, home=tmp_path) as program:
            await program.hear("ok  ")
            program.signal(number)
            ended = await program.end()
    assert (ended.status, ended.complaints) == (128 + number, "")


@pytest.fixture
def full() -> Iterator[IO[bytes]]:
    """A file on a disk that has no room."""
    device = Path("/dev/full")
    if not device.exists():
        pytest.skip("there is no disk that is always full")
    with device.open("wb") as file:
        yield file


async def test_lines_of_json_that_cannot_be_written(tmp_path: Path, full: IO[bytes]) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        asked = [command("paiute-client"), "--jsonl", "--name", "Ann", server.place]
        ended = await trio.run_process(
            asked, stdout=full, check=False, capture_stderr=True, env=environment(tmp_path)
        )
    assert ended.returncode == 1
    sentence = "The lines cannot be read or written any more: No space left on device."
    assert ended.stderr.decode() == f"paiute-client: {sentence}\n"


async def test_the_session_of_the_document_is_played_by_the_programs(tmp_path: Path) -> None:
    section = next(
        part for part in sections(PATH.read_text(encoding="utf-8")) if part.title == "A whole session"
    )
    script, deals = tmp_path / "session", tmp_path / "deals"
    script.write_text(script_of([section]), encoding="utf-8")
    deals.write_text(deals_of(section), encoding="utf-8")
    async with serving(tmp_path, "--ephemeral", "--test-deals", str(deals)) as server:
        ended = await run("paiute-client", "--script", str(script), server.place, home=tmp_path)
    assert ended == (0, "ok      session\n", "")


async def test_conformance_is_reported_check_by_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "CHAPTERS", ("greeting", "values"))
    said: list[str] = []
    complaints: list[str] = []
    async with running_server() as running:
        address = parse_address(f"127.0.0.1:{running.port}")
        assert await tools.check_conformance(address, said.append, complaints.append) == 0
    number = len(conformance.chapter("greeting").checks) + len(conformance.chapter("values").checks)
    assert [line for line in said[:-1] if not line.startswith("ok      ")] == []
    assert (len(said), said[-1]) == (number + 1, f"{number} checks, 0 failed.")
    assert await tools.check_conformance(address, said.append, complaints.append) == 2
    assert re.match("No server can be reached", complaints[0])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--jsonl", "--bot"], "not allowed with"),
        (["--script", "x", "--name", "Ann"], "--name does not go with --script; leave it out"),
        (["--conformance", "--table", "x"], "--table does not go with --conformance; leave it out"),
        (["--jsonl", "--table", "x"], "--table does not go with --jsonl; leave it out"),
        (
            ["--jsonl", "--theme", "dark"],
            "--theme is for the full screen; leave it out, or leave out --jsonl",
        ),
    ],
)
def test_options_that_do_not_go_together(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main([*options, "localhost"])
    assert exit_.value.code == 2
    assert said in capsys.readouterr().err
