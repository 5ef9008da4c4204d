"""What is said to who goes: of the seat, of the account, and of the way back."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from paiute_client.errors import End, SessionEnded
from paiute_client.leaving import last_words, seat_kept, what_leaving_means
from paiute_client.model import Greeted, Model
from paiute_client.words import money
from paiute_net.game import seen
from paiute_net.game.house_rules import HouseRules
from tests.client.screen.sitting import Sitting
from tests.support.client import ADDRESS, GREETING, Play


def sitting() -> Model:
    model = Model(ADDRESS)
    model.fold(Greeted(result=GREETING, resumed=False), 0.0)
    model.fold(Play().snapshot(0), 0.0)
    return model


@pytest.mark.parametrize("seat", range(3))
def test_who_leaves_is_told_what_he_has_won_or_lost_there(seat: int) -> None:
    play = Play(players=3)
    play.start()
    play.finish()
    picture = play.picture(seat)
    account = picture.account(f"p{seat}")
    assert account is not None
    done = "won" if account.balance > 0 else "lost"
    expected = f"As it stands you have {done} {money(abs(account.balance))} at the table Evening."
    assert what_leaving_means(picture) == [expected, "You give up your seat."]


def test_who_plays_for_nothing_is_told_of_no_account() -> None:
    assert what_leaving_means(Play(rules=HouseRules(stake=0)).picture(0)) == ["You give up your seat."]


def test_the_event_of_leaving_tells_it_too() -> None:
    player = Sitting()
    left = seen.PlayerLeft(
        table=player.play.picture(0).table, seq=player.play.table.seq + 1, seat=0, player="p0", reason="left"
    )
    player.hear(left)
    assert [line.text for line in player.state.lines[-2:]] == [
        "You leave the table.",
        "As it stands you are even at the table Evening.",
    ]


def test_the_way_back_is_said_with_the_command() -> None:
    command = "paiute-client --plain server.example:7000 --name Keala"
    assert f"come back with {command};" in seat_kept(sitting(), "--plain")


def test_a_name_that_looks_like_an_option_is_none() -> None:
    model = Model(ADDRESS)
    model.fold(Greeted(result=replace(GREETING, name="-x"), resumed=False), 0.0)
    assert "come back with paiute-client server.example:7000 --name=-x;" in seat_kept(model)


def test_the_end_of_the_server_is_told_with_the_way_back_to_who_has_a_seat() -> None:
    closed = SessionEnded(End.CLOSED)
    assert last_words(closed, Model()) == ["The server has ended."]
    assert last_words(closed, sitting())[-1].endswith(
        "come back to your seat with paiute-client server.example:7000 --name Keala."
    )
    assert last_words(SessionEnded(End.REPLACED), sitting()) == [str(SessionEnded(End.REPLACED))]
