"""The own hand: drawn cards, the one selected standing higher, the one just drawn apart."""

from __future__ import annotations

from paiute_client.card_order import as_named
from paiute_client.screen.canvas import Canvas, Rect
from paiute_client.screen.cards import Size, draw_card
from paiute_client.screen.intents import ChooseCard
from paiute_client.screen.state import Stage
from paiute_client.screen.width import columns, wrapped
from paiute_client.words import tr
from paiute_net.game.actions import Phase
from paiute_net.game.cards import Card
from paiute_net.game.picture import HandPicture

__all__ = ["draw_hand"]

_APART = 2
"""Columns between the hand and the card just drawn, beside those between any two."""


def draw_hand(canvas: Canvas, area: Rect, stage: Stage, size: Size) -> None:
    """The cards, or why there are none."""
    hand = stage.hand
    if hand is None or hand.phase is Phase.CUT:
        return
    if hand.own:
        _cards(canvas, area, stage, hand, size)
        return
    call = next((each for each in hand.calls if _is_own(stage, each.seat)), None)
    if call is not None:
        laid = as_named(call, hand.wild)
        for place, card in enumerate(laid):
            x = area.x + place * (size.width + 1)
            draw_card(canvas, x, area.y + 1, size, card, bottom=_wild(card, hand, size))
    elif all(not _is_own(stage, player.seat) for player in hand.players):
        rows = wrapped(tr("You were not dealt in, and play from the next hand on."), area.width)
        for place, row in enumerate(rows):
            canvas.put(area.x, area.y + 1 + place, row, "class:dim")


def _is_own(stage: Stage, seat: int) -> bool:
    return stage.picture is not None and stage.picture.seat == seat


def _cards(canvas: Canvas, area: Rect, stage: Stage, hand: HandPicture, size: Size) -> None:
    x = area.x
    for card in stage.own_cards:
        is_drawn = card == stage.drawn
        selected = card == stage.state.selected
        x += _APART if is_drawn else 0
        drawn = draw_card(
            canvas,
            x,
            area.y if selected else area.y + 1,
            size,
            card,
            top=_new(hand, size) if is_drawn else "",
            bottom=_wild(card, hand, size),
            edge="class:card.selected" if selected else "",
        )
        canvas.target(drawn, ChooseCard(card))
        x = drawn.right + 1


def _new(hand: HandPicture, size: Size) -> str:
    word = tr("taken") if hand.taken else tr("new")
    return word if columns(word) <= size.width - 2 else tr("new")


def _wild(card: Card, hand: HandPicture, size: Size) -> str:
    if card not in hand.wild:
        return ""
    word = tr("wild")
    return word if columns(word) <= size.width - 2 else "*"
