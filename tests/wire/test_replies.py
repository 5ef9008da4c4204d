from __future__ import annotations

import pytest

from paiute_net.game.errors import RefusalCode
from paiute_net.wire.errors import CODES, ErrorCode
from paiute_net.wire.messages import REQUESTS, ActionRequest, MakeCall, Request, TableRequest
from paiute_net.wire.replies import ANY_REQUEST, CONNECTION, OWN, errors_of


def test_every_request_has_its_errors() -> None:
    assert list(OWN) == list(REQUESTS)


OWN_CODES = {code for codes in OWN.values() for code in codes}
BOTH_WAYS = {ErrorCode.SERVER_FULL}
"""Said to whoever connects, and to whoever says hello when it has just become so."""


def test_every_code_comes_by_one_way() -> None:
    assert OWN_CODES | set(ANY_REQUEST) | set(CONNECTION) == set(CODES)
    assert OWN_CODES & set(CONNECTION) == BOTH_WAYS
    assert not set(ANY_REQUEST) & (OWN_CODES | set(CONNECTION))


def test_the_refusals_of_the_rules_answer_requests() -> None:
    assert set(RefusalCode) <= OWN_CODES


@pytest.mark.parametrize("request_type", REQUESTS)
def test_no_code_is_named_twice(request_type: type[Request]) -> None:
    codes = errors_of(request_type)
    assert len(set(codes)) == len(codes)


def test_who_asks_about_a_table_may_have_named_one_that_is_not() -> None:
    for request in REQUESTS:
        if issubclass(request, TableRequest):
            assert ErrorCode.NO_SUCH_TABLE in OWN[request]


def test_an_action_may_be_stale() -> None:
    for request in REQUESTS:
        assert (RefusalCode.STALE_DECISION in OWN[request]) == issubclass(request, ActionRequest)
    assert RefusalCode.CALL_TOO_LOW in errors_of(MakeCall)
    assert ErrorCode.TOO_FAST in errors_of(MakeCall)
