"""The log: whole lines, in either form, and never a moment's wait for whoever reads them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from threading import Thread

import pytest
import structlog

from paiute_server.log_output import StreamOutput, ThreadOutput, output_to
from paiute_server.logs import LogFormat, LogLevel, configure, get_logger

LINE = "x" * 1_000


class Pipe:
    """A pipe, and all that was read from it once there is a reader."""

    def __init__(self) -> None:
        self.source, self.sink = os.pipe()
        self.read = b""
        self._reader = Thread(target=self._read)

    def _read(self) -> None:
        while data := os.read(self.source, 65_536):
            self.read += data

    def begin_to_read(self) -> None:
        self._reader.start()

    def end(self) -> list[str]:
        """The lines that came through."""
        os.close(self.sink)
        self._reader.join()
        return self.read.decode().splitlines()


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    for descriptor in (made.source, made.sink):
        with suppress(OSError):
            os.close(descriptor)


def fill(output: ThreadOutput) -> None:
    while output.lost < 5:
        output.write(f"{LINE}\n")


def finish(output: ThreadOutput, pipe: Pipe) -> list[str]:
    """The lines that came through, once somebody reads."""
    pipe.begin_to_read()
    while output.note_losses(None, "info", {}) == {}:
        pass
    output.close(within_s=10)
    return pipe.end()


def test_lines_for_people_fit_a_terminal() -> None:
    stream = StringIO()
    configure(LogFormat.TEXT, LogLevel.INFO, stream)
    get_logger(peer="198.51.100.77:54321").info("player-gone", cause="closed")
    (line,) = stream.getvalue().splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[info\] player-gone +cause=closed peer=\S+", line)
    assert len(line) <= 80


def test_lines_are_written_in_their_order(pipe: Pipe) -> None:
    output = ThreadOutput(pipe.sink)
    for number in range(100):
        output.write(f"{number}\n")
    pipe.begin_to_read()
    output.close(within_s=10)
    assert pipe.end() == [str(number) for number in range(100)]
    assert output.lost == 0


def test_a_reader_who_does_not_read_costs_lines_and_no_time(pipe: Pipe) -> None:
    output = ThreadOutput(pipe.sink, max_waiting=3)
    fill(output)
    lost = output.lost
    assert set(finish(output, pipe)) == {LINE}
    assert lost >= 5


def test_the_next_line_says_how_many_were_lost(pipe: Pipe) -> None:
    output = ThreadOutput(pipe.sink, max_waiting=3)
    fill(output)
    assert output.note_losses(None, "info", {"event": "full"}) == {"event": "full"}
    pipe.begin_to_read()
    event: structlog.typing.EventDict = {}
    while not event:
        event = dict(output.note_losses(None, "info", {}))
    assert event == {"lines_lost": output.lost}
    assert output.note_losses(None, "info", {}) == {}
    output.close(within_s=10)
    pipe.end()


def test_the_end_does_not_wait_for_who_does_not_read(pipe: Pipe) -> None:
    output = ThreadOutput(pipe.sink, max_waiting=3)
    fill(output)
    output.close(within_s=60)
    finish(output, pipe)  # what it still writes would go to whoever has this descriptor next


def test_who_has_gone_away_is_no_reason_to_fail(pipe: Pipe) -> None:
    os.close(pipe.source)
    output = ThreadOutput(pipe.sink)
    output.write("nobody\n")
    output.write("reads\n")
    output.close(within_s=10)


def test_a_stream_that_is_closed_is_no_reason_to_fail() -> None:
    stream = StringIO()
    output = output_to(stream)
    assert isinstance(output, StreamOutput)
    stream.close()
    output.write("nobody reads\n")
    output.close(within_s=10)


def test_text_that_cannot_be_encoded_is_written_all_the_same(pipe: Pipe) -> None:
    output = ThreadOutput(pipe.sink)
    output.write("\ud800\n")
    pipe.begin_to_read()
    output.close(within_s=10)
    assert pipe.end() == ["\\ud800"]


def cp850(_: int) -> str:
    """The encoding of many a console of Windows."""
    return "cp850"


def test_a_terminal_is_written_to_in_its_own_encoding(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "device_encoding", cp850)
    output = ThreadOutput(pipe.sink)
    output.write("Zo\u00eb \u4f60\n")
    output.close(within_s=10)
    assert os.read(pipe.source, 100) == b"Zo\x89 \\u4f60\n"


def test_lines_for_programs_are_whole_json(pipe: Pipe, request: pytest.FixtureRequest) -> None:
    request.addfinalizer(structlog.reset_defaults)
    with os.fdopen(os.dup(pipe.sink), "w") as stream:
        output = configure(LogFormat.JSON, LogLevel.INFO, stream)
        assert isinstance(output, ThreadOutput)
        get_logger(player="p").info("one", number=1)
        get_logger().debug("not logged")
        get_logger().info("two")
        pipe.begin_to_read()
        output.close(within_s=10)
    lines = [json.loads(line) for line in pipe.end()]
    assert [(line["event"], line["level"]) for line in lines] == [("one", "info"), ("two", "info")]
    assert (lines[0]["player"], lines[0]["number"]) == ("p", 1)
