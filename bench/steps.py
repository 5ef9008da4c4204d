"""Random legal play, in steps and in whole hands per second, beside other engines: ``python -m bench.steps``.

A step lists all legal actions, chooses one at random and carries it out. In OpenSpiel, where chance acts as a
player does, what chance does is a step too. Ours refuses what is illegal, decides and evolves; where it says
"told", it also makes what each seat may see, as a server does. Chance alone seldom calls, so that hands are
long where the rounds have no limit.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from bench.rates import Contestant, load, measure, show
from paiute_net.game.chance import RandomChance
from paiute_net.game.events import Event
from paiute_net.game.house_rules import HouseRules
from paiute_net.game.rules_text import parse_rules
from paiute_net.game.seen import view
from paiute_net.game.table import Act, Command, Sit, Start, Table

RUNS = 7
PLAYERS = 4
"""At our tables and at hold'em; gin rummy is for two."""

PlayHand = Callable[[], int]
"""Plays a hand from the deal to its end; returns in how many steps."""


class Game(NamedTuple):
    """A game that is played at random, the same each time for the same seed."""

    distribution: str
    name: str
    begin: Callable[[int], PlayHand]


class Played(NamedTuple):
    """How much a run has played."""

    steps: int
    hands: int


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.steps", description="Play at random, beside other engines."
    )
    parser.add_argument("--seconds", type=float, default=0.2, help=f"how long each of {RUNS} runs is")
    parser.add_argument("--seed", type=int, default=1, help="which hands")
    args = parser.parse_args(arguments)
    if not args.seconds > 0:
        parser.error(f"--seconds is {args.seconds}, and must be more than 0")
    every = list(games())
    title = f"played at random: the fastest of {RUNS} runs of {args.seconds:g} s"
    rates = measure(contestant(game, lambda run: run.steps, args) for game in every)
    show(f"Steps {title}", rates, beside="open-spiel")
    every = [with_length(game, args) for game in every]
    rates = measure(contestant(game, lambda run: run.hands, args) for game in every)
    show(f"Hands {title}", rates, beside="open-spiel")


def contestant(game: Game, counted: Callable[[Played], int], args: argparse.Namespace) -> Contestant:
    """A game that plays the same hands in each run."""
    return Contestant(
        game.distribution, game.name, [lambda: counted(play(game, args.seed, args.seconds))] * RUNS
    )


def with_length(game: Game, args: argparse.Namespace) -> Game:
    """The game with a name that says how long its hands are."""
    played = play(game, args.seed, args.seconds)
    return game._replace(name=f"{game.name} ({played.steps / played.hands:,.0f} steps)")


def play(game: Game, seed: int, seconds: float) -> Played:
    """Whole hands until the time is over."""
    play_hand = game.begin(seed)
    steps = hands = 0
    end = perf_counter() + seconds
    while perf_counter() < end:
        steps += play_hand()
        hands += 1
    return Played(steps, hands)


def games() -> Iterator[Game]:
    """Ours, then those whose packages are installed."""
    hawaiian, two_round = parse_rules("hawaiian"), parse_rules("two-round")
    yield Game("paiute", "hawaiian", partial(begin_paiute, hawaiian, evolve))
    yield Game("paiute", "hawaiian, told", partial(begin_paiute, hawaiian, evolve_and_tell))
    yield Game("paiute", "two-round", partial(begin_paiute, two_round, evolve))
    if pyspiel := load("pyspiel"):
        yield Game("open-spiel", "gin_rummy", partial(begin_openspiel, pyspiel.load_game("gin_rummy")))
    if pokerkit := load("pokerkit"):
        yield Game("pokerkit", "fixed-limit hold'em", partial(begin_pokerkit, pokerkit))


# --- ours -------------------------------------------------------------------------------------------------


def begin_paiute(rules: HouseRules, take_in: Callable[[Table, Event], None], seed: int) -> PlayHand:
    """A table of players who choose at random."""
    choice, chance = Random(seed).choice, RandomChance(Random(seed))
    table = Table(Table.opening(name="Bench", rules=rules))

    def do(command: Command) -> None:
        for event in table.decide(command, chance):
            take_in(table, event)

    for number in range(PLAYERS):
        do(Sit(f"p{number}", f"Player {number}"))

    def play_hand() -> int:
        do(Start("p0"))
        steps = 0
        while (decision := table.open_decision) is not None:
            action = choice(table.legal_actions())
            do(Act(table.occupants[decision.seat].player, decision.number, action))
            steps += 1
        return steps

    return play_hand


def evolve(table: Table, event: Event) -> None:
    """What the rules alone need."""
    table.evolve(event)


def evolve_and_tell(table: Table, event: Event) -> None:
    """What a server needs, up to the encoding."""
    table.evolve(event)
    view("t1", table.seq, event)


# --- others: packages without types -----------------------------------------------------------------------


def begin_openspiel(game: Any, seed: int) -> PlayHand:  # noqa: ANN401
    """One of OpenSpiel's games, its chance chosen among as its players' actions are."""
    choice = Random(seed).choice

    def play_hand() -> int:
        state = game.new_initial_state()
        steps = 0
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))
            steps += 1
        return steps

    return play_hand


def begin_pokerkit(pokerkit: Any, seed: int) -> PlayHand:  # noqa: ANN401
    """Hold'em with one size of bet, so that all legal actions can be listed; it deals and pays by itself."""
    choice = Random(seed).choice
    random.seed(seed)  # what it shuffles with
    game = pokerkit.FixedLimitTexasHoldem(tuple(pokerkit.Automation), True, 0, (1, 2), small_bet=2, big_bet=4)

    def play_hand() -> int:
        state = game((200,) * PLAYERS, PLAYERS)
        actions = (
            (state.can_fold, state.fold),
            (state.can_check_or_call, state.check_or_call),
            (state.can_complete_bet_or_raise_to, state.complete_bet_or_raise_to),
        )
        steps = 0
        while state.status:
            choice([act for can, act in actions if can()])()
            steps += 1
        return steps

    return play_hand


if __name__ == "__main__":
    main()
