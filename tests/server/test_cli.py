"""The command line: what it says, what it refuses, and that refusals are one plain sentence."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import cast

import pytest

from paiute_net import __version__
from paiute_server import cli
from paiute_server.cli import main
from paiute_server.daemon import Settings
from paiute_server.limits import DEFAULTS
from paiute_server.test_deals import Deals, ListedChance


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """The settings with which a server would have been started."""
    settings: list[Settings] = []

    async def run(given: Settings) -> None:
        settings.append(given)

    monkeypatch.setattr(cli, "run", run)
    return settings


def test_without_options(started: list[Settings]) -> None:
    assert main([]) == 0
    (settings,) = started
    assert (settings.host, settings.port, settings.time_limit_ms) == (None, 7000, 60_000)
    assert (settings.durability, settings.seed, settings.limits) == ("normal", None, DEFAULTS)
    assert settings.data is not None
    assert settings.data.is_absolute()


def test_every_option(started: list[Settings], tmp_path: Path) -> None:
    options = f"""--host localhost --port 7001 --data {tmp_path} --durability full --time-limit 30 --seed 5
        --max-connections 10 --max-connections-per-address 2 --log-format json --log-level error"""
    assert main(options.split()) == 0
    (settings,) = started
    assert (settings.host, settings.port, settings.data) == ("localhost", 7001, tmp_path)
    assert (settings.durability, settings.time_limit_ms, settings.seed) == ("full", 30_000, 5)
    assert (settings.limits.max_connections, settings.limits.max_connections_per_address) == (10, 2)


def test_keeping_nothing_and_no_time_limit(started: list[Settings]) -> None:
    assert main(["--ephemeral", "--time-limit", "off"]) == 0
    assert (started[0].data, started[0].time_limit_ms) == (None, None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "70000"], "there is no port 70000; choose one from 1 to 65535."),
        (["--port", "-1"], "there is no port -1; choose one from 1 to 65535."),
        (["--port", "7000x"], "'7000x' is no whole number"),
        (["--port", ""], "'' is no whole number"),
        (["--time-limit", "0"], "0 is no time limit; give 1 to 86400 seconds, or off"),
        (["--time-limit", "86401"], "86401 is no time limit"),
        (["--time-limit", "soon"], "'soon' is no whole number"),
        (["--max-connections", "0"], "0 is too small, at least 1 is wanted"),
        (["--log-level", "loud"], "invalid"),
        (["--log-format", "xml"], "invalid"),
        (["--durability", "eternal"], "invalid choice"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--data", "x", "--ephemeral"], "not allowed with argument"),
        (
            ["--host", "no-such-host.invalid", "--ephemeral"],
            "the host no-such-host.invalid is not known here",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_exit_status_2(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(options)
    except SystemExit as end:
        status = cast("int", end.code)
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert said in err
    assert err.startswith("paiute-server: ")
    assert err.endswith(".\n")
    assert err.count("\n") == 1


def test_a_port_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["--host", "127.0.0.1", "--port", str(port), "--ephemeral"]) == 2
    said = f"port {port} is in use; choose another with --port, or end the program that uses it"
    assert capsys.readouterr().err == f"paiute-server: {said}.\n"


def test_a_data_directory_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.touch()
    assert main(["--data", str(file), "--port", "0"]) == 2
    err = capsys.readouterr().err
    assert str(file) in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(("option", "said"), [("--version", __version__), ("--help", "--time-limit")])
def test_what_it_says_of_itself(option: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([option])
    assert end.value.code == 0
    assert said in capsys.readouterr().out


def test_deals_from_a_file(started: list[Settings], tmp_path: Path) -> None:
    deals = tmp_path / "deals"
    deals.write_text("test-deals 1\ncloser 1\n")
    assert main(["--ephemeral", "--test-deals", str(deals)]) == 0
    assert started[0].test_deals == Deals(closers=(1,))
    assert isinstance(started[0].chance(), ListedChance)


def test_bad_deals_are_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deals = tmp_path / "deals"
    deals.write_text("test-deals 1\nstock Qh\n")
    with pytest.raises(SystemExit) as exit_:
        main(["--test-deals", str(deals)])
    assert exit_.value.code == 2
    said = capsys.readouterr().err
    assert f"{deals}, line 2: no statement is called 'stock'" in said
    assert said.count("\n") == 1
