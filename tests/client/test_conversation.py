from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import msgspec
import pytest
import trio
import trio.testing
from trio.testing import MockClock

from paiute_client.api import connect
from paiute_client.conversation import Conversation, HungUp, Interrupted
from paiute_client.errors import End, ServerRefusal, SessionEnded
from paiute_client.session import Server
from paiute_net.game.errors import RefusalCode
from paiute_net.wire.messages import (
    ChatSaid,
    Closing,
    Error,
    ListPeople,
    ListTables,
    PeopleResult,
    Replaced,
    TablesResult,
    WatchLobby,
)
from tests.support.client import GREETING, TABLE, House, Play, ScriptedLink, ScriptedServer, open_house
from tests.support.plain import LinePlayer, ScriptedTerminal


class Talk:
    """A conversation going on in a task of its own."""

    def __init__(self, terminal: ScriptedTerminal) -> None:
        self.terminal = terminal
        self.outcome: Exception | None = None
        self.over = trio.Event()
        self.conversation: Conversation | None = None

    async def run(self, server: Server, name: str, table: str | None) -> None:
        try:
            async with connect(server, name=name) as client:
                self.conversation = Conversation(client, self.terminal)
                await self.conversation.hold(table)
        except (ServerRefusal, SessionEnded, Interrupted, HungUp) as error:
            self.outcome = error
        finally:
            self.over.set()

    async def ended(self) -> Exception | None:
        await self.over.wait()
        return self.outcome


@asynccontextmanager
async def talking(
    server: Server,
    name: str = "Ana",
    table: str | None = "Evening",
    on_line: Callable[[str], str | None] = lambda _: None,
) -> AsyncGenerator[Talk]:
    async with trio.open_nursery() as nursery:
        talk = Talk(ScriptedTerminal(on_line))
        nursery.start_soon(talk.run, server, name, table)
        yield talk
        nursery.cancel_scope.cancel()


def bot(house: House, nursery: trio.Nursery, name: str = "Ben") -> Talk:
    """Another player at the table Evening, who answers whatever is asked of him."""
    talk = Talk(ScriptedTerminal(LinePlayer(hands=None).answer))
    nursery.start_soon(talk.run, house.server, name, "Evening")
    return talk


async def an_empty_lobby(link: ScriptedLink) -> None:
    await link.consent(WatchLobby)
    await link.consent(ListTables, TablesResult(tables=(), next=None))
    await link.consent(ListPeople, PeopleResult(people=(), next=None))


# --- from the lobby to the payment ----------------------------------------------------------------------


async def test_a_first_player_finds_the_way_from_the_lobby_to_a_table(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server, table=None) as talk:
        terminal = talk.terminal
        await terminal.until("No table is open; type create to open one.")
        assert terminal.lines[:2] == [
            "Welcome, Ana.",
            "Type help for what you can type, or help game for how the game goes.",
        ]
        terminal.type("create family stake=50 name='Friday night'")
        assert await terminal.until("You sit at") == "You sit at the table Friday night, in seat 1 of 5."
        await terminal.until("A hand needs two players")
        assert (
            "The table plays family for a stake of 0.50; type rules to have that explained." in terminal.lines
        )
        terminal.type("leave")
        await terminal.until("You leave the table.")
        left = terminal.lines.index("You leave the table.")
        await terminal.until("No table is open; type create to open one.", after=left)
        async with connect(house.server, name="Ben") as ben:
            await ben.sit_down("Sunday")
            terminal.type("tables", "join 1 seat 3")
            await terminal.until("1: Sunday, hawaiian, stake 0.25; 1 of 5 seats is taken, by Ben.")
            await terminal.until("You sit at the table Sunday, in seat 3 of 5.")
            await terminal.until("With you sit Ben in seat 1.")
        terminal.type("quit")
        assert await talk.ended() is None


async def test_two_play_a_hand_to_the_payment_by_what_they_read(autojump_clock: MockClock) -> None:
    player = LinePlayer()
    async with (
        open_house(seed=2) as house,
        talking(house.server, "Ana", on_line=player.answer) as ana,
        talking(house.server, "Ben", on_line=LinePlayer(hands=None).answer) as ben,
    ):
        with trio.fail_after(30):
            assert await ana.ended() is None
        for talk in (ana, ben):
            lines = talk.terminal.lines
            assert any(re.search(r" (win|wins) the pot of 0\.50 with ", line) for line in lines)
            assert any(line.startswith("All in all you have ") for line in lines)
            assert all(re.fullmatch(r"[A-Z0-9][^{}]*\.", line) for line in lines)


