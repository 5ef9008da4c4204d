"""What cannot be done as it was asked for: one plain sentence on standard error, and exit status 2."""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path

import pytest
import trio

from paiute_net.wire.codec import encode, pack
from paiute_net.wire.framing import frame
from paiute_net.wire.messages import Error, Ok, Ping
from tests.support.programs import LOOPBACK, Ended, ServerProgram, run, serving
from tests.support.terminal import at_terminal

WAYS = ("--plain", "--bot")
AT_ONCE = 6
"""Programs that run at a time."""

Answer = Callable[[trio.SocketStream], Awaitable[None]]
Case = tuple[Sequence[str | bytes], str]
"""Arguments, and what the complaint has to say."""


def check_complaint(ended: Ended, program: str, says: str) -> None:
    """Hold that all that is wrong is one sentence for people, and says ``says``, a regular expression."""
    assert ended.status == 2, ended
    assert re.fullmatch(rf"{program}: [^\n]+\.\n", ended.complaints), ended.complaints
    assert ended.complaints[:-1].isprintable()
    assert re.search(says, ended.complaints), f"{says!r} is not said by {ended.complaints!r}"


async def check_all(program: str, cases: Sequence[Case], home: Path) -> None:
    """Run a program with each of the arguments, some at a time, and hold what it says."""
    limiter = trio.CapacityLimiter(AT_ONCE)
    all_ended: dict[int, Ended] = {}

    async def end(number: int) -> None:
        async with limiter:
            all_ended[number] = await run(program, *cases[number][0], home=home)

    async with trio.open_nursery() as nursery:
        for number in range(len(cases)):
            nursery.start_soon(end, number)
    for number, (_, says) in enumerate(cases):
        check_complaint(all_ended[number], program, says)


def in_turns(cases: Sequence[Case]) -> list[Case]:
    """The cases, each for one way to play after the other: up to the table they share all that is here."""
    return [((*arguments, way), says) for (arguments, says), way in zip(cases, cycle(WAYS), strict=False)]


# --- the server -----------------------------------------------------------------------------------------


