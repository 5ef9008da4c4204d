from __future__ import annotations

from itertools import product
from math import inf

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_net.game.seen import SeenEvent
from paiute_net.wire.codec import FromServer, Message, Unknown, encode, pack
from paiute_net.wire.connection import (
    TRANSITIONS,
    Connection,
    Kind,
    Received,
    Rejected,
    Role,
    State,
    Timing,
    kind_of,
)
from paiute_net.wire.errors import CODES, ErrorCode, LocalProtocolError, check_facts
from paiute_net.wire.framing import LENGTH_BYTES, MAX_FRAME, frame
from paiute_net.wire.messages import (
    ChatSaid,
    Closing,
    Error,
    GetStatus,
    Hello,
    ListTables,
    Notice,
    Ok,
    Ping,
    Pong,
    Replaced,
    Request,
)
from paiute_net.wire.shapes import tag_of
from tests.support.connection_pair import HELLO, ConnectionPair, other
from tests.support.memory import traced
from tests.support.messages import FROM_CLIENT, FROM_SERVER, MESSAGES, example, messages
from tests.support.splits import pieces, splits

TIMING = Timing(hello_within=10, ping_after=15, lost_after=45)
FATAL_ERROR = Error(re=None, code=ErrorCode.FLOODING)
LAST_WORDS: tuple[Message, ...] = (Replaced(), Closing(restart=True), FATAL_ERROR)


def pair_in(state: State) -> ConnectionPair:
    """Two ends that have come as far as ``state``."""
    pair = ConnectionPair(TIMING)
    if state is State.GREETING:
        pair.say(Role.CLIENT, HELLO)
    elif state is not State.NEW:
        pair.greet()
    if state is State.ENDED:
        pair.say(Role.SERVER, Closing(restart=False))
    assert pair.state is state
    return pair


def rejected(code: str, re: str | None = None, **facts: int | str) -> Rejected:
    return Rejected(Error(re=re, code=code, facts=dict(facts)))


# --- the table -----------------------------------------------------------------------------------------

MAY_SAY = """
                new        greeting   greeted
 hello          client
 get-status     client                client
 request                              client
 pong                                 client
 ok             server     server     server
 error          server     server     server
 fatal-error    server     server     server
 notice                               server
 event                                server
 farewell       server     server     server
"""
"""Who may say what, read by columns. When the last word is said nobody may say anything."""
COLUMNS = {State.NEW: slice(16, 27), State.GREETING: slice(27, 38), State.GREETED: slice(38, 50)}


def may_say() -> dict[tuple[Role, State], set[Kind]]:
    said: dict[tuple[Role, State], set[Kind]] = {key: set() for key in product(Role, State)}
    for line in MAY_SAY.strip("\n").splitlines()[1:]:
        for state, column in COLUMNS.items():
            if speaker := line[column].strip():
                said[Role(speaker), state].add(Kind(line[:16].strip()))
    return said


EXAMPLES: dict[Kind, Message] = {
    Kind.HELLO: HELLO,
    Kind.GET_STATUS: GetStatus(id="6", token="t"),  # noqa: S106 -- nobody's
    Kind.REQUEST: ListTables(id="7"),
    Kind.PONG: Pong(),
    Kind.OK: Ok(re=HELLO.id),
    Kind.ERROR: Error(re=HELLO.id, code=ErrorCode.NAME_TAKEN),
    Kind.FATAL_ERROR: FATAL_ERROR,
    Kind.NOTICE: ChatSaid(table=None, player="p", name="Keala", text="Aloha"),
    Kind.EVENT: example(next(struct for struct in MESSAGES if issubclass(struct, SeenEvent))),
    Kind.FAREWELL: Closing(restart=True),
}


def test_the_table_is_this() -> None:
    assert {(role, state): set(TRANSITIONS[role][state]) for role, state in product(Role, State)} == may_say()


def test_every_kind_has_its_example() -> None:
    assert {kind: kind_of(message) for kind, message in EXAMPLES.items()} == {kind: kind for kind in Kind}


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("kind", Kind)
def test_what_may_be_said_is_heard_and_both_ends_go_on_together(kind: Kind, state: State) -> None:
    for speaker in Role:
        pair = pair_in(state)
        if kind in TRANSITIONS[speaker][state]:
            pair.say(speaker, EXAMPLES[kind])
            assert pair.state is TRANSITIONS[speaker][state][kind]
        else:
            with pytest.raises(LocalProtocolError, match=f"a {speaker} may not say {kind} when {state}"):
                pair.say(speaker, EXAMPLES[kind])
            assert pair.state is state


