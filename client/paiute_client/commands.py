"""What people type, as commands: reading a line, and completing one with what can be done now.

Pure: from a text and the `Model` to a command. Whoever carries it out need know nothing of typing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from enum import StrEnum, unique
from typing import Final, NamedTuple

import msgspec

from paiute_client.card_order import in_order
from paiute_client.model import Model
from paiute_client.refusals import NO_HAND, NOT_DEALT_IN, as_typed, explain
from paiute_client.rulebook import SWITCHES
from paiute_client.table_settings import Create, read_settings, setting_words
from paiute_client.typed_cards import Misunderstood, read_card, read_cards
from paiute_client.words import card, tr, typed_card
from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Source
from paiute_net.game.cards import Card
from paiute_net.game.errors import RefusalCode
from paiute_net.game.hand import HAND_SIZE
from paiute_net.game.house_rules import MIN_SEATS
from paiute_net.game.picture import Picture
from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.messages import Actions, TableRow

__all__ = [
    "COMMANDS",
    "TOPICS",
    "Act",
    "Command",
    "Create",
    "Help",
    "Join",
    "Leave",
    "Misunderstood",
    "Quit",
    "Say",
    "Show",
    "Spec",
    "Start",
    "Suggestion",
    "View",
    "completions",
    "parse",
    "spec_of",
]


# --- commands ---------------------------------------------------------------------------------------------


@unique
class View(StrEnum):
    """What can be told on request."""

    HAND = "hand"
    TABLE = "table"
    RULES = "rules"
    ACCOUNTS = "accounts"
    TABLES = "tables"
    PEOPLE = "people"


class Act(msgspec.Struct, frozen=True):
    """Answer the own decision that is open."""

    action: Action


class Start(msgspec.Struct, frozen=True):
    """Start a hand."""


class Show(msgspec.Struct, frozen=True):
    """Tell about something."""

    view: View


class Say(msgspec.Struct, frozen=True):
    """Chat, at the own table or in the lobby."""

    text: str


class Join(msgspec.Struct, frozen=True):
    """Sit down at the table of that id, in ``seat`` (from 0) or the first free one."""

    table: str
    seat: int | None = None


class Leave(msgspec.Struct, frozen=True):
    """Give up the seat."""


class Help(msgspec.Struct, frozen=True):
    """Explain something, or (None) say what can be typed."""

    topic: str | None


class Quit(msgspec.Struct, frozen=True):
    """Give up the seat, and end."""


Command = Act | Start | Show | Say | Create | Join | Leave | Help | Quit


class Suggestion(NamedTuple):
    """A word that may come next, and what it means."""

    word: str
    meaning: str = ""


def _nothing(_before: Sequence[str], _partial: str, _model: Model) -> Iterable[Suggestion]:
    return ()


class Spec(NamedTuple):
    """A command as it is typed: its name, other words for it, and what stands after them.

    ``open`` says whether it can be of use now; ``suggest`` gives what may follow the words already there.
    """

    name: str
    usage: str
    meaning: str
    read: Callable[[str, Model, Sequence[TableRow]], Command]
    open: Callable[[Model], bool]
    others: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    suggest: Callable[[Sequence[str], str, Model], Iterable[Suggestion]] = _nothing


def parse(text: str, model: Model, listed: Sequence[TableRow] = ()) -> Command:
    """The command that a typed line means.

    Args:
      text: the line, with at least one visible character.
      listed: the tables in the order in which they were last shown, so that numbers mean what they did there.

    Raises:
      Misunderstood: it means none, or one that cannot be carried out now.
    """
    text = text.strip()
    if text.startswith("'"):
        return _say(text[1:].strip(), model, listed)
    first, _, rest = text.partition(" ")
    spec = spec_of(first)
    if spec is None:
        raise Misunderstood(_unknown(first))
    return spec.read(rest.strip(), model, listed)


def spec_of(word: str) -> Spec | None:
    """The command that a word stands for."""
    return _BY_WORD.get(word.casefold())


def completions(text: str, model: Model) -> list[Suggestion]:
    """What the last word of ``text`` (its empty end, after a space) may become, of what can be done now."""
    *before, partial = re.split(r"\s+", text.lstrip())
    partial = partial.casefold()
    if not before:
        suggested: Iterable[Suggestion] = (
            Suggestion(spec.name, spec.meaning) for spec in COMMANDS if spec.open(model)
        )
    else:
        spec = spec_of(before[0])
        suggested = () if spec is None else spec.suggest(before[1:], partial, model)
    return [each for each in suggested if each.word.casefold().startswith(partial)]


def _unknown(word: str) -> str:
    near = get_close_matches(word.casefold(), _BY_WORD, n=1)
    if near:
        message = tr('There is no command "{word}"; did you mean {near}?')
    else:
        message = tr('There is no command "{word}"; type help for what there is.')
    return message.format(word=word, near=near[0] if near else "")


# --- at the table -----------------------------------------------------------------------------------------


def _table(model: Model) -> Picture:
    if model.picture is None or model.seat is None:
        raise Misunderstood(
            tr("You sit at no table; type tables for those that are open, or create to open one.")
        )
    return model.picture


def _own_actions(model: Model) -> Actions:
    """What the own decision that is open takes; raises Misunderstood, saying why, if there is none."""
    picture = _table(model)
    if model.own_decision is not None and model.own_decision.actions is not None:
        return model.own_decision.actions
    if picture.hand is None or not picture.going_on:
        raise Misunderstood(NO_HAND)
    if all(player.seat != picture.seat for player in picture.hand.players):
        raise Misunderstood(NOT_DEALT_IN)
    if picture.hand.turn is None or picture.hand.turn == picture.seat:
        raise Misunderstood(tr("One moment: the server has not asked for that yet."))
    raise Misunderstood(explain(RefusalCode.NOT_YOUR_TURN, {"seat": picture.hand.turn}, picture))


def _own_cards(model: Model) -> list[Card]:
    hand = _table(model).hand
    return [] if hand is None else hand.own


def _alone(command: Command, *, seated: bool = False) -> Callable[[str, Model, Sequence[TableRow]], Command]:
    """A reader for a command that stands by itself."""

    def read(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
        if rest:
            raise Misunderstood(tr('"{rest}" is too much; the command stands by itself.').format(rest=rest))
        if seated:
            _table(model)
        return command

    return read


def _draw(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
    return _pile(rest, model, Source.STOCK)


def _take(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
    return _pile(rest, model, Source.DISCARDS)


def _pile(rest: str, model: Model, source: Source) -> Command:
    """Draw or take; what follows is not needed, but must not say the contrary."""
    said = set(re.findall("[a-z]+", rest.casefold()))
    if said - _PILE_WORDS[source] - {"from", "the", "top", "a", "card", "of"}:
        raise Misunderstood(
            tr("Type draw to draw from the stock, or take to take the top card of the discards.")
        )
    _own_actions(model)
    return Act(Draw(source))


_PILE_WORDS: Final[Mapping[Source, set[str]]] = {
    Source.STOCK: {"stock"},
    Source.DISCARDS: {"discard", "discards", "pile"},
}


def _cut(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
    cutting = _own_actions(model).cut
    if not rest and cutting is not None:
        return Act(Cut((cutting.minimum + cutting.maximum) // 2))
    number = re.fullmatch(r"([0-9]{1,4})(?:\s+cards?)?", rest.casefold())
    if number is None:
        least, most = (cutting.minimum, cutting.maximum) if cutting is not None else (1, 51)
        raise Misunderstood(explain(RefusalCode.BAD_CUT, {"minimum": least, "maximum": most}))
    return Act(Cut(int(number[1])))


def _discard(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
    _own_actions(model)
    return Act(Discard(read_card(rest, _own_cards(model))))


def _call(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
    actions = _own_actions(model)
    held = _own_cards(model)
    words = rest.casefold().split(maxsplit=1)
    if not words:
        return _best_call(actions)
    if words == ["all"]:
        return Act(Call(tuple(held)))
    if words[0] in {"leaving", "leave", "without"}:
        left = read_card(rest[len(words[0]) :], held)
        if left not in held:
            raise Misunderstood(explain(RefusalCode.CARD_NOT_HELD, {"card": left}))
        return Act(Call(tuple(each for each in held if each != left)))
    return Act(Call(_laid(rest, held)))


def _best_call(actions: Actions) -> Command:
    if actions.call:
        return Act(Call(actions.call[0].cards))
    if actions.discard:
        raise Misunderstood(
            tr("You hold nothing that can be called now; type help combinations for what could be.")
        )
    raise Misunderstood(tr("You can call after you have drawn a card."))


def _laid(text: str, held: Sequence[Card]) -> tuple[Card, ...]:
    laid = tuple(read_cards(text, held))
    if len(laid) not in (HAND_SIZE, HAND_SIZE + 1):
        raise Misunderstood(explain(RefusalCode.BAD_CALL, {"allowed": [HAND_SIZE, HAND_SIZE + 1]}))
    return laid


def _accounts(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
    if model.seat is None:
        raise Misunderstood(
            tr("Accounts belong to a table: sit down at one to be told who has won and lost what there.")
        )
    return _alone(Show(View.ACCOUNTS))(rest, model, ())


def _who(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
    """``who`` and ``who is here``; but ``who owes whom`` is as good as ``accounts``."""
    if not rest.casefold().startswith("owes"):
        return Show(View.PEOPLE)
    return _accounts("", model, ())


def _say(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
    if not rest:
        raise Misunderstood(explain(ErrorCode.CHAT_EMPTY, {}))
    return Say(rest)


# --- the lobby --------------------------------------------------------------------------------------------


def _join(rest: str, model: Model, listed: Sequence[TableRow]) -> Command:
    said = re.fullmatch(r"(?P<table>.*?)(?:\s*\bseat\s+(?P<seat>[0-9]{1,4}))?", rest)
    table, seat = (rest, None) if said is None else (said["table"], said["seat"])
    tables = listed or tuple(model.tables.values())
    if not tables:
        raise Misunderstood(tr("No table is open; type create to open one."))
    return Join(_chosen(table, tables).table, None if seat is None else int(seat) - 1)


def _chosen(said: str, tables: Sequence[TableRow]) -> TableRow:
    """The table meant by a number of the list, a name, or nothing where there is only one."""
    if not said and len(tables) == 1:
        return tables[0]
    if re.fullmatch("[0-9]{1,6}", said) and 1 <= int(said) <= len(tables):
        return tables[int(said) - 1]
    for table in tables:
        if table.name.casefold() == said.casefold():
            return table
    raise Misunderstood(
        tr("Type join with the number or the name of a table; type tables for those that are open.")
    )


def _create(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
    return read_settings(rest)


def _help(rest: str, model: Model, _: Sequence[TableRow]) -> Command:
    topic = rest.casefold()
    if not topic:
        return Help(None)
    spec = spec_of(topic)
    if spec is not None:
        return Help(spec.name)
    if topic in TOPICS:
        return Help(topic)
    raise Misunderstood(
        tr('There is no help about "{topic}"; type help for what there is.').format(topic=rest)
    )


# --- what may follow, and when ----------------------------------------------------------------------------


def _always(_: Model) -> bool:
    return True


def _seated(model: Model) -> bool:
    return model.seat is not None


def _in_lobby(model: Model) -> bool:
    return model.seat is None


def _can_start(model: Model) -> bool:
    picture = model.picture
    return (
        _seated(model)
        and picture is not None
        and not picture.going_on
        and len(picture.occupants) >= MIN_SEATS
    )


def _asked(model: Model) -> Actions:
    """What the own decision takes; nothing where none is open."""
    decision = model.own_decision
    return Actions() if decision is None or decision.actions is None else decision.actions


def _can_draw(model: Model) -> bool:
    return Source.STOCK in _asked(model).draw


def _can_take(model: Model) -> bool:
    return Source.DISCARDS in _asked(model).draw


def _can_discard(model: Model) -> bool:
    return bool(_asked(model).discard)


def _can_call(model: Model) -> bool:
    return bool(_asked(model).call)


def _can_cut(model: Model) -> bool:
    return _asked(model).cut is not None


def _named(cards: Iterable[Card]) -> list[Suggestion]:
    return [Suggestion(typed_card(each), card(each)) for each in cards]


def _suggest_discard(before: Sequence[str], partial: str, model: Model) -> Iterable[Suggestion]:
    hand = None if model.picture is None else model.picture.hand
    if before or hand is None:
        return ()
    return _named(in_order(_asked(model).discard, hand.wild))


def _suggest_call(before: Sequence[str], partial: str, model: Model) -> Iterable[Suggestion]:
    choices = _asked(model).call
    left = [choice.discard for choice in choices if choice.discard is not None]
    if not before:
        ways = (
            [Suggestion("leaving", tr("lays down five cards and discards the one you name"))] if left else []
        )
        if len(left) < len(choices):
            ways.append(Suggestion("all", tr("lays down all six cards")))
        return ways
    return _named(left) if list(before) == ["leaving"] else ()


def _suggest_join(before: Sequence[str], partial: str, model: Model) -> Iterable[Suggestion]:
    if before:
        return ()
    return [Suggestion(str(number), row.name) for number, row in enumerate(model.tables.values(), 1)]


def _suggest_create(before: Sequence[str], partial: str, model: Model) -> Iterable[Suggestion]:
    return [Suggestion(*each) for each in setting_words(before, partial)]


def _suggest_help(before: Sequence[str], partial: str, model: Model) -> Iterable[Suggestion]:
    return [Suggestion(word) for word in (*TOPICS, *(spec.name for spec in COMMANDS))] if not before else ()


TOPICS: Final = ("game", "combinations", "cards", *map(as_typed, SWITCHES))
"""What there is help about, beside the commands."""

COMMANDS: Final[tuple[Spec, ...]] = (
    Spec(
        name="draw",
        usage="draw",
        meaning=tr("Draws the top card of the stock."),
        others=("d",),
        read=_draw,
        open=_can_draw,
    ),
    Spec(
        name="take",
        usage="take",
        meaning=tr("Takes the top card of the discards, which you then keep for this turn."),
        others=("t",),
        read=_take,
        open=_can_take,
    ),
    Spec(
        name="discard",
        usage=tr("discard CARD"),
        meaning=tr("Lays a card on the discards, which ends your turn."),
        read=_discard,
        open=_can_discard,
        suggest=_suggest_discard,
        details=(tr("For example, discard Qh; type help cards for the ways to name a card."),),
    ),
    Spec(
        name="call",
        usage=tr("call, call leaving CARD, call all, or call CARDS"),
        meaning=tr("Lays down a combination."),
        read=_call,
        open=_can_call,
        suggest=_suggest_call,
        details=(
            tr("Alone, call lays down the best combination you hold."),
            tr("For example, call leaving 9s lays down five cards and discards the nine of spades."),
            tr("With all, you lay down all six cards and discard none."),
            tr("Or name the five or six cards to lay down; of five, the sixth you hold is discarded."),
            tr("Type help combinations for what can be called."),
        ),
    ),
    Spec(
        name="cut",
        usage=tr("cut, or cut NUMBER"),
        meaning=tr("Cuts the pack: so many cards, or half of it, go from its top to its bottom."),
        read=_cut,
        open=_can_cut,
    ),
    Spec(
        name="start",
        usage="start",
        meaning=tr("Begins a hand, when at least two are seated and none is going on."),
        others=("deal",),
        read=_alone(Start(), seated=True),
        open=_can_start,
    ),
    Spec(
        name="hand",
        usage="hand",
        meaning=tr("Tells what you hold, and which cards are wild."),
        read=_alone(Show(View.HAND), seated=True),
        open=_seated,
    ),
    Spec(
        name="table",
        usage="table",
        meaning=tr("Tells who sits here, what lies on the table, and whose turn it is."),
        read=_alone(Show(View.TABLE), seated=True),
        open=_seated,
    ),
    Spec(
        name="rules",
        usage="rules",
        meaning=tr("Explains the rules of this table."),
        read=_alone(Show(View.RULES), seated=True),
        open=_seated,
    ),
    Spec(
        name="accounts",
        usage="accounts",
        meaning=tr("Tells who has won and lost how much, and who owes whom."),
        read=_accounts,
        open=_seated,
    ),
    Spec(
        name="chat",
        usage=tr("chat TEXT"),
        meaning=tr("Says something to all at the table, or to all in the lobby while you sit at no table."),
        others=("say",),
        read=_say,
        open=_always,
        details=(tr("An apostrophe does the same: 'hello."),),
    ),
    Spec(
        name="tables",
        usage="tables",
        meaning=tr("Lists the tables that are open."),
        others=("list", "lobby"),
        read=_alone(Show(View.TABLES)),
        open=_always,
    ),
    Spec(
        name="who",
        usage="who",
        meaning=tr("Tells who is here, at the tables and in the lobby."),
        others=("people",),
        read=_who,
        open=_always,
    ),
    Spec(
        name="join",
        usage=tr("join TABLE, or join TABLE seat NUMBER"),
        meaning=tr("Sits you down at a table, named by its number or its name."),
        others=("sit",),
        read=_join,
        open=_in_lobby,
        suggest=_suggest_join,
        details=(tr("Type tables for the numbers and the names."),),
    ),
    Spec(
        name="create",
        usage=tr("create, or create RULES SETTING=VALUE"),
        meaning=tr("Opens a table and sits you down at it."),
        others=("new",),
        read=_create,
        open=_in_lobby,
        suggest=_suggest_create,
    ),
    Spec(
        name="leave",
        usage="leave",
        meaning=tr("Gives up your seat."),
        read=_alone(Leave(), seated=True),
        open=_seated,
    ),
    Spec(
        name="help",
        usage=tr("help, or help WORD"),
        meaning=tr("Tells what you can type, or more about one word."),
        others=("?",),
        read=_help,
        open=_always,
        suggest=_suggest_help,
    ),
    Spec(
        name="quit",
        usage="quit",
        meaning=tr("Gives up your seat, and ends."),
        others=("exit", "bye"),
        details=(
            tr("The end of the input does the same, as with Ctrl-D."),
            tr("Ctrl-C ends too, but keeps your seat for you to come back to."),
        ),
        read=_alone(Quit()),
        open=_always,
    ),
)
"""In the order in which help tells them."""

_BY_WORD: Final[Mapping[str, Spec]] = {word: spec for spec in COMMANDS for word in (spec.name, *spec.others)}
