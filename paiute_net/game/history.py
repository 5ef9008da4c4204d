"""A whole hand as it was played, and its text: to be kept, read by people and written in tests.

A `HandHistory` holds what decides a hand and how it ended; what follows from that, such as who was dealt
what, is left to `paiute_net.game.replay`. The text form is described in docs/hand-history.md.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, TypeVar

from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Source
from paiute_net.game.cards import Card, parse_card, text
from paiute_net.game.errors import Refusal
from paiute_net.game.events import By, HandEnded, Outcome, Paid
from paiute_net.game.hand import dealt_pack
from paiute_net.game.house_rules import HouseRules, check_seats, max_seats
from paiute_net.game.picture import Occupant
from paiute_net.game.rules_text import parse_rules, rules_text
from paiute_net.statements import BadStatement, Statement, statements

__all__ = [
    "FORMS",
    "BadHistory",
    "Closed",
    "HandHistory",
    "Left",
    "Move",
    "Played",
    "Reshuffled",
    "check_same_cards",
    "history_text",
    "in_line",
    "move_text",
    "parse_history",
    "result_text",
]

VERSION: Final = 1
_T = TypeVar("_T")
CARDS_IN_A_LINE: Final = 13

FORMS: Final[Mapping[str, str]] = {
    "hand-history": f"hand-history {VERSION}",
    "hand": "hand NUMBER",
    "rules": "rules SET [SWITCH=VALUE ...]",
    "seat": "seat SEAT PLAYER NAME [bot]",
    "closer": "closer SEAT",
    "carried": "carried AMOUNT",
    "pack": "pack CARD ...",
    "cut": "SEAT: [house] cut POSITION",
    "draw": "SEAT: [house] draw stock/discards [= CARD]",
    "discard": "SEAT: [house] discard CARD",
    "call": "SEAT: call CARD ... [= COMBINATION RANK ...]",
    "leave": "SEAT: leave REASON",
    "reshuffle": "reshuffle CARD ...",
    "close": "close REASON",
    "result": "result OUTCOME winners=SEAT,... payments=SEAT:AMOUNT,... pot=AMOUNT",
}
"""Each statement's form, in the order in which they may stand."""


class BadHistory(ValueError):
    """A text that is no hand history, or a hand that cannot have been played so; says what would be right."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line: Final = line


@dataclass(frozen=True, slots=True)
class Played:
    """An action of the player in ``seat``, or of the house for him.

    ``told`` says what came of it: the card drawn, or the combination called and its ranks; empty if left out.
    """

    seat: int
    action: Action
    by: By = By.PLAYER
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The discards but for the top one became the stock, ``order`` from its top."""

    order: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """A player dealt in gave up his seat."""

    seat: int
    reason: str


@dataclass(frozen=True, slots=True)
class Closed:
    """The table was closed, which made the hand void."""

    reason: str


Move = Played | Reshuffled | Left | Closed


@dataclass(frozen=True, slots=True)
class HandHistory:
    """A finished hand: ``seats`` are those dealt in, ascending; ``pack`` has its top card first, uncut.

    ``carried`` is the pot from before the stakes were paid. ``lines`` says in which line of its text a
    statement stood, by its word or by the place of the move; it is empty if there was no text.

    Raises:
      BadHistory: for seats, a closer or a pack that cannot be.
    """

    hand: int
    rules: HouseRules
    seats: tuple[Occupant, ...]
    closer: int
    carried: int
    pack: tuple[Card, ...]
    moves: tuple[Move, ...]
    result: HandEnded
    lines: Mapping[str | int, int] = field(default_factory=dict[str | int, int], compare=False, repr=False)

    def __post_init__(self) -> None:
        for word, check in _CHECKS.items():
            with in_line(self.lines.get(word)):
                check(self)


@contextmanager
def in_line(line: int | None) -> Generator[None]:
    """What is found bad in here is bad in that line."""
    try:
        yield
    except BadHistory:
        raise
    except (ValueError, Refusal) as fault:
        raise BadHistory(str(fault), line) from None


# --- what must hold of the parts --------------------------------------------------------------------------


def _check_hand(history: HandHistory) -> None:
    if history.hand < 1:
        raise ValueError(f"hand {history.hand}: hands are numbered from 1")


def _check_seats(history: HandHistory) -> None:
    seats = [occupant.seat for occupant in history.seats]
    check_seats(history.rules, len(seats))
    most = max_seats(history.rules)
    if seats[0] < 0 or seats[-1] >= most or any(a >= b for a, b in pairwise(seats)):
        raise ValueError(f"seats {seats}: they are named in ascending order, from 0 to {most - 1}")
    if len({occupant.player for occupant in history.seats}) < len(seats):
        raise ValueError("a player sits in one seat only")


def _check_closer(history: HandHistory) -> None:
    seats = [occupant.seat for occupant in history.seats]
    if history.closer not in seats:
        raise ValueError(f"closer {history.closer}: one of the seats {seats} closes the rounds")


def _check_carried(history: HandHistory) -> None:
    if history.carried < 0:
        raise ValueError(f"carried {history.carried}: a pot is never below 0")


