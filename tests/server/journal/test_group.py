"""Group commit: what is wanted at the same time is stored together, and nobody is told too early."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

import pytest
import trio
import trio.testing

from paiute_server.journal import Batch, JournalError
from paiute_server.journal.group import GroupCommit, in_loop, in_thread
from paiute_server.journal.records import JournalLocked


class Disk:
    """A store that works only while it is let to, and fails as the names of its batches say."""

    def __init__(self) -> None:
        self.free = Event()
        self.free.set()
        self.groups: list[list[str]] = []
        self.tries = 0

    def store(self, batches: Sequence[Batch]) -> None:
        self.free.wait()
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


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def threaded(disk: Disk) -> GroupCommit:
    return GroupCommit(disk.store, in_thread, rounds=2)


@pytest.fixture(params=["loop", "thread"])
def group(request: pytest.FixtureRequest, disk: Disk, threaded: GroupCommit) -> GroupCommit:
    return threaded if request.param == "thread" else GroupCommit(disk.store, in_loop, rounds=1)


async def commit(group: GroupCommit, name: str, told: list[str]) -> None:
    try:
        await group.commit(Batch(removed=(name,)))
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
    """Whoever sees to it that the group is stored."""
    told: list[str] = []
    with pytest.RaisesGroup(LookupError):
        async with trio.open_nursery() as nursery:
            for name in names.split():
                nursery.start_soon(commit, group, name, told)
    assert sorted(told) == ["a", "b", *(["bad: refused"] if "bad" in names else [])]
    assert sorted(disk.groups) == [["a"], ["b"]]


async def test_the_end_of_the_program_leaves_nobody_waiting(group: GroupCommit, disk: Disk) -> None:
    told: list[str] = []
    with pytest.RaisesGroup(SystemExit):
        async with trio.open_nursery() as nursery:
            for name in ("a", "b", "end", "d"):
                nursery.start_soon(commit, group, name, told)
    assert disk.groups == []
    assert len(told) == 3
    assert all(line.endswith(": the commit was broken off") for line in told)
    assert await commit_at_once(group, "e f") == ["e", "f"]


async def test_nobody_can_be_cancelled(group: GroupCommit, disk: Disk) -> None:
    """Neither who sees to it that the group is stored, nor who waits for him."""
    told: list[str] = []
    async with trio.open_nursery() as nursery:
        for name in ("a", "b", "c"):
            nursery.start_soon(commit, group, name, told)
        nursery.cancel_scope.cancel()
    assert sorted(told) == ["a", "b", "c"]
    assert len(disk.groups) == 1


# --- in the loop --------------------------------------------------------------------------------------------


class Rounds(trio.abc.Instrument):
    """Counts how often the loop has looked for what comes from outside."""

    def __init__(self) -> None:
        self.number = 0

    def before_io_wait(self, timeout: float) -> None:
        self.number += 1


async def test_one_alone_waits_for_one_round(disk: Disk) -> None:
    group, rounds = GroupCommit(disk.store, in_loop, rounds=1), Rounds()
    trio.lowlevel.add_instrument(rounds)
    for number in range(1, 4):
        await group.commit(Batch(removed=("a",)))
        assert (len(disk.groups), rounds.number) == (number, number)


# --- in a thread --------------------------------------------------------------------------------------------


async def commit_meanwhile(group: GroupCommit, disk: Disk, names: str) -> list[str]:
    """Commit the first; while that is under way, the others; then let the disk work."""
    told: list[str] = []
    disk.free.clear()
    async with trio.open_nursery() as nursery:
        for name in names.split():
            nursery.start_soon(commit, group, name, told)
            await trio.testing.wait_all_tasks_blocked()
        assert (told, disk.groups) == ([], [])
        disk.free.set()
    return sorted(told)


async def test_what_comes_meanwhile_is_one_group(threaded: GroupCommit, disk: Disk) -> None:
    assert await commit_meanwhile(threaded, disk, "a b c d") == ["a", "b", "c", "d"]
    assert disk.groups == [["a"], ["b", "c", "d"]]


async def test_a_later_group_that_fails_is_stored_one_by_one(threaded: GroupCommit, disk: Disk) -> None:
    assert await commit_meanwhile(threaded, disk, "a b bad d") == ["a", "b", "bad: refused", "d"]
    assert disk.groups == [["a"], ["b"], ["d"]]


async def test_where_there_is_no_thread_nothing_is_stored_and_all_are_told_so(
    threaded: GroupCommit, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def without_threads(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(trio.to_thread, "run_sync", without_threads)
        told = await commit_at_once(threaded, "a b")
    assert told == [f"{name}: there is no thread to write it: can't start new thread" for name in "ab"]
    assert await commit_at_once(threaded, "a b") == ["a", "b"]
    assert disk.tries == 1


async def test_many_who_go_on_at_once_are_one_group_again(threaded: GroupCommit, disk: Disk) -> None:
    async def commit_again_and_again(name: str) -> None:
        for _ in range(5):
            await threaded.commit(Batch(removed=(name,)))

    async with trio.open_nursery() as nursery:
        for name in "abcdef":
            nursery.start_soon(commit_again_and_again, name)
    assert [sorted(names) for names in disk.groups] == [list("abcdef")] * 5