async def test_a_table_that_is_wanted_is_joined_or_opened(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server) as ana:
        await ana.terminal.until("You sit at the table Evening, in seat 1")
        async with talking(house.server, "Ben") as ben:
            await ben.terminal.until("You sit at the table Evening, in seat 2")
            await ana.terminal.until("Ben sits down in seat 2.")
            await ana.terminal.until("Type start to begin a hand.")


async def test_a_table_without_a_free_seat_is_refused(autojump_clock: MockClock) -> None:
    async with open_house() as house, connect(house.server, name="Host") as host:
        await host.create_table(name="Evening", seats=2)
        async with talking(house.server, "Ana") as ana, talking(house.server, "Ben") as ben:
            await ana.terminal.until("You sit at")
            await ben.terminal.until("You sit at")
            async with talking(house.server, "Cleo") as cleo:
                refused = await cleo.ended()
        assert isinstance(refused, ServerRefusal)
        assert refused.code == RefusalCode.TABLE_FULL.value


# --- what is typed --------------------------------------------------------------------------------------


async def test_what_is_misunderstood_or_refused_is_explained(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house, talking(house.server) as talk:
        terminal = talk.terminal
        terminal.type("", "   ", "darw", "start", "draw", "chat \u200b", "hand", "rules", "accounts", "table")
        await terminal.until('There is no command "darw"; did you mean draw?')
        await terminal.until("A hand needs at least 2 players; wait for somebody to join")
        await terminal.until("No hand is going on; type start to begin one.")
        await terminal.until("There is nothing to read in that; say something after chat.")
        await terminal.until("The stake is 0.25.")
        await terminal.until("You are even.")
        await terminal.until("Nobody owes anything.")
        await terminal.until(
            "Nobody else sits here yet.", after=terminal.lines.index("Nobody owes anything.")
        )
        terminal.type("help", "help cut")
        await terminal.until("This is what you can type now:")
        await terminal.until("cut NUMBER: Cuts the pack")


async def test_several_lines_at_once_are_done_one_after_the_other(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server) as talk:
        talk.terminal.type("chat one\nchat two\r\n\nquit\nchat three")
        assert await talk.ended() is None
        assert [line for line in talk.terminal.lines if line.startswith("You say")] == [
            "You say: one",
            "You say: two",
        ]


async def test_chat_goes_where_one_is(autojump_clock: MockClock) -> None:
    async with (
        open_house() as house,
        talking(house.server, "Ana", None) as ana,
        talking(house.server, "Ben", None) as ben,
    ):
        await ben.terminal.until("No table is open")
        await ana.terminal.until("No table is open")
        ana.terminal.type("'hello", "create", "'anybody here?")
        await ben.terminal.until("Ana says in the lobby: hello")
        await ana.terminal.until("You say: anybody here?")
        ben.terminal.type("join 1", "tables", "join 1")
        await ben.terminal.until("This was said before:")
        await ben.terminal.until("Ana says: anybody here?")


async def test_who_is_here_is_told_on_request(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server, "Ana", None) as ana:
        ana.terminal.type("who")
        await ana.terminal.until("Nobody is here but you.")
        async with connect(house.server, name="Ben"), connect(house.server, name="Rob", bot=True):
            ana.terminal.type("who is here")
            await ana.terminal.until("2 others are here: Ben and Rob (a bot).")


async def test_a_new_table_is_told_of_in_the_lobby_only(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server, "Ana", None) as ana:
        await ana.terminal.until("No table is open")
        async with talking(house.server, "Ben") as ben:
            await ana.terminal.until("A new table is open: Evening.")
            await ben.terminal.until("You sit at the table Evening")
            async with connect(house.server, name="Host") as host:
                await host.create_table(name="Morning")
                await ana.terminal.until("A new table is open: Morning.")
                ana.terminal.type("join Morning")
                await ana.terminal.until("You sit at the table Morning")
                await host.create_table(name="Noon")
                await trio.sleep(1)
            for talk in (ana, ben):
                assert not any("Noon" in line for line in talk.terminal.lines)


async def test_a_number_of_the_list_means_what_it_said_there(autojump_clock: MockClock) -> None:
    async with open_house() as house, connect(house.server, name="Host") as host:
        first = await host.create_table(name="First")
        await host.create_table(name="Second")
        async with talking(house.server, table=None) as talk:
            await talk.terminal.until("2: Second")
            await host.join(first)
            await host.leave()
            talk.terminal.type("join 2")
            await talk.terminal.until("You sit at the table Second")


# --- leaving --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["leave", "quit"])
async def test_leaving_a_hand_is_asked_about_first(word: str, autojump_clock: MockClock) -> None:
    async with open_house() as house, trio.open_nursery() as nursery, talking(house.server) as talk:
        await talk.terminal.until("You sit at")
        bot(house, nursery)
        await talk.terminal.until("Ben sits down")
        talk.terminal.type("start", word, "hand", word)
        question = f"Type {word} once more to leave all the same."
        await talk.terminal.until(question)
        await talk.terminal.until("Hand 1 begins")
        await trio.testing.wait_all_tasks_blocked()
        assert sum(question in line for line in talk.terminal.lines) == 2
        talk.terminal.type(word)
        await talk.terminal.until("You leave the table.")
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("settings", "cost"),
    [
        ("stake=0", "You play for nothing, so it costs nothing."),
        ("quarter", "You pay if somebody else wins it."),
        ("family", "Your stake stays in the pot."),
    ],
)
async def test_what_leaving_costs_depends_on_what_is_played_for(
    settings: str, cost: str, autojump_clock: MockClock
) -> None:
    async with open_house() as house, talking(house.server, table=None) as talk:
        talk.terminal.type(f"create {settings}")
        await talk.terminal.until("You sit at")
        async with connect(house.server, name="Ben") as ben:
            await ben.sit_down()
            talk.terminal.type("start", "leave")
            await talk.terminal.until("A hand is going on: ")
            await talk.terminal.until(cost)