REFUSED = {
    State.NEW: ErrorCode.HELLO_EXPECTED,
    State.GREETING: ErrorCode.HELLO_UNANSWERED,
    State.GREETED: ErrorCode.ALREADY_GREETED,
}
SPEAKERS: dict[Role, tuple[type[Message], ...]] = {Role.CLIENT: FROM_CLIENT, Role.SERVER: FROM_SERVER}


@pytest.mark.parametrize("state", REFUSED)
@pytest.mark.parametrize("kind", Kind)
def test_what_may_not_be_said_is_rejected_and_changes_nothing(kind: Kind, state: State) -> None:
    message = EXAMPLES[kind]
    for speaker in Role:
        if type(message) not in SPEAKERS[speaker] or kind in TRANSITIONS[speaker][state]:
            continue
        pair = pair_in(state)
        heard = pair.hear(other(speaker), encode(message))
        assert heard == [rejected(REFUSED[state], message.id if isinstance(message, Request) else None)]
        assert pair.state is state
        pair.say(Role.SERVER, Error(re=None, code=ErrorCode.MISSING_ID))


# --- every message -------------------------------------------------------------------------------------


@pytest.mark.parametrize("struct", MESSAGES, ids=tag_of)
def test_every_message_can_be_said_and_is_heard(struct: type[Message]) -> None:
    speaker = Role.CLIENT if struct in FROM_CLIENT else Role.SERVER
    pair_in(State.NEW if struct is Hello else State.GREETED).say(speaker, example(struct))


@given(st.lists(st.sampled_from(FROM_SERVER).flatmap(messages)), st.data())
def test_what_the_server_says_is_heard_however_the_stream_is_cut(
    said: list[Message], data: st.DataObject
) -> None:
    stream = b"".join(encode(message) for message in said)
    last = next((place for place, message in enumerate(said) if kind_of(message) in ENDING), len(said))
    client = pair_in(State.GREETED).client
    heard = [message for piece in data.draw(splits(stream)) for message in client.receive(piece, 1)]
    assert heard == said[: last + 1]


ENDING = {Kind.FATAL_ERROR, Kind.FAREWELL}


def test_one_frame_can_be_said_to_many() -> None:
    pairs = [pair_in(State.GREETED) for _ in range(3)]
    event = EXAMPLES[Kind.EVENT]
    made = encode(event)
    for pair in pairs:
        pair.server.say(event, pair.now)
        assert pair.hear(Role.CLIENT, made) == [event]


def test_what_cannot_be_encoded_is_not_said() -> None:
    client = Connection(Role.CLIENT, now=0)
    with pytest.raises(LocalProtocolError, match="surrogates"):
        client.send(Hello(id="1", versions=(1,), name="\udc80"), 0)
    assert client.state is State.NEW


def test_what_is_no_message_cannot_be_said() -> None:
    server = pair_in(State.GREETED).server
    with pytest.raises(LocalProtocolError, match="Unknown is no message"):
        server.send(Unknown("x", {}), 0)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


# --- hello ---------------------------------------------------------------------------------------------


def test_after_a_refused_hello_another_may_be_said() -> None:
    pair = pair_in(State.GREETING)
    pair.say(Role.SERVER, Error(re=HELLO.id, code=ErrorCode.NAME_TAKEN))
    assert pair.state is State.NEW
    pair.greet()


def test_an_error_that_does_not_answer_the_hello_leaves_it_open() -> None:
    pair = pair_in(State.GREETING)
    pair.say(Role.SERVER, Error(re=None, code=ErrorCode.MISSING_ID))
    pair.say(Role.SERVER, Error(re="other", code=ErrorCode.HELLO_UNANSWERED))
    assert pair.client.state is pair.server.state is State.GREETING
    pair.say(Role.SERVER, Ok(re=HELLO.id))
    assert pair.state is State.GREETED


BEFORE_HELLO: tuple[Message | dict[str, str], ...] = (
    msgspec.structs.replace(EXAMPLES[Kind.GET_STATUS], id=HELLO.id),
    ListTables(id=HELLO.id),
    {"type": "hello", "id": HELLO.id},
    {"id": HELLO.id},
)


