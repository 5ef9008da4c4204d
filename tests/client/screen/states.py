"""The states of a table that are looked at, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from paiute_client.model import LinkChanged, LinkPhase, PeopleListed, TablesListed
from paiute_client.screen.state import Stage
from paiute_net.game.actions import Phase
from paiute_net.game.events import Outcome
from paiute_net.game.house_rules import NAMED_SETS, HouseRules, Payment, WildRule
from paiute_net.game.table import Sit
from paiute_net.wire.messages import ChatSaid, PersonRow, PresenceCause, PresenceChanged, TableRow
from tests.client.screen.sitting import Sitting
from tests.support.client import PLAYER, TABLE

__all__ = ["STATES"]


def _own(phase: Phase) -> Callable[[Stage], bool]:
    def holds(stage: Stage) -> bool:
        own = stage.model.own_decision
        return own is not None and own.notice.phase is phase

    return holds


def _hand_over(outcome: Outcome, calls: int = 0) -> Callable[[Stage], bool]:
    def holds(stage: Stage) -> bool:
        hand = stage.hand
        return (
            hand is not None
            and hand.result is not None
            and hand.result.outcome is outcome
            and len(hand.calls) >= calls
        )

    return holds


def lobby() -> Sitting:
    player = Sitting(seated=False)
    rows = (
        _row("t-1", "Friday night", ("Ana", "Keala", "Bot 1"), bots=1, going_on=True),
        _row("t-2", "Kitchen", (), rules=NAMED_SETS["family"], seats=4),
        _row("t-3", "夜のテーブル", ("Zoë",), rules=HouseRules(payment=Payment.SCALE, stake=0)),
    )
    player.hear(TablesListed(tables=rows))
    people = ((PLAYER, "Keala", False), ("p1", "Ana", False), ("p2", "Zoë", False), ("p3", "Bot 1", True))
    player.hear(
        PeopleListed(people=tuple(PersonRow(player=each, name=name, bot=bot) for each, name, bot in people))
    )
    for name, text in (("Ana", "Who is in for a hand?"), ("Keala", "Two more, and we start.")):
        player.hear(ChatSaid(table=None, player=name, name=name, text=text))
    return player


def _row(
    table: str,
    name: str,
    players: tuple[str, ...],
    *,
    rules: HouseRules = NAMED_SETS["hawaiian"],
    seats: int = 5,
    bots: int = 0,
    going_on: bool = False,
) -> TableRow:
    return TableRow(
        table=table,
        name=name,
        rules=rules,
        seats=seats,
        players=players,
        bots=bots,
        going_on=going_on,
        time_limit_ms=60_000,
    )


def create() -> Sitting:
    player = lobby()
    player.press("n", "down", "right", *["down"] * 5)
    return player


def waiting() -> Sitting:
    return Sitting(players=1)


def ready() -> Sitting:
    player = Sitting(players=3)
    player.say("Player 1", "Hello!")
    return player


def cut() -> Sitting:
    player = Sitting()
    player.until(_own(Phase.CUT))
    return player


def before_draw() -> Sitting:
    player = Sitting()
    player.until(_own(Phase.DRAW))
    return player


def after_draw() -> Sitting:
    player = Sitting()
    player.until(_own(Phase.DISCARD))
    player.press("right", "right")
    return player


def taken() -> Sitting:
    player = before_draw()
    player.press("t")
    return player


def anothers_turn() -> Sitting:
    player = Sitting(seed=5)
    player.until(lambda stage: stage.hand is not None and stage.hand.turn == 2 and stage.hand.round == 2)
    return player


def may_call() -> Sitting:
    player = Sitting(players=5, seed=11)
    player.until(lambda stage: bool(stage.choices))
    player.press("c")
    return player


def after_call() -> Sitting:
    """Another has called, and it is the player's last turn."""
    player = Sitting(players=5, seed=2)
    player.until(lambda stage: _own(Phase.DRAW)(stage) and stage.hand is not None and bool(stage.hand.calls))
    return player


def showdown() -> Sitting:
    player = Sitting(players=5, seed=2)
    player.until(_hand_over(Outcome.WON, calls=2))
    return player


def scale() -> Sitting:
    player = Sitting(players=3, rules=NAMED_SETS["quarter"], seed=4)
    player.until(_hand_over(Outcome.WON))
    return player


def washed() -> Sitting:
    player = Sitting(players=3, rules=NAMED_SETS["two-round"], seed=1)
    player.until(_hand_over(Outcome.WASHED))
    return player


def closed_discards() -> Sitting:
    player = Sitting(players=3, rules=NAMED_SETS["two-round"], seed=1)
    player.until(
        lambda stage: _own(Phase.DRAW)(stage) and stage.hand is not None and len(stage.hand.discards) > 1
    )
    return player


def away() -> Sitting:
    player = anothers_turn()
    for seat, connected, is_away, cause in (
        (0, True, True, PresenceCause.AWAY),
        (1, False, False, PresenceCause.LOST),
        (3, True, True, PresenceCause.AWAY),
    ):
        player.hear(PresenceChanged(table=TABLE, seat=seat, connected=connected, away=is_away, cause=cause))
    return player


def lost_link() -> Sitting:
    player = before_draw()
    player.hear(LinkChanged(phase=LinkPhase.LOST, attempt=3, pause=21.0))
    return player


def eight_players() -> Sitting:
    player = Sitting(players=8, rules=HouseRules(large_table=True), seed=11)
    player.until(lambda stage: _own(Phase.DRAW)(stage) and stage.hand is not None and stage.hand.round == 2)
    return player


def jokers() -> Sitting:
    player = Sitting(players=2, rules=HouseRules(wild_rule=WildRule.JOKERS), seed=7)
    player.until(lambda stage: any(card in ("X1", "X2") for card in stage.own_cards))
    return player


def strange_names() -> Sitting:
    """Wide letters, marks that combine, and a name as long as names may be."""
    player = Sitting(players=1)
    for seat, name in enumerate(("花子さんと太郎さん", "Zoe\u0308 Łukasz", "W" * 24), 1):
        player.play.do(Sit(f"p{seat}", name, seat == 2))
    player.follow()
    player.say("花子さんと太郎さん", "よろしくお願いします! 😀 e\u0301te\u0301 " + "絵" * 60)
    player.until(_own(Phase.DRAW))
    return player


def hints() -> Sitting:
    player = after_draw()
    player.press("h")
    return player


def help_() -> Sitting:
    player = before_draw()
    player.press("?")
    return player


def settings() -> Sitting:
    player = before_draw()
    player.press("o", "down")
    return player


def leaving() -> Sitting:
    player = before_draw()
    player.press("c-q")
    return player


def plain_letters() -> Sitting:
    player = after_draw()
    player.state = replace(player.state, settings=replace(player.state.settings, ascii=True))
    return player


STATES: Final[Mapping[str, Callable[[], Sitting]]] = {
    "lobby": lobby,
    "create": create,
    "waiting": waiting,
    "ready": ready,
    "cut": cut,
    "before-draw": before_draw,
    "after-draw": after_draw,
    "taken": taken,
    "anothers-turn": anothers_turn,
    "may-call": may_call,
    "after-call": after_call,
    "showdown": showdown,
    "scale": scale,
    "washed": washed,
    "closed-discards": closed_discards,
    "away": away,
    "lost-link": lost_link,
    "eight-players": eight_players,
    "jokers": jokers,
    "strange-names": strange_names,
    "hints": hints,
    "help": help_,
    "settings": settings,
    "leaving": leaving,
    "plain-letters": plain_letters,
}
