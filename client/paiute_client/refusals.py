"""Why the server, or this client before it, refuses something: a sentence for every code of the wire's list.

Each says what is wrong and what would be right. Codes that a person cannot cause ask for a newer client:
whoever reads them has met a fault of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from paiute_client.words import alternatives, listing, ngettext, the_card, tr, worth
from paiute_net.game.cards import Rank, parse_card, rank_of
from paiute_net.game.combinations import Combination
from paiute_net.game.errors import Fact, RefusalCode
from paiute_net.game.picture import Picture
from paiute_net.wire.errors import ErrorCode

__all__ = ["NOT_DEALT_IN", "NO_HAND", "SENTENCES", "as_typed", "explain", "value_as_typed"]

_Facts = Mapping[str, Fact]
_Sentence = str | Callable[[_Facts], str]
"""A message with the facts as named places, or a function for one that depends on them."""

_TYPED_VALUES: Final = {"true": "yes", "false": "no", "null": "none"}
_TYPED_ACTIONS: Final = {"draw": ("draw", "take")}
"""What a person types for a kind of action, where that is not the same word."""


def explain(code: str, facts: _Facts, picture: Picture | None = None) -> str:
    """The sentence for an error; ``picture`` gives the players' names.

    A code or facts of a newer server that this client does not know end in a sentence that names the code.
    """
    try:
        sentence = SENTENCES[code]
        if callable(sentence):
            return sentence(facts)
        return sentence.format_map(_places(facts, picture))
    except (KeyError, ValueError, TypeError, IndexError):
        message = tr("The server refused this for a reason that this client does not know: {code}.")
        return message.format(code=code)


def as_typed(switch: str) -> str:
    """A switch of the house rules as a person types it: "opening-discard"."""
    return switch.replace("_", "-")


def value_as_typed(value: object) -> str:
    """A switch's value as a person types it: "yes" for "true" or True, "none" for "null" or None."""
    if value is None:
        return _TYPED_VALUES["null"]
    word = str(value).lower() if isinstance(value, bool) else str(value)
    return _TYPED_VALUES.get(word, word)


def _places(facts: _Facts, picture: Picture | None) -> dict[str, str]:
    places = {name: _fact(name, value) for name, value in facts.items()}
    if "seat" in facts:
        places["player"] = _player(_number(facts, "seat"), picture)
    if "combination" in facts:
        compared: list[Rank] = [rank_of(parse_card(f"{rank}s")) for rank in _words(facts, "ranks")]
        places["worth"] = worth(Combination(str(facts["combination"])), compared)
    for name in ("time_ms", "wait_ms"):
        if name in facts:
            places["seconds"] = _seconds(_number(facts, name))
    return places


def _fact(name: str, value: Fact) -> str:
    if name == "card":
        return the_card(parse_card(str(value)))
    if name == "switch":
        return as_typed(str(value))
    if isinstance(value, list):
        return alternatives([str(each) for each in value])
    return str(value)


def _number(facts: _Facts, name: str) -> int:
    """Raises KeyError or TypeError where there is none."""
    value = facts[name]
    if isinstance(value, int):
        return value
    raise TypeError(f"{name} is {value!r}, no number")


def _words(facts: _Facts, name: str) -> list[str]:
    """Raises KeyError or TypeError where there is no list."""
    value = facts[name]
    if isinstance(value, list):
        return [str(each) for each in value]
    raise TypeError(f"{name} is {value!r}, no list")


def _player(seat: int, picture: Picture | None) -> str:
    occupant = None if picture is None else picture.occupant(seat)
    if occupant is None:
        return tr("the player in seat {number}").format(number=seat + 1)
    return occupant.name


