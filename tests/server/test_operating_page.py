"""The operator's page and the systemd unit, held to what the server takes and does."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

from paiute_net.wire.framing import MAX_FRAME
from paiute_server import cli, daemon
from paiute_server.cli import main
from paiute_server.daemon import Settings
from paiute_server.limits import DEFAULTS
from paiute_server.operator import FILE

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
UNIT_FILE = ROOT / "deploy" / "paiute-server.service"
PROGRAM = "/opt/paiute/venv/bin/paiute-server"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """The settings with which a server would have been started."""
    settings: list[Settings] = []

    async def run(given: Settings) -> None:
        settings.append(given)

    monkeypatch.setattr(cli, "run", run)
    return settings


def unit() -> ConfigParser:
    parser = ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(UNIT_FILE, encoding="utf-8")
    return parser


def commands() -> Iterator[list[str]]:
    """What the page has people type that begins with the server's name, and what the units start."""
    yield shlex.split(unit()["Service"]["ExecStart"])[1:]
    for line in PAGE.splitlines():
        words = shlex.split(line.removeprefix("ExecStart=")) if "'" not in line else []
        if words[:1] in (["paiute-server"], [PROGRAM]):
            yield words[1:]


def test_the_memory_of_a_crowd_is_what_the_limits_allow() -> None:
    each = DEFAULTS.outbox_bytes + MAX_FRAME + DEFAULTS.send_buffer_bytes
    assert f"takes {each // 1024} KiB: its\n  outbox, a frame, and what the system holds" in PAGE
    assert f"{each * DEFAULTS.max_connections_per_address // 2**20} MiB for all connections from one" in PAGE
    assert f"{each * DEFAULTS.max_connections / 2**30:g} GiB for\n  all there may be" in PAGE


def test_every_command_on_the_page_is_taken(
    started: list[Settings],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    taken = list(commands())
    assert len(taken) >= 6
    for arguments in taken:
        main([argument.replace("/var", str(tmp_path)) for argument in arguments])
    said = capsys.readouterr().err
    assert "see paiute-server --help" not in said
    assert [settings.port for settings in started] == [7000, 7000]
    assert started[1].durability == "full"


def test_the_limits_are_these(started: list[Settings], capsys: pytest.CaptureFixture[str]) -> None:
    rows = re.findall(r"^\| `(--[a-z-]+) [A-Z]+` \| (\S+) \|", PAGE, re.MULTILINE)
    with pytest.raises(SystemExit):
        main(["--help"])
    limits = capsys.readouterr().out.partition("limits:")[2].partition("records:")[0]
    assert {option for option, _ in rows} == {
        *re.findall(r"^ +(--[a-z-]+)", limits, re.MULTILINE),
        "--time-limit",
    }
    assert main([word for row in rows for word in row]) == 0
    assert (started[0].limits, started[0].time_limit_ms) == (DEFAULTS, 60_000)


def test_the_end_comes_when_the_page_says_and_before_systemd_kills() -> None:
    seconds = DEFAULTS.finish_moves_s + DEFAULTS.shutdown_within_s + daemon.TIDYING_S
    assert f"\n{seconds:.0f} seconds after the signal all the same" in PAGE
    assert seconds < int(unit()["Service"]["TimeoutStopSec"])


def test_the_unit_allows_what_the_server_takes() -> None:
    service = unit()["Service"]
    assert int(service["LimitNOFILE"]) >= DEFAULTS.max_connections + daemon.OTHER_DESCRIPTORS
    assert service["RestartPreventExitStatus"] == "2"
    assert f"--data /var/lib/{service['StateDirectory']}" in service["ExecStart"]


def test_the_data_directory_is_told_whole() -> None:
    assert f"`{FILE}`" in PAGE
    for word in ("journal.sqlite3", "journal.sqlite3-wal", "journal.sqlite3-shm", "journal.lock"):
        assert f"`{word}`" in PAGE


def test_every_line_of_the_log_is_explained() -> None:
    logged: set[str] = set()
    for path in (ROOT / "server").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        logged |= set(re.findall(r"\.(?:info|warning|error)\(\s*\"([a-z-]+)\"", text))
    assert logged - {word for word in logged if f"`{word}`" in PAGE} == set()
    assert len(logged) > 12
