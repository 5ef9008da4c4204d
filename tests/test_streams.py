"""What a program has left to say at its end is written, or forgotten where nobody takes it."""

from __future__ import annotations

import os
from io import StringIO, UnsupportedOperation

import pytest

from paiute_net.streams import flush_or_forget


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