def _seconds(milliseconds: int) -> str:
    seconds = -(-milliseconds // 1000)
    return ngettext("{seconds} second", "{seconds} seconds", seconds).format(seconds=seconds)


# --- sentences that depend on their facts ---------------------------------------------------------------


def _bad_switch_value(facts: _Facts) -> str:
    switch = str(facts["switch"])
    allowed = [value_as_typed(value) for value in _words(facts, "allowed")] if "allowed" in facts else []
    if "minimum" not in facts:
        message = tr("The switch {switch} must be {allowed}.")
    elif allowed:
        message = tr("The switch {switch} must be {allowed}, or a whole number from {minimum} to {maximum}.")
    elif switch == "stake":
        message = tr("The stake is a whole number of cents, from {minimum} to {maximum}.")
    else:
        message = tr("The switch {switch} must be a whole number from {minimum} to {maximum}.")
    return message.format(
        switch=as_typed(switch),
        allowed=alternatives(allowed),
        minimum=facts.get("minimum"),
        maximum=facts.get("maximum"),
    )


_CONTRADICTIONS: Final = {
    frozenset({"first_call_round", "round_limit"}): tr(
        "The hand would be washed before anybody may call: "
        "make round-limit at least as high as first-call-round."
    ),
    frozenset({"first_call_round", "paiute_turns"}): tr(
        "A paiute could never be called: let paiute-turns reach the round named by first-call-round, "
        "for example with paiute-turns=first-two-turns."
    ),
}


def _contradicting_switches(facts: _Facts) -> str:
    switches = _words(facts, "switches")
    known = _CONTRADICTIONS.get(frozenset(switches))
    if known is not None:
        return known
    return tr("The switches {switches} contradict each other; change one of them.").format(
        switches=listing([as_typed(switch) for switch in switches])
    )


def _no_such_seat(facts: _Facts) -> str:
    """Seats are counted from 0 on the wire and from 1 by people."""
    return tr("The seats of this table are numbered from {minimum} to {maximum}.").format(
        minimum=_number(facts, "minimum") + 1, maximum=_number(facts, "maximum") + 1
    )


def _wrong_action(facts: _Facts) -> str:
    typed = [word for kind in _words(facts, "allowed") for word in _TYPED_ACTIONS.get(kind, (kind,))]
    return tr("That is not possible now; you can {allowed}.").format(allowed=alternatives(typed))


def _paiute_not_allowed(facts: _Facts) -> str:
    turns = _number(facts, "turns")
    return ngettext(
        "A paiute may be called only on your first turn of a hand; discard a card instead.",
        "A paiute may be called only on your first {turns} turns of a hand; discard a card instead.",
        turns,
    ).format(turns=turns)


def _too_few_players(facts: _Facts) -> str:
    minimum = _number(facts, "minimum")
    return ngettext(
        "A hand needs at least {minimum} player; wait for somebody to join, "
        "or call a bot from another terminal with paiute-client --bot and the server's address.",
        "A hand needs at least {minimum} players; wait for somebody to join, "
        "or call a bot from another terminal with paiute-client --bot and the server's address.",
        minimum,
    ).format(minimum=minimum)


def _bad_time_limit(facts: _Facts) -> str:
    return tr("The time for a decision must be none, or from {minimum} to {maximum}.").format(
        minimum=_seconds(_number(facts, "minimum")), maximum=_seconds(_number(facts, "maximum"))
    )


def _name_too_long(facts: _Facts) -> str:
    maximum = _number(facts, "maximum")
    return ngettext(
        "That name is too long; a name has at most {maximum} character.",
        "That name is too long; a name has at most {maximum} characters.",
        maximum,
    ).format(maximum=maximum)


def _chat_too_long(facts: _Facts) -> str:
    maximum = _number(facts, "maximum")
    return ngettext(
        "That is too long; say it in pieces of at most {maximum} character.",
        "That is too long; say it in pieces of at most {maximum} characters.",
        maximum,
    ).format(maximum=maximum)


# --- what the picture tells before a server is asked ------------------------------------------------------

NO_HAND: Final = tr("No hand is going on; type start to begin one.")
NOT_DEALT_IN: Final = tr("You were not dealt into this hand; you play from the next one on.")

# --- the list -------------------------------------------------------------------------------------------

_FRAMES: Final[Mapping[str, _Sentence]] = {
    ErrorCode.FRAME_EMPTY: tr("The server was sent an empty message; please update this client."),
    ErrorCode.FRAME_TOO_BIG: tr(
        "The server was sent a message of {length} bytes, where {maximum} are the most; "
        "please update this client."
    ),
    ErrorCode.FRAME_CUT_SHORT: tr("The link ended in the middle of a message; please connect again."),
    ErrorCode.NOT_MESSAGEPACK: tr("The server could not read a message; please update this client."),
    ErrorCode.TRAILING_BYTES: tr(
        "The server was sent more than one thing in one message; please update this client."
    ),
    ErrorCode.NOT_A_MAP: tr("The server was sent a message that has no fields; please update this client."),
    ErrorCode.KEY_NOT_STRING: tr(
        "The server was sent a message with a field that has no name; please update this client."
    ),
    ErrorCode.DUPLICATE_KEY: tr(
        "The server was sent a message that has the field {key} twice; please update this client."
    ),
    ErrorCode.NOT_UTF8: tr("The server was sent text that is not UTF-8; please update this client."),
    ErrorCode.TOO_DEEP: tr(
        "The server was sent a message nested more than {maximum} deep; please update this client."
    ),
    ErrorCode.TOO_MANY_ELEMENTS: tr(
        "The server was sent a list of more than {maximum} items; please update this client."
    ),
}
_MESSAGES: Final[Mapping[str, _Sentence]] = {
    ErrorCode.FLOAT_VALUE: tr(
        "The server takes whole numbers only, and {field} was none; please update this client."
    ),
    ErrorCode.BINARY_VALUE: tr(
        "The server takes text and numbers only, and {field} was neither; please update this client."
    ),
    ErrorCode.EXTENSION_VALUE: tr(
        "The server takes text and numbers only, and {field} was of another kind; please update this client."
    ),
    ErrorCode.INTEGER_TOO_BIG: tr("The number in {field} must be from {minimum} to {maximum}."),
    ErrorCode.UNKNOWN_TYPE: tr(
        "The server does not know the request {type}; "
        "it may be older than this client, and then wants updating."
    ),
    ErrorCode.MISSING_ID: tr("The server was sent a request without an id; please update this client."),
    ErrorCode.BAD_ID: tr(
        "A request's id must have {minimum} to {maximum} characters; please update this client."
    ),
    ErrorCode.UNKNOWN_FIELDS: tr(
        "The server does not know {fields} in a request, only {allowed}; "
        "it may be older than this client, and then wants updating."
    ),
    ErrorCode.MISSING_FIELD: tr(
        "The server misses {field} ({expected}) in a request; please update this client."
    ),
    ErrorCode.WRONG_TYPE: tr(
        "The server expects {field} to be of the type {expected}, not {got}; please update this client."
    ),
    ErrorCode.OUT_OF_RANGE: tr("The number for {field} is too small or too big."),
    ErrorCode.WRONG_LENGTH: tr("What was given for {field} is too short or too long."),
    ErrorCode.UNKNOWN_VALUE: tr("The server takes for {field} only {allowed}."),
}
_CONVERSATION: Final[Mapping[str, _Sentence]] = {
    ErrorCode.HELLO_EXPECTED: tr("The server was not greeted first; please update this client."),
    ErrorCode.HELLO_UNANSWERED: tr(
        "The server was asked for something before it had answered the greeting; please update this client."
    ),
    ErrorCode.ALREADY_GREETED: tr("The server was greeted twice; please update this client."),
    ErrorCode.HELLO_OVERDUE: tr(
        "The server waited {seconds} for a greeting and gave up; please connect again."
    ),
    ErrorCode.PEER_SILENT: tr(
        "The server has heard nothing for {seconds} and gave up; please connect again."
    ),
    ErrorCode.TOO_FAST: tr("That was too fast for the server; wait {seconds} and try again."),
    ErrorCode.FLOODING: tr(
        "This client asked for far too much at once, so the server hung up; connect again and go slower."
    ),
    ErrorCode.NO_COMMON_VERSION: tr(
        "The server speaks only version {versions} of the protocol, which this client does not; "
        "update whichever of the two is older."
    ),
    ErrorCode.NAME_EMPTY: tr("The name is empty; give one with at least one letter or digit."),
    ErrorCode.NAME_TOO_LONG: _name_too_long,
    ErrorCode.NAME_NOT_ALLOWED: tr(
        "That name has characters that no name may have; use letters of one script, digits, spaces and "
        "common signs."
    ),
    ErrorCode.NAME_TAKEN: tr("The name {name} is taken; choose another one."),
    ErrorCode.BAD_TOKEN: tr("The server does not know the player you were; connect again as a new one."),
    ErrorCode.EXPIRED_TOKEN: tr(
        "You have been away for so long that your place is gone; connect again as a new player."
    ),
    ErrorCode.FOREIGN_TOKEN: tr("Your place is at another server; connect to this one as a new player."),
    ErrorCode.SERVER_FULL: tr("The server takes at most {maximum} players at once; try again later."),
    ErrorCode.TOO_MANY_CONNECTIONS: tr(
        "The server takes at most {maximum} connections from one address; end one of yours first."
    ),
}
_LOBBY: Final[Mapping[str, _Sentence]] = {
    ErrorCode.NO_SUCH_TABLE: tr("There is no such table any more; type tables for those that are open."),
    ErrorCode.SEATED_ELSEWHERE: tr("You sit at another table; leave it first."),
    ErrorCode.TOO_MANY_TABLES: tr(
        "The server keeps at most {maximum} tables, and so many are open; join one of them."
    ),
    ErrorCode.BAD_TIME_LIMIT: _bad_time_limit,
    ErrorCode.TABLE_STOPPED: tr(
        "The server cannot record this table at the moment, so nothing can happen there; "
        "tell whoever runs the server, and try again."
    ),
    ErrorCode.BAD_OPERATOR_TOKEN: tr("That is not the token of the server's operator."),
    ErrorCode.NOT_RECORDED: tr(
        "The server cannot record anything new at the moment, so it was not done; "
        "tell whoever runs the server, and try again."
    ),
    ErrorCode.CHAT_EMPTY: tr("There is nothing to read in that; say something after chat."),
    ErrorCode.CHAT_TOO_LONG: _chat_too_long,
    ErrorCode.INTERNAL_ERROR: tr(
        "The server has met a fault of its own; whoever runs it finds more in its log."
    ),
    RefusalCode.UNKNOWN_RULE_SET: tr("There is no rule set called {rule_set}; choose {allowed}."),
    RefusalCode.UNKNOWN_SWITCH: tr(
        "The rules have no switch called {switch}; type help create for those there are."
    ),
    RefusalCode.BAD_SWITCH_VALUE: _bad_switch_value,
    RefusalCode.CONTRADICTING_SWITCHES: _contradicting_switches,
    RefusalCode.SEATS_OUT_OF_RANGE: tr("A table of these rules has {minimum} to {maximum} seats."),
    RefusalCode.NO_SUCH_SEAT: _no_such_seat,
    RefusalCode.SEAT_TAKEN: tr(
        "That seat is taken; choose another one, or none to get the first that is free."
    ),
    RefusalCode.TABLE_FULL: tr("Every seat at that table is taken; join another table, or create one."),
    RefusalCode.TOO_MANY_ACCOUNTS: tr(
        "That table keeps account of {maximum} players who have won or owe something, and can of no more; "
        "join another table, or create one."
    ),
    RefusalCode.ALREADY_SEATED: tr("You already sit at this table."),
    RefusalCode.NOT_SEATED: tr("You do not sit at this table; join it first."),
    RefusalCode.HAND_GOING_ON: tr("A hand is going on; the next one can start when it is over."),
    RefusalCode.TOO_FEW_PLAYERS: _too_few_players,
    RefusalCode.TABLE_CLOSED: tr("This table is closed; join another one, or create one."),
}
_ACTIONS: Final[Mapping[str, _Sentence]] = {
    RefusalCode.STALE_DECISION: tr("That came too late: the hand has gone on without it."),
    RefusalCode.NOT_YOUR_TURN: tr("It is not your turn: wait for {player}."),
    RefusalCode.WRONG_ACTION: _wrong_action,
    RefusalCode.BAD_CUT: tr("A cut takes from {minimum} to {maximum} cards; for example, type cut 26."),
    RefusalCode.NO_DISCARDS: tr("There is no discard to take; draw from the stock."),
    RefusalCode.CARD_NOT_HELD: tr("You do not hold {card}; type hand for what you hold."),
    RefusalCode.CARD_NAMED_TWICE: tr("You named {card} twice; name each card once."),
    RefusalCode.TAKEN_CARD: tr(
        "You took {card} from the discards, so it cannot leave your hand this turn; choose another card."
    ),
    RefusalCode.BAD_CALL: tr(
        "A call names the {allowed} cards to lay down; of five, the sixth card you hold is discarded."
    ),
    RefusalCode.NO_COMBINATION: tr(
        "Those cards are no combination; type help combinations for what can be called."
    ),
    RefusalCode.CALL_TOO_EARLY: tr("Nobody may call before round {round}; discard a card."),
    RefusalCode.PAIUTE_NOT_ALLOWED: _paiute_not_allowed,
    RefusalCode.CALL_TOO_LOW: tr(
        "A call must now equal or beat the best one shown, {worth}; discard a card."
    ),
}

SENTENCES: Final[Mapping[str, _Sentence]] = {**_FRAMES, **_MESSAGES, **_CONVERSATION, **_LOBBY, **_ACTIONS}
"""Every code of the wire's list, and no other."""
