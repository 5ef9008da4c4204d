"""Everything that is heard, as sentences for the player: what line mode prints, and a log can keep.

A narrator listens to one session. It remembers only what tells a change from what was said before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from typing import ClassVar, Final

import msgspec

from paiute_client.descriptions import held, house, position, seating
from paiute_client.model import Greeted, Heard, LinkChanged, LinkPhase, Model, TableLeft, TablesListed
from paiute_client.sentences import ask, between_hands, presence, said, suggest, tell
from paiute_client.words import ngettext, tr
from paiute_net.game import seen
from paiute_net.game.picture import Picture
from paiute_net.wire.messages import (
    ChatSaid,
    Closing,
    Decision,
    LobbyChanged,
    Presence,
    PresenceChanged,
    Snapshot,
)

__all__ = ["CHAT_RETOLD", "Narrator", "greeting", "standing"]

CHAT_RETOLD: Final = 5
"""How many chat lines from before are told to who joins a table."""


def greeting(model: Model) -> list[str]:
    """The first lines of a session."""
    return [
        tr("Welcome, {name}.").format(name=model.name),
        tr("Type help for what you can type, or help game for how the game goes."),
    ]


def standing(model: Model, picture: Picture) -> list[str]:
    """What lies on the table, and what the player can do or whom he waits for."""
    lines = position(picture)
    decision = model.decision
    if not picture.going_on:
        return lines + between_hands(picture, model.address)
    if decision is None:
        return lines + held(picture)
    if decision.actions is None or not decision.actions.draw:  # which tells the cards by itself
        lines += held(picture)
    return lines + ask(decision.notice, picture)


class Narrator:
    """Tells what is heard. Give it each thing once, in order, when ``model`` has just taken it in.

    Args:
      suggests: tell also what can be typed.
    """

    def __init__(self, model: Model, *, suggests: bool) -> None:
        self._model: Final = model
        self._suggests: Final = suggests
        self._player = model.player
        self._presence: Final[dict[int, Presence]] = {}
        self._table: str | None = None
        """The table that has been described."""
        self._tables: Final[set[str]] = set()
        """The tables of the lobby that have been told of."""
        self._was_lost = False

    def tell(self, heard: Heard) -> list[str]:
        """The lines for what was heard, none for what need not be told."""
        if isinstance(heard, seen.SeenEvent):
            return self._event(heard)
        telling = self._TELLINGS.get(type(heard))
        return [] if telling is None else telling(self, heard)

    def _event(self, event: seen.SeenEvent) -> list[str]:
        picture = self._model.picture
        if picture is None:
            return []
        if isinstance(event, seen.PlayerSat | seen.PlayerLeft):
            self._presence.pop(event.seat, None)
        if isinstance(event, seen.PlayerLeft) and event.player == self._model.player:
            self._table = None
        return tell(event, picture) + (suggest(event, picture, self._model.address) if self._suggests else [])

    def _decision(self, decision: Decision) -> list[str]:
        picture = self._model.picture
        return [] if picture is None else ask(decision, picture)

    def _snapshot(self, snapshot: Snapshot) -> list[str]:
        picture = snapshot.picture
        self._presence.clear()
        self._presence.update((each.seat, each) for each in snapshot.presence)
        if self._table == picture.table:
            meanwhile = tr("Much has happened meanwhile; this is how it stands.")
            return [meanwhile, *standing(self._model, picture)]
        self._table = picture.table
        return [
            *seating(picture, snapshot.presence),
            *house(picture),
            *self._earlier_chat(snapshot),
            *standing(self._model, picture),
        ]

    def _earlier_chat(self, snapshot: Snapshot) -> list[str]:
        lines = [line for chat in snapshot.chat[-CHAT_RETOLD:] for line in said(chat, self._model.player)]
        return [tr("This was said before:"), *lines] if lines else []

    def _presence_changed(self, changed: PresenceChanged) -> list[str]:
        before = self._presence.get(changed.seat)
        after = Presence(seat=changed.seat, connected=changed.connected, away=changed.away)
        self._presence[changed.seat] = after
        picture = self._model.picture
        return [] if picture is None else presence(before, after, picture, changed.cause)

    def _lobby(self, changed: LobbyChanged) -> list[str]:
        """New tables, to who sits at none."""
        if self._model.seat is not None:
            return []
        lines = [
            tr("A new table is open: {name}.").format(name=row.name)
            for row in changed.tables
            if row.table not in self._tables
        ]
        self._tables.update(row.table for row in changed.tables)
        return [*lines, tr("Type tables for more.")] if lines and self._suggests else lines

    def _listed(self, listed: TablesListed) -> list[str]:
        self._tables.update(row.table for row in listed.tables)
        return []

    def _chat(self, line: ChatSaid) -> list[str]:
        return said(line, self._model.player)

    def _left(self, left: TableLeft) -> list[str]:
        """Who leaves by himself has been told so by the event."""
        if self._table != left.table:
            return []
        self._table = None
        return [tr("You do not sit at the table any more.")]

    def _greeted(self, greeted: Greeted) -> list[str]:
        if greeted.result.player == self._player:
            return []
        self._player = greeted.result.player
        self._table = None
        return [
            tr("The server does not know you any more, so you come in anew, as {name}.").format(
                name=greeted.result.name
            )
        ]

    def _closing(self, closing: Closing) -> list[str]:
        return (
            [tr("The server starts anew, and will be back soon; seats and accounts are kept.")]
            if closing.restart
            else []
        )

    def _link(self, link: LinkChanged) -> list[str]:
        match link.phase:
            case LinkPhase.LOST:
                self._was_lost = True
                return _lost(link, is_seated=self._model.seat is not None)
            case LinkPhase.UP if self._was_lost:
                self._was_lost = False
                return [tr("The link to the server is back.")]
            case _:
                return []

    _TELLINGS: ClassVar[Mapping[type[msgspec.Struct], Callable[..., list[str]]]] = {
        Decision: _decision,
        Snapshot: _snapshot,
        PresenceChanged: _presence_changed,
        ChatSaid: _chat,
        LobbyChanged: _lobby,
        TablesListed: _listed,
        TableLeft: _left,
        Greeted: _greeted,
        Closing: _closing,
        LinkChanged: _link,
    }


def _lost(link: LinkChanged, *, is_seated: bool) -> list[str]:
    if link.attempt <= 1 and is_seated:
        return [tr("The link to the server is lost; your seat is kept, and the link is being tried again.")]
    if link.attempt <= 1:
        return [tr("The link to the server is lost, and is being tried again.")]
    seconds = ceil(link.pause or 0)
    return [
        ngettext(
            "There is no link yet; it is tried again in {seconds} second.",
            "There is no link yet; it is tried again in {seconds} seconds.",
            seconds,
        ).format(seconds=seconds)
    ]
