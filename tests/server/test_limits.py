"""Rates are held by token buckets, and what may be said at once fits into a frame."""

from __future__ import annotations

import msgspec
import pytest

from paiute_net.game.actions import Phase
from paiute_net.game.cards import PACK
from paiute_net.game.combinations import Combination
from paiute_net.game.house_rules import (
    MAX_ROUND_LIMIT,
    MAX_STAKE,
    HouseRules,
    LastTurns,
    PaiuteTurns,
    WildRule,
)
from paiute_net.game.picture import (
    MAX_ACCOUNTS,
    Account,
    Called,
    HandPicture,
    Occupant,
    Picture,
    PlayerPicture,
)
from paiute_net.wire.codec import MAX_INTEGER, encode
from paiute_net.wire.framing import MAX_FRAME
from paiute_net.wire.messages import (
    MAX_ID,
    MAX_NAME,
    AccountsResult,
    Actions,
    CallChoice,
    ChatSaid,
    Decision,
    LobbyChanged,
    Ok,
    PairPayment,
    Presence,
    Snapshot,
    TableRow,
    TablesResult,
)
from paiute_server.limits import DEFAULTS, Bucket, Limits, Rate
from paiute_server.lobby import _MOST_GONE  # pyright: ignore[reportPrivateUsage]

WIDEST = "\U0001f0a1"
"""A character of four bytes."""
TABLE = PLAYER = "x" * 11
LARGEST_RULES = HouseRules(
    wild_rule=WildRule.OPPOSITE_COLOUR,
    round_limit=MAX_ROUND_LIMIT,
    last_turns=LastTurns.ONE_MORE_EACH,
    paiute_turns=PaiuteTurns.FIRST_TWO_TURNS,
    stake=MAX_STAKE,
    large_table=True,
)


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    bucket = Bucket(Rate(2.0, 5), now=0.0)
    assert [bucket.take(0.0) for _ in range(6)] == [True] * 5 + [False]
    assert bucket.wait_ms() == 500
    assert not bucket.take(0.4)
    assert bucket.take(0.5)
    assert not bucket.take(0.5)


def test_a_bucket_holds_no_more_than_its_burst() -> None:
    bucket = Bucket(Rate(2.0, 5), now=0.0)
    bucket.give_back()
    assert [bucket.take(1e6) for _ in range(6)] == [True] * 5 + [False]


def test_a_bucket_gives_several_or_none() -> None:
    bucket = Bucket(Rate(1.0, 5), now=0.0)
    assert not bucket.take(0.0, 6)
    assert bucket.take(0.0, 4)
    assert not bucket.take(0.0, 2)
    assert bucket.take(0.0, 1)


def test_what_is_given_back_can_be_taken_again() -> None:
    bucket = Bucket(Rate(1.0, 1), now=0.0)
    for _ in range(100):
        assert bucket.take(0.0)
        bucket.give_back()


def test_a_page_of_the_largest_tables_fits_into_a_frame() -> None:
    row = TableRow(
        table="x" * 11,
        name=WIDEST * MAX_NAME,
        rules=LARGEST_RULES,
        seats=8,
        players=(WIDEST * MAX_NAME,) * 8,
        bots=8,
        going_on=True,
        time_limit_ms=DEFAULTS.max_time_limit_ms,
    )
    rows = (row,) * DEFAULTS.page_rows
    assert len(encode(Ok(re="x" * MAX_ID, result=TablesResult(tables=rows, next="1" * 20)))) < MAX_FRAME
    assert len(encode(LobbyChanged(tables=rows, gone=("x" * 11,) * _MOST_GONE))) < MAX_FRAME


CARDS = tuple(PACK)
CALL = CallChoice(
    cards=CARDS[:6], discard=CARDS[0], combination=Combination.FIVE_OF_A_KIND, ranks=("A", "K", "Q")
)


def largest_hand() -> HandPicture:
    players = [
        PlayerPicture(seat=seat, player=PLAYER, cards=6, known=list(CARDS[:6]), turns=99, left=True)
        for seat in range(8)
    ]
    calls = [
        Called(seat=seat, cards=CARDS[:6], combination=CALL.combination, ranks=CALL.ranks, turn=9)
        for seat in range(8)
    ]
    return HandPicture(
        hand=10**9,
        phase=Phase.DISCARD,
        players=players,
        dealer=7,
        cutter=6,
        turn=7,
        round=1000,
        turned=CARDS[0],
        wild=CARDS[:3],
        stock=40,
        discards=list(CARDS),
        taken=True,
        drawn=CARDS[0],
        own=list(CARDS[:6]),
        calls=calls,
        result=None,
    )


def largest_picture() -> Picture:
    account = Account(player=PLAYER, name=WIDEST * MAX_NAME, balance=-MAX_INTEGER)
    occupants = [Occupant(seat=seat, player=PLAYER, name=WIDEST * MAX_NAME, bot=True) for seat in range(8)]
    return Picture(
        table=TABLE,
        seq=MAX_INTEGER,
        seat=7,
        name=WIDEST * MAX_NAME,
        rules=LARGEST_RULES,
        seats=8,
        time_limit_ms=DEFAULTS.max_time_limit_ms,
        occupants=occupants,
        accounts=[account] * MAX_ACCOUNTS,
        pot=10**9,
        hands=10**9,
        closed=False,
        hand=largest_hand(),
    )


def largest_snapshot() -> Snapshot:
    short = ChatSaid(table=TABLE, player=PLAYER, name=WIDEST * MAX_NAME, text="x")
    lines = DEFAULTS.recent_chat_lines
    long = msgspec.structs.replace(short, text="x" * (DEFAULTS.recent_chat_bytes - lines))
    decision = Decision(
        table=TABLE,
        decision=10**9,
        seat=7,
        phase=Phase.DISCARD,
        time_ms=DEFAULTS.max_time_limit_ms,
        actions=Actions(discard=CARDS[:6], call=(CALL,) * 7),
    )
    return Snapshot(
        picture=largest_picture(),
        presence=(Presence(seat=7, connected=False, away=False),) * 8,
        chat=(*[short] * (lines - 1), long),
        decision=decision,
    )


def test_the_largest_snapshot_and_accounts_fit_into_a_frame() -> None:
    snapshot = largest_snapshot()
    assert len(encode(snapshot)) < MAX_FRAME
    accounts = tuple(snapshot.picture.accounts)
    payment = PairPayment(payer=PLAYER, payee=PLAYER, amount=MAX_INTEGER)
    result = AccountsResult(accounts=accounts, payments=(payment,) * (len(accounts) - 1))
    assert len(encode(Ok(re="x" * MAX_ID, result=result))) < MAX_FRAME


@pytest.mark.parametrize("name", [field.name for field in msgspec.structs.fields(Limits)])
def test_every_limit_is_a_limit(name: str) -> None:
    value = getattr(DEFAULTS, name)
    assert (min(value.per_second, value.burst) if isinstance(value, Rate) else value) > 0


def test_a_connection_is_pinged_before_it_is_given_up() -> None:
    assert DEFAULTS.ping_after_s < DEFAULTS.lost_after_s
    assert DEFAULTS.linger_s < DEFAULTS.shutdown_within_s
