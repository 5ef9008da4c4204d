"""The connections of a script, each of which reads all the time, and what is expected of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, cast

import trio

from paiute_client.errors import LinkLost
from paiute_client.raw_link import PING, RawLink, RawMessage
from paiute_client.script.language import (
    Asked,
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
from paiute_client.script.patterns import Difference, Reading, Unknown, as_json, match, said
from paiute_client.session import Changes, Dial
from paiute_net.wire.codec import pack
from paiute_net.wire.errors import LocalProtocolError

__all__ = ["Observer", "Party", "Stage", "Unexpected"]

PATIENCE: Final = 5.0
"""Seconds to wait for what is expected, where the script says nothing else."""
_REPLIES: Final = ("ok", "error")
_DECIDED: Final = frozenset(
    {"pack-cut", "card-drawn", "card-discarded", "combination-called", "hand-ended", "table-closed"}
)
"""The events after which no decision is open until the next one is asked."""


class Unexpected(Exception):
    """An expectation has failed: ``line`` is where it stands, and ``lines`` say how it did."""

    def __init__(self, problem: str, lines: Iterable[str] = (), line: int = 0) -> None:
        super().__init__(problem)
        self.problem: Final = problem
        self.lines: Final = tuple(lines)
        self.line = line


class Observer(Protocol):
    """Whoever looks on, and judges what no script says."""

    def connected(self, who: str) -> None:
        """``who`` has a new connection."""
        ...

    def sent(self, who: str, data: bytes) -> None:
        """``who`` sends these bytes."""
        ...

    def heard(self, who: str, message: Mapping[str, Any]) -> None:
        """``who`` was told that; raises Unexpected where no server may say so."""
        ...


class Party:
    """One connection: ``heard`` is what has arrived and was not yet expected or passed over.

    ``decision`` is the one that is asked of it now. ``ended`` is why nothing more arrives.
    """

    def __init__(self, name: str, link: RawLink, changes: Changes, observer: Observer | None) -> None:
        self.name: Final = name
        self.link: Final = link
        self.heard: Final[deque[RawMessage]] = deque()
        self.decision: RawMessage | None = None
        self.ended: str | None = None
        self.fault: Unexpected | None = None
        self._changes: Final = changes
        self._observer: Final = observer

    async def read(self) -> None:
        """Hear the server until it has ended."""
        try:
            while (message := await self.link.receive()) is not None:
                self._take(message)
                self._changes.notify()
            self.ended = "the server has closed the connection"
        except LinkLost as lost:
            self.ended = "the connection was lost" + (f" ({lost.code})" if lost.code else "")
        except Unexpected as fault:
            self.fault = fault
        self._changes.notify()

    def _take(self, message: RawMessage) -> None:
        if self._observer is not None:
            self._observer.heard(self.name, message)
        self.heard.append(message)
        asked: object = message if message.get("type") == "decision" else message.get("decision")
        if isinstance(asked, dict) and "actions" in asked and asked["actions"] is not None:
            self.decision = cast("RawMessage", asked)
        elif message.get("type") in _DECIDED:
            self.decision = None

    async def send(self, data: bytes) -> None:
        """Send bytes; where the server has hung up meanwhile, what it said before that tells why."""
        if self._observer is not None:
            self._observer.sent(self.name, data)
        try:
            await self.link.send(data)
        except LinkLost:
            return

    async def say(self, message: Mapping[str, Any]) -> None:
        """Send a message; raises LocalProtocolError if it cannot be sent."""
        await self.send(pack(message))


class Stage:
    """Carries out the steps of one check, with connections opened in ``nursery`` by ``dial``."""

    def __init__(
        self,
        dial: Dial,
        nursery: trio.Nursery,
        play: Callable[[Stage, Play], Awaitable[None]],
        observer: Observer | None = None,
    ) -> None:
        self.changes: Final = Changes()
        self.patience = PATIENCE
        self._dial: Final = dial
        self._nursery: Final = nursery
        self._play: Final = play
        self._observer: Final = observer
        self._parties: Final[dict[str, Party]] = {}
        self._aliases: Final[dict[str, str]] = {}
        self._known: dict[str, Any] = {}
        self._reading = Reading()
        self._strict = False

    async def do(self, step: Step) -> None:
        """Carry out one step.

        Raises:
          Unexpected: what it expects does not happen.
          CannotConnect: there is no server.
        """
        try:
            await self._do(step)
        except Unexpected as unexpected:
            unexpected.line = unexpected.line or step.line
            raise
        except (Unknown, LocalProtocolError) as error:
            raise Unexpected(str(error), line=step.line) from error

    async def _do(self, step: Step) -> None:
        match step:
            case Send(who=who, message=message):
                await (await self.party(who)).say(said(message, self._known, self._reading))
            case SendBytes(who=who, data=data):
                await (await self.party(who)).send(data)
            case Expect():
                await self._expect(step)
            case ExpectEnd(who=who):
                await self._expect_end(who)
            case Connect(who=who):
                await self._close(who)
                await self.party(who)
            case End(who=who):
                await (await self.party(who)).link.end()
            case Close(who=who):
                await self._close(who)
            case Asked():
                await self._see_who_is_asked(step)
            case Play():
                await self._play(self, step)
            case _:
                self._set(step)

    def _set(self, step: Step) -> None:
        match step:
            case Within(seconds=seconds):
                self.patience = seconds
            case Order(strict=strict):
                self._strict = strict
            case Names(fields=fields):
                self._reading = replace(self._reading, names={*self._reading.names, *fields})
            case Ignore(fields=fields):
                self._reading = replace(self._reading, ignored={*self._reading.ignored, *fields})
            case Forget(names=names):
                for name in names:
                    self._known.pop(name.removeprefix("$"), None)
            case _:
                raise AssertionError(step)

    # --- connections --------------------------------------------------------------------------------------

    async def party(self, who: str) -> Party:
        """The connection of that name, opened if there is none; raises CannotConnect."""
        who = self._aliases.get(who, who)
        party = self._parties.get(who)
        if party is None:
            link = RawLink(await self._dial())
            if self._observer is not None:
                self._observer.connected(who)
            party = self._parties[who] = Party(who, link, self.changes, self._observer)
            self._nursery.start_soon(party.read)
        return party

    async def _close(self, who: str) -> None:
        party = self._parties.pop(self._aliases.get(who, who), None)
        if party is not None:
            await party.link.aclose()

    async def close(self) -> None:
        """Break all connections off."""
        for who in list(self._parties):
            await self._close(who)

    async def _see_who_is_asked(self, step: Asked) -> None:
        for alias in step.aliases:
            self._aliases.pop(alias, None)
        parties = [await self.party(who) for who in step.players]
        with trio.move_on_after(self.patience):
            while (asked := next((party for party in parties if party.decision is not None), None)) is None:
                await self.changes.wait()
            others = [party for party in parties if party is not asked]
            names = [party.name for party in (asked, *others)]
            self._aliases.update(zip(step.aliases, names, strict=True))
            return
        raise Unexpected(f"nobody has been asked to decide within {self.patience:g} s")

    # --- expectations -------------------------------------------------------------------------------------

    async def _expect(self, step: Expect) -> None:
        party = await self.party(step.who)
        closest = _Closest(step.pattern)
        pings = step.pattern.get("type") == PING
        with trio.move_on_after(self.patience):
            while (message := await self.next_message(party, pings=pings)) is not None:
                differences, known = match(step.pattern, message, self._known, self._reading)
                if not differences:
                    self._known = known
                    return
                closest.see(message, differences)
                if self._strict or self._answers(step.pattern, message):
                    raise closest.unexpected(f"{party.name} hears something else")
            raise closest.unexpected(f"{party.name} hears nothing more: {party.ended}")
        raise closest.unexpected(f"{party.name} has heard nothing like it within {self.patience:g} s")

    def _answers(self, pattern: Mapping[str, Any], message: RawMessage) -> bool:
        """Whether the pattern is of a reply, and this is the reply to the same request."""
        if pattern.get("type") not in _REPLIES or message.get("type") not in _REPLIES or "re" not in pattern:
            return False
        return not match(pattern["re"], message.get("re"), self._known, self._reading)[0]

    async def next_message(self, party: Party, *, pings: bool = False) -> RawMessage | None:
        """What ``party`` hears next, pings only if wanted; None if nothing more is to come."""
        while True:
            while party.heard:
                message = party.heard.popleft()
                if pings or message.get("type") != PING:
                    return message
            if party.fault is not None:
                raise party.fault
            if party.ended is not None:
                return None
            await self.changes.wait()

    async def _expect_end(self, who: str) -> None:
        party = await self.party(who)
        with trio.move_on_after(self.patience):
            while (message := await self.next_message(party)) is not None:
                if self._strict:
                    raise Unexpected(
                        f"{who} hears something before the end", [f"heard     {as_json(message)}"]
                    )
            await self._close(who)
            return
        raise Unexpected(f"the connection of {who} was not closed within {self.patience:g} s")

    def check_end(self) -> None:
        """Raises Unexpected where somebody heard what no server may say, or in strict order anything more."""
        for party in self._parties.values():
            if party.fault is not None:
                raise party.fault
            more = [message for message in party.heard if message.get("type") != PING]
            if self._strict and more:
                lines = [f"heard     {as_json(message)}" for message in more]
                raise Unexpected(f"{party.name} hears more than is expected", lines)


class _Closest:
    """Of all messages that were not of a pattern, the one that came nearest."""

    def __init__(self, pattern: Mapping[str, Any]) -> None:
        self._pattern: Final = pattern
        self._message: RawMessage | None = None
        self._differences: Sequence[Difference] = ()

    def see(self, message: RawMessage, differences: Sequence[Difference]) -> None:
        if self._message is None or self._rank(message, differences) <= self._rank(
            self._message, self._differences
        ):
            self._message, self._differences = message, differences

    def _rank(self, message: RawMessage, differences: Sequence[Difference]) -> tuple[bool, int]:
        return message.get("type") != self._pattern.get("type"), len(differences)

    def unexpected(self, problem: str) -> Unexpected:
        lines = [f"expected  {as_json(self._pattern)}"]
        if self._message is not None:
            lines.append(f"heard     {as_json(self._message)}")
            lines += [f"          {difference}" for difference in self._differences]
        return Unexpected(problem, lines)
