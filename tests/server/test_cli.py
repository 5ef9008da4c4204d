"""The command line: what it says, what it refuses, and that refusals are one plain sentence."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import NoReturn, cast

import msgspec
import pytest

from paiute_net import __version__
from paiute_server import cli
from paiute_server.cli import main
from paiute_server.daemon import Settings
from paiute_server.limits import DEFAULTS, Rate
from paiute_server.status import place_of
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
        --max-connections 10 --max-connections-per-address 2 --max-players 30 --max-tables 4
        --max-tables-per-player 1 --table-ttl 7d --token-life 90m --chat-rate 30 --request-rate 50
        --outbox 256 --log-format json --log-level error"""
    assert main(options.split()) == 0
    (settings,) = started
    assert (settings.host, settings.port, settings.data) == ("localhost", 7001, tmp_path)
    assert (settings.durability, settings.time_limit_ms, settings.seed) == ("full", 30_000, 5)
    assert settings.limits == msgspec.structs.replace(
        DEFAULTS,
        max_connections=10,
        max_connections_per_address=2,
        max_players=30,
        max_tables=4,
        tables_per_player=1,
        table_ttl_s=7 * 86_400.0,
        token_life_s=5_400.0,
        chat=Rate(0.5, 10),
        requests=Rate(50.0, 250),
        outbox_bytes=262_144,
    )


def test_the_last_line_says_what_is_kept(
    started: list[Settings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options, last in (
        (["--data", str(tmp_path)], f"Ended; everything is kept in {tmp_path}.\n"),
        (["--ephemeral"], "Ended; nothing was kept.\n"),
    ):
        assert main(options) == 0
        assert capsys.readouterr().out == last
    assert len(started) == 2


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("--prot 7000", "there is no option --prot; did you mean --port?"),
        ("--port 7000 --ephemerall", "there is no option --ephemerall; did you mean --ephemeral?"),
        ("--xyzzy=1 7000", "there is no option --xyzzy;"),
        ("status --jsn", "there is no option --jsn; did you mean --json?"),
    ],
)
def test_an_unknown_option_is_named_before_all_else(
    typed: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(typed.split())
    assert says in capsys.readouterr().err


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
        (["--max-connections-per-address", "-5"], "-5 is too small, at least 1 is wanted"),
        (["--max-players", "many"], "'many' is no whole number"),
        (["--max-tables", "1000001"], "1000001 is too much, at most 1000000 can be had"),
        (["--max-tables-per-player", "0"], "0 is too small, at least 1 is wanted"),
        (["--table-ttl", "soon"], "'soon' is no length of time; write 90s, 45m, 12h or 7d"),
        (["--table-ttl", "12"], "'12' is no length of time"),
        (["--table-ttl", "59s"], "'59s' is too short or too long; give 1m to 366d"),
        (["--token-life", "400d"], "'400d' is too short or too long; give 1m to 366d"),
        (["--token-life", "1.5h"], "'1.5h' is no length of time"),
        (["--chat-rate", "0"], "0 is too small, at least 1 is wanted"),
        (["--chat-rate", "601"], "601 is too much, at most 600 can be had"),
        (["--request-rate", "4"], "4 is too small, at least 5 is wanted"),
        (["--outbox", "64"], "64 is too small, at least 128 is wanted"),
        (["--check", "no-such-directory"], "there is no journal in no-such-directory"),
        (["--backup", "no-such-directory", "x"], "there is no journal in no-such-directory"),
        (["--backup", "x"], "expected 2 arguments"),
        (["--check", "x", "--backup", "x", "y"], "not allowed with argument"),
        (["tables"], "invalid choice: 'tables'"),
        (["status", "--data", "no-such-directory"], "there is no operator-token in no-such-directory"),
        (["--log-level", "loud"], "'loud' (choose from"),
        (["--log-level", "loud"], "debug"),
        (["--log-format", "xml"], "'xml' (choose from"),
        (["--data", ""], "argument --data: a directory is wanted, the name given is empty"),
        (["--check", ""], "argument --check: a directory is wanted, the name given is empty"),
        (["--backup", "", "x"], "argument --backup: a directory is wanted, the name given is empty"),
        (["--port", "7_000"], "'7_000' is no whole number"),
        (["--port", "\u0667\u0660\u0660\u0660"], " is no whole number"),
        (["--seed", "9" * 5000], " is no whole number, or too large"),
        (["--durability", "eternal"], "invalid choice"),
        (["--nonsense"], "there is no option --nonsense;"),
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


@pytest.mark.parametrize(
    ("options", "function", "status"),
    [
        (["--check", "x"], "check_command", 2),
        (["--backup", "x", "y"], "backup", 2),
        (["status"], "read_operator_token", 2),
        (["--ephemeral"], "run", 0),
    ],
)
def test_what_was_broken_off_was_not_done(
    options: list[str],
    function: str,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, function, interrupted)
    assert main(options) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err == ("paiute-server: it was broken off before it was done.\n" if status else "")


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


@pytest.mark.parametrize(
    "text", ["", ":7000", "host:", "host:0", "host:70000", "host:x", "::1", "a@b", "a/b", "[::1"]
)
def test_what_is_no_place_of_a_server(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["status", text])
    assert end.value.code == 2
    assert f"{text!r} is no place of a server; write localhost:7000 or [::1]:7000" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "place", "typed"),
    [
        ("club", ("club", 7000), "club:7000"),
        ("club:7001", ("club", 7001), "club:7001"),
        ("[::1]", ("::1", 7000), "[::1]:7000"),
        ("[fe80::1]:7001", ("fe80::1", 7001), "[fe80::1]:7001"),
    ],
)
def test_places_of_servers(text: str, place: tuple[str, int], typed: str) -> None:
    assert place_of(text) == place
    assert str(place_of(text)) == typed


def test_what_help_says_is_the_default_is_the_default(
    started: list[Settings], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    named = re.findall(r"(--[a-z-]+) (?:N|TIME|KIB) [^.]*? (\w+) by default", said)
    assert {option for option, _ in named} >= {"--max-tables", "--table-ttl", "--chat-rate", "--outbox"}
    assert main([word for pair in named for word in pair]) == 0
    assert started[0].limits == DEFAULTS


@pytest.mark.parametrize(("option", "said"), [("--version", __version__), ("--help", "--time-limit")])
def test_what_it_says_of_itself(option: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([option])
    assert end.value.code == 0
    assert said in capsys.readouterr().out


def test_help_tells_each_thing_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in lines if re.match(r"status\b", line)] == [
        "status                say how a server is doing that is running"
    ]


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