def _check_pack(history: HandHistory) -> None:
    check_same_cards(history.pack, dealt_pack(history.rules), "the pack")


def check_same_cards(given: Sequence[Card], right: Sequence[Card], whole: str) -> None:
    """Raises ValueError, naming ``whole``, unless these are the right cards, each once, in any order."""
    missing, added = Counter(right) - Counter(given), Counter(given) - Counter(right)
    if missing or added:
        lacks = f" lacks {text(missing.elements())}" if missing else ""
        has = f" has {text(added.elements())} beyond what belongs to it" if added else ""
        raise ValueError(f"{whole}{lacks}{' and' if lacks and has else ''}{has}")


_CHECKS: Final[Mapping[str, Callable[[HandHistory], None]]] = {
    "hand": _check_hand,
    "seat": _check_seats,
    "closer": _check_closer,
    "carried": _check_carried,
    "pack": _check_pack,
}


# --- to text ----------------------------------------------------------------------------------------------


def history_text(history: HandHistory) -> str:
    """The history as text, a statement a line; `parse_history` reads it."""
    statements = [
        FORMS["hand-history"],
        f"hand {history.hand}",
        f"rules {rules_text(history.rules)}",
        *map(_seat_text, history.seats),
        f"closer {history.closer}",
        f"carried {history.carried}",
        _cards_text("pack", history.pack),
        *map(move_text, history.moves),
        result_text(history.result),
    ]
    return "\n".join(statements) + "\n"


def move_text(move: Move) -> str:
    """The statement that a move is in a history's text."""
    match move:
        case Played():
            by = "house " if move.by is By.HOUSE else ""
            told = f" = {' '.join(move.told)}" if move.told else ""
            return f"{move.seat}: {by}{_action_text(move.action)}{told}"
        case Left():
            return f"{move.seat}: leave {_quoted(move.reason)}"
        case Reshuffled():
            return _cards_text("reshuffle", move.order)
        case Closed():
            return f"close {_quoted(move.reason)}"


def _action_text(action: Action) -> str:
    match action:
        case Cut():
            return f"cut {action.position}"
        case Draw():
            return f"draw {action.source}"
        case Discard():
            return f"discard {action.card}"
        case Call():
            return f"call {text(action.cards)}"


def _seat_text(occupant: Occupant) -> str:
    bot = " bot" if occupant.bot else ""
    return f"seat {occupant.seat} {_quoted(occupant.player)} {_quoted(occupant.name)}{bot}"


def _cards_text(word: str, cards: Sequence[Card]) -> str:
    rows = [cards[start : start + CARDS_IN_A_LINE] for start in range(0, len(cards), CARDS_IN_A_LINE)]
    return f"{word} " + f"\n{' ' * len(word)} ".join(map(text, rows))


def result_text(result: HandEnded) -> str:
    """The statement that ends a history's text."""
    winners = ",".join(str(seat) for seat in result.winners)
    payments = ",".join(f"{paid.seat}:{paid.amount}" for paid in result.payments)
    return f"result {result.outcome} winners={winners} payments={payments} pot={result.pot}"


_PLAIN: Final = re.compile(r'[^\s"]+')


def _quoted(word: str) -> str:
    """As it is, or as a JSON string, in which whatever cannot be seen is escaped."""
    visible = word.isprintable()
    return word if visible and _PLAIN.fullmatch(word) else json.dumps(word, ensure_ascii=not visible)


# --- from text --------------------------------------------------------------------------------------------


def parse_history(text: str) -> HandHistory:
    """The history that a text tells.

    Raises:
      BadHistory: it tells none; names the line and what would be right.
    """
    reader = _Reader(text)
    reader.take("hand-history", _version)
    hand = reader.take("hand", _number_of("hand"))
    rules = reader.take("rules", lambda words: parse_rules(" ".join(words)))
    seats = [reader.take("seat", _seat)]
    while reader.word == "seat":
        seats.append(reader.take("seat", _seat))
    closer = reader.take("closer", _number_of("closer"))
    carried = reader.take("carried", _number_of("carried"))
    pack = reader.take("pack", lambda words: _pack(rules, words))
    moves = tuple(reader.moves())
    result = reader.take("result", _result)
    reader.end()
    return HandHistory(hand, rules, tuple(seats), closer, carried, pack, moves, result, reader.lines)


_WORD: Final = re.compile(r'(?<!\S)(?:"(?:[^"\\]|\\.)*"|[^\s"]+)(?!\S)')
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")


