"""What happens at a table, in whole sentences: a line each, in reading order, told to one reader.

All of it is pure: from a seen event and the picture after it to lines. The reader is the picture's seat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from paiute_client.address import Address, bot_command
from paiute_client.card_order import as_named, in_order
from paiute_client.rulebook import explain_switch
from paiute_client.words import (
    cards,
    listing,
    money,
    ngettext,
    ranks,
    the_card,
    tr,
    typed_card,
    worth,
)
from paiute_net.game import seen
from paiute_net.game.actions import Phase, Source
from paiute_net.game.cards import Card, rank_of
from paiute_net.game.events import By, Outcome, Paid
from paiute_net.game.hand import HAND_SIZE
from paiute_net.game.house_rules import MIN_SEATS, HouseRules, LastTurns, Payment, Ties, WildRule
from paiute_net.game.picture import Called, HandPicture, Picture
from paiute_net.wire.messages import Actions, CallChoice, ChatSaid, Decision, Presence, PresenceCause

__all__ = [
    "ask",
    "between_hands",
    "call_laid",
    "dealt_name",
    "is_own",
    "presence",
    "said",
    "seated_name",
    "suggest",
    "tell",
    "wild_cards",
    "won_or_lost",
]


def tell(event: seen.SeenEvent, picture: Picture) -> list[str]:
    """The lines for an event; ``picture`` has taken it in."""
    return _TELLS[type(event)](event, picture)


def suggest(event: seen.SeenEvent, picture: Picture, address: Address) -> list[str]:
    """What can be typed after an event, where that is news and no decision tells it."""
    if isinstance(event, seen.HandEnded):
        return between_hands(picture, address)
    if isinstance(event, seen.PlayerSat) and len(picture.occupants) == MIN_SEATS and not picture.going_on:
        return [] if event.seat == picture.seat else between_hands(picture, address)
    return []


def ask(decision: Decision, picture: Picture) -> list[str]:
    """The lines for an open decision: what the reader can do, or whom everybody waits for."""
    if not is_own(decision, picture):
        return _wait(decision, picture)
    if decision.actions is None:
        return []
    return _ASKS[decision.phase](decision.actions, _hand(picture))


def is_own(decision: Decision, picture: Picture) -> bool:
    """Whether it is the reader who decides."""
    return picture.seat is not None and decision.seat == picture.seat


def _hand(picture: Picture) -> HandPicture:
    if picture.hand is None:
        raise ValueError("no hand has been started at this table")
    return picture.hand


def _named(picture: Picture, player: str) -> str:
    account = picture.account(player)
    return "" if account is None else account.name


def dealt_name(picture: Picture, seat: int) -> str:
    """The name of who was dealt in at ``seat``, also if he has left it since."""
    return _named(picture, _hand(picture).player(seat).player)


def seated_name(picture: Picture, seat: int) -> str:
    """The name of who sits in ``seat`` now, "" for nobody."""
    occupant = picture.occupant(seat)
    return "" if occupant is None else occupant.name


# --- coming and going -----------------------------------------------------------------------------------


def _sat(event: seen.PlayerSat, picture: Picture) -> list[str]:
    if event.seat == picture.seat:
        return [tr("You sit down in seat {number}.").format(number=event.seat + 1)]
    message = (
        tr("{name}, a bot, sits down in seat {number}.")
        if event.bot
        else tr("{name} sits down in seat {number}.")
    )
    return [message.format(name=event.name, number=event.seat + 1)]


_LEFT: Final = {
    (True, "left"): tr("You leave the table."),
    (True, "removed"): tr("You have to leave the table."),
    (True, "expired"): tr("You have been away too long and lose your seat."),
    (False, "left"): tr("{name} leaves the table."),
    (False, "removed"): tr("{name} has to leave the table."),
    (False, "expired"): tr("{name} has been away too long and loses the seat."),
}
"""By whether it is the reader, and the reason."""


def _left(event: seen.PlayerLeft, picture: Picture) -> list[str]:
    own = event.seat == picture.seat
    name = _named(picture, event.player)
    lines = [_LEFT.get((own, event.reason), _LEFT[own, "left"]).format(name=name)]
    if own:
        return lines + won_or_lost(picture, event.player)
    hand = picture.hand
    if (
        hand is not None
        and picture.going_on
        and any(player.player == event.player for player in hand.players)
    ):
        lines.append(tr("The house plays this hand to its end for {name}.").format(name=name))
    return lines


def _closed(event: seen.TableClosed, picture: Picture) -> list[str]:
    return [
        tr("The table is closed."),
        *(
            tr("{name} gets {amount} of the pot.").format(
                name=_named(picture, share.player), amount=money(share.amount)
            )
            for share in event.shares
            if share.amount
        ),
    ]


def presence(
    before: Presence | None, after: Presence, picture: Picture, cause: str | None = None
) -> list[str]:
    """The lines for a change of a player's presence; none where nothing of note has changed.

    ``cause`` is why it has changed, as far as the server says.
    """
    if after.seat == picture.seat:
        return _own_presence(before, after)
    was = before if before is not None else Presence(seat=after.seat, connected=True, away=False)
    change = (after.connected - was.connected, after.away - was.away)
    messages = _CHANGES.get(change, ())
    because = _CAUSES.get(cause or "", _LOST)
    return [
        (because if message is _LOST else message).format(name=seated_name(picture, after.seat))
        for message in messages
    ]


_LOST: Final = tr("{name} has lost the link to the server; the time runs on.")
_CAUSES: Final[Mapping[str, str]] = {
    PresenceCause.CLOSED: tr("{name} has gone off without leaving the table; the time runs on."),
    PresenceCause.DROPPED: tr("The server has cut off {name}; the time runs on."),
}
"""Why somebody is not connected, where the link is not to blame."""
_RETURNED: Final = tr("{name} has the link back.")
_AWAY: Final = tr("{name} did not decide in time and counts as away.")
_BACK: Final = tr("{name} is back.")
_CHANGES: Final[Mapping[tuple[int, int], tuple[str, ...]]] = {
    (-1, 0): (_LOST,),
    (1, 0): (_RETURNED,),
    (0, 1): (_AWAY,),
    (0, -1): (_BACK,),
    (-1, 1): (_LOST, _AWAY),
    (-1, -1): (_LOST,),
    (1, 1): (_RETURNED, _AWAY),
    (1, -1): (_BACK,),
}
"""By how ``connected`` and ``away`` changed, each from -1 to 1."""


def _own_presence(before: Presence | None, after: Presence) -> list[str]:
    was_away = before is not None and before.away
    if after.away == was_away:
        return []
    if after.away:
        return [tr("You did not decide in time and count as away until you act again.")]
    return [tr("You are back.")]


def said(line: ChatSaid, player: str | None) -> list[str]:
    """The line for a chat line; ``player`` is the reader's id."""
    place = "lobby" if line.table is None else "table"
    return [_SAID[place, line.player == player].format(name=line.name, text=line.text)]


