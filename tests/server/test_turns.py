"""Steps have their turn one after the other, and go on when what they want stored is stored."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from paiute_server.done import Done
from paiute_server.journal import Batch, JournalError
from paiute_server.logs import get_logger
from paiute_server.turns import Step, Turns, nothing


class Play:
    """Turns over a disk that stores when it is told to; ``said`` is what has happened, in order."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self._storing: list[Done] = []
        self.turns = Turns(self._commit, get_logger())

    def _commit(self, batch: Batch, done: Done) -> None:
        self.said.append(f"store {batch.removed[0]}")
        self._storing.append(done)

    def stored(self, error: Exception | None = None) -> None:
        """The first of what is being stored is stored, or is not."""
        self._storing.pop(0)(error)

    def step(self, name: str, batches: int = 1) -> Step:
        self.said.append(f"begin {name}")
        for number in range(batches):
            yield Batch(removed=(f"{name}{number}",))
        self.said.append(f"end {name}")

    def done(self, name: str, then: Callable[[], None] = lambda: None) -> Done:
        def done(error: Exception | None) -> None:
            self.said.append(f"done {name}" if error is None else f"failed {name}: {error!r}")
            then()

        return done

    def take(self, name: str, batches: int = 1) -> None:
        self.turns.take(self.step(name, batches), self.done(name))


def test_who_comes_first_begins_at_once() -> None:
    play = Play()
    play.take("a")
    assert play.said == ["begin a", "store a0"]


def test_a_step_that_stores_nothing_is_done_at_once() -> None:
    play = Play()
    play.turns.take(nothing(), play.done("a"))
    play.take("b", batches=0)
    assert play.said == ["done a", "begin b", "end b", "done b"]


def test_the_next_begins_when_the_one_before_is_done() -> None:
    play = Play()
    for name in "abc":
        play.take(name, batches=2)
    for _ in range(6):
        play.stored()
    assert play.said == [
        f"{word} {name}{number}"
        for name in "abc"
        for word, number in (("begin", ""), ("store", 0), ("store", 1), ("end", ""), ("done", ""))
    ]


def test_what_cannot_be_stored_is_raised_where_it_was_wanted() -> None:
    play = Play()

    def careful() -> Step:
        try:
            yield Batch(removed=("a",))
        except JournalError as error:
            play.said.append(f"caught {error}")
            yield Batch(removed=("instead",))

    play.turns.take(careful(), play.done("a"))
    play.stored(JournalError("full"))
    play.stored()
    assert play.said == ["store a", "caught full", "store instead", "done a"]


@pytest.mark.parametrize("failure", [JournalError("full"), LookupError("a fault")])
def test_who_does_not_catch_it_has_failed_and_the_next_begins(failure: Exception) -> None:
    play = Play()
    play.take("a")
    play.take("b")
    play.stored(failure)
    assert play.said == ["begin a", "store a0", f"failed a: {failure!r}", "begin b", "store b0"]


def test_a_step_that_raises_keeps_nobody_from_his_turn() -> None:
    play = Play()

    def wrong() -> Step:
        yield from nothing()
        raise LookupError("wrong")

    play.take("a")
    play.turns.take(wrong(), play.done("b"))
    play.take("c")
    play.stored()
    assert play.said[3:] == ["done a", "failed b: LookupError('wrong')", "begin c", "store c0"]


def test_what_is_taken_when_another_is_done_waits_for_those_before_it() -> None:
    play = Play()
    play.turns.take(play.step("a"), play.done("a", lambda: play.take("c")))
    play.take("b")
    play.stored()
    play.stored()
    assert play.said[2:] == [
        "end a",
        "done a",
        "begin b",
        "store b0",
        "end b",
        "done b",
        "begin c",
        "store c0",
    ]


def test_what_is_taken_when_the_last_is_done_begins() -> None:
    play = Play()
    play.turns.take(play.step("a"), play.done("a", lambda: play.take("b")))
    play.stored()
    assert play.said[3:] == ["done a", "begin b", "store b0"]


def test_who_fails_when_he_is_told_keeps_nobody_from_his_turn() -> None:
    play = Play()

    def fail() -> None:
        raise LookupError

    play.turns.take(play.step("a"), play.done("a", fail))
    play.take("b")
    with capture_logs() as log_lines:
        play.stored()
    play.stored()
    assert play.said[-1] == "done b"
    assert [line["event"] for line in log_lines] == ["fault"]


def test_many_that_store_nothing_are_no_deeper_than_one() -> None:
    play = Play()
    play.take("first")
    for number in range(5000):
        play.take(str(number), batches=0)
    play.stored()
    assert play.said.count("done 4999") == 1
