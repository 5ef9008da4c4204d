"""What each did last, and what it came to, is said whole beside each seat, however small."""

from __future__ import annotations

import pytest

from paiute_client.screen.canvas import Canvas, Rect
from paiute_client.screen.layout import layout_of
from paiute_client.screen.people import Person, others, person
from paiute_client.screen.seats import draw_own_seat, draw_seat
from paiute_client.words import short_combination
from paiute_net.game.combinations import Combination
from paiute_net.game.house_rules import MAX_STAKE, NAMED_SETS, HouseRules, Payment, rules_from
from paiute_net.game.table import Sit
from tests.client.screen.sitting import Sitting

SMALLEST = (60, 20)
RULES = (
    NAMED_SETS["family"],
    NAMED_SETS["two-round"],
    rules_from("hawaiian", {"stake": MAX_STAKE, "large_table": True}),
    HouseRules(payment=Payment.SCALE, stake=MAX_STAKE),
)


def rows_in(canvas: Canvas, area: Rect) -> list[str]:
    return [
        "".join(letter for letter, _ in row[area.x : area.right]).strip()
        for row in canvas.rows[area.y : area.bottom]
    ]


def drawn(player: Sitting, who: Person, area: Rect) -> str:
    """What is said below the cards of another's seat, or below the balance at the own one."""
    canvas = Canvas(*SMALLEST)
    if who.is_own:
        area = area.inset(1, 0)
        draw_own_seat(canvas, area, who)
    else:
        draw_seat(canvas, area, player.stage, who)
    return " ".join(rows_in(canvas, area)[2:]).strip()


def whole(who: Person) -> set[str]:
    """All that may be said of somebody: of a turn, at the least how much time there is."""
    if not who.is_turn:
        return {who.doing, who.brief}
    return {f"{who.doing}, {who.seconds} s", f"{who.seconds} s"}


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("players", [2, 4, 5])
def test_in_the_smallest_window_all_is_said_of_everybody(rules: HouseRules, players: int) -> None:
    heard = set[str]()
    for seed in range(3):
        player = Sitting(players=players, rules=rules, seed=seed)
        for _ in range(60):
            player.step()
            heard |= checked(player)
    assert len(heard) > 20


def test_who_waits_for_the_next_hand_is_told_so_whole() -> None:
    player = Sitting(players=3)
    player.start()
    player.play.do(Sit("p7", "Late"))
    player.look()
    assert "waits" in checked(player)
    picture = player.stage.picture
    assert picture is not None
    late = person(player.stage, picture, 3)._replace(is_own=True)
    assert drawn(player, late, layout_of(*SMALLEST, 3).own) == "waits"


def checked(player: Sitting) -> set[str]:
    picture = player.stage.picture
    assert picture is not None
    seats = others(picture)
    layout = layout_of(*SMALLEST, len(seats))
    heard = set[str]()
    for seat, area in zip((0, *seats), (layout.own, *layout.seats), strict=True):
        who = person(player.stage, picture, seat)
        said = drawn(player, who, area)
        if not (who.is_own and who.is_turn):
            assert said in whole(who), (seat, said)
        heard.add(said)
    return heard


@pytest.mark.parametrize("combination", Combination)
def test_a_combination_has_a_name_for_the_narrowest_seat(combination: Combination) -> None:
    narrowest = min(seat.width for count in range(1, 8) for seat in layout_of(*SMALLEST, count).seats)
    assert len(short_combination(combination)) <= narrowest - 2