_SAID: Final = {
    ("table", True): tr("You say: {text}"),
    ("table", False): tr("{name} says: {text}"),
    ("lobby", True): tr("You say in the lobby: {text}"),
    ("lobby", False): tr("{name} says in the lobby: {text}"),
}


# --- the deal -------------------------------------------------------------------------------------------


def _started(event: seen.HandStarted, picture: Picture) -> list[str]:
    if event.dealer is None:
        message = tr("Hand {number} begins, and the house deals.")
    elif event.dealer == picture.seat:
        message = tr("Hand {number} begins, and you deal.")
    else:
        message = tr("Hand {number} begins, and {name} deals.")
    dealer = "" if event.dealer is None else dealt_name(picture, event.dealer)
    lines = [message.format(number=event.hand, name=dealer)]
    carried = event.pot - event.paid * len(event.order)
    if event.paid and carried:
        message = tr("Everybody pays {stake}; with {carried} from before, the pot holds {pot}.")
    elif event.paid:
        message = tr("Everybody pays {stake}, and the pot holds {pot}.")
    elif event.pot:
        message = tr("The pot holds {pot} from before.")
    else:
        return lines
    return [*lines, message.format(stake=money(event.paid), carried=money(carried), pot=money(event.pot))]


def _cut(event: seen.PackCut, picture: Picture) -> list[str]:
    count = event.position
    if event.by is By.HOUSE and event.seat == picture.seat:
        message = ngettext(
            "The house cuts {count} card for you.", "The house cuts {count} cards for you.", count
        )
    elif event.by is By.HOUSE:
        message = ngettext(
            "The house cuts {count} card for {name}.", "The house cuts {count} cards for {name}.", count
        )
    elif event.seat == picture.seat:
        message = ngettext("You cut {count} card.", "You cut {count} cards.", count)
    else:
        message = ngettext("{name} cuts {count} card.", "{name} cuts {count} cards.", count)
    return [message.format(count=count, name=dealt_name(picture, event.seat))]


