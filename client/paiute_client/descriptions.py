"""How things stand, in whole sentences: the table, its people, the hand going on, the accounts, the lobby."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paiute_client.card_order import in_order
from paiute_client.rulebook import name_of
from paiute_client.sentences import call_laid, seated_name, wild_cards
from paiute_client.words import cards, listing, money, ngettext, the_card, tr
from paiute_net.game.actions import Phase
from paiute_net.game.house_rules import Payment
from paiute_net.game.picture import Account, Called, HandPicture, Occupant, Picture
from paiute_net.wire.messages import AccountsResult, PairPayment, PersonRow, Presence, TableRow

__all__ = [
    "accounts",
    "hand",
    "held",
    "house",
    "lobby",
    "people",
    "person",
    "position",
    "seating",
    "table_row",
]


def seating(picture: Picture, presence: Iterable[Presence]) -> list[str]:
    """Where the reader sits, with whom, and who is not quite there."""
    if picture.seat is None:
        lines = [tr("You watch the table {table}.").format(table=picture.name)]
    else:
        lines = [
            tr("You sit at the table {table}, in seat {seat} of {seats}.").format(
                table=picture.name, seat=picture.seat + 1, seats=picture.seats
            )
        ]
    others = [occupant for occupant in picture.occupants if occupant.seat != picture.seat]
    if others:
        lines.append(
            tr("With you sit {players}.").format(players=listing([_neighbour(other) for other in others]))
        )
    else:
        lines.append(tr("Nobody else sits here yet."))
    for one in presence:
        if one.seat != picture.seat and seated_name(picture, one.seat):
            lines += _absence(one, seated_name(picture, one.seat))
    return lines


def _neighbour(occupant: Occupant) -> str:
    message = tr("the bot {name} in seat {number}") if occupant.bot else tr("{name} in seat {number}")
    return message.format(name=occupant.name, number=occupant.seat + 1)


def _absence(presence: Presence, name: str) -> list[str]:
    if not presence.connected:
        return [tr("{name} has no link to the server at the moment.").format(name=name)]
    return [tr("{name} is away.").format(name=name)] if presence.away else []


def house(picture: Picture) -> list[str]:
    """What the table plays, for how much, and how fast."""
    name = name_of(picture.rules)
    if name is None:
        message = tr(
            "The table has rules of its own and plays for a stake of {stake}; "
            "type rules to have them explained."
        )
    else:
        message = tr("The table plays {rules} for a stake of {stake}; type rules to have that explained.")
    if name is None and not picture.rules.stake:
        message = tr(
            "The table has rules of its own and plays for nothing; type rules to have them explained."
        )
    elif not picture.rules.stake:
        message = tr("The table plays {rules} for nothing; type rules to have that explained.")
    return [message.format(rules=name, stake=money(picture.rules.stake)), _time_limit(picture.time_limit_ms)]


def _time_limit(milliseconds: int | None) -> str:
    if milliseconds is None:
        return tr("There is no time limit.")
    seconds = milliseconds // 1000
    return ngettext(
        "You have {seconds} second for each decision; when it is over, the house plays for you.",
        "You have {seconds} seconds for each decision; when they are over, the house plays for you.",
        seconds,
    ).format(seconds=seconds)


def position(picture: Picture) -> list[str]:
    """What lies on the table."""
    hand_picture = picture.hand
    if hand_picture is None or not picture.going_on:
        return [tr("No hand is going on."), *_pot(picture)]
    if hand_picture.phase is Phase.CUT:
        return [tr("Hand {number} begins.").format(number=hand_picture.hand), *_pot(picture)]
    round_ = tr("This is round {round} of hand {number}.")
    return [
        round_.format(round=hand_picture.round, number=hand_picture.hand),
        *_pot(picture),
        _stock(hand_picture.stock),
        _discards(hand_picture),
        *(_has_called(call, picture) for call in hand_picture.calls),
        wild_cards(hand_picture.turned, picture.rules),
    ]


def _has_called(call: Called, picture: Picture) -> str:
    own = call.seat == picture.seat
    message = tr("You have called {worth}: {cards}.") if own else tr("{name} has called {worth}: {cards}.")
    return call_laid(message, call, picture)


def hand(picture: Picture) -> list[str]:
    """The reader's cards, and which cards are wild."""
    hand_picture = picture.hand
    if hand_picture is None or not picture.going_on or hand_picture.phase is Phase.CUT:
        return held(picture)
    return [*held(picture), wild_cards(hand_picture.turned, picture.rules)]


def held(picture: Picture) -> list[str]:
    """The reader's cards."""
    hand_picture = picture.hand
    if hand_picture is None or not picture.going_on:
        return [tr("No hand is going on.")]
    if hand_picture.phase is Phase.CUT:
        return [tr("The cards are not dealt yet.")]
    return [_held(hand_picture, picture.seat)]


def _held(hand_picture: HandPicture, seat: int | None) -> str:
    if hand_picture.own:
        held = cards(in_order(hand_picture.own, hand_picture.wild), hand_picture.wild)
        return tr("These are your cards: {cards}.").format(cards=held)
    if any(player.seat == seat for player in hand_picture.players):
        return tr("You have called, and hold no card any more.")
    return tr("You were not dealt into this hand, and play from the next one on.")


