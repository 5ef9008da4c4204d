from __future__ import annotations

import pytest
import trio
import trio.testing

from paiute_client.errors import LinkLost
from paiute_client.link import SEND_WITHIN, Link
from paiute_net.wire import ErrorCode, LocalProtocolError, Timing
from paiute_net.wire.messages import Hello, Ok, Say
from paiute_server.link import memory_transports
from tests.support.client import GREETING, ScriptedLink, TransportStream

HELLO = Hello(id="1", versions=(1,), name="Keala")
LONG = "x" * 1000


async def greeted(link: Link, server: ScriptedLink) -> None:
    await link.send(HELLO)
    assert await server.greet() == HELLO
    assert isinstance(await link.receive(), Ok)


async def linked(capacity: int = 65_536) -> tuple[Link, ScriptedLink]:
    """A link that has been greeted, and its other end; each way holds so many bytes that are not read."""
    here, there = memory_transports(capacity)
    link, server = Link(TransportStream(here)), ScriptedLink(TransportStream(there))
    await greeted(link, server)
    return link, server


async def test_what_is_said_is_heard() -> None:
    link, server = await linked()
    await link.send(Say(id="2", text="hello"))
    assert await server.consent(Say) == Say(id="2", text="hello")
    assert await link.receive() == Ok(re="2")


async def test_what_may_not_be_said_yet_is_not_sent() -> None:
    here, there = memory_transports()
    link, server = Link(TransportStream(here)), ScriptedLink(TransportStream(there))
    with pytest.raises(LocalProtocolError):
        await link.send(Say(id="2", text="hello"))
    await greeted(link, server)


async def test_who_does_not_read_loses_the_link(autojump_clock: trio.testing.MockClock) -> None:
    link, server = await linked(capacity=400)
    started_at = trio.current_time()
    with pytest.raises(LinkLost):
        await link.send(Say(id="2", text=LONG))
    assert trio.current_time() - started_at == pytest.approx(SEND_WITHIN)
    for ask in (lambda: link.send(Say(id="3", text="")), link.receive):
        with pytest.raises(LinkLost):
            await ask()
    data = bytearray()
    while more := await server.stream.receive_some():
        data += more
    assert len(data) < len(LONG)


async def test_who_gives_up_sending_leaves_no_half_message(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    link, server = await linked(capacity=400)

    async def give_up() -> None:
        with trio.move_on_after(1):
            await link.send(Say(id="2", text=LONG))

    nursery.start_soon(give_up)
    await trio.sleep(2)
    assert (await server.hear(Say)).text == LONG
    await link.send(Say(id="3", text="after"))
    assert (await server.hear(Say)).text == "after"


async def test_a_link_that_ends_is_lost() -> None:
    link, server = await linked()
    await server.cut()
    with pytest.raises(LinkLost) as lost:
        await link.receive()
    assert lost.value.code is None


async def test_a_link_that_ends_within_a_message_is_lost_and_says_so() -> None:
    link, server = await linked()
    await server.stream.send_all(b"\x00\x00")
    await server.cut()
    with pytest.raises(LinkLost) as lost:
        await link.receive()
    assert lost.value.code == ErrorCode.FRAME_CUT_SHORT.value


async def test_what_came_before_the_end_is_heard_before_it() -> None:
    link, server = await linked()
    await server.say(Ok(re="9", result=None))
    await server.cut()
    assert await link.receive() == Ok(re="9")
    with pytest.raises(LinkLost):
        await link.receive()


async def test_silence_is_borne_as_long_as_was_agreed(autojump_clock: trio.testing.MockClock) -> None:
    link, _ = await linked()
    heard_at = trio.current_time()
    link.set_timing(Timing(lost_after=GREETING.limits.lost_after_ms / 100))
    with pytest.raises(LinkLost) as lost:
        await link.receive()
    assert lost.value.code == ErrorCode.PEER_SILENT.value
    assert trio.current_time() - heard_at == pytest.approx(450)


async def test_a_closed_link_is_lost() -> None:
    link, _ = await linked()
    await link.aclose()
    await link.aclose()
    for ask in (lambda: link.send(Say(id="2", text="")), link.receive):
        with pytest.raises(LinkLost):
            await ask()
