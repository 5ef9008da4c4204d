"""The middle of the table: the stock, the discards and the card turned up, or how the hand ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from paiute_client.address import bot_command
from paiute_client.card_order import as_named
from paiute_client.screen.canvas import Canvas, Rect, Span
from paiute_client.screen.cards import LOW, MEDIUM, SMALL, Size, chips, draw_back, draw_card, draw_slot
from paiute_client.screen.intents import DrawFrom, MoveCut
from paiute_client.screen.state import Stage
from paiute_client.screen.width import columns, wrapped
from paiute_client.sentences import dealt_name
from paiute_client.words import combination, money, ngettext, short_card, tr, worth
from paiute_net.game.actions import Phase, Source
from paiute_net.game.cards import Card
from paiute_net.game.events import Outcome
from paiute_net.game.hand import HAND_SIZE
from paiute_net.game.house_rules import MIN_SEATS
from paiute_net.game.picture import Called, HandPicture, Picture
from paiute_net.wire.messages import Cutting

__all__ = ["cut_place", "draw_middle"]

_WIDEST_GAP: Final = 8


def draw_middle(canvas: Canvas, area: Rect, stage: Stage, size: Size) -> None:
    """Whatever lies there now."""
    picture = stage.picture
    if picture is None:
        return
    hand = picture.hand
    if hand is None:
        _lines(canvas, area, [tr("No hand has been played here yet."), *_company(stage, picture)])
    elif hand.phase is Phase.OVER:
        _ending(canvas, area, picture, hand)
    elif hand.phase is Phase.CUT:
        _cutting(canvas, area, stage, size)
    else:
        _piles(canvas, area, stage, picture, hand, size)


def _lines(canvas: Canvas, area: Rect, sentences: Sequence[str], style: str = "") -> None:
    rows = [row for sentence in sentences for row in wrapped(sentence, area.width - 2)][: area.height]
    y = area.y + (area.height - len(rows)) // 2
    for number, row in enumerate(rows):
        canvas.centre(area, y + number, [(row, style)])


def _company(stage: Stage, picture: Picture) -> list[str]:
    """How who sits alone gets a bot to play with."""
    if len(picture.occupants) >= MIN_SEATS:
        return []
    return [tr("For a bot, type in another terminal:"), bot_command(stage.model.address, picture.name)]


# --- the piles ------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    label: str
    short: str
    card: Card | None
    face_down: bool
    source: Source | None


def _piles(canvas: Canvas, area: Rect, stage: Stage, picture: Picture, hand: HandPicture, size: Size) -> None:
    places = _places(hand)
    gap = max(1, min(_WIDEST_GAP, (area.width - 3 * size.width) // 3))
    part = area.centred(len(places) * (size.width + gap) - gap, size.height + 2)
    brief = any(columns(place.label) >= size.width + gap for place in places)
    for number, place in enumerate(places):
        x = part.x + number * (size.width + gap)
        _pile(canvas, Rect(x, part.y, size.width, part.height), stage, place, gap, brief=brief)
    _below(canvas, Rect(area.x, part.bottom - 1, area.width, area.bottom - part.bottom + 1), picture, hand)


def _places(hand: HandPicture) -> list[_Place]:
    top = hand.discards[-1] if hand.discards else None
    stock = tr("stock {count}").format(count=hand.stock)
    places = [
        _Place(stock, stock, None, hand.stock > 0, Source.STOCK),
        _Place(
            tr("discards {count}").format(count=len(hand.discards)),
            tr("disc. {count}").format(count=len(hand.discards)),
            top,
            bool(hand.discards) and top is None,
            Source.DISCARDS,
        ),
    ]
    if hand.turned is not None:
        places.append(_Place(tr("turned up"), tr("turned"), hand.turned, False, None))
    return places


def _pile(canvas: Canvas, area: Rect, stage: Stage, place: _Place, gap: int, *, brief: bool) -> None:
    hand = stage.hand
    size = Size(area.width, area.height - 2)
    selected = place.source is not None and stage.state.selected is place.source
    label = place.short if brief else place.label
    room = Rect(area.x - gap // 2, area.y, area.width + gap, 1)
    canvas.centre(
        room,
        area.y,
        [(f"▶{label}" if selected else label, "class:cursor" if selected else "class:dim")],
    )
    if place.face_down:
        drawn = draw_back(canvas, area.x, area.y + 1, size)
    elif place.card is not None:
        bottom = _wild_label(size) if hand is not None and place.card in hand.wild else ""
        drawn = draw_card(canvas, area.x, area.y + 1, size, place.card, bottom=bottom)
    else:
        drawn = draw_slot(canvas, area.x, area.y + 1, size)
    if place.source is not None:
        canvas.target(drawn, DrawFrom(place.source))


def _wild_label(size: Size) -> str:
    word = tr("wild")
    return word if columns(word) <= size.width - 2 else "*"


def _below(canvas: Canvas, area: Rect, picture: Picture, hand: HandPicture) -> None:
    """Which cards are wild, and what there is to win."""
    room = area.width - 2
    wild = chips(hand.wild, hand.wild, room)
    label: list[Span] = [(tr("wild:") + " ", "class:dim")]
    pot = _pot(picture)
    if area.height > 1:
        canvas.centre(area, area.y, [*label, *wild])
        canvas.centre(area, area.y + 1, pot)
        return
    fits = _columns([*label, *wild, *pot]) + 3 <= room
    canvas.centre(area, area.y, [*(label if fits else []), *wild, ("   " if fits else "  ", ""), *pot])


def _columns(spans: Iterable[Span]) -> int:
    return sum(columns(text) for text, _ in spans)


def _pot(picture: Picture) -> list[Span]:
    if picture.pot:
        return [(tr("pot {amount}").format(amount=money(picture.pot)), "class:name")]
    return []


# --- the cut --------------------------------------------------------------------------------------------

_PACK: Final = 26


def cut_place(cutting: Cutting, moved_to: int | None) -> int:
    """Where the pack will be cut: where the player has moved to, else in its middle."""
    return (cutting.minimum + cutting.maximum) // 2 if moved_to is None else moved_to


def _cutting(canvas: Canvas, area: Rect, stage: Stage, size: Size) -> None:
    cutting = stage.actions.cut
    if cutting is None:
        pack = area.centred(size.width, size.height)
        draw_back(canvas, pack.x, pack.y, Size(pack.width, pack.height))
        return
    place = cut_place(cutting, stage.state.cut)
    top = round(_PACK * place / (cutting.maximum + 1))
    part = area.centred(_PACK + 4, 3)
    canvas.spans(
        part.x + 1,
        part.y,
        [("▒" * top, "class:card.back"), ("  ", ""), ("▒" * (_PACK - top), "class:card.back")],
        width=part.width,
    )
    below = ngettext("{count} card goes to the bottom", "{count} cards go to the bottom", place)
    canvas.centre(area, part.y + 1, [(below.format(count=place), "")])
    half = part.width // 2
    canvas.target(Rect(part.x, part.y, half, 1), MoveCut(-1))
    canvas.target(Rect(part.x + half, part.y, half, 1), MoveCut(1))


# --- the end --------------------------------------------------------------------------------------------


def _ending(canvas: Canvas, area: Rect, picture: Picture, hand: HandPicture) -> None:
    """The compared combinations, the highest first, and what became of the money."""
    outcome = _outcome(picture, hand)
    size = _size_of_calls(area, len(outcome), len(hand.calls))
    if size is not None:
        _laid_out(canvas, area, picture, hand, size)
        return
    compared = _compared(picture, hand, area.width - 2, brief=False)
    if len(outcome) + len(compared) > area.height:
        compared = _compared(picture, hand, area.width - 2, brief=True)
    rows = [*outcome, *compared][: area.height]
    y = area.y + (area.height - len(rows)) // 2
    for number, spans in enumerate(rows):
        canvas.centre(area, y + number, spans)


def _size_of_calls(area: Rect, outcome: int, calls: int) -> Size | None:
    """How large the cards of all calls can be drawn below the outcome; None if they cannot."""
    for size in (MEDIUM, LOW, SMALL):
        width = (HAND_SIZE + 1) * (size.width + 1) + 1
        if calls and outcome + calls * (1 + size.height) <= area.height and width <= area.width:
            return size
    return None


def _laid_out(canvas: Canvas, area: Rect, picture: Picture, hand: HandPicture, size: Size) -> None:
    """The compared combinations as drawn cards, below the outcome."""
    outcome = _outcome(picture, hand)
    y = area.y + (area.height - len(outcome) - len(hand.calls) * (1 + size.height)) // 2
    for spans in outcome:
        canvas.centre(area, y, spans)
        y += 1
    for call in reversed(hand.calls):
        canvas.centre(area, y, _title(picture, hand, call, area.width - 2))
        laid = as_named(call, hand.wild)
        x = area.x + (area.width - len(laid) * (size.width + 1) + 1) // 2
        for each in laid:
            bottom = _wild_label(size) if each in hand.wild else ""
            x = draw_card(canvas, x, y + 1, size, each, bottom=bottom).right + 1
        y += 1 + size.height


def _title(picture: Picture, hand: HandPicture, call: Called, width: int) -> list[Span]:
    """Whose call it is and what it is worth, in one row."""
    heading = _heading(picture, hand, call)
    value = worth(call.combination, call.ranks)
    fits = _columns([heading, (value, "")]) <= width
    return [heading, (value if fits else combination(call.combination), "")]


def _heading(picture: Picture, hand: HandPicture, call: Called) -> Span:
    name = tr("you") if call.seat == picture.seat else dealt_name(picture, call.seat)
    won = hand.result is not None and call.seat in hand.result.winners
    return tr("{mark}{name}: ").format(mark="★ " if won else "  ", name=name), "class:name"


def _outcome(picture: Picture, hand: HandPicture) -> list[list[Span]]:
    result = hand.result
    if result is None:
        return []
    if result.outcome is Outcome.WASHED:
        first = tr("Washed: nobody has called.")
    elif result.outcome is Outcome.VOID:
        first = tr("Void: nobody who was dealt in is here.")
    elif result.outcome is Outcome.SPLIT:
        first = tr("The win is shared.")
    elif result.winners[0] == picture.seat:
        first = tr("You win!")
    else:
        first = tr("{name} wins.").format(name=dealt_name(picture, result.winners[0]))
    rows: list[list[Span]] = [[(first, "class:moment")]]
    rows += [[(text, style)] for text, style in _moved(picture, hand)]
    if picture.pot:
        message = tr("{amount} stays in the pot for the next hand.")
        rows.append([(message.format(amount=money(picture.pot)), "")])
    return rows


def _moved(picture: Picture, hand: HandPicture) -> list[Span]:
    """What the reader has won or paid."""
    if hand.result is None or picture.rules.stake == 0:
        return []
    amount = sum(paid.amount for paid in hand.result.payments if paid.seat == picture.seat)
    if amount > 0:
        return [(tr("You get {amount}.").format(amount=money(amount)), "class:money.won")]
    if amount < 0:
        return [(tr("You pay {amount}.").format(amount=money(-amount)), "class:money.owed")]
    return []


def _compared(picture: Picture, hand: HandPicture, width: int, *, brief: bool) -> list[list[Span]]:
    rows: list[list[Span]] = []
    for call in reversed(hand.calls):
        rows += _call(picture, hand, call, width, brief=brief)
    return rows


def _call(picture: Picture, hand: HandPicture, call: Called, width: int, *, brief: bool) -> list[list[Span]]:
    cards = chips(as_named(call, hand.wild), hand.wild, width)
    heading = _heading(picture, hand, call)
    value = worth(call.combination, call.ranks)
    one: list[Span] = [heading, *cards, (f"  {value}", "")]
    if _columns(one) <= width:
        return [one]
    if _columns([heading, (value, "")]) <= width:
        return [[heading, (value, "")], cards]
    if brief:
        return [[heading, (combination(call.combination), "")], cards]
    return [[heading], *([(row, "")] for row in wrapped(value, width)), cards]


def top_discard(hand: HandPicture) -> str:
    """The top of the discards as it can be named: "K♦", or that it lies face down."""
    top = hand.discards[-1] if hand.discards else None
    return tr("the top discard") if top is None else short_card(top)