async def test_a_server_that_cannot_be_started_says_why(house: ServerProgram, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    data = tmp_path / "data"
    used = str(house.port)
    async with serving(tmp_path, "--data", str(data)):
        cases: list[Case] = [
            (("--port", "65536"), "no port 65536; choose one from 1 to 65535"),
            (("--port", used, "--ephemeral"), f"port {used} is in use; choose another"),
            (("--port", used, "--host", LOOPBACK, "--ephemeral"), f"port {used} is in use; choose another"),
            (("--host", "nowhere.invalid", "--ephemeral"), "host nowhere.invalid is not known"),
            (("--host", "no..where", "--ephemeral"), r"host no\.\.where is not known"),
            (("--host", "192.0.2.1", "--port", "0", "--ephemeral"), r"192\.0\.2\.1 is no address of this"),
            (("--port", "0", "--data", str(file)), "file"),
            (("--port", "0", "--data", str(data)), "another paiute-server is running on"),
            (("--no-such-option",), "--no-such-option"),
            ((b"--host=\xff\xfe", b"--ephemeral"), "host .* is not known"),
        ]
        await check_all("paiute-server", cases, tmp_path)


# --- addresses and names --------------------------------------------------------------------------------


async def test_an_address_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    with socket.create_server((LOOPBACK, 0)) as listener:
        free = listener.getsockname()[1]
    cases: list[Case] = [
        (("localhost:65536",), "'65536' is no port"),
        (("nowhere.invalid",), "no host of the name nowhere.invalid"),
        (("no..where",), r"no host of the name no\.\.where"),
        (("a\x1b[2Jb",), "is no address; give"),
        ((b"\xff\xfe",), "no host"),
        ((f"{LOOPBACK}:{free}",), f"at {LOOPBACK}:{free}; check that it is running"),
        ((f"[::1]:{free}",), rf"at \[::1\]:{free}; check that it is running"),
    ]
    await check_all("paiute-client", in_turns(cases), tmp_path)


NOT_NAMES: Mapping[str | bytes, str] = {
    "": "name",
    "x" * 25: "24",
    "A\x1b[2J": "name",
    "A\u202eB": "name",
    "\u0410nn": "name",
    b"A\xff": "bytes that are no letters",
}
"""And a word of what is said of each."""


@pytest.mark.parametrize("option", ["--name", "--table"])
async def test_a_name_that_cannot_be_had_is_said(option: str, house: ServerProgram, tmp_path: Path) -> None:
    cases: list[Case] = [((house.place, option, name), says) for name, says in NOT_NAMES.items()]
    await check_all("paiute-client", in_turns(cases), tmp_path)


async def test_a_name_that_is_taken_is_said(house: ServerProgram, tmp_path: Path) -> None:
    await house.client("Taken")
    cases: list[Case] = [
        ((house.place, "--name", "Taken"), "Taken"),
        ((house.place, "--name", "TAKEN"), "TAKEN|Taken"),
    ]
    await check_all("paiute-client", in_turns(cases), tmp_path)


@pytest.mark.parametrize("options", [("--plain",), ()], ids=["plain", "screen"])
async def test_at_a_terminal_too_that_is_one_sentence(
    options: Sequence[str], house: ServerProgram, tmp_path: Path
) -> None:
    with at_terminal("paiute-client", house.place, "--name", "", *options, home=tmp_path) as program:
        check_complaint(await program.end(), "paiute-client", "name")
        assert program.is_restored


# --- who is no server of ours ---------------------------------------------------------------------------


async def say_nothing(stream: trio.SocketStream) -> None:
    async for _ in stream:
        pass


async def close(stream: trio.SocketStream) -> None:
    await stream.aclose()


async def reset(stream: trio.SocketStream) -> None:
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    await stream.aclose()


async def echo(stream: trio.SocketStream) -> None:
    async for data in stream:
        await stream.send_all(data)


async def never_stop(stream: trio.SocketStream) -> None:
    while True:
        await stream.send_all(bytes(65_536))


async def ping_for_ever(stream: trio.SocketStream) -> None:
    while True:
        await stream.send_all(encode(Ping()) * 100)
        await trio.sleep(0.1)


def saying(data: bytes, *, hangs_up: bool) -> Answer:
    async def say(stream: trio.SocketStream) -> None:
        await stream.send_all(data)
        if hangs_up:
            await stream.send_eof()
        await say_nothing(stream)

    return say


def once_greeted(data: bytes) -> Answer:
    async def say(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(data)
        await say_nothing(stream)

    return say


FOREIGN = r"What answers at {place} is no Paiute server; check the port"
SILENT = r"{place} does not answer; check that a Paiute server is running"
STRANGERS: Mapping[str, tuple[Answer, str]] = {
    "says nothing": (say_nothing, SILENT),
    "pings for ever": (ping_for_ever, SILENT),
    "echoes": (echo, SILENT),
    "closes": (close, FOREIGN),
    "resets": (reset, f"{FOREIGN}|No server can be reached at {{place}}"),
    "HTTP": (saying(b"HTTP/1.1 400 Bad Request\r\n\r\n", hangs_up=True), FOREIGN),
    "SSH": (saying(b"SSH-2.0-OpenSSH_9.6\r\n", hangs_up=False), FOREIGN),
    "TLS": (saying(b"\x15\x03\x01\x00\x02\x02\x46", hangs_up=True), FOREIGN),
    "a byte": (saying(b"\0", hangs_up=True), FOREIGN),
    "half a frame": (saying(b"\0\0\0\x10\x81", hangs_up=True), FOREIGN),
    "a list": (saying(frame(b"\x90"), hangs_up=False), FOREIGN),
    "no MessagePack": (saying(frame(b"\xc1"), hangs_up=False), FOREIGN),
    "an empty map": (saying(frame(b"\x80"), hangs_up=True), FOREIGN),
    "never stops": (never_stop, FOREIGN),
    "an ok that says nothing": (once_greeted(encode(Ok(re="1"))), FOREIGN),
    "an ok that says something else": (once_greeted(encode(Ok(re="1", result={"version": "x"}))), FOREIGN),
    "an error of its own": (once_greeted(encode(Error(re="1", code="go-away"))), "go-away"),
    "an error with bad facts": (once_greeted(encode(Error(re="1", code="name-taken"))), "name-taken"),
    "an error with escapes": (once_greeted(pack({"type": "error", "re": "1", "code": "\x1b[2J"})), ""),
    "another version": (
        once_greeted(encode(Error(re="1", code="no-common-version", facts={"versions": [9]}))),
        "version",
    ),
}
"""How somebody else answers, those first that are waited for, and what is said of him."""


async def test_who_is_no_server_of_ours_is_named(tmp_path: Path) -> None:
    cases: list[Case] = []
    async with trio.open_nursery() as nursery:
        for answer, says in STRANGERS.values():
            (listener,) = await trio.open_tcp_listeners(0, host=LOOPBACK)
            place = f"{LOOPBACK}:{listener.socket.getsockname()[1]}"
            nursery.start_soon(serve, answer, listener)
            cases.append(((place,), says.format(place=place)))
        await check_all("paiute-client", in_turns(cases), tmp_path)
        nursery.cancel_scope.cancel()


async def serve(answer: Answer, listener: trio.SocketListener) -> None:
    """Answer whoever comes in that way."""

    async def converse(stream: trio.SocketStream) -> None:
        try:
            async with stream:
                await answer(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # he has gone

    await trio.serve_listeners(converse, [listener])
