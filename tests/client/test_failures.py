from __future__ import annotations

import pytest

from paiute_client.address import Address
from paiute_client.errors import (
    BadAddress,
    CannotConnect,
    ClientError,
    End,
    LinkLost,
    Obstacle,
    ServerRefusal,
    SessionEnded,
    Unsendable,
)
from paiute_client.failures import UNDONE, sentence_of, why_undone
from paiute_net.game.errors import RefusalCode

WHERE = Address("club.example", 7001)
FULL = ServerRefusal(RefusalCode.TABLE_FULL, {})


@pytest.mark.parametrize(
    "error",
    [
        BadAddress("That is no address."),
        *(CannotConnect(obstacle, WHERE) for obstacle in Obstacle),
        LinkLost(),
        LinkLost("peer-silent"),
        FULL,
        ServerRefusal("a-code-of-a-later-version", {"n": 1}),
        *(SessionEnded(end) for end in End),
        SessionEnded(End.REFUSED, FULL),
    ],
    ids=repr,
)
def test_every_failure_is_one_sentence(error: ClientError) -> None:
    sentence = sentence_of(error)
    assert sentence.endswith(".")
    assert sentence[0].isupper() or sentence.startswith("club.example")
    assert "{" not in sentence


def test_each_way_in_which_something_is_not_done_says_what_to_do() -> None:
    errors = (FULL, LinkLost(), Unsendable("bad-frame"))
    assert {type(error) for error in errors} == set(UNDONE)
    assert [why_undone(error, None) for error in errors] == [
        sentence_of(FULL),
        "There is no link to the server at the moment; try again when it is back.",
        "That cannot be sent to the server; type something shorter or simpler.",
    ]


def test_an_obstacle_names_the_place() -> None:
    for obstacle in Obstacle:
        assert "club.example" in sentence_of(CannotConnect(obstacle, WHERE))


def test_a_session_that_was_refused_says_why() -> None:
    assert sentence_of(SessionEnded(End.REFUSED, FULL)) == sentence_of(FULL)


def test_a_refusal_names_its_code_and_facts_to_an_author() -> None:
    assert str(ServerRefusal("bad-cut", {"minimum": 1, "maximum": 51})) == "bad-cut, minimum 1, maximum 51"
