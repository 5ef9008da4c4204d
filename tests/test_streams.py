"""What a program has left to say at its end is written, or forgotten where nobody takes it."""

from __future__ import annotations

import os
import subprocess
import sys
from io import BytesIO, StringIO, TextIOWrapper, UnsupportedOperation

import pytest

from paiute_net.streams import flush_or_forget, say, use_standard_streams


def test_what_is_left_is_written() -> None:
    source, sink = os.pipe()
    with os.fdopen(sink, "w") as stream, os.fdopen(source) as reader:
        stream.write("the end")
        flush_or_forget(stream)
        stream.write(" and more")
        stream.close()
        assert reader.read() == "the end and more"


def test_what_nobody_takes_is_forgotten() -> None:
    source, sink = os.pipe()
    os.close(source)
    with os.fdopen(sink, "w") as stream:
        stream.write("the end")
        flush_or_forget(stream)
        stream.write(" and more")


class Broken(StringIO):
    """A stream that is no file, and takes nothing."""

    def flush(self) -> None:
        raise BrokenPipeError


def test_a_stream_that_is_no_file_harms_nobody() -> None:
    with pytest.raises(UnsupportedOperation):
        Broken().fileno()
    flush_or_forget(Broken())


def test_a_stream_that_was_closed_can_be_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    use_standard_streams()
    with sys.stdin:
        assert sys.stdin.read() == ""
    for stream in (sys.stdout, sys.stderr):
        with stream:
            stream.write("the end")
            flush_or_forget(stream)


@pytest.mark.parametrize(
    ("numbers", "written"), [(True, b"caf\xe9 \\u0418 \\udcff"), (False, b"caf\xe9 ? ?")]
)
def test_what_cannot_be_encoded_is_written_otherwise(
    numbers: bool, written: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(taken, encoding="cp1252"))
    use_standard_streams(numbers=numbers)
    say("caf\u00e9 \u0418 \udcff")
    assert taken.getvalue() == written


def test_what_nobody_takes_is_said_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Broken())
    say("the end")


@pytest.mark.skipif(sys.platform == "win32", reason="streams are closed otherwise there")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-"])
@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("paiute_server", ("--check", "missing")),
        ("paiute_client", ("--bot", "[::1]:1")),
        ("paiute_client", ("[::1]:1",)),
        ("paiute_client", ("--jsonl", "[::1]:1")),
    ],
)
def test_a_program_whose_streams_are_closed_says_what_is_wrong(
    program: str, arguments: tuple[str, ...], closed: str
) -> None:
    command = (sys.executable, "-m", program, *arguments)
    ended = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *command],
        check=False,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith(program.replace("_", "-") + ": ")
    assert ended.stderr.count("\n") == 1
