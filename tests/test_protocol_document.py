"""protocol.md says what the code does, and the code does what protocol.md says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import count, takewhile
from random import Random
from typing import Any, cast

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_client.script.language import Expect, Send
from paiute_client.session import GREET_WITHIN
from paiute_net.game.cards import PACK_WITH_JOKERS, RANKS
from paiute_net.game.combinations import Combination
from paiute_net.game.hand import cut_range
from paiute_net.game.house_rules import HouseRules, WildRule
from paiute_net.game.seen import CombinationCalled
from paiute_net.wire.codec import (
    MAX_ALL_ELEMENTS,
    MAX_DEPTH,
    MAX_ELEMENTS,
    decode_notice,
    decode_request,
    encode,
    pack,
    unpack,
)
from paiute_net.wire.connection import Connection, Rejected, Role, Timing
from paiute_net.wire.describe import Description, describe
from paiute_net.wire.framing import LENGTH_BYTES, MAX_FRAME
from paiute_net.wire.messages import (
    MAX_CHAT,
    MAX_ID,
    MAX_NAME,
    PROTOCOL_VERSION,
    REQUESTS,
    CreateTable,
    Error,
    Request,
    TableResult,
)
from paiute_net.wire.shapes import tag_of
from paiute_server.limits import DEFAULTS
from tests.game.test_refusals import REFUSED, WHEN_OPENED
from tests.support.annotated_session import (
    FIRST_LOOK_DEALS,
    HEADER,
    Recorder,
    deals_of,
    failure_of,
    first_look,
    script_of,
    spoken,
)
from tests.support.protocol_document import (
    PATH,
    UNWRITTEN,
    Example,
    Section,
    Table,
    Truth,
    anchor,
    hex_lines,
    names_in,
    renewed,
    sections,
)
from tests.support.raw_client import RawClient
from tests.support.server import memory_server
from tests.wire.test_codec import FATAL

TEXT = PATH.read_text(encoding="utf-8")
PROTOCOL = describe()
TRUTH = Truth(PROTOCOL)
SECTIONS = sections(TEXT)
CHAPTERS = {
    "Requests": [message.type for message in PROTOCOL.messages if message.sender == "client"],
    "Replies": [message.type for message in PROTOCOL.messages if message.kind == "reply"],
    "Notices": [message.type for message in PROTOCOL.messages if message.kind == "notice"],
    "Events": [message.type for message in PROTOCOL.messages if message.kind == "event"],
    "Structures": [structure.name for structure in PROTOCOL.structures],
    "Word lists": list(TRUTH.words),
    "Error codes": ["Of the connection", "Of any request", "Of single requests", "Facts"],
}
JOKERS = HouseRules(wild_rule=WildRule.JOKERS)
MESSAGES = {message.type: message for message in PROTOCOL.messages}
EXAMPLES = [example for section in SECTIONS for example in section.examples()]
TABLES = [(section, table) for section in SECTIONS for table in section.tables()]
HELD_TABLES = [(section, table) for section, table in TABLES if TRUTH.rows(section, table.key) is not None]


def section_of(title: str) -> Section:
    return next(section for section in SECTIONS if section.title == title)


def sections_in(chapter: str) -> list[Section]:
    return [section for section in SECTIONS if section.chapter == chapter and section.title != chapter]


def place(example: Example) -> str:
    return f"{example.section.title}-{example.notation.line + 1}"


# --- the tables and the code, both ways ----------------------------------------------------------------


def test_it_is_as_the_code_renews_it() -> None:
    """The one test that holds every row, column, list and byte that follows from the code."""
    assert renewed(TEXT, TRUTH).splitlines() == TEXT.splitlines()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_has_a_section_for_each_thing(chapter: str) -> None:
    assert sorted(section.title for section in sections_in(chapter)) == sorted(CHAPTERS[chapter])


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Messages", "message"),
        ("Limits of the protocol", "limit"),
        ("Limits of the protocol", "setting"),
        ("The connection", "state"),
        ("house rules", "switch"),
        ("Facts", "fact"),
        *((way, "code") for way in CHAPTERS["Error codes"][:3]),
        *((words, "word") for words in TRUTH.words),
        *((message.type, "field") for message in PROTOCOL.messages if message.fields),
        *((structure.name, "field") for structure in PROTOCOL.structures),
    ],
)
def test_it_has_the_table(title: str, key: str) -> None:
    section = section_of(title)
    table = section.table(key)
    rows = TRUTH.rows(section, key)
    assert table is not None
    assert rows is not None
    assert list(table.cells()) == list(rows)


@pytest.mark.parametrize(("section", "table"), HELD_TABLES, ids=lambda part: getattr(part, "title", ""))
def test_a_column_is_left_out_only_where_it_says_nothing(section: Section, table: Table) -> None:
    for row in (TRUTH.rows(section, table.key) or {}).values():
        left_out = {column: text for column, text in row.items() if column not in table.header}
        assert set(left_out.values()) <= {"", "required"}, left_out


@pytest.mark.parametrize(("section", "table"), HELD_TABLES, ids=lambda part: getattr(part, "title", ""))
def test_what_is_written_by_hand_is_written(section: Section, table: Table) -> None:
    rows = TRUTH.rows(section, table.key) or {}
    for row in table.rows:
        by_hand = [
            cell for column, cell in zip(table.header[1:], row[1:], strict=True) if column not in rows[row[0]]
        ]
        assert not {"", UNWRITTEN} & set(by_hand), row


@pytest.mark.parametrize("request_type", REQUESTS, ids=tag_of)
def test_a_request_names_its_result_and_its_errors(request_type: type[msgspec.Struct]) -> None:
    section = section_of(tag_of(request_type))
    assert {label: section.listed(label) for label in ("Result", "Errors")} == TRUTH.listed(section)


def test_the_sets_of_rules_are_all_there() -> None:
    table = section_of("house rules").table("switch")
    assert table is not None
    assert table.header == ("switch", *(f"`{name}`" for name in PROTOCOL.rule_sets))


# --- a change on either side is seen ---------------------------------------------------------------------


def with_field(protocol: Description) -> Description:
    message = protocol.messages[0]
    field = msgspec.structs.replace(message.fields[0], name="colour")
    changed = msgspec.structs.replace(message, fields=(*message.fields, field))
    return msgspec.structs.replace(protocol, messages=(changed, *protocol.messages[1:]))


def with_default(protocol: Description) -> Description:
    message = protocol.messages[0]
    fields = tuple(msgspec.structs.replace(field, default=7, required=False) for field in message.fields)
    changed = msgspec.structs.replace(message, fields=fields)
    return msgspec.structs.replace(protocol, messages=(changed, *protocol.messages[1:]))


def with_error(protocol: Description) -> Description:
    changed = msgspec.structs.replace(protocol.messages[1], errors=("table-full",))
    messages = (protocol.messages[0], changed, *protocol.messages[2:])
    return msgspec.structs.replace(protocol, messages=messages)


def with_fatal_codes(protocol: Description) -> Description:
    codes = tuple(msgspec.structs.replace(code, fatal=True) for code in protocol.codes)
    return msgspec.structs.replace(protocol, codes=codes)


def with_limit(protocol: Description) -> Description:
    return msgspec.structs.replace(protocol, limits={**protocol.limits, "depth": 9})


def with_word(protocol: Description) -> Description:
    words = {**protocol.words, "source": (*protocol.words["source"], "sleeve")}
    return msgspec.structs.replace(protocol, words=words)


def with_stake(protocol: Description) -> Description:
    sets = {name: {**switches, "stake": 26} for name, switches in protocol.rule_sets.items()}
    return msgspec.structs.replace(protocol, rule_sets=sets)


@pytest.mark.parametrize(
    "change", [with_field, with_default, with_error, with_fatal_codes, with_limit, with_word, with_stake]
)
def test_code_that_changed_alone_is_seen(change: Callable[[Description], Description]) -> None:
    assert renewed(TEXT, Truth(change(PROTOCOL))) != TEXT


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("| `seq` | integer or null |", "| `seq` | integer |"),
        (
            "| `decision` | integer | required | 1 or more |",
            "| `decision` | integer | required | 2 or more |",
        ),
        ("| `stock` | The face-down", "| `sleeve` | The face-down"),
        ("| `frame_bytes` | 65,536 |", "| `frame_bytes` | 65,535 |"),
        ("| `not-a-map` | yes |", "| `not-a-map` |  |"),
        ("Result: [`seat result`]", "Result: [`table result`]"),
        ("`no-such-seat`, `seat-taken`", "`seat-taken`"),
        ("a4 70 6f 6e 67\n```", "a4 70 6f 6e 68\n```"),
        ('{"type": "pong"}', '{"type": "ping"}'),
        ("| 20 a second, 100 in a row |", "| 20 a second, 10 in a row |"),
        ("| `left` | boolean |", "| `lost` | boolean |"),
    ],
)
def test_a_document_that_changed_alone_is_seen(written: str, instead: str) -> None:
    assert written in TEXT
    changed = TEXT.replace(written, instead, 1)
    assert renewed(changed, TRUTH) != changed


# --- the examples ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=place)
def test_an_example_is_a_message_in_notation_and_in_bytes(example: Example) -> None:
    sender = MESSAGES[example.message["type"]].sender
    body = example.frame[LENGTH_BYTES:]
    assert example.frame == pack(example.message)
    assert unpack(body) == example.message
    message = decode_request(body) if sender == "client" else decode_notice(body)
    assert tag_of(type(message)) == example.message["type"]
    assert encode(message) == example.frame  # type: ignore[arg-type]  # no Unknown has a tag
    assert list(example.bytes_.lines) == hex_lines(example.message)


@pytest.mark.parametrize("message", MESSAGES)
def test_every_message_has_an_example_in_its_section(message: str) -> None:
    own = section_of(message).examples()
    assert message in {example.message["type"] for example in own}


@pytest.mark.parametrize("request_type", [each for each in REQUESTS if each.Result], ids=tag_of)
def test_every_result_has_an_example(request_type: type[Request]) -> None:
    [answer] = [
        example.message["result"]
        for example in section_of(tag_of(request_type)).examples()
        if example.message["type"] == "ok"
    ]
    assert request_type.Result is not None
    result = msgspec.convert(answer, request_type.Result)
    assert msgspec.json.encode(result) == msgspec.json.encode(answer)


def test_every_block_of_bytes_is_an_example() -> None:
    kinds = Counter(block.kind for section in SECTIONS for block in section.blocks())
    assert kinds["json"] == kinds["hex"] == len(EXAMPLES)
    assert set(kinds) == {"json", "hex", "session", "text"}


def test_the_first_frame_is_taken_apart_rightly() -> None:
    section = section_of("Frames")
    table = section.table("bytes")
    assert table is not None
    [example] = section.examples()
    assert bytes.fromhex("".join(names_in(row[0])[0] for row in table.rows)) == example.frame


# --- the session -------------------------------------------------------------------------------------------


WHOLE = script_of([section_of("A whole session")])
DEALS = deals_of(section_of("A whole session"))
FIRST_LOOK = script_of([section_of("A first look")])


async def test_the_session_is_what_the_server_plays(autojump_clock: MockClock) -> None:
    assert WHOLE.startswith(HEADER)
    assert await failure_of(WHOLE, DEALS) == []


async def test_the_session_leaves_out_no_field(autojump_clock: MockClock) -> None:
    recorder = Recorder()
    await failure_of(WHOLE, DEALS, recorder)
    for step in spoken(WHOLE):
        if isinstance(step, Expect):
            assert all_fields(step.pattern) == all_fields(recorder.told[step.who].pop(0)), step.line
    assert not any(recorder.told.values())


def all_fields(value: object) -> object:
    """The same with null in the place of all that is neither a map nor a list."""
    match value:
        case dict():
            return {name: all_fields(inner) for name, inner in cast("dict[str, object]", value).items()}
        case list():
            return [all_fields(element) for element in cast("list[object]", value)]
        case _:
            return None


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ('"card": "2s", "stock": 40', '"card": "2s", "stock": 41'),
        ('"type": "chat-said"', '"type": "chat-heard"'),
        ('"balance": 25}', '"balance": 26}'),
        ("as Ben: close\n", ""),
        ('Ann < {"type": "hand-ended"', 'Ben < {"type": "hand-ended"'),
    ],
)
async def test_a_session_that_is_not_so_is_seen(
    autojump_clock: MockClock, written: str, instead: str
) -> None:
    assert written in WHOLE
    assert await failure_of(WHOLE.replace(written, instead, 1), DEALS) != []


async def test_the_first_look_is_what_the_server_plays(autojump_clock: MockClock) -> None:
    assert await failure_of(first_look(section_of("A first look")), FIRST_LOOK_DEALS) == []


async def test_tokens_look_as_the_server_makes_them(autojump_clock: MockClock) -> None:
    recorder = Recorder()
    await failure_of(WHOLE, DEALS, recorder)
    heard = [message for messages in recorder.told.values() for message in messages]
    written = [step.pattern for step in spoken(WHOLE + FIRST_LOOK) if isinstance(step, Expect)]
    greetings = [
        message["result"] for message in (*heard, *written) if "token" in (message.get("result") or ())
    ]
    assert len(greetings) == 7
    for greeting in greetings:
        server, player, secret = greeting["token"].split(".")
        assert (server, player) == (greeting["server"], greeting["player"])
        assert re.fullmatch(r"[0-9a-f]{32}", secret)
        assert re.fullmatch(r"[0-9a-f]{16}", server)
        assert re.fullmatch(r"[a-z][a-z0-9]{10}", player)


@pytest.mark.parametrize("step", spoken(WHOLE + FIRST_LOOK), ids=lambda step: f"line-{step.line}")
def test_the_sessions_say_messages(step: Send | Expect) -> None:
    said = step.message if isinstance(step, Send) else step.pattern
    body = pack(said)[LENGTH_BYTES:]
    message = decode_request(body) if isinstance(step, Send) else decode_notice(body)
    assert tag_of(type(message)) == said["type"]


async def play_as_in_the_first_look(client: RawClient, table: str, hands: int, any_of: Random) -> None:
    """The bot of the document, line by line, until so many hands have ended."""
    ids = map(str, count(1))
    heard = ended = 0

    async def request(kind: str, **fields: object) -> None:
        await client.send(pack({"type": kind, "id": next(ids), "table": table, **fields}))

    async def answer(decision: dict[str, Any]) -> None:
        number, actions = decision["decision"], decision["actions"]
        if actions["cut"] is not None:
            await request("cut", decision=number, position=actions["cut"]["minimum"])
        elif actions["draw"]:
            await request("draw", decision=number, source=any_of.choice(actions["draw"]))
        elif actions["call"]:
            await request("call", decision=number, cards=actions["call"][0]["cards"])
        else:
            await request("discard", decision=number, card=any_of.choice(actions["discard"]))

    await request("join-table")
    while ended < hands:
        await client.hear(object)
        for message in client.raw[heard:]:
            decision = message if message["type"] == "decision" else message.get("decision")
            if isinstance(decision, dict) and decision["actions"] is not None:
                await answer(cast("dict[str, Any]", decision))
            if message["type"] in {"hand-ended", "player-sat"}:
                await request("start-hand")
            ended += message["type"] == "hand-ended"
        heard = len(client.raw)


async def test_the_first_look_is_enough_to_play(autojump_clock: MockClock) -> None:
    async with memory_server(seed=4) as running:
        clients = [await running.client(f"Bot {number}") for number in range(3)]
        table = (await clients[0].ask(CreateTable, TableResult)).table
        async with trio.open_nursery() as nursery:
            for client in clients:
                nursery.start_soon(play_as_in_the_first_look, client, table, 2, Random(4))
        calls = [call for call in clients[0].heard if isinstance(call, CombinationCalled)]
        errors = {reply.code for client in clients for reply in client.heard if isinstance(reply, Error)}
    assert len(calls) >= 2
    assert errors <= {"hand-going-on", "too-few-players", "table-closed", "not-seated"}


# --- the facts ---------------------------------------------------------------------------------------------


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list_of(value: object, fits: Callable[[object], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, cast("list[object]", value)))


FACT_TYPES: dict[str, Callable[[object], bool]] = {
    "string": _is_text,
    "integer": _is_whole,
    "integer or null": lambda value: value is None or _is_whole(value),
    "card": lambda value: value in PACK_WITH_JOKERS,
    "[combination](#combination)": lambda value: value in list(Combination),
    "list of strings": lambda value: _is_list_of(value, _is_text),
    "list of integers": lambda value: _is_list_of(value, _is_whole),
    "list of strings, or of integers": lambda value: (
        _is_list_of(value, _is_text) or _is_list_of(value, _is_whole)
    ),
    "list of ranks": lambda value: _is_list_of(value, lambda rank: isinstance(rank, str) and rank in RANKS),
}


async def errors_of_a_fumbler() -> list[Error]:
    """What somebody is told who does wrong all that there is a fact for but at a table."""
    async with memory_server() as running:
        late = running.memory_client()
        heard = await late.hear_end()
        await running.client("Ann")
        client = running.memory_client()
        for versions, name in (([9], None), ([1], "ANN"), ([1], None)):
            await client.send(pack({"type": "hello", "id": "1", "versions": versions, "name": name}))
            heard += await client.hear_all()
        wrong: list[dict[str, Any]] = [
            {"type": "dance"},
            {"type": "list-tables", "limit": "x", "zap": 1},
            {"type": "list-tables", "limit": "x"},
            {"type": "list-tables", "limit": 0},
            {"type": "create-table", "switches": {"stake": 0.5}},
            {"type": "join-table", "table": "nope"},
            *[{"type": "say", "text": "so much to say"}] * (DEFAULTS.chat.burst + 1),
        ]
        for fields in wrong:
            await client.send(pack({"id": "2", **fields}))
        heard += await client.hear_all()
        await client.send(b"\xff" * LENGTH_BYTES)
        heard += await client.hear_end()
    cut_short = Connection(Role.SERVER, now=0)
    cut_short.receive(b"\0\0", 0)
    told = [one.error for one in cut_short.receive(b"", 0) if isinstance(one, Rejected)]
    return [*told, *(message for message in heard if isinstance(message, Error))]


async def test_a_fact_is_of_the_type_that_its_row_says(autojump_clock: MockClock) -> None:
    table = section_of("Facts").table("fact")
    assert table is not None
    types = {row[0].strip("`"): row[1] for row in table.rows}
    told = [
        *((case.code, case.facts) for case in REFUSED),
        *((code, facts) for code, _, facts in WHEN_OPENED),
        *((code, facts) for _, code, facts in FATAL.values()),
        *((error.code, error.facts) for error in await errors_of_a_fumbler()),
    ]
    wrong = [
        (code, fact, value, types[fact])
        for code, facts in told
        for fact, value in facts.items()
        if not FACT_TYPES[types[fact]](value)
    ]
    assert wrong == []
    assert {fact for _, facts in told for fact in facts} == set(types)


# --- the sentences -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "phrase",
    [
        f"Version {PROTOCOL_VERSION}.",
        f"at most {MAX_FRAME:,}",
        f"at most {MAX_DEPTH} deep",
        f"at most {MAX_ELEMENTS:,} elements or entries each",
        f"have at most {MAX_ALL_ELEMENTS:,} together",
        f"strings of at most {MAX_ID} characters",
        f"have 1 to {MAX_NAME} characters",
        f"has 1 to {MAX_CHAT} characters",
        f"waits {Timing().hello_within:g} seconds for `hello`",
        f"{DEFAULTS.token_life_s / 3600:g} hours, or {DEFAULTS.bot_token_life_s / 60:g} minutes",
        f"are cut to {MAX_ID} characters",
        f"`get-status` counts as {DEFAULTS.requests_per_status}",
        f"of more than {DEFAULTS.bytes_per_request} bytes on average",
        f"has come {GREET_WITHIN:g} seconds after it was sent",
        f"{cut_range(HouseRules())[1]} or with jokers {cut_range(JOKERS)[1]}",
    ],
)
def test_the_numbers_in_the_sentences_are_right(phrase: str) -> None:
    assert phrase in " ".join(TEXT.split())


def test_the_latest_change_is_this_version() -> None:
    table = section_of("Changes").table("version")
    assert table is not None
    assert [row[0] for row in table.rows] == [str(version) for version in range(PROTOCOL_VERSION, 0, -1)]


def test_every_link_leads_somewhere() -> None:
    anchors = Counter(anchor(section.title) for section in SECTIONS)
    assert [title for title, number in anchors.items() if number > 1] == []
    links = re.findall(r"\]\(([^)]*)\)", TEXT)
    assert len(links) > 100
    inner = [link for link in links if link.startswith("#")]
    assert {link.removeprefix("#") for link in inner} <= set(anchors)
    assert all((PATH.parent / link).is_file() for link in links if not link.startswith("#"))


def test_every_code_and_message_that_a_sentence_names_is_one() -> None:
    known = set(MESSAGES) | {code.code for code in PROTOCOL.codes} | set(PROTOCOL.rule_sets)
    known |= {word for words in TRUTH.words.values() for word in words} | {"paiute-server"}
    hyphenated = {name for name in names_in(TEXT) if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name)}
    assert hyphenated <= known


def test_the_events_say_what_they_do_to_the_picture() -> None:
    for event in CHAPTERS["Events"]:
        text = section_of(event).lines
        assert any(line.startswith("*Picture*: ") for line in text), event


def test_lines_are_of_a_length() -> None:
    prose = [
        line
        for section in SECTIONS
        for line in takewhile(lambda line: not line.startswith("```"), section.lines)
        if not line.startswith(("|", "Errors: "))
    ]
    assert [line for line in prose if len(line) > 120] == []
