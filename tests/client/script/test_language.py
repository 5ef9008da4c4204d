"""What a script may say, and how it is told what it may not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paiute_client.script import BadStatement, parse_script
from paiute_client.script.language import (
    FORMS,
    Asked,
    Check,
    Close,
    Connect,
    End,
    Expect,
    ExpectEnd,
    Forget,
    Ignore,
    Names,
    Order,
    Play,
    Send,
    SendBytes,
    Step,
    Within,
)

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "scripts.md"


def only_step(text: str) -> Step:
    [check] = parse_script(text).checks
    [step] = check.steps
    return step


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ('send {"type": "pong"}', Send(1, "client", {"type": "pong"})),
        ('as ann: send {"x": 1.5}', Send(1, "ann", {"x": 1.5})),
        ('ann > {"x": [1]}', Send(1, "ann", {"x": [1]})),
        ('as ann: expect {"x": "*"}', Expect(1, "ann", {"x": "*"})),
        ('Ann < {"x": "*"}', Expect(1, "Ann", {"x": "*"})),
        ('ann < {"x":\n  1}', Expect(1, "ann", {"x": 1})),
        ("send-frame 81 a1", SendBytes(1, "client", b"\0\0\0\x02\x81\xa1")),
        ("as b: send-hex 0000\n   00 ff", SendBytes(1, "b", b"\0\0\0\xff")),
        ("as b: expect-end", ExpectEnd(1, "b")),
        ("connect", Connect(1, "client")),
        ("as b: end", End(1, "b")),
        ("as b: close", Close(1, "b")),
        ("play a b", Play(1, ("a", "b"))),
        ("asked x y of a b", Asked(1, ("x", "y"), ("a", "b"))),
        ("within 0.5", Within(1, 0.5)),
        ("strict", Order(1, strict=True)),
        ("skipping", Order(1, strict=False)),
        ("names table player", Names(1, ("table", "player"))),
        ("ignore time_ms", Ignore(1, ("time_ms",))),
        ("forget x y", Forget(1, ("x", "y"))),
    ],
)
def test_a_statement_is_a_step(text: str, step: Step) -> None:
    assert only_step(text) == step


def test_what_stands_before_the_first_check_is_done_in_each() -> None:
    script = parse_script("strict\n\n# first\ncheck one thing\nconnect\ncheck another\nclose\n")
    strict = Order(1, strict=True)
    assert script.checks == (
        Check("one thing", (strict, Connect(5, "client"))),
        Check("another", (strict, Close(7, "client"))),
    )


def test_without_checks_a_script_is_one() -> None:
    assert parse_script("connect").checks == (Check("", (Connect(1, "client"),)),)
    assert parse_script("").checks == (Check("", ()),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" strict", "line 1: an indented line goes on with the one before it, and there is none"),
        ("dance", "line 1: no statement is called 'dance': send, "),
        ("connect\nas ann: dance", "line 2: no statement is called 'dance': send, "),
        ("as ann send {}", "line 1: this is written 'as NAME: STATEMENT'"),
        ("as ann lee: send {}", "line 1: this is written 'as NAME: STATEMENT'"),
        ("as ann:", "line 1: no statement is called ''"),
        ("send", "line 1: this is written 'send {MESSAGE}'"),
        ("send [1]", "line 1: a message is a map, as in 'send {MESSAGE}'"),
        ('ann < "x"', "line 1: a message is a map, as in 'expect {PATTERN}'"),
        ('send {"a": }', "line 1: this is no JSON: Expecting value, at '}'"),
        ('send {"a": 1', "line 1: this is no JSON: Expecting ',' delimiter, at its end"),
        ('send {"a": 1, "a": 2}', "line 1: the field 'a' is there twice"),
        ('send {"a": NaN}', "line 1: NaN is no JSON"),
        ("send-hex", "line 1: this is written 'send-hex HEX ...'"),
        ("send-frame", "line 1: this is written 'send-frame HEX ...'"),
        ("send-frame 8", "line 1: '8' are no bytes in hexadecimal digits"),
        ("expect-end now", "line 1: this is written 'expect-end'"),
        ("strict order", "line 1: this is written 'strict'"),
        ("as ann: strict", "line 1: 'strict' concerns all connections, so leave out 'as ann:'"),
        ("check", "line 1: this is written 'check TITLE'"),
        ("play", "line 1: this is written 'play NAME ...'"),
        ("asked a b c", "line 1: this is written 'asked MOVER OTHER ... of NAME NAME ...'"),
        ("asked a of b c", "line 1: this is written 'asked MOVER OTHER ... of NAME NAME ...'"),
        ("asked of", "line 1: this is written 'asked MOVER OTHER ... of NAME NAME ...'"),
        ("within", "line 1: this is written 'within SECONDS'"),
        ("within soon", "line 1: this is written 'within SECONDS'"),
        ("within 0", "line 1: '0' is no number of seconds above 0 and up to 3600"),
        ("within nan", "line 1: 'nan' is no number of seconds above 0 and up to 3600"),
        ("names", "line 1: this is written 'names FIELD ...'"),
        ("ignore", "line 1: this is written 'ignore FIELD ...'"),
        ("forget", "line 1: this is written 'forget NAME ...'"),
    ],
)
def test_what_is_no_statement_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(BadStatement, match=f"^{re.escape(said)}"):
        parse_script(text)


def test_the_statements_are_those_of_the_document() -> None:
    written = re.findall(r"^\| `([^`]+)` \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert written == list(FORMS.values())
