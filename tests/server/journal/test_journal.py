"""What every journal does, whichever way it keeps what it is handed."""

from __future__ import annotations

import pytest
import trio

from paiute_net.game.house_rules import NAMED_SETS
from paiute_server.journal import Batch, Journal, JournalError, Recovered, RecoveredTable, TableEntry
from tests.server.journal.playing import Player, batch, everything, player_row
from tests.support.journals import group_commit


def test_a_new_journal_recovers_nothing_but_the_server(journal: Journal) -> None:
    server_id = journal.recover().server_id
    assert len(server_id) == 16
    assert journal.recover() == Recovered(server_id, (), ())


@pytest.mark.parametrize("rule_set", NAMED_SETS)
async def test_a_table_is_recovered_as_it_is_after_every_step(journal: Journal, rule_set: str) -> None:
    player = Player(rule_set, rules=NAMED_SETS[rule_set])
    journal.store([batch(player.opening)])
    for _ in range(150):
        journal.store([batch(player.step(player.command()))])
        (recovered,) = journal.recover().tables
        assert recovered.table == rule_set
        assert everything(recovered.fold()) == everything(player.table)
    assert player.table.hands > 1


async def test_only_the_last_hand_is_folded(journal: Journal) -> None:
    player = Player("t")
    for entry in player.steps(150):
        journal.store([batch(entry)])
    (recovered,) = journal.recover().tables
    assert recovered.checkpoint is not None
    assert recovered.checkpoint.hands == player.table.hands - 1
    assert recovered.checkpoint.seq + len(recovered.events) == player.table.seq


async def test_tables_keep_their_order_and_their_own_events(journal: Journal) -> None:
    players = [Player(table) for table in ("zulu", "alfa", "mike")]
    for entries in zip(*(player.steps(60) for player in players), strict=True):
        journal.store([batch(*entries)])
    recovered = journal.recover().tables
    assert [table.table for table in recovered] == ["zulu", "alfa", "mike"]
    for table, player in zip(recovered, players, strict=True):
        assert everything(table.fold()) == everything(player.table)


async def test_a_closed_table_is_finished(journal: Journal) -> None:
    player, other = Player("t"), Player("other")
    for entry in (*player.steps(40), player.close(), other.opening):
        journal.store([batch(entry)])
    assert [table.table for table in journal.recover().tables] == ["other"]


async def test_players_are_stored_changed_and_removed(journal: Journal) -> None:
    journal.store([Batch(players=(player_row("b"), player_row("a"), player_row("c")))])
    journal.store([Batch(players=(player_row("a", expires=7),), removed=("c", "nobody"))])
    assert journal.recover().players == (player_row("a", expires=7), player_row("b"))


async def test_a_batch_stores_players_and_events_together(journal: Journal) -> None:
    player = Player("t")
    journal.store([Batch(tables=(player.opening,), players=(player_row("a"),))])
    recovered = journal.recover()
    assert recovered.players == (player_row("a"),)
    assert recovered.tables == (RecoveredTable("t", None, player.opening.events),)


async def test_an_empty_batch_changes_nothing(journal: Journal) -> None:
    before = journal.recover()
    journal.store([Batch()])
    assert journal.recover() == before


@pytest.mark.parametrize("seq", [-1, 0, 1, 2, 4, 5])
async def test_an_event_that_does_not_follow_is_refused(journal: Journal, seq: int) -> None:
    player = Player("t")
    first, second, third = player.steps(2)
    journal.store([batch(first, second)])
    before = journal.recover()
    wrong = TableEntry("t", seq, third.events)
    with pytest.raises(JournalError, match=rf"^event {seq} of table t does not follow event 2$"):
        journal.store([Batch(tables=(Player("other").opening, wrong), players=(player_row("a"),))])
    assert journal.recover() == before
    journal.store([batch(third)])
    assert everything(journal.recover().tables[0].fold()) == everything(player.table)


async def test_nothing_follows_the_end_of_a_table(journal: Journal) -> None:
    player = Player("t")
    for entry in (*player.steps(3), player.close()):
        journal.store([batch(entry)])
    with pytest.raises(JournalError, match=r"does not follow event 0$"):
        journal.store([batch(TableEntry("t", player.table.seq + 1, player.opening.events))])


async def test_tables_commit_at_the_same_time(journal: Journal) -> None:
    players = [Player(f"t{number}") for number in range(20)]

    async def play(player: Player) -> None:
        for entry in player.steps(30):
            await commits.committed(batch(entry))

    async with group_commit(journal) as commits, trio.open_nursery() as nursery:
        for player in players:
            nursery.start_soon(play, player)
    recovered = {table.table: table for table in journal.recover().tables}
    assert len(recovered) == len(players)
    for player in players:
        assert everything(recovered[player.id].fold()) == everything(player.table)


def test_a_fold_needs_a_beginning() -> None:
    player = Player("t")
    _, *later = player.steps(3)
    for events in ((), later[0].events):
        with pytest.raises(JournalError, match=r"^the events of table t do not begin with its opening$"):
            RecoveredTable("t", None, events).fold()


async def test_maintaining_goes_on_until_it_is_cancelled(
    journal: Journal, autojump_clock: trio.testing.MockClock
) -> None:
    with trio.move_on_after(3600) as scope:
        await journal.maintain()
    assert scope.cancelled_caught