@pytest.mark.parametrize("before", BEFORE_HELLO)
@pytest.mark.parametrize("answer", [Ok(re=HELLO.id), Error(re=HELLO.id, code=ErrorCode.NAME_TAKEN)])
def test_a_reply_to_an_earlier_message_of_the_same_id_leaves_the_hello_open(
    before: Message | dict[str, str], answer: Ok | Error
) -> None:
    pair = ConnectionPair()
    earlier, hello = pair.hear(Role.SERVER, pack(before) + encode(HELLO))
    assert hello == HELLO
    pair.server.send(earlier.error if isinstance(earlier, Rejected) else Ok(re=HELLO.id), pair.now)
    assert pair.server.state is State.GREETING
    pair.server.send(answer, pair.now)
    assert pair.server.state is (State.GREETED if isinstance(answer, Ok) else State.NEW)


def test_a_reply_to_an_earlier_request_leaves_the_hello_open_at_both_ends() -> None:
    pair = ConnectionPair()
    status = EXAMPLES[Kind.GET_STATUS]
    assert isinstance(status, GetStatus)
    pair.say(Role.CLIENT, status)
    pair.say(Role.CLIENT, HELLO)
    states: list[State] = []
    for answered in (status, HELLO):
        pair.say(Role.SERVER, Ok(re=answered.id))
        states.append(pair.state)
    assert states == [State.GREETING, State.GREETED]


def test_what_follows_hello_unanswered_is_rejected_in_its_turn() -> None:
    server = Connection(Role.SERVER, now=0)
    request = ListTables(id="7")
    assert server.receive(encode(HELLO) + encode(request) + encode(HELLO), 0) == [
        HELLO,
        rejected("hello-unanswered", "7"),
        rejected("hello-unanswered", HELLO.id),
    ]
    assert server.state is State.GREETING


def test_a_second_hello_is_rejected() -> None:
    pair = pair_in(State.GREETED)
    assert pair.hear(Role.SERVER, encode(HELLO)) == [rejected("already-greeted", HELLO.id)]
    assert pair.state is State.GREETED


# --- a peer that breaks the protocol -------------------------------------------------------------------


def test_a_bad_message_is_rejected_and_the_next_one_heard() -> None:
    request = ListTables(id="7")
    heard = pair_in(State.GREETED).server.receive(
        pack({"type": "list-tables", "id": "6", "limit": 0}) + encode(request), 0
    )
    assert heard == [rejected("out-of-range", "6", field="limit", minimum=1, maximum=100), request]
    assert [item.fatal for item in heard if isinstance(item, Rejected)] == [False]


@pytest.mark.parametrize("state", REFUSED)
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\0\0\0\0", rejected("frame-empty")),
        (b"\0\1\0\1", rejected("frame-too-big", length=MAX_FRAME + 1, maximum=MAX_FRAME)),
        (b"\x16\3\1\2", rejected("frame-too-big", length=0x16030102, maximum=MAX_FRAME)),
        (frame(b"\xc0"), rejected("not-a-map", got="null")),
    ],
)
def test_after_a_fatal_fault_the_peer_is_told_and_not_heard_again(
    state: State, data: bytes, expected: Rejected
) -> None:
    pair = pair_in(state)
    heard = pair.hear(Role.SERVER, encode(ListTables(id="before")) + data + encode(HELLO))
    assert heard[1:] == [expected]
    assert expected.fatal
    assert pair.hear(Role.SERVER, encode(HELLO)) == []
    assert pair.server.deadline == inf
    pair.say(Role.SERVER, expected.error)
    assert pair.state is State.ENDED


def test_what_arrives_after_the_last_word_is_ignored() -> None:
    for last in LAST_WORDS:
        pair = pair_in(State.GREETED)
        pair.say(Role.SERVER, last)
        for role, data in ((Role.SERVER, encode(ListTables(id="7"))), (Role.CLIENT, encode(Ping()))):
            assert pair.hear(role, data) == []
            assert pair.hear(role, b"") == []
            assert pair.ends[role].tick(pair.now + 1000) is None
            assert pair.ends[role].data_to_send() == b""


def test_a_server_is_heard_leniently() -> None:
    client = pair_in(State.GREETED).client
    later = {"type": "fireworks", "seq": 3}
    heard = client.receive(
        pack(later) + pack({"seq": 3}) + pack({"type": "chat-said", "x": 1.5}) + encode(Ok(re="7")), 0
    )
    assert heard == [
        Unknown("fireworks", later),
        rejected("missing-field", field="type", expected="string"),
        rejected("float-value", field="x"),
        Ok(re="7"),
    ]


def test_after_close_nothing_is_said_or_heard() -> None:
    pair = pair_in(State.GREETED)
    for role, end in pair.ends.items():
        end.close()
        assert end.state is State.ENDED
        assert pair.hear(role, encode(Ping())) == []
        assert end.deadline == inf


