"""Group commit: one wait for the disk for all who wait at the same time, and nobody is told too early."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

import pytest
import trio
import trio.testing

from paiute_server.journal import Batch, JournalError
from paiute_server.journal.group import GroupCommit


class Disk:
    """A store that works only while it is let to, and refuses batches that remove ``bad``."""

    def __init__(self) -> None:
        self.free = Event()
        self.groups: list[list[str]] = []

    def store(self, batches: Sequence[Batch]) -> None:
        self.free.wait()
        group = [batch.removed[0] for batch in batches]
        if "fault" in group:
            raise LookupError
        if "bad" in group:
            raise JournalError("refused")
        self.groups.append(group)


@pytest.fixture
def disk() -> Disk:
    return Disk()


async def commit_all(disk: Disk, names: str, told: list[str]) -> None:
    """Commit the first name; when that is under way, all others at once; then let the disk work."""
    group = GroupCommit(disk.store)

    async def commit(name: str) -> None:
        try:
            await group.commit(Batch(removed=(name,)))
        except JournalError:
            told.append(f"no {name}")
        else:
            told.append(name)

    async with trio.open_nursery() as nursery:
        for name in names.split():
            nursery.start_soon(commit, name)
            await trio.testing.wait_all_tasks_blocked()
        assert (told, disk.groups) == ([], [])
        disk.free.set()


async def test_what_comes_meanwhile_is_one_group(disk: Disk) -> None:
    told: list[str] = []
    await commit_all(disk, "a b c d", told)
    assert disk.groups == [["a"], ["b", "c", "d"]]
    assert sorted(told) == ["a", "b", "c", "d"]


async def test_a_group_that_fails_is_stored_one_by_one(disk: Disk) -> None:
    told: list[str] = []
    await commit_all(disk, "a b bad d", told)
    assert disk.groups == [["a"], ["b"], ["d"]]
    assert sorted(told) == ["a", "b", "d", "no bad"]


async def test_one_alone_that_fails_is_tried_once(disk: Disk) -> None:
    told: list[str] = []
    await commit_all(disk, "bad", told)
    assert (disk.groups, told) == ([], ["no bad"])


async def test_a_fault_of_the_program_leaves_nobody_waiting(disk: Disk) -> None:
    told: list[str] = []
    with pytest.RaisesGroup(LookupError):
        await commit_all(disk, "a b fault d", told)
    assert disk.groups == [["a"]]
    assert "a" in told
    assert "fault" not in told


async def test_many_who_go_on_at_once_are_one_group_again(disk: Disk) -> None:
    group = GroupCommit(disk.store)
    disk.free.set()

    async def commit(name: str) -> None:
        for _ in range(5):
            await group.commit(Batch(removed=(name,)))

    async with trio.open_nursery() as nursery:
        for name in "abcdef":
            nursery.start_soon(commit, name)
    assert [sorted(names) for names in disk.groups] == [list("abcdef")] * 5
