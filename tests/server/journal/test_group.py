"""Group commit: what is wanted at the same time is stored together, and nobody is told too early."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from threading import Event

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from paiute_server.journal import Batch, GroupCommit, JournalError, MemoryJournal
from paiute_server.journal.records import JournalLocked
from paiute_server.sender import Sender
from tests.support.faults import Rounds
from tests.support.journals import group_commit

PATIENCE_S = 5.0


class Disk(MemoryJournal):
    """A journal that fails as the names of its batches say."""

    def __init__(self) -> None:
        super().__init__()
        self.groups: list[list[str]] = []
        self.tries = 0

    def store(self, batches: Sequence[Batch]) -> None:
        self.tries += 1
        group = [batch.removed[0] for batch in batches]
        if "fault" in group:
            raise LookupError
        if "end" in group:
            raise SystemExit
        if "bad" in group:
            raise JournalError("refused")
        if "lock" in group:
            raise JournalLocked("locked")
        self.groups.append(group)


class ThreadedDisk(Disk):
    """Stores in a thread, and only while it is let to."""

    at_once = False

    def __init__(self) -> None:
        super().__init__()
        self.free = Event()
        self.free.set()

    async def aside(self, store: Callable[[], None]) -> None:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(store)

    def store(self, batches: Sequence[Batch]) -> None:
        self.free.wait()
        super().store(batches)


@pytest.fixture(params=[Disk, ThreadedDisk])
def disk(request: pytest.FixtureRequest) -> Disk:
    made: Disk = request.param()
    return made


@pytest.fixture
async def group(disk: Disk) -> AsyncGenerator[GroupCommit]:
    async with group_commit(disk) as commits:
        yield commits


async def commit(group: GroupCommit, name: str, told: list[str]) -> None:
    try:
        await group.committed(Batch(removed=(name,)))
    except JournalError as error:
        told.append(f"{name}: {error}")
    else:
        told.append(name)


async def commit_at_once(group: GroupCommit, names: str) -> list[str]:
    """All in one round of the loop; what each is told."""
    told: list[str] = []
    async with trio.open_nursery() as nursery:
        for name in names.split():
            nursery.start_soon(commit, group, name, told)
    return sorted(told)


# --- what comes at the same time ----------------------------------------------------------------------------


async def test_what_comes_at_once_is_one_group(group: GroupCommit, disk: Disk) -> None:
    assert await commit_at_once(group, "a b c d") == ["a", "b", "c", "d"]
    assert [sorted(names) for names in disk.groups] == [["a", "b", "c", "d"]]


async def test_a_group_that_fails_is_stored_one_by_one(group: GroupCommit, disk: Disk) -> None:
    assert await commit_at_once(group, "a b bad d") == ["a", "b", "bad: refused", "d"]
    assert sorted(disk.groups) == [["a"], ["b"], ["d"]]


async def test_one_alone_that_fails_is_tried_once(group: GroupCommit, disk: Disk) -> None:
    assert await commit_at_once(group, "bad") == ["bad: refused"]
    assert disk.tries == 1


async def test_a_group_that_finds_the_journal_locked_waits_for_that_once(
    group: GroupCommit, disk: Disk
) -> None:
    refused = ["a: locked", "b: locked", "lock: locked"]
    assert await commit_at_once(group, "a b lock") == refused
    assert (disk.tries, disk.groups) == (1, [])


@pytest.mark.parametrize("names", ["fault a b", "a fault b", "a bad b fault"])
async def test_a_fault_of_the_program_harms_no_other(group: GroupCommit, disk: Disk, names: str) -> None:
    told: list[str] = []
    with pytest.RaisesGroup(LookupError):
        async with trio.open_nursery() as nursery:
            for name in names.split():
                nursery.start_soon(commit, group, name, told)
    assert sorted(told) == ["a", "b", *(["bad: refused"] if "bad" in names else [])]
    assert sorted(disk.groups) == [["a"], ["b"]]


async def test_the_end_of_the_program_leaves_nobody_waiting(disk: Disk) -> None:
    """Nor does he wait who comes after it."""
    told: list[str] = []
    groups: list[GroupCommit] = []
    with pytest.RaisesGroup(SystemExit):
        async with group_commit(disk) as group, trio.open_nursery() as nursery:
            groups.append(group)
            for name in ("a", "b", "end", "d"):
                nursery.start_soon(commit, group, name, told)
    await commit(groups[0], "e", told)
    assert disk.groups == []
    assert sorted(told) == [f"{name}: the commit was broken off" for name in ("a", "b", "d", "e", "end")]


async def test_what_is_wanted_before_the_end_is_stored(disk: Disk) -> None:
    outcomes: list[Exception | None] = []
    with trio.CancelScope() as scope:
        async with group_commit(disk) as group:
            group.commit(Batch(removed=("a",)), outcomes.append)
            await trio.testing.wait_all_tasks_blocked()
            scope.cancel()
            group.commit(Batch(removed=("b",)), outcomes.append)
    assert disk.groups == [["a"], ["b"]]
    assert outcomes == [None, None]


async def test_who_fails_when_he_is_told_keeps_nobody_from_being_told(group: GroupCommit, disk: Disk) -> None:
    def fail(error: Exception | None) -> None:
        raise LookupError

    with capture_logs() as log_lines:
        group.commit(Batch(removed=("a",)), fail)
        assert await commit_at_once(group, "b c") == ["b", "c"]
    assert [line["event"] for line in log_lines] == ["fault"]


async def test_nobody_can_be_cancelled(group: GroupCommit, disk: Disk) -> None:
    told: list[str] = []
    async with trio.open_nursery() as nursery:
        for name in ("a", "b", "c"):
            nursery.start_soon(commit, group, name, told)
        nursery.cancel_scope.cancel()
    assert sorted(told) == ["a", "b", "c"]
    assert len(disk.groups) == 1


async def test_many_who_go_on_at_once_are_one_group_again(group: GroupCommit, disk: Disk) -> None:
    async def commit_again_and_again(name: str) -> None:
        for _ in range(5):
            await group.committed(Batch(removed=(name,)))

    async with trio.open_nursery() as nursery:
        for name in "abcdef":
            nursery.start_soon(commit_again_and_again, name)
    assert [sorted(names) for names in disk.groups] == [list("abcdef")] * 5


# --- what is gathered ---------------------------------------------------------------------------------------


async def gathered(group: GroupCommit, names: str) -> list[str]:
    """All while the same block lasts; what each is told."""
    told: list[str] = []
    over = trio.Event()

    def done(name: str, error: Exception | None) -> None:
        told.append(name if error is None else f"{name}: {error}")
        if len(told) == len(names.split()):
            over.set()

    with group.gathering():
        for name in names.split():
            group.commit(Batch(removed=(name,)), partial(done, name))
    with trio.fail_after(PATIENCE_S):
        await over.wait()
    return sorted(told)


async def test_what_is_gathered_is_one_group(group: GroupCommit, disk: Disk) -> None:
    assert await gathered(group, "a b") == ["a", "b"]
    assert await gathered(group, "c") == ["c"]
    assert disk.groups == [["a", "b"], ["c"]]


async def test_one_alone_that_is_gathered_and_fails_is_tried_once(group: GroupCommit, disk: Disk) -> None:
    assert await gathered(group, "bad") == ["bad: refused"]
    assert disk.tries == 1


async def test_what_is_gathered_while_the_journal_is_locked_waits_for_that_once(
    group: GroupCommit, disk: Disk
) -> None:
    assert await gathered(group, "a lock b") == ["a: locked", "b: locked", "lock: locked"]
    assert (disk.tries, disk.groups) == (1, [])


async def test_what_is_gathered_is_stored_though_somebody_fails(group: GroupCommit, disk: Disk) -> None:
    stored = {name: trio.Event() for name in "ab"}

    def want(name: str) -> None:
        group.commit(Batch(removed=(name,)), lambda _: stored[name].set())

    with suppress(LookupError), group.gathering():
        want("a")
        raise LookupError
    with trio.fail_after(PATIENCE_S):
        await stored["a"].wait()
        want("b")
        await stored["b"].wait()
    assert disk.groups == [["a"], ["b"]]


async def test_what_is_still_gathered_at_the_end_is_stored(disk: Disk) -> None:
    outcomes: list[Exception | None] = []
    with ExitStack() as held:
        async with group_commit(disk) as group:
            held.enter_context(group.gathering())
            group.commit(Batch(removed=("a",)), outcomes.append)
        assert disk.groups == [["a"]]
        assert outcomes == [None]
    assert disk.groups == [["a"]]


async def test_what_is_gathered_and_sent_for_it_wakes_no_task() -> None:
    """All is done where it was gathered; only this task takes a step, to see that."""
    disk, sender, loop, said = Disk(), Sender(), Rounds(), list[str]()
    group = GroupCommit(disk, sender.now)

    def done(_: Exception | None) -> None:
        said.append("told")
        sender.soon(lambda: said.append("sent"))

    async with group.running(), trio.open_nursery() as nursery:
        nursery.start_soon(sender.run)
        await trio.testing.wait_all_tasks_blocked()
        trio.lowlevel.add_instrument(loop)
        with group.gathering():
            for name in "ab":
                group.commit(Batch(removed=(name,)), done)
        await trio.testing.wait_all_tasks_blocked()
        trio.lowlevel.remove_instrument(loop)
        nursery.cancel_scope.cancel()
    assert said == ["told", "told", "sent", "sent"]
    assert loop.steps == 1


# --- in the loop --------------------------------------------------------------------------------------------


async def test_one_alone_is_stored_in_the_next_round() -> None:
    disk, rounds, stored = Disk(), Rounds(), list[int]()
    async with group_commit(disk) as group:
        trio.lowlevel.add_instrument(rounds)
        for _ in range(3):
            await trio.testing.wait_all_tasks_blocked()
            rounds.rounds = 0
            group.commit(Batch(removed=("a",)), lambda _: stored.append(rounds.rounds))
        await trio.testing.wait_all_tasks_blocked()
        trio.lowlevel.remove_instrument(rounds)
    assert stored == [1, 1, 1]


async def test_what_comes_together_is_stored_before_anything_else_happens() -> None:
    disk, outcomes = Disk(), list[Exception | None]()
    async with group_commit(disk) as group:
        with group.gathering():
            for name in "abc":
                group.commit(Batch(removed=(name,)), outcomes.append)
            assert (disk.groups, outcomes) == ([], [])
        assert disk.groups == [["a", "b", "c"]]
        assert outcomes == [None, None, None]


async def test_what_comes_together_and_fails_is_stored_one_by_one() -> None:
    disk, outcomes = Disk(), dict[str, Exception | None]()
    async with group_commit(disk) as group:
        with group.gathering():
            for name in ("a", "bad", "c"):
                group.commit(Batch(removed=(name,)), partial(outcomes.__setitem__, name))
        await trio.testing.wait_all_tasks_blocked()
        assert disk.groups == [["a"], ["c"]]
        assert {name: repr(error) for name, error in outcomes.items()} == {
            "a": "None",
            "bad": "JournalError('refused')",
            "c": "None",
        }


async def test_what_comes_when_others_are_told_is_stored_too() -> None:
    disk, outcomes = Disk(), list[Exception | None]()
    async with group_commit(disk) as group:

        def commit_again(error: Exception | None) -> None:
            outcomes.append(error)
            group.commit(Batch(removed=("again",)), outcomes.append)

        with group.gathering():
            group.commit(Batch(removed=("a",)), commit_again)
        await trio.testing.wait_all_tasks_blocked()
        assert disk.groups == [["a"], ["again"]]
        assert outcomes == [None, None]


# --- in a thread --------------------------------------------------------------------------------------------


async def commit_meanwhile(disk: ThreadedDisk, names: str) -> list[str]:
    """Commit the first; while that is under way, the others; then let the disk work."""
    told: list[str] = []
    disk.free.clear()
    async with group_commit(disk) as group, trio.open_nursery() as nursery:
        for name in names.split():
            nursery.start_soon(commit, group, name, told)
            await trio.testing.wait_all_tasks_blocked()
        assert (told, disk.groups) == ([], [])
        disk.free.set()
    return sorted(told)


async def test_what_comes_meanwhile_is_one_group() -> None:
    disk = ThreadedDisk()
    assert await commit_meanwhile(disk, "a b c d") == ["a", "b", "c", "d"]
    assert disk.groups == [["a"], ["b", "c", "d"]]


async def test_what_comes_together_waits_for_the_thread() -> None:
    disk, outcomes = ThreadedDisk(), list[Exception | None]()
    async with group_commit(disk) as group:
        with group.gathering():
            for name in "ab":
                group.commit(Batch(removed=(name,)), outcomes.append)
        assert (disk.groups, outcomes) == ([], [])
    assert disk.groups == [["a", "b"]]
    assert outcomes == [None, None]


async def test_a_later_group_that_fails_is_stored_one_by_one() -> None:
    disk = ThreadedDisk()
    assert await commit_meanwhile(disk, "a b bad d") == ["a", "b", "bad: refused", "d"]
    assert disk.groups == [["a"], ["b"], ["d"]]
