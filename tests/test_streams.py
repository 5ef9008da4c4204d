"""What a program has left to say at its end is written, or forgotten where nobody takes it."""

from __future__ import annotations

import os
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
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    use_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        with stream:
            stream.write("the end")
            flush_or_forget(stream)


def test_what_cannot_be_encoded_is_written_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    written = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(written, encoding="cp1252"))
    use_standard_streams()
    say("caf\u00e9 \u0418 \udcff")
    assert written.getvalue() == b"caf\xe9 \\u0418 \\udcff"


def test_what_nobody_takes_is_said_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Broken())
    say("the end")
