"""Scripts that are performed before the real server, and what is said of those that fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from trio.testing import MockClock

from paiute_client.errors import CannotConnect
from paiute_client.script import Result, parse_script, perform, report_lines
from tests.support.client import House, open_house

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "scripts.md"
GREET = 'send {"type": "hello", "id": "1", "versions": [1]}\nexpect {"type": "ok", "re": "1"}\n'
OTHER = 'other > {"type": "hello", "id": "1", "versions": [1]}\nother < {"type": "ok", "re": "1"}\n'
"""What takes so long that all that was asked before has been answered."""
SIT = """
ann > {"type": "hello", "id": "1", "versions": [1]}
ben > {"type": "hello", "id": "1", "versions": [1]}
ann > {"type": "create-table", "id": "2", "time_limit_ms": null}
ann < {"type": "ok", "re": "2", "result": {"table": "$table"}}
ann > {"type": "join-table", "id": "3", "table": "$table"}
ben < {"type": "ok", "re": "1"}
ben > {"type": "join-table", "id": "3", "table": "$table"}
ben < {"type": "ok", "re": "3"}
ann > {"type": "start-hand", "id": "4", "table": "$table"}
ann < {"type": "ok", "re": "4"}
"""


async def results(text: str, house: House | None = None) -> list[Result]:
    if house is None:
        async with open_house() as house:
            return await results(text, house)
    found: list[Result] = []
    good = await perform(parse_script(text), house.server.dial, found.append)
    assert good == all(result.failure is None for result in found)
    return found


async def report(text: str) -> list[str]:
    return [line for result in await results(text) for line in report_lines(result, "test.script")]


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)


async def test_the_example_of_the_document_is_performed(autojump_clock: MockClock) -> None:
    [example] = blocks("script")
    assert await report(example) == ["ok      test.script"]


async def test_the_failure_in_the_document_is_how_it_looks(autojump_clock: MockClock) -> None:
    [example], [shown] = blocks("script"), blocks("text")
    async with open_house() as house:
        await results(
            'send {"type": "hello", "id": "1", "versions": [1], "name": "Ann"}\nexpect {"type": "ok"}', house
        )
        [result] = await results(example, house)
    assert report_lines(result, "example.script") == shown.splitlines()


async def test_messages_that_are_not_of_the_pattern_are_passed_over(autojump_clock: MockClock) -> None:
    assert await report(SIT + 'ben < {"type": "decision"}') == ["ok      test.script"]


async def test_in_strict_order_nothing_is_passed_over(autojump_clock: MockClock) -> None:
    lines = await report(SIT + 'strict\nben < {"type": "decision"}')
    assert lines[:3] == [
        "FAILED  test.script",
        "        test.script, line 13: ben hears something else",
        '        expected  {"type": "decision"}',
    ]
    assert lines[-1] == '                  type: "decision" expected, "snapshot" heard'


async def test_in_strict_order_nothing_is_left_at_the_end(autojump_clock: MockClock) -> None:
    text = "strict\n" + GREET + 'send {"type": "list-tables", "id": "2"}\nsend {"type": "x", "id": "3"}\n'
    lines = await report(text + 'expect {"type": "ok", "re": "2"}\n' + OTHER)
    assert lines[1] == "        client hears more than is expected"
    assert '"re": "3"' in lines[2]


async def test_the_other_reply_fails_at_once(autojump_clock: MockClock) -> None:
    text = GREET + 'send {"type": "x", "id": "2"}\nsend {"type": "list-tables", "id": "3"}\n'
    lines = await report(text + 'expect {"type": "ok", "re": "2"}')
    assert lines[1] == "        test.script, line 5: client hears something else"


async def test_what_does_not_come_is_not_waited_for_long(autojump_clock: MockClock) -> None:
    lines = await report(GREET + 'within 7\nexpect {"type": "decision"}')
    assert lines == [
        "FAILED  test.script",
        "        test.script, line 4: client has heard nothing like it within 7 s",
        '        expected  {"type": "decision"}',
    ]


async def test_of_all_that_is_passed_over_the_nearest_is_shown(autojump_clock: MockClock) -> None:
    lines = await report(SIT + 'ann < {"type": "hand-started", "hand": 2}\n')
    assert lines[1] == "        test.script, line 12: ann has heard nothing like it within 5 s"
    lines = await report(SIT + 'ben < {"type": "hand-started", "hand": 2}\n')
    assert lines[-1] == "                  hand: 2 expected, 1 heard"


async def test_whoever_hears_nothing_more_is_told_why(autojump_clock: MockClock) -> None:
    lines = await report('send-hex 00000000\nexpect {"type": "ok"}')
    assert lines[1] == (
        "        test.script, line 2: client hears nothing more: the server has closed the connection"
    )
    assert "frame-empty" in lines[3]


async def test_the_end_is_expected(autojump_clock: MockClock) -> None:
    assert await report("send-hex 00000000\nexpect-end\n" + GREET) == ["ok      test.script"]
    assert await report(GREET + "end\nexpect-end") == ["ok      test.script"]
    lines = await report(GREET + "expect-end")
    assert lines[1] == "        test.script, line 3: the connection of client was not closed within 5 s"
    lines = await report("strict\nsend-hex 00000000\nexpect-end")
    assert lines[1] == "        test.script, line 3: client hears something before the end"


async def test_pings_are_answered_and_passed_over_unless_expected(autojump_clock: MockClock) -> None:
    text = "strict\nwithin 200\n" + GREET + 'expect {"type": "ping"}\nexpect {"type": "ping"}\n'
    assert await report(text) == ["ok      test.script"]
    text = "strict\nwithin 200\n" + GREET + 'expect {"type": "ok", "re": "2"}\n'
    assert (await report(text))[1].endswith("client has heard nothing like it within 200 s")


async def test_a_name_that_is_not_known_cannot_be_said(autojump_clock: MockClock) -> None:
    lines = await report('send {"type": "hello", "id": "$x"}')
    assert lines[1] == "        test.script, line 1: $x has not been heard yet"
    lines = await report(GREET.replace('"re": "1"', '"re": "$x"') + 'forget $x\nsend {"id": "$x"}')
    assert lines[1] == "        test.script, line 4: $x has not been heard yet"


async def test_what_no_frame_can_hold_cannot_be_said(autojump_clock: MockClock) -> None:
    lines = await report('send {"x": 99999999999999999999}')
    assert lines[1].startswith("        test.script, line 1: this cannot be sent: ")


async def test_one_failed_check_does_not_keep_the_next_from_being_made(autojump_clock: MockClock) -> None:
    text = f'strict\ncheck one\n{GREET}close\nexpect {{"type": "ok"}}\ncheck two\n{GREET}'
    lines = await report(text)
    assert [line for line in lines if not line.startswith(" ")] == ["FAILED  one", "ok      two"]


async def test_checks_share_neither_connections_nor_names(autojump_clock: MockClock) -> None:
    greet = 'send {"type": "hello", "id": "1", "versions": [1]}\nexpect {"result": {"player": "$player"}}\n'
    assert await report(f"check one\n{greet}check two\n{greet}") == ["ok      one", "ok      two"]


async def test_two_connections_share_what_is_known(autojump_clock: MockClock) -> None:
    greet = (
        '{0} > {{"type": "hello", "id": "1", "versions": [1]}}\n{0} < {{"result": {{"player": "$player"}}}}\n'
    )
    lines = await report(greet.format("ann") + greet.format("ben"))
    assert "($player) expected" in lines[-1]


async def test_a_connection_is_opened_anew(autojump_clock: MockClock) -> None:
    assert await report(GREET + "close\n" + GREET + "connect\n" + GREET) == ["ok      test.script"]


async def test_a_hand_is_played_to_its_end(autojump_clock: MockClock) -> None:
    text = SIT + "play ann ben\n" + 'strict\nann > {"type": "get-accounts", "id": "5", "table": "$table"}\n'
    assert await report(text + 'ann < {"type": "ok", "re": "5"}') == ["ok      test.script"]


async def test_a_hand_that_nobody_plays_does_not_end(autojump_clock: MockClock) -> None:
    first = await report(SIT + "asked mover other of ann ben\nplay other")
    assert first[1] == (
        "        test.script, line 13: nobody is asked anything for 5 s, and the hand has not ended"
    )
    lines = await report(SIT + "asked mover other of ann ben\nas other: send-hex 00000000\nplay other")
    assert lines[1].startswith("        test.script, line 14: ")


@pytest.mark.parametrize(("who", "kind"), [("mover", "ok"), ("other", "error")])
async def test_who_is_asked_has_another_name(autojump_clock: MockClock, who: str, kind: str) -> None:
    text = SIT + 'ben < {"type": "decision", "decision": "$cut"}\nasked mover other of ann ben\n'
    cut = f'{who} > {{"type": "cut", "id": "9", "table": "$table", "decision": "$cut", "position": 9}}\n'
    assert await report(f'{text}{cut}{who} < {{"type": "{kind}", "re": "9"}}') == ["ok      test.script"]


async def test_nobody_may_be_asked(autojump_clock: MockClock) -> None:
    lines = await report(GREET + "asked mover of client")
    assert lines[1] == "        test.script, line 3: nobody has been asked to decide within 5 s"


async def test_without_a_server_there_is_nothing_to_perform(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        house.is_reachable = False
        with pytest.raises(CannotConnect):
            await results(GREET, house)