class _Reader:
    """The statements of a text, one after the other."""

    def __init__(self, text: str) -> None:
        self.lines: Final[dict[str | int, int]] = {}
        try:
            self._statements: Final = deque(statements(text))
        except BadStatement as bad:
            raise BadHistory(bad.problem, bad.line) from None
        self._end: Final = Statement(text.count("\n") + 1, "")

    @property
    def _next(self) -> Statement:
        return self._statements[0] if self._statements else self._end

    @property
    def word(self) -> str:
        """The first word of the next statement; empty at the end."""
        return "".join(self._next[1].split(maxsplit=1)[:1])

    def take(self, word: str, parse: Callable[[list[str]], _T]) -> _T:
        """What the next statement says, which must be the one of that first word."""
        line, _ = self._next
        with in_line(line):
            if self.word != word:
                raise ValueError(f"{FORMS[word]!r} must stand here, not {self.word or 'the end'!r}")
            self.lines.setdefault(word, line)
            return parse(_words(self._statements.popleft()[1])[1:])

    def moves(self) -> Iterator[Move]:
        """What the statements up to the result say."""
        for place in range(len(self._statements)):
            if self.word == "result":
                break
            line, statement = self._statements.popleft()
            self.lines[place] = line
            with in_line(line):
                yield _move(_words(statement))

    def end(self) -> None:
        if self._statements:
            raise BadHistory(f"nothing follows the result, and here is {self.word!r}", self._next[0])


def _words(statement: str) -> list[str]:
    if _WORD.sub("", statement).strip():
        raise ValueError(f"{statement.strip()!r}: a name with spaces in it stands in quotes, as in JSON")
    return _WORD.findall(statement)


def _bad_form(word: str) -> ValueError:
    return ValueError(f"this is written {FORMS[word]!r}")


def _unquoted(word: str) -> str:
    return str(json.loads(word)) if word.startswith('"') else word


def _number(word: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"{word!r} is no whole number")
    return int(word)


def _numbers(words: str) -> tuple[int, ...]:
    return tuple(_number(word) for word in words.split(",")) if words else ()


def _cards(words: Iterable[str]) -> tuple[Card, ...]:
    return tuple(map(parse_card, words))


def _version(words: list[str]) -> None:
    if words != [str(VERSION)]:
        raise ValueError(f"version {' '.join(words)!r} is not known: {FORMS['hand-history']!r} is")


def _number_of(word: str) -> Callable[[list[str]], int]:
    def parse(words: list[str]) -> int:
        if len(words) != 1:
            raise _bad_form(word)
        return _number(words[0])

    return parse


def _seat(words: list[str]) -> Occupant:
    match words:
        case [seat, player, name, *bot] if bot in ([], ["bot"]):
            return Occupant(seat=_number(seat), player=_unquoted(player), name=_unquoted(name), bot=bool(bot))
        case _:
            raise _bad_form("seat")


def _pack(rules: HouseRules, words: list[str]) -> tuple[Card, ...]:
    """The cards named; ``...`` at the end stands for all others, in the order of a new pack."""
    if words[-1:] != ["..."]:
        return _cards(words)
    top = _cards(words[:-1])
    return top + tuple(card for card in dealt_pack(rules) if card not in top)


def _move(words: list[str]) -> Move:
    match words:
        case ["reshuffle", *cards]:
            return Reshuffled(_cards(cards))
        case ["close", reason]:
            return Closed(_unquoted(reason))
        case [seat, "leave", reason] if seat.endswith(":"):
            return Left(_number(seat[:-1]), _unquoted(reason))
        case [seat, "house", *action] if seat.endswith(":"):
            return _played(_number(seat[:-1]), By.HOUSE, action)
        case [seat, *action] if seat.endswith(":"):
            return _played(_number(seat[:-1]), By.PLAYER, action)
        case _:
            raise _no_move(words)


def _no_move(words: Sequence[str]) -> ValueError:
    meant = next((word for word in words if word in _MOVE_WORDS), None)
    if meant is not None:
        return _bad_form(meant)
    return ValueError(f"{' '.join(words)!r} is no move; one of these is: {', '.join(_MOVE_WORDS)}")


def _played(seat: int, by: By, words: list[str]) -> Played:
    end = words.index("=") if "=" in words else len(words)
    return Played(seat, _action(words[:end]), by, tuple(words[end + 1 :]))


def _action(words: list[str]) -> Action:
    match words:
        case ["cut", position]:
            return Cut(_number(position))
        case ["draw", ("stock" | "discards") as source]:
            return Draw(Source(source))
        case ["discard", card]:
            return Discard(parse_card(card))
        case ["call", *cards]:
            return Call(_cards(cards))
        case _:
            raise _no_move(words)


_MOVE_WORDS: Final = ("cut", "draw", "discard", "call", "leave", "reshuffle", "close")


def _result(words: list[str]) -> HandEnded:
    names = ("winners=", "payments=", "pot=")
    if len(words) != 4 or not all(map(str.startswith, words[1:], names)):
        raise _bad_form("result")
    if words[0] not in set(Outcome):
        raise ValueError(f"no outcome is called {words[0]!r}: {', '.join(Outcome)}")
    winners, payments, pot = (word.partition("=")[2] for word in words[1:])
    return HandEnded(
        outcome=Outcome(words[0]), winners=_numbers(winners), payments=_payments(payments), pot=_number(pot)
    )


def _payments(words: str) -> tuple[Paid, ...]:
    pairs = [word.partition(":") for word in words.split(",")]
    return tuple(Paid(_number(seat), _number(amount)) for seat, _, amount in pairs)
