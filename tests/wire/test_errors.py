from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from paiute_net.game import errors as game_errors
from paiute_net.game.errors import Refusal, RefusalCode
from paiute_net.wire.codec import encode
from paiute_net.wire.errors import (
    CODES,
    Denial,
    ErrorCode,
    RemoteProtocolError,
    error_reply,
    is_fatal,
)
from paiute_net.wire.messages import MAX_ID, PROTOCOL_VERSION, Error

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    path for folder in ("paiute_net", "server", "client") for path in sorted((ROOT / folder).rglob("*.py"))
]
ENUMS = {"RefusalCode": RefusalCode, "ErrorCode": ErrorCode}
EXCEPTIONS = {"Denial", "Refusal", "RemoteProtocolError"}


def test_every_code_is_in_the_one_list_once() -> None:
    codes = [code.value for code in (*ErrorCode, *RefusalCode)]
    assert sorted(codes) == sorted(CODES)
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("code", CODES)
def test_a_code_says_what_it_means(code: str) -> None:
    info = CODES[code]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)
    assert info.meaning.endswith(".")
    assert len(set(info.facts) | set(info.optional)) == len(info.facts) + len(info.optional)
    assert 1 <= info.since <= PROTOCOL_VERSION


def test_no_refusal_of_the_rules_closes_a_connection() -> None:
    assert [code for code in RefusalCode if is_fatal(code)] == []


def test_a_code_of_a_later_version_closes_nothing() -> None:
    assert not is_fatal("from-the-future")
    assert is_fatal(ErrorCode.NOT_A_MAP)


def docstrings_of_members(tree: ast.Module, enum: str) -> Iterator[tuple[str, str]]:
    """The name of each member, and the string below it or ``""``."""
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == enum)
    for node, below in zip(body, [*body[1:], ast.Pass()], strict=True):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            match below:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield node.targets[0].id, text
                case _:
                    yield node.targets[0].id, ""


def test_the_facts_of_the_rules_refusals_are_those_that_their_module_names() -> None:
    tree = ast.parse(Path(game_errors.__file__).read_text(encoding="utf-8"))
    named = {
        RefusalCode[name].value: set(re.findall(r"``(\w+)``", text))
        for name, text in docstrings_of_members(tree, "RefusalCode")
    }
    assert named == {code.value: {*CODES[code].facts, *CODES[code].optional} for code in RefusalCode}


def raised(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """The code of each exception that is made with all its facts by name, and these names."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id=made),
                args=[ast.Attribute(value=ast.Name(id=enum), attr=member), *_],
                keywords=keywords,
            ):
                names = [keyword.arg for keyword in keywords]
                if made in EXCEPTIONS and enum in ENUMS and None not in names:
                    yield ENUMS[enum][member].value, {name for name in names if name is not None}
            case _:
                pass


def test_whoever_refuses_gives_the_facts_of_the_list() -> None:
    found = [
        (path.name, code, facts)
        for path in SOURCES
        for code, facts in raised(ast.parse(path.read_text(encoding="utf-8")))
    ]
    wrong = [
        (name, code, sorted(facts))
        for name, code, facts in found
        if not set(CODES[code].facts) <= facts <= {*CODES[code].facts, *CODES[code].optional}
    ]
    assert wrong == []
    assert len(found) > 40


def test_a_wrong_fact_is_seen() -> None:
    tree = ast.parse("raise Refusal(RefusalCode.SEAT_TAKEN, place=3)")
    assert list(raised(tree)) == [("seat-taken", {"place"})]


@pytest.mark.parametrize("make", [RemoteProtocolError, Denial])
def test_an_error_without_its_facts_cannot_be_made(make: type[RemoteProtocolError | Denial]) -> None:
    with pytest.raises(ValueError, match=r"the facts of name-too-long are maximum, not \[\]"):
        make(ErrorCode.NAME_TOO_LONG)
    with pytest.raises(ValueError, match=r"the facts of name-empty are none, not \['maximum'\]"):
        make(ErrorCode.NAME_EMPTY, maximum=3)


@pytest.mark.parametrize(
    ("cause", "reply"),
    [
        (
            Refusal(RefusalCode.SEAT_TAKEN, seat=3),
            Error(re="7", code="seat-taken", facts={"seat": 3}),
        ),
        (
            Denial(ErrorCode.NO_COMMON_VERSION, versions=(1, 2)),
            Error(re="7", code="no-common-version", facts={"versions": [1, 2]}),
        ),
        (
            RemoteProtocolError(ErrorCode.NOT_A_MAP, got="list"),
            Error(re="7", code="not-a-map", facts={"got": "list"}),
        ),
    ],
)
def test_every_cause_has_its_reply(cause: Refusal | Denial | RemoteProtocolError, reply: Error) -> None:
    assert error_reply("7", cause) == reply
    assert str(cause).startswith(reply.code)


def test_what_a_client_wrote_is_repeated_only_in_part() -> None:
    long = "x" * 60_000
    reply = error_reply("7", RemoteProtocolError(ErrorCode.UNKNOWN_FIELDS, fields=[long], allowed=[]))
    assert reply.facts["fields"] == ["x" * MAX_ID]
    reply = error_reply("7", RemoteProtocolError(ErrorCode.DUPLICATE_KEY, key=long))
    assert reply.facts["key"] == "x" * MAX_ID
    assert len(encode(reply)) < 200