async def test_the_end_of_what_is_typed_leaves_at_once(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server) as talk:
        await talk.terminal.until("You sit at")
        async with connect(house.server, name="Ben") as ben:
            await ben.sit_down("Evening")
            talk.terminal.type("start")
            await talk.terminal.until("Hand 1 begins")
            talk.terminal.fail(EOFError())
            assert await talk.ended() is None
            await ben.wait(lambda model: model.picture is not None and len(model.picture.occupants) == 1)


@pytest.mark.parametrize("error", [Interrupted(), HungUp()])
async def test_breaking_off_is_told_from_quitting(error: Exception, autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server) as talk:
        await talk.terminal.until("You sit at")
        talk.terminal.fail(error)
        assert await talk.ended() is error


async def test_a_reader_who_is_gone_ends_it(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server) as talk:
        await talk.terminal.until("You sit at")
        talk.terminal.hang_up()
        assert isinstance(await talk.ended(), HungUp)


async def test_who_breaks_off_is_told_that_the_seat_is_kept(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server) as talk:
        await talk.terminal.until("You sit at")
        assert talk.conversation is not None
        talk.conversation.break_off()
        assert talk.terminal.lines[-1].startswith(
            "Your seat is kept, and your account: come back with paiute-client --plain "
        )
        talk.terminal.type("leave")
        await talk.terminal.until("You leave the table.")
        written = len(talk.terminal.lines)
        talk.conversation.break_off()
        assert len(talk.terminal.lines) >= written
        assert "Your seat is kept" not in talk.terminal.lines[-1]


# --- time -----------------------------------------------------------------------------------------------


async def test_a_player_is_warned_before_the_house_plays(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server) as talk:
        await talk.terminal.until("You sit at")
        async with connect(house.server, name="Ben") as ben:
            await ben.sit_down("Evening")
            await ben.start()
            await trio.sleep(200)
        lines = talk.terminal.lines
        warned = [place for place, line in enumerate(lines) if line == "There are 10 seconds left for this."]
        assert warned
        after = lines[warned[0] + 1 :]
        assert any(
            line.startswith(("The house draws the ", "The house cuts ")) and "for you" in line
            for line in after
        )


async def test_no_warning_comes_where_there_is_no_time_limit(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server, table=None) as talk:
        talk.terminal.type("create time=none name=Evening")
        await talk.terminal.until("There is no time limit.")
        async with connect(house.server, name="Ben") as ben:
            await ben.sit_down("Evening")
            await ben.start()
            await trio.sleep(1000)
        assert not any("seconds left" in line for line in talk.terminal.lines)


# --- the link -------------------------------------------------------------------------------------------