def _were_dealt(event: seen.HandDealt, picture: Picture) -> list[str]:
    lines: list[str] = []
    if event.cards is not None:
        held = cards(in_order(event.cards, event.wild), event.wild)
        lines.append(tr("You are dealt these cards: {cards}.").format(cards=held))
    else:
        count = len(_hand(picture).players)
        lines.append(
            ngettext(
                "Five cards are dealt to {count} player.",
                "Five cards are dealt to each of {count} players.",
                count,
            ).format(count=count)
        )
    lines.append(wild_cards(event.turned, picture.rules))
    if event.opening_discard is not None:
        opening = the_card(event.opening_discard, event.wild)
        lines.append(tr("The discards start with {card}.").format(card=opening))
    return lines


_TURNED: Final[Mapping[WildRule, str]] = {
    WildRule.TURNED_RANK: tr("The card turned up is {card}, so the other {ranks} are wild."),
    WildRule.OPPOSITE_COLOUR: tr(
        "The card turned up is {card}, so the {ranks} of the other colour are wild."
    ),
    WildRule.JOKERS: tr("The two jokers are wild."),
}


def wild_cards(turned: Card | None, rules: HouseRules) -> str:
    """Which cards are wild, and why."""
    if turned is None:
        return _TURNED[WildRule.JOKERS]
    return _TURNED[rules.wild_rule].format(card=the_card(turned), ranks=ranks(rank_of(turned)))


def _reshuffled(event: seen.StockReshuffled, picture: Picture) -> list[str]:
    return [
        ngettext(
            "The stock is empty; the discards but the top one are shuffled into a new one of {count} card.",
            "The stock is empty; the discards but the top one are shuffled into a new one of {count} cards.",
            event.stock,
        ).format(count=event.stock)
    ]


# --- a turn ---------------------------------------------------------------------------------------------

_DRAWN: Final[Mapping[tuple[bool, By, Source], str]] = {
    (True, By.PLAYER, Source.STOCK): tr("You draw {card} from the stock."),
    (True, By.PLAYER, Source.DISCARDS): tr("You take {card} from the discards."),
    (True, By.HOUSE, Source.STOCK): tr("The house draws {card} from the stock for you."),
    (True, By.HOUSE, Source.DISCARDS): tr("The house takes {card} from the discards for you."),
    (False, By.PLAYER, Source.STOCK): tr("{name} draws a card from the stock."),
    (False, By.PLAYER, Source.DISCARDS): tr("{name} takes {card} from the discards."),
    (False, By.HOUSE, Source.STOCK): tr("The house draws a card from the stock for {name}."),
    (False, By.HOUSE, Source.DISCARDS): tr("The house takes {card} from the discards for {name}."),
}
"""By whether it is the reader's turn, who acts, and the pile."""
_TAKEN_UNSEEN: Final[Mapping[By, str]] = {
    By.PLAYER: tr("{name} takes the top card of the discards, which you cannot see."),
    By.HOUSE: tr("The house takes the top card of the discards, which you cannot see, for {name}."),
}