# --- the end of the stream -----------------------------------------------------------------------------


@pytest.mark.parametrize("role", Role)
def test_a_stream_may_end_between_frames_only(role: Role) -> None:
    whole = encode(Ping() if role is Role.CLIENT else ListTables(id="7"))
    for length in range(len(whole) + 1):
        end = pair_in(State.GREETED).ends[role]
        end.receive(whole[:length], 0)
        cut_short = [rejected("frame-cut-short", received=length)] if 0 < length < len(whole) else []
        assert end.receive(b"", 0) == cut_short
        assert end.receive(whole, 0) == []
        assert end.deadline == inf


def test_who_has_ended_can_still_be_answered() -> None:
    pair = pair_in(State.GREETED)
    pair.say(Role.CLIENT, ListTables(id="7"))
    assert pair.hear(Role.SERVER, b"") == []
    pair.say(Role.SERVER, Ok(re="7"))


# --- random input --------------------------------------------------------------------------------------

REQUESTS_AND_WORSE = st.one_of(
    st.sampled_from(FROM_CLIENT).flatmap(messages).map(encode),
    st.sampled_from(FROM_SERVER).flatmap(messages).map(encode),
    st.binary(min_size=1, max_size=60).map(frame),
    st.dictionaries(
        st.text(max_size=3), st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=3)
    ).map(lambda fields: frame(msgspec.msgpack.encode({"type": "say", **fields}))),
    st.binary(max_size=8),
)
STREAMS = st.lists(REQUESTS_AND_WORSE, max_size=8).map(b"".join)


@st.composite
def mutated_streams(draw: st.DrawFn) -> bytes:
    """A stream of frames, mostly good, some bytes of which may have been changed."""
    stream = bytearray(draw(STREAMS))
    for place in draw(st.lists(st.integers(0, max(len(stream) - 1, 0)), max_size=3)) if stream else []:
        stream[place] = draw(st.integers(0, 255))
    return bytes(stream)


@given(
    mutated_streams() | st.binary(max_size=300),
    st.sampled_from(Role),
    st.sampled_from(State),
    st.data(),
)
def test_any_bytes_in_any_pieces_have_one_defined_outcome(
    stream: bytes, role: Role, state: State, data: st.DataObject
) -> None:
    outcomes = [
        outcome(pair_in(state).ends[role], cut)
        for cut in (
            [stream] if stream else [],
            pieces(stream, 1),
            data.draw(splits(stream)) if stream else [],
        )
    ]
    assert outcomes[0] == outcomes[1] == outcomes[2]


def outcome(end: Connection, cut: list[bytes]) -> tuple[list[Received], State, float, bytes]:
    """All that can be seen of what ``cut``, and then the end, does to one end."""
    heard = [message for piece in [*cut, b""] for message in end.receive(piece, 1)]
    for message in heard:
        check(end.role, message)
    fatal = [place for place, message in enumerate(heard) if isinstance(message, Rejected) and message.fatal]
    assert fatal in ([], [len(heard) - 1])
    return heard, end.state, end.deadline, end.data_to_send()


def check(role: Role, message: Received) -> None:
    """What one end may hear at all, and each code with its facts."""
    if isinstance(message, Rejected):
        assert message.error.code in CODES
        check_facts(message.error.code, message.error.facts)
        assert len(encode(message.error)) <= LENGTH_BYTES + MAX_FRAME
    elif role is Role.SERVER:
        assert isinstance(message, Request)
    else:
        assert isinstance(message, FROM_SERVER_TYPES)


FROM_SERVER_TYPES = (Ok, Error, Notice, SeenEvent, Unknown)


def test_the_types_of_what_a_client_hears_are_those() -> None:
    assert set(FROM_SERVER_TYPES) == set(FromServer.__args__)


@given(st.lists(st.binary(min_size=1, max_size=4096), max_size=20))
def test_less_than_a_frame_is_held(chunks: list[bytes]) -> None:
    server = Connection(Role.SERVER, now=0)
    for chunk in chunks:
        server.receive(chunk, 0)
        assert len(vars(server)["_frames"]) < LENGTH_BYTES + MAX_FRAME


def test_a_long_talk_leaves_nothing_behind() -> None:
    pair = pair_in(State.GREETED)
    request, bad = encode(ListTables(id="7")), frame(b"\x80")
    pair.hear(Role.SERVER, request + bad)
    with traced() as memory:
        for _ in range(500):
            pair.hear(Role.SERVER, request + bad)
            pair.say(Role.SERVER, Ok(re="7"))
        held, _ = memory()
    assert held < 10_000