async def test_a_lost_link_and_the_way_back_are_told(autojump_clock: MockClock) -> None:
    async with open_house() as house, talking(house.server) as talk:
        await talk.terminal.until("You sit at")
        house.streams[0].cut()
        await talk.terminal.until("The link to the server is lost; your seat is kept")
        await talk.terminal.until("The link to the server is back.")
        talk.terminal.type("'here again")
        await talk.terminal.until("You say: here again")


async def test_what_is_typed_without_a_link_is_explained(autojump_clock: MockClock) -> None:
    script = ScriptedServer()
    async with talking(script.server, table=None) as talk:
        link = await script.accept()
        await link.greet()
        await an_empty_lobby(link)
        await talk.terminal.until("No table is open")
        script.refusing = True
        await link.cut()
        await talk.terminal.until("The link to the server is lost")
        talk.terminal.type("tables")
        await talk.terminal.until("There is no link to the server at the moment; try again when it is back.")
        await talk.terminal.until("There is no link yet; it is tried again in ")


async def test_the_end_of_the_server_ends_it(autojump_clock: MockClock) -> None:
    script = ScriptedServer()
    async with talking(script.server, table=None) as talk:
        link = await script.accept()
        await link.greet()
        await an_empty_lobby(link)
        await link.say(Closing(restart=False))
        ended = await talk.ended()
    assert isinstance(ended, SessionEnded)
    assert ended.end is End.CLOSED
    assert talk.terminal.lines[-1] == "The server has ended."


async def test_a_restart_of_the_server_is_announced(autojump_clock: MockClock) -> None:
    script = ScriptedServer()
    async with talking(script.server, table=None) as talk:
        link = await script.accept()
        await link.greet()
        await an_empty_lobby(link)
        await link.say(Closing(restart=True))
        await talk.terminal.until(
            "The server starts anew, and will be back soon; seats and accounts are kept."
        )
        again = await script.accept()
        await again.greet()
        await talk.terminal.until("The link to the server is back.")


async def test_coming_in_from_elsewhere_ends_it(autojump_clock: MockClock) -> None:
    script = ScriptedServer()
    async with talking(script.server, table=None) as talk:
        link = await script.accept()
        await link.greet()
        await link.say(Replaced())
        ended = await talk.ended()
    assert isinstance(ended, SessionEnded)
    assert talk.terminal.lines[-1] == "You have come in from elsewhere, so this session is over."


async def test_being_broken_off_is_explained(autojump_clock: MockClock) -> None:
    script = ScriptedServer()
    async with talking(script.server, table=None) as talk:
        link = await script.accept()
        await link.greet()
        await link.say(Error(re=None, code="flooding"))
        assert isinstance(await talk.ended(), SessionEnded)
    assert talk.terminal.lines[-1].startswith("This client asked for far too much at once")


async def test_a_server_that_has_forgotten_the_player_says_so(autojump_clock: MockClock) -> None:
    script = ScriptedServer()
    async with talking(script.server, table=None) as talk:
        link = await script.accept()
        await link.greet()
        await link.cut()
        again = await script.accept()
        await again.greet(msgspec.structs.replace(GREETING, player="p9", name="Keala 2"))
        await talk.terminal.until("The server does not know you any more, so you come in anew, as Keala 2.")


# --- other people's text --------------------------------------------------------------------------------


async def test_text_from_a_server_that_does_not_clean_it_does_no_harm(autojump_clock: MockClock) -> None:
    script = ScriptedServer()
    async with talking(script.server) as talk:
        link = await script.accept()
        await link.greet()
        play = Play(players=1)
        hostile = msgspec.structs.replace(
            play.snapshot(0),
            picture=msgspec.structs.replace(play.picture(0), name="\x1b]0;gone\x07Even\u202eing\u200b"),
            chat=(ChatSaid(table=TABLE, player="x", name="B\x1b[31men", text="one\ntwo\u2028three\x9b2J"),),
        )
        await link.hear(ListTables)
        request = link.last_heard
        assert request is not None
        await link.say(Error(re=request.id, code="no-such-table"))
        refused = await talk.ended()
        assert isinstance(refused, ServerRefusal)
    async with talking(script.server, table=None) as talk:
        link = await script.accept()
        await link.greet(msgspec.structs.replace(GREETING, table=TABLE, seat=0))
        await link.say(hostile)
        await talk.terminal.until("You sit at the table ]0;goneEvening, in seat 1 of 5.")
        assert await talk.terminal.until(" says: ") == "B[31men says: one two three2J"