def _pot(picture: Picture) -> list[str]:
    return [tr("The pot holds {amount}.").format(amount=money(picture.pot))] if picture.pot else []


def _stock(count: int) -> str:
    return ngettext("The stock has {count} card.", "The stock has {count} cards.", count).format(count=count)


def _discards(hand_picture: HandPicture) -> str:
    if not hand_picture.discards:
        return tr("There are no discards.")
    top = hand_picture.discards[-1]
    if top is None:
        return tr("The top of the discards lies face down.")
    return tr("On top of the discards lies {card}.").format(card=the_card(top, hand_picture.wild))


# --- accounts -------------------------------------------------------------------------------------------


def accounts(result: AccountsResult, player: str | None, picture: Picture | None) -> list[str]:
    """Who has won and lost how much, and who pays whom; ``player`` is the reader's id.

    The table of ``picture`` shows balances without what is in the pot, so where they differ it is said why.
    """
    names = {account.player: account.name for account in result.accounts}
    lines = [] if picture is None else _supposing(picture)
    lines += [_balance(account, own=account.player == player) for account in result.accounts]
    if not result.payments:
        return [*lines, tr("Nobody owes anything.")]
    return lines + [_payment(payment, names, player) for payment in result.payments]


def _supposing(picture: Picture) -> list[str]:
    """What is counted as done with the pot."""
    hand = picture.hand
    if not picture.pot or hand is None:
        return []
    stakes = 0
    if picture.going_on and picture.rules.payment is Payment.POT:
        stakes = picture.rules.stake * len(hand.players)
    lines: list[str] = []
    if stakes:
        lines.append(tr("Counted as if the stakes of the hand going on were paid back."))
    if picture.pot > stakes:
        message = tr("Counted as if the {amount} left in the pot were shared among those who played last.")
        lines.append(message.format(amount=money(picture.pot - stakes)))
    return lines


def _balance(account: Account, *, own: bool) -> str:
    messages = {
        (True, 1): tr("You have won {amount}."),
        (True, 0): tr("You are even."),
        (True, -1): tr("You have lost {amount}."),
        (False, 1): tr("{name} has won {amount}."),
        (False, 0): tr("{name} is even."),
        (False, -1): tr("{name} has lost {amount}."),
    }
    sign = (account.balance > 0) - (account.balance < 0)
    return messages[own, sign].format(name=account.name, amount=money(abs(account.balance)))


def _payment(payment: PairPayment, names: dict[str, str], player: str | None) -> str:
    if payment.payer == player:
        message = tr("To be even, you pay {amount} to {payee}.")
    elif payment.payee == player:
        message = tr("To be even, {payer} pays {amount} to you.")
    else:
        message = tr("To be even, {payer} pays {amount} to {payee}.")
    return message.format(
        payer=names.get(payment.payer, payment.payer),
        payee=names.get(payment.payee, payment.payee),
        amount=money(payment.amount),
    )


# --- the lobby ------------------------------------------------------------------------------------------


def lobby(tables: Sequence[TableRow], *, seated: bool) -> list[str]:
    """The tables, numbered from 1, and what to type for who sits at none."""
    if not tables:
        return [tr("No table is open; type create to open one.")]
    lines = [table_row(number, row) for number, row in enumerate(tables, 1)]
    if seated:
        return lines
    return [*lines, tr("Type join and a number to sit down, or create to open another table.")]


def people(rows: Sequence[PersonRow], player: str | None) -> list[str]:
    """Who is here; ``player`` is the reader's id."""
    others = [person(row) for row in rows if row.player != player]
    if not others:
        return [tr("Nobody is here but you.")]
    return [
        ngettext("{count} other is here: {names}.", "{count} others are here: {names}.", len(others)).format(
            count=len(others), names=listing(others)
        )
    ]


def person(row: PersonRow) -> str:
    """The name of somebody who is here, and whether it is a bot."""
    return tr("{name} (a bot)").format(name=row.name) if row.bot else row.name


def table_row(number: int, row: TableRow) -> str:
    """A table of the lobby."""
    rules = name_of(row.rules)
    players = listing(row.players) if row.players else ""
    if not row.players:
        message = tr("{number}: {name}, {rules}, stake {stake}; {seats} seats, all free.")
    elif len(row.players) >= row.seats:
        message = tr("{number}: {name}, {rules}, stake {stake}; {seats} seats, all taken, by {players}.")
    else:
        message = ngettext(
            "{number}: {name}, {rules}, stake {stake}; {taken} of {seats} seats is taken, by {players}.",
            "{number}: {name}, {rules}, stake {stake}; {taken} of {seats} seats are taken, by {players}.",
            len(row.players),
        )
    return message.format(
        number=number,
        name=row.name,
        rules=tr("rules of its own") if rules is None else rules,
        stake=money(row.rules.stake),
        seats=row.seats,
        taken=len(row.players),
        players=players,
    )
