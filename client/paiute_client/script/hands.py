"""Playing a hand to its end, whatever is dealt: ``play`` in a script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from random import Random
from typing import Any, Final

import trio

from paiute_client.script.language import Play
from paiute_client.script.patterns import as_json
from paiute_client.script.stage import Party, Stage, Unexpected

__all__ = ["play_hand"]

MOST: Final = 2_000
"""Decisions of a hand."""
CALLING: Final = 0.9
"""How often, of one, somebody calls who may."""


class _Player:
    """One who plays, until the end of the hand is heard and all answers have been replied to."""

    def __init__(self, party: Party, chance: Random) -> None:
        self.party: Final = party
        self._chance: Final = chance
        self._ids: Final = map("play-{}".format, count(1))
        self._unanswered: Final[set[str]] = set()
        self._answered = 0
        """The number of the decision answered last."""
        self._has_heard_end = False

    @property
    def is_done(self) -> bool:
        return self._has_heard_end and not self._unanswered

    @property
    def has_something_to_do(self) -> bool:
        return self._is_asked or bool(self.party.heard)

    @property
    def _is_asked(self) -> bool:
        decision = self.party.decision
        return decision is not None and decision["decision"] != self._answered

    async def go_on(self) -> None:
        """Answer what is asked, and take in what is heard."""
        if self._is_asked and self.party.decision is not None:
            self._answered = self.party.decision["decision"]
            request = {**_answer(self.party.decision, self._chance), "id": next(self._ids)}
            self._unanswered.add(request["id"])
            await self.party.say(request)
        while self.party.heard and not self.is_done:
            self._take(self.party.heard.popleft())

    def _take(self, message: Mapping[str, Any]) -> None:
        if message.get("type") == "error":
            heard = [f"heard     {as_json(message)}"]
            raise Unexpected(f"{self.party.name} answers a decision and is refused", heard)
        self._unanswered.discard(message.get("re", ""))
        self._has_heard_end |= message.get("type") == "hand-ended"


async def play_hand(stage: Stage, step: Play) -> None:
    """Have each of the players answer what is asked of it, until all have heard that the hand is over.

    Raises:
      Unexpected: nothing is asked of anybody for too long, or an answer is refused.
    """
    chance = Random(step.line)
    playing = [_Player(await stage.party(who), chance) for who in step.players]
    for _ in range(MOST):
        for player in playing:
            await player.go_on()
        playing = [player for player in playing if not player.is_done]
        if not playing:
            return
        await _wait(stage, playing)
    raise Unexpected(f"the hand has not ended after {MOST} steps")


async def _wait(stage: Stage, playing: Sequence[_Player]) -> None:
    parties = [player.party for player in playing]
    with trio.move_on_after(stage.patience):
        while not any(player.has_something_to_do for player in playing):
            gone = next((party for party in parties if party.fault or party.ended), None)
            if gone is not None:
                raise gone.fault or Unexpected(f"{gone.name} hears nothing more: {gone.ended}")
            await stage.changes.wait()
        return
    raise Unexpected(f"nobody is asked anything for {stage.patience:g} s, and the hand has not ended")


def _answer(decision: Mapping[str, Any], chance: Random) -> dict[str, Any]:
    """A request, but for its id: by chance, but so that hands end."""
    actions = decision["actions"]
    request = {"table": decision["table"], "decision": decision["decision"]}
    if actions["cut"] is not None:
        bounds = actions["cut"]
        return {"type": "cut", **request, "position": chance.randint(bounds["minimum"], bounds["maximum"])}
    if actions["draw"]:
        return {"type": "draw", **request, "source": chance.choice(actions["draw"])}
    if actions["call"] and chance.random() < CALLING:
        return {"type": "call", **request, "cards": chance.choice(actions["call"])["cards"]}
    ranks = Counter(card[0] for card in actions["discard"])
    lone = min(actions["discard"], key=lambda card: (ranks[card[0]], chance.random()))
    return {"type": "discard", **request, "card": lone}