def _drawn(event: seen.CardDrawn, picture: Picture) -> list[str]:
    hand = _hand(picture)
    card = hand.drawn
    unseen = card is None and event.source is Source.DISCARDS
    message = (
        _TAKEN_UNSEEN[event.by] if unseen else _DRAWN[event.seat == picture.seat, event.by, event.source]
    )
    seen_as = "" if card is None else the_card(card, hand.wild)
    return [message.format(name=dealt_name(picture, event.seat), card=seen_as)]


_DISCARDED: Final[Mapping[tuple[bool, By, bool], str]] = {
    (True, By.PLAYER, False): tr("You discard {card}."),
    (True, By.PLAYER, True): tr("You discard {card}, face down."),
    (True, By.HOUSE, False): tr("The house discards {card} for you."),
    (True, By.HOUSE, True): tr("The house discards {card} for you, face down."),
    (False, By.PLAYER, False): tr("{name} discards {card}."),
    (False, By.PLAYER, True): tr("{name} discards a card, face down."),
    (False, By.HOUSE, False): tr("The house discards {card} for {name}."),
    (False, By.HOUSE, True): tr("The house discards a card for {name}, face down."),
}
"""By whether it was the reader's turn, who acted, and whether the card lies face down."""


def _discarded(event: seen.CardDiscarded, picture: Picture) -> list[str]:
    return [_laid_off(event.seat, event.card, event.by, picture)]


def _laid_off(seat: int, card: Card | None, by: By, picture: Picture) -> str:
    face_down = card is None or picture.rules.closed_discards
    seen_as = "" if card is None else the_card(card, _hand(picture).wild)
    message = _DISCARDED[seat == picture.seat, by, face_down]
    return message.format(name=dealt_name(picture, seat), card=seen_as)


def _called(event: seen.CombinationCalled, picture: Picture) -> list[str]:
    hand = _hand(picture)
    message = (
        tr("You call {worth}: {cards}.")
        if event.seat == picture.seat
        else tr("{name} calls {worth}: {cards}.")
    )
    lines = [call_laid(message, hand.calls[-1], picture)]
    if len(event.cards) == HAND_SIZE:
        lines.append(_laid_off(event.seat, event.discard, By.PLAYER, picture))
    if len(hand.calls) == 1 and event.next is not None:
        lines.append(_last_turns(hand.calls[0], picture))
    return lines


def call_laid(message: str, call: Called, picture: Picture) -> str:
    """``message`` about a call: its {name}, {worth} and {cards}."""
    wild = _hand(picture).wild
    return message.format(
        name=dealt_name(picture, call.seat),
        worth=worth(call.combination, call.ranks),
        cards=cards(as_named(call, wild), wild),
    )


def _last_turns(call: Called, picture: Picture) -> str:
    """How many still have a turn after the first call, and what they may call."""
    order = [player.seat for player in _hand(picture).players]
    everybody = picture.rules.last_turns is LastTurns.ONE_MORE_EACH
    count = len(order) - 1 if everybody else len(order) - 1 - order.index(call.seat)
    return ngettext(
        "{count} player still has a last turn, and may only call what equals or beats {worth}.",
        "{count} players still have a last turn, and may only call what equals or beats {worth}.",
        count,
    ).format(count=count, worth=worth(call.combination, call.ranks))


# --- the end of a hand ----------------------------------------------------------------------------------


def _ended(event: seen.HandEnded, picture: Picture) -> list[str]:
    hand = _hand(picture)
    lines = _showdown(hand.calls, picture) if len(hand.calls) > 1 else []
    lines += _outcome(event, picture)
    if event.pot:
        lines.append(tr("{amount} stays in the pot for the next hand.").format(amount=money(event.pot)))
    return lines + _own_balance(hand, picture)


def _showdown(calls: Sequence[Called], picture: Picture) -> list[str]:
    """The calls, high to low: each equals or beats the one before it."""
    return [
        (tr("You show {worth}.") if call.seat == picture.seat else tr("{name} shows {worth}.")).format(
            name=dealt_name(picture, call.seat), worth=worth(call.combination, call.ranks)
        )
        for call in reversed(calls)
    ]


