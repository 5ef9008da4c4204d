"""Names are unique, tokens bring back their players and nobody else, and both are freed in time."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import ClassVar, cast

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.wire.errors import Denial, ErrorCode
from paiute_net.wire.messages import MAX_ID
from paiute_server.clock import AlarmClock
from paiute_server.journal import PlayerRow
from paiute_server.limits import DEFAULTS, Limits
from paiute_server.people import People, Person, new_id
from paiute_server.room import Room
from paiute_server.session import Session

LIMITS = msgspec.structs.replace(DEFAULTS, max_players=3, expired_tokens=2)
SESSION = cast("Session", object())
WALL = 1_000_000.0


class Known:
    """People, and who of them expired."""

    def __init__(self, clock: AlarmClock, limits: Limits) -> None:
        self.expired: list[Person] = []
        self.people = People("server1", limits, clock, self.expired.append, lambda: WALL)


@asynccontextmanager
async def known(limits: Limits = LIMITS) -> AsyncGenerator[Known]:
    clock = AlarmClock()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(clock.run)
        yield Known(clock, limits)
        nursery.cancel_scope.cancel()


def why_not(people: People, token: str) -> ErrorCode:
    with pytest.raises(Denial) as denied:
        people.returning(token)
    return denied.value.code


async def test_a_token_brings_its_player_back() -> None:
    async with known() as here:
        ana, token = here.people.newcomer("Ana", bot=False)
        bob, other = here.people.newcomer("Bob", bot=False)
        assert here.people.returning(token) is ana
        assert here.people.returning(other) is bob
        assert len(token) <= MAX_ID


async def test_a_token_is_kept_nowhere() -> None:
    async with known() as here:
        ana, token = here.people.newcomer("Ana", bot=False)
        secret = token.rpartition(".")[2]
        assert len(secret) == 32
        assert secret not in repr(ana)
        assert secret.encode() not in here.people.row(ana).token_hash


async def test_wrong_tokens() -> None:
    async with known() as here:
        ana, token = here.people.newcomer("Ana", bot=False)
        bob, _ = here.people.newcomer("Bob", bot=False)
        server, _, secret = token.split(".")
        for bad in (
            "",
            ".",
            "..",
            secret,
            f"{server}.{ana.id}.",
            f"{server}.{ana.id}.{secret[:-1]}",
            f"{server}.{ana.id}.{secret}x",
            f"{server}.{bob.id}.{secret}",
            f"{server}.{new_id()}.{secret}",
            f"{server}..{secret}",
        ):
            assert why_not(here.people, bad) is ErrorCode.BAD_TOKEN
        assert why_not(here.people, f"server2.{ana.id}.{secret}") is ErrorCode.FOREIGN_TOKEN


async def test_names_are_unique_by_their_looks() -> None:
    async with known() as here:
        here.people.newcomer("Copa", bot=False)
        for name in ("Copa", "COPA", " copa ", "СОРА"):  # noqa: RUF001 -- the last is Cyrillic
            with pytest.raises(Denial) as denied:
                here.people.newcomer(name, bot=False)
            assert denied.value.code is ErrorCode.NAME_TAKEN


async def test_the_nameless_get_names() -> None:
    async with known() as here:
        names = [here.people.newcomer(None, bot=bot).person.name for bot in (False, False, True)]
        assert names == ["Guest 1", "Guest 2", "Bot 1"]


async def test_a_token_lives_from_the_loss_of_the_link(autojump_clock: MockClock) -> None:
    async with known() as here:
        ana, token = here.people.newcomer("Ana", bot=False)
        here.people.arrived(ana, SESSION)
        await trio.sleep(LIMITS.token_life_s * 2)
        here.people.gone(ana)
        await trio.sleep(LIMITS.token_life_s - 1)
        assert here.people.returning(token) is ana
        here.people.arrived(ana, SESSION)
        await trio.sleep(LIMITS.token_life_s * 2)
        here.people.gone(ana)
        await trio.sleep(LIMITS.token_life_s + 1)
        assert here.expired == [ana]
        assert why_not(here.people, token) is ErrorCode.EXPIRED_TOKEN
        assert here.people.is_taken("Ana")
        here.people.forget(ana)
        assert not here.people.is_taken("Ana")
        assert why_not(here.people, token) is ErrorCode.EXPIRED_TOKEN


async def test_a_bots_token_lives_shorter(autojump_clock: MockClock) -> None:
    async with known() as here:
        bot, _ = here.people.newcomer(None, bot=True)
        here.people.gone(bot)
        await trio.sleep(LIMITS.bot_token_life_s + 1)
        assert here.expired == [bot]


async def test_the_one_gone_longest_makes_room() -> None:
    async with known() as here:
        people = [here.people.newcomer(name, bot=False).person for name in ("Ana", "Bob", "Cyn")]
        people[0].room = cast("Room", object())
        here.people.arrived(people[1], SESSION)
        here.people.newcomer("Dan", bot=False)
        assert here.people.get(people[2].id) is None
        assert here.people.forgotten() == (people[2].id,)
        here.people.removed((people[2].id,))
        assert here.people.forgotten() == ()
        assert len(here.people) == LIMITS.max_players
        here.people.newcomer("Eve", bot=False)
        assert not here.people.is_taken("Dan")


class Looked(Person):
    """A player who counts how often anybody is looked at."""

    looks: ClassVar[int] = 0

    def __getattribute__(self, name: str) -> object:
        Looked.looks += 1
        return super().__getattribute__(name)


async def test_a_page_costs_nothing_for_those_who_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paiute_server.people.Person", Looked)
    async with known(DEFAULTS) as here:
        costs: list[int] = []
        for gone in (0, 1000):
            for _ in range(gone):
                here.people.newcomer(None, bot=False)
            here.people.arrived(here.people.newcomer(None, bot=False).person, SESSION)
            before = Looked.looks
            page = here.people.page(None, 10)
            costs.append((Looked.looks - before) // len(page.people))
        assert 0 < costs[1] <= 2 * costs[0]


async def test_too_many_players_to_know() -> None:
    async with known() as here:
        for name in ("Ana", "Bob", "Cyn"):
            here.people.arrived(here.people.newcomer(name, bot=False).person, SESSION)
        with pytest.raises(Denial) as denied:
            here.people.newcomer("Dan", bot=False)
        assert denied.value.code is ErrorCode.SERVER_FULL


async def test_only_so_many_expired_tokens_are_remembered() -> None:
    async with known() as here:
        tokens: list[str] = []
        for name in ("Ana", "Bob", "Cyn"):
            person, token = here.people.newcomer(name, bot=False)
            here.people.forget(person)
            tokens.append(token)
        assert [why_not(here.people, token) for token in tokens] == [
            ErrorCode.BAD_TOKEN,
            ErrorCode.EXPIRED_TOKEN,
            ErrorCode.EXPIRED_TOKEN,
        ]


async def test_players_are_stored_and_recovered(autojump_clock: MockClock) -> None:
    async with known() as here, known() as later:
        ana, ana_token = here.people.newcomer("Ana", bot=False)
        bob, bob_token = here.people.newcomer("Bob", bot=False)
        here.people.arrived(ana, SESSION)
        assert here.people.row(bob).expires == WALL + LIMITS.token_life_s
        later.people.recover([here.people.row(person) for person in (ana, bob)])
        assert later.people.returning(ana_token).id == ana.id
        assert later.people.returning(bob_token).name == "Bob"
        assert later.people.is_taken("ana")
        await trio.sleep(LIMITS.token_life_s - 1)
        assert later.expired == []
        await trio.sleep(2)
        assert {person.id for person in later.expired} == {ana.id, bob.id}


@pytest.mark.parametrize(
    ("expires", "bot", "lives"),
    [
        (WALL - 1e9, False, LIMITS.return_within_s),
        (WALL + 5000, False, 5000),
        (WALL + 1e9, False, LIMITS.token_life_s),
        (WALL - 1e9, True, LIMITS.bot_token_life_s),
    ],
)
async def test_after_a_restart_there_is_time_to_come_back(
    expires: float, bot: bool, lives: float, autojump_clock: MockClock
) -> None:
    async with known() as here:
        here.people.recover([PlayerRow("p1", "Ana", bot, b"hash", int(expires))])
        await trio.sleep(lives - 1)
        assert here.expired == []
        await trio.sleep(2)
        assert [person.name for person in here.expired] == ["Ana"]


async def test_who_looks_like_another_since_before_a_start_leaves_him_his_name() -> None:
    async with known() as here:
        here.people.recover(PlayerRow(name, name, False, b"hash", int(WALL)) for name in ("Bob", "B0B"))
        for gone, name_is_taken in (("Bob", True), ("B0B", False)):
            person = here.people.get(gone)
            assert person is not None
            here.people.forget(person)
            assert here.people.is_taken("bob") is name_is_taken


def test_ids_are_short_and_differ() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(one.isalnum() and one[0].isalpha() and len(one) == 11 for one in ids)