# --- time ----------------------------------------------------------------------------------------------


def test_a_server_waits_for_hello_only_so_long() -> None:
    server = Connection(Role.SERVER, now=100, timing=TIMING)
    assert server.deadline == 110
    assert server.tick(109.9) is None
    assert server.tick(110) == rejected("hello-overdue", time_ms=10_000)
    assert server.deadline == inf
    assert server.receive(encode(HELLO), 110) == []


def test_whatever_else_is_said_does_not_put_off_the_hello() -> None:
    server = Connection(Role.SERVER, now=0, timing=TIMING)
    for second in range(9):
        server.receive(encode(ListTables(id="7")), second)
    assert server.deadline == 10


def test_a_refused_hello_puts_off_the_next() -> None:
    pair = ConnectionPair(TIMING)
    pair.wait(8)
    pair.say(Role.CLIENT, HELLO)
    assert pair.server.deadline == 8 + 45
    pair.wait(30)
    pair.say(Role.SERVER, Error(re=HELLO.id, code=ErrorCode.NAME_TAKEN))
    assert pair.server.deadline == 38 + 10
    pair.wait(3)
    pair.say(Role.SERVER, Error(re=None, code=ErrorCode.MISSING_ID))
    assert pair.server.deadline == 38 + 10


def test_silence_is_answered_with_pings_and_pings_with_pongs() -> None:
    pair = pair_in(State.GREETED)
    assert pair.server.deadline == 15
    for _ in range(100):
        pair.wait(15)
        assert pair.state is State.GREETED
        assert (pair.server.deadline, pair.client.deadline) == (pair.now + 15, pair.now + 45)


def test_a_silent_peer_is_pinged_again_and_then_given_up() -> None:
    server = pair_in(State.GREETED).server
    sent: list[tuple[float, bytes]] = []
    while (now := server.deadline) < 45:
        assert server.tick(now) is None
        sent.append((now, server.data_to_send()))
    assert sent == [(15, encode(Ping())), (30, encode(Ping()))]
    assert server.tick(45) == rejected("peer-silent", time_ms=45_000)
    assert server.deadline == inf
    assert server.data_to_send() == b""


def test_who_is_excused_is_pinged_and_has_time_to_answer_when_he_is_heard_again() -> None:
    server = pair_in(State.GREETED).server
    pings: list[float] = []
    while (now := server.deadline) <= 1000:
        server.excuse(now)
        assert server.tick(now) is None
        assert server.data_to_send() == encode(Ping())
        pings.append(now)
    assert pings == list(range(15, 1001, 15))
    while (now := server.deadline) < pings[-1] + 30:
        assert server.tick(now) is None
    assert server.tick(now) == rejected("peer-silent", time_ms=45_000)


def test_only_whole_frames_are_signs_of_life() -> None:
    server = pair_in(State.GREETED).server
    whole = encode(ListTables(id="7"))
    server.receive(whole[:5], 10)
    assert server.deadline == 15
    server.receive(whole[5:], 11)
    assert server.deadline == 26
    server.receive(frame(b"\x80"), 12)
    assert server.deadline == 27


def test_a_client_notices_that_the_server_is_gone() -> None:
    client = pair_in(State.GREETED).client
    assert client.deadline == 45
    client.receive(encode(Ok(re="7")), 20)
    assert client.deadline == 65
    assert client.tick(64.9) is None
    assert client.tick(65) == rejected("peer-silent", time_ms=45_000)


def test_a_client_never_pings() -> None:
    client = pair_in(State.GREETED).client
    client.tick(44)
    assert client.data_to_send() == b""


def test_many_pings_are_answered_once() -> None:
    client = pair_in(State.GREETED).client
    assert client.receive(encode(Ping()) * 100, 1) == [Ping()] * 100
    assert client.data_to_send() == encode(Pong())
    assert client.data_to_send() == b""


def test_a_pong_is_not_handed_on() -> None:
    server = pair_in(State.GREETED).server
    assert server.receive(encode(Pong()), 3) == []
    assert server.deadline == 18


def test_timing_can_be_changed_on_the_way() -> None:
    client = pair_in(State.GREETED).client
    client.timing = Timing(lost_after=90)
    assert client.deadline == 90


def test_the_times_are_those_of_the_document() -> None:
    assert Timing() == TIMING