def _outcome(event: seen.HandEnded, picture: Picture) -> list[str]:
    if event.outcome is Outcome.WON:
        return _won(event, picture)
    if event.outcome is Outcome.SPLIT:
        names = listing(
            [tr("you") if seat == picture.seat else dealt_name(picture, seat) for seat in event.winners]
        )
        return [tr("The win is shared by {names}.").format(names=names), *_payments(event.payments, picture)]
    if event.outcome is Outcome.WASHED:
        return [tr("Nobody has called, so the hand is washed: nobody wins.")]
    return [
        tr("Nobody who was dealt in is at the table any more, so the hand is void."),
        *_payments(event.payments, picture),
    ]


_WON: Final[Mapping[tuple[bool, bool], str]] = {
    (True, True): tr("You win the pot of {amount} with {worth}."),
    (True, False): tr("You win the hand with {worth}."),
    (False, True): tr("{name} wins the pot of {amount} with {worth}."),
    (False, False): tr("{name} wins the hand with {worth}."),
}
"""By whether the reader has won, and whether it is a pot."""


def _won(event: seen.HandEnded, picture: Picture) -> list[str]:
    winner = event.winners[0]
    calls = _hand(picture).calls
    won = next(call for call in calls if call.seat == winner)
    amount = sum(paid.amount for paid in event.payments if paid.seat == winner)
    from_pot = picture.rules.payment is Payment.POT
    lines = [
        _WON[winner == picture.seat, from_pot and amount > 0].format(
            name=dealt_name(picture, winner), amount=money(amount), worth=worth(won.combination, won.ranks)
        )
    ]
    equal = [call for call in calls if (call.combination, call.ranks) == (won.combination, won.ranks)]
    if len(equal) > 1:
        lines.insert(0, explain_switch("ties", Ties.FIRST_CALLER))
    return lines if from_pot else lines + _payments(event.payments, picture)


_PAID: Final[Mapping[tuple[bool, bool], str]] = {
    (True, True): tr("You get {amount}."),
    (True, False): tr("You pay {amount}."),
    (False, True): tr("{name} gets {amount}."),
    (False, False): tr("{name} pays {amount}."),
}
"""By whether it is the reader, and whether he gets something."""


def _payments(payments: Iterable[Paid], picture: Picture) -> list[str]:
    return [
        _PAID[paid.seat == picture.seat, paid.amount > 0].format(
            name=dealt_name(picture, paid.seat), amount=money(abs(paid.amount))
        )
        for paid in payments
        if paid.amount
    ]


def _own_balance(hand: HandPicture, picture: Picture) -> list[str]:
    player = next((player.player for player in hand.players if player.seat == picture.seat), None)
    account = None if player is None else picture.account(player)
    if account is None or picture.rules.stake == 0:
        return []
    if account.balance == 0:
        return [tr("All in all you are even.")]
    message = (
        tr("All in all you have won {amount}.")
        if account.balance > 0
        else tr("All in all you have lost {amount}.")
    )
    return [message.format(amount=money(abs(account.balance)))]


def won_or_lost(picture: Picture, player: str | None) -> list[str]:
    """What ``player``, who is the reader, has won or lost at a table so far; none where it is for nothing."""
    account = None if player is None else picture.account(player)
    if account is None or picture.rules.stake == 0:
        return []
    messages = {
        1: tr("As it stands you have won {amount} at the table {table}."),
        0: tr("As it stands you are even at the table {table}."),
        -1: tr("As it stands you have lost {amount} at the table {table}."),
    }
    sign = (account.balance > 0) - (account.balance < 0)
    return [messages[sign].format(amount=money(abs(account.balance)), table=picture.name)]


def between_hands(picture: Picture, address: Address) -> list[str]:
    """What a seated player can do while no hand is going on; ``address`` is the server's."""
    if picture.seat is None or picture.closed:
        return []
    if len(picture.occupants) < MIN_SEATS:
        message = tr(
            "A hand needs two players: wait for somebody to join, "
            "or type {command} in another terminal to call a bot."
        )
        return [message.format(command=bot_command(address, picture.name))]
    return [tr("Type start to begin a hand.")]


# --- decisions ------------------------------------------------------------------------------------------


