from __future__ import annotations

import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from signal import SIGINT, SIGTERM
from socket import create_server

import pytest
import trio

from paiute_client import cli
from paiute_client.api import connect
from paiute_net import __version__
from tests.support.programs import LOOPBACK, run, serving, started

PROGRAM = "paiute-client"
BOT = ("--bot", "--pace", "0")


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence with which arguments are refused."""
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    return one_sentence(capsys.readouterr().err)


def one_sentence(text: str) -> str:
    assert text.startswith("paiute-client: ")
    assert text.endswith(".\n")
    assert text.count("\n") == 1
    assert text.rstrip("\n").isprintable()
    return text


# --- what is typed --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "HOST[:PORT]"),
        ("localhost --bott", "--bott"),
        ("localhost there", "there"),
        ("localhost 7010", "write host and port as one word, localhost:7010;"),
        ("localhost --tabel Evening", "there is no option --tabel; did you mean --table?"),
        ("--nmae Ana 7010 localhost", "there is no option --nmae; did you mean --name?"),
        ("localhost --plain --bot", "--plain"),
        ("localhost --nam Ana", "--nam"),
        ("localhost --name", "--name"),
        ("localhost:99999", "'99999' is no port"),
        ("localhost:", "'' is no port"),
        ("http://localhost", "web address"),
        ("::1", "brackets"),
        ("\x1b[2J", "no address"),
        ("localhost --bot --hands 0", "'0' is no whole number from 1"),
        ("localhost --bot --hands -1", "--hands"),
        ("localhost --bot --hands 1e3", "'1e3' is no whole number"),
        ("localhost --bot --hands 99999999999999999999", "is no whole number"),
        ("localhost --bot --pace nan", "'nan' is no number of seconds"),
        ("localhost --bot --pace 61", "'61' is no number of seconds from 0 to 60"),
        ("localhost --bot --pace soon", "'soon' is no number of seconds"),
        ("localhost --bot --seed x", "'x' is no whole number from 0"),
        ("localhost --hands 3", "--hands is for bots"),
        ("localhost --plain --pace 3", "--pace is for bots"),
        ("localhost --name \udcff", "bytes that are no letters"),
        ("localhost --table \udcff", "bytes that are no letters"),
    ],
)
def test_what_cannot_be_asked_for_is_said(
    capsys: pytest.CaptureFixture[str], arguments: str, says: str
) -> None:
    assert says in complaint(capsys, *arguments.split())


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for option in ("HOST[:PORT]", "--plain", "--bot", "--name", "--table", "--version", "--hands", "--pace"):
        assert option in text


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"paiute-client {__version__}\n"


def test_the_package_can_be_run_too() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "paiute_client", "--version"], capture_output=True, text=True, check=True
    )
    assert said.stdout == f"paiute-client {__version__}\n"


# --- where it leads -------------------------------------------------------------------------------------

EVERY_WAY = pytest.mark.parametrize("way", ["--plain", "--bot"])


async def answer_as_web_server(stream: trio.SocketStream) -> None:
    await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    await stream.send_eof()
    async for _ in stream:
        pass


async def hang_up(stream: trio.SocketStream) -> None:
    await stream.receive_some()
    await stream.aclose()


@EVERY_WAY
@pytest.mark.parametrize("answer", [answer_as_web_server, hang_up])
async def test_what_is_no_server_of_ours_is_named(
    tmp_path: Path,
    nursery: trio.Nursery,
    way: str,
    answer: Callable[[trio.SocketStream], Awaitable[None]],
) -> None:
    listeners = await trio.open_tcp_listeners(0, host=LOOPBACK)
    nursery.start_soon(trio.serve_listeners, answer, listeners)
    place = f"{LOOPBACK}:{listeners[0].socket.getsockname()[1]}"
    ended = await run(PROGRAM, way, place, home=tmp_path)
    assert ended.status == 2, ended
    assert f"What answers at {place} is no Paiute server" in one_sentence(ended.complaints)


@EVERY_WAY
async def test_where_there_is_no_server_that_is_said(tmp_path: Path, way: str) -> None:
    with create_server((LOOPBACK, 0)) as listener:
        place = f"{LOOPBACK}:{listener.getsockname()[1]}"
    ended = await run(PROGRAM, way, place, home=tmp_path)
    assert ended.status == 2
    assert f"No server can be reached at {place}" in one_sentence(ended.complaints)


@EVERY_WAY
async def test_a_host_that_is_none_is_named(tmp_path: Path, way: str) -> None:
    ended = await run(PROGRAM, way, "no-such-host.invalid", home=tmp_path)
    assert ended.status == 2
    assert "no-such-host.invalid" in one_sentence(ended.complaints)


@EVERY_WAY
async def test_a_name_that_cannot_be_had_is_said(tmp_path: Path, way: str) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        await server.client("Ana")
        for name in ("", "x" * 2000, "a\x1b[2J", "Ana"):
            ended = await run(PROGRAM, way, "--name", name, server.place, home=tmp_path)
            assert ended.status == 2, name
            one_sentence(ended.complaints)
        not_text = await run(PROGRAM, way, "--name", b"\xff\xfe", server.place, home=tmp_path)
        assert not_text.status == 2
        assert "bytes that are no letters" in one_sentence(not_text.complaints)


# --- bots -----------------------------------------------------------------------------------------------


async def test_bots_play_the_hands_they_are_asked_for(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        asked = (*BOT, "--table", "Robots", "--hands", "3", "--seed", "7", server.place)
        with (
            started(PROGRAM, *asked, home=tmp_path) as one,
            started(PROGRAM, *asked, home=tmp_path) as other,
        ):
            for bot in (one, other):
                ended = await bot.end()
                assert (ended.status, ended.complaints) == (0, "")
                assert ended.output.startswith("Chance comes from the seed 7.\nThis bot is called Bot ")
                assert ended.output.count("wins the pot") + ended.output.count("The win is shared") == 3


@pytest.mark.parametrize("number", [SIGINT, SIGTERM])
async def test_a_signal_ends_a_bot_which_gives_up_its_seat(tmp_path: Path, number: int) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        with (
            started(PROGRAM, *BOT, "--table", "Robots", server.place, home=tmp_path) as stays,
            started(
                PROGRAM, *BOT, "--table", "Robots", "--name", "Robo", server.place, home=tmp_path
            ) as goes,
        ):
            await stays.hear("wins the pot|The win is shared")
            goes.signal(number)
            ended = await goes.end()
            assert (ended.status, ended.complaints) == (0, "")
            await stays.hear(r"Robo leaves the table\.")
            stays.signal(number)
            assert (await stays.end()).status == 0


async def test_the_end_of_the_server_ends_a_bot(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        with started(PROGRAM, *BOT, server.place, home=tmp_path) as bot:
            await bot.hear("It sits at the table")
            await server.stop()
            ended = await bot.end()
    assert ended.status == 0
    assert one_sentence(ended.complaints) == "paiute-client: The server has ended.\n"


@EVERY_WAY
async def test_a_table_that_is_full_is_no_place_to_sit(tmp_path: Path, way: str) -> None:
    async with (
        serving(tmp_path, "--ephemeral") as server,
        connect(server.place) as one,
        connect(server.place) as other,
    ):
        table = await one.create_table(name="Two", seats=2)
        await one.join(table)
        await other.join(table)
        ended = await run(PROGRAM, way, "--table", "Two", server.place, home=tmp_path)
    assert ended.status == 2
    assert "seat" in one_sentence(ended.complaints)


async def test_a_bot_that_nobody_listens_to_plays_on(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral") as server:
        asked = (*BOT, "--table", "Robots", "--hands", "5", server.place)
        with (
            started(PROGRAM, *asked, home=tmp_path) as unheard,
            started(PROGRAM, *asked, home=tmp_path) as heard,
        ):
            assert unheard.process.stdout is not None
            unheard.process.stdout.close()
            assert (await heard.end()).status == 0
            unheard.process.wait(30)
            assert (unheard.process.returncode, unheard.complaints()) == (0, "")