def _wait(decision: Decision, picture: Picture) -> list[str]:
    name = dealt_name(picture, decision.seat)
    if decision.phase is Phase.CUT:
        return [tr("{name} is to cut the pack.").format(name=name)]
    if decision.phase is Phase.DRAW:
        return [tr("It is {name}'s turn.").format(name=name)]
    return []


def _ask_cut(actions: Actions, hand: HandPicture) -> list[str]:
    if actions.cut is None:
        return []
    message = tr(
        "It is for you to cut the pack: type cut, or cut and how many cards, from {minimum} to {maximum}, "
        "go from its top to its bottom, for example cut {middle}."
    )
    minimum, maximum = actions.cut.minimum, actions.cut.maximum
    return [message.format(minimum=minimum, maximum=maximum, middle=(minimum + maximum) // 2)]


def _ask_draw(actions: Actions, hand: HandPicture) -> list[str]:
    held = cards(in_order(hand.own, hand.wild), hand.wild)
    lines = [tr("It is your turn, and these are your cards: {cards}.").format(cards=held)]
    if hand.calls:
        best = hand.calls[-1]
        lines.append(
            tr("This is your last turn, and you may only call what equals or beats {worth}.").format(
                worth=worth(best.combination, best.ranks)
            )
        )
    top = hand.discards[-1] if hand.discards else None
    if Source.DISCARDS not in actions.draw:
        message = tr("Type draw to draw from the stock.")
    elif top is None:
        message = tr("Type draw to draw from the stock, or take for the top discard, which lies face down.")
    else:
        message = tr("Type draw to draw from the stock, or take to take {card} from the discards.")
    return [*lines, message.format(card="" if top is None else the_card(top, hand.wild))]


def _ask_discard(actions: Actions, hand: HandPicture) -> list[str]:
    lines = [_choice(call, hand, best=place == 0) for place, call in enumerate(actions.call)]
    if hand.taken and hand.drawn is not None:
        message = tr("Having taken {card} from the discards, you cannot discard it this turn.")
        lines.append(message.format(card=the_card(hand.drawn, hand.wild)))
    discard = tr("Or type discard and a card, for example discard {card}.")
    if not actions.call:
        discard = tr("Type discard and a card, for example discard {card}.")
    return [*lines, discard.format(card=typed_card(_lowest(actions.discard, hand)))]


def _choice(call: CallChoice, hand: HandPicture, *, best: bool) -> str:
    if call.discard is None and best:
        message = tr("With all six cards you can call {worth}: type call.")
    elif call.discard is None:
        message = tr("With all six cards you can call {worth}: type call all.")
    elif best:
        message = tr("You can call {worth}, and discard {card}: type call.")
    else:
        message = tr("You can call {worth}, and discard {card}: type call leaving {typed}.")
    return message.format(
        worth=worth(call.combination, call.ranks),
        card="" if call.discard is None else the_card(call.discard, hand.wild),
        typed="" if call.discard is None else typed_card(call.discard),
    )


def _lowest(discardable: Sequence[Card], hand: HandPicture) -> Card:
    """The lowest card that may go, wild cards last."""
    ordered = in_order(discardable, hand.wild)
    return next((card for card in reversed(ordered) if card not in hand.wild), ordered[0])


_ASKS: Final[Mapping[Phase, Callable[[Actions, HandPicture], list[str]]]] = {
    Phase.CUT: _ask_cut,
    Phase.DRAW: _ask_draw,
    Phase.DISCARD: _ask_discard,
}
_TELLS: Final[Mapping[type[seen.SeenEvent], Callable[[Any, Picture], list[str]]]] = {
    seen.PlayerSat: _sat,
    seen.PlayerLeft: _left,
    seen.HandStarted: _started,
    seen.PackCut: _cut,
    seen.HandDealt: _were_dealt,
    seen.CardDrawn: _drawn,
    seen.CardDiscarded: _discarded,
    seen.CombinationCalled: _called,
    seen.StockReshuffled: _reshuffled,
    seen.HandEnded: _ended,
    seen.TableClosed: _closed,
}
