"""Any commands at a table of any rules: Hypothesis looks for a sequence that breaks what must always hold.

What must always hold after an event, the `Referee` knows; here is what holds of commands.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Source
from paiute_net.game.cards import PACK_WITH_JOKERS
from paiute_net.game.errors import Refusal, RefusalCode
from paiute_net.game.house_rules import HouseRules, check, max_seats
from paiute_net.game.table import Act, Close, Command, HousePlay, Leave, Sit, Start, Table
from tests.support.playthrough import SWITCHES, Playthrough
from tests.support.redecide import redecided
from tests.support.state import state_of

PLAYERS = tuple(f"p{number}" for number in range(10))


def go_together(house_rules: HouseRules) -> bool:
    try:
        check(house_rules)
    except Refusal:
        return False
    return True


def rules_of_any_kind() -> st.SearchStrategy[HouseRules]:
    switches = {name: st.sampled_from(values) for name, values in SWITCHES.items()}
    return st.builds(HouseRules, **switches).filter(go_together)


players = st.sampled_from(PLAYERS)
cards = st.sampled_from(PACK_WITH_JOKERS)
actions = st.one_of(
    st.builds(Cut, st.integers(-1, 55)),
    st.builds(Draw, st.sampled_from(Source)),
    st.builds(Discard, cards),
    st.builds(Call, st.lists(cards, max_size=8).map(tuple)),
)


class AnyTable(RuleBasedStateMachine):
    play: Playthrough
    table: Table

    @initialize(house_rules=rules_of_any_kind(), seated=st.integers(2, 8), seed=st.integers(0, 2**16))
    def open(self, house_rules: HouseRules, seated: int, seed: int) -> None:
        self.play = Playthrough(seed, house_rules, keen=0.7, restless=0.005, loaded=0.8)
        self.table = self.play.table
        self.play.seat(min(seated, max_seats(house_rules)))

    # --- what happens ---------------------------------------------------------------------------------------

    @precondition(
        lambda self: not self.table.going_on and len(self.table.occupants) >= 2 and not self.table.closed
    )
    @rule()
    def begin(self) -> None:
        self.play.start()

    @precondition(lambda self: self.table.going_on)
    @rule(steps=st.integers(1, 20))
    def play_on(self, steps: int) -> None:
        for _ in range(steps):
            if self.table.going_on:
                self.play.step()

    @rule(player=players, seat=st.none() | st.integers(-1, 8))
    def sit(self, player: str, seat: int | None) -> None:
        self.attempt(Sit(player, player.title(), seat=seat))

    @precondition(lambda self: self.table.seq > 40)
    @rule(player=players)
    def leave(self, player: str) -> None:
        self.attempt(Leave(player))

    @precondition(lambda self: self.table.going_on)
    @rule(place=st.integers(0, 60))
    def act(self, place: int) -> None:
        self.choose(self.table.legal_actions(), place)

    @precondition(lambda self: bool(self.table.legal_calls()))
    @rule(place=st.integers(0, 6))
    def call(self, place: int) -> None:
        self.choose([legal.call for legal in self.table.legal_calls()], place)

    @precondition(lambda self: self.table.going_on)
    @rule()
    def house(self) -> None:
        self.accepted(HousePlay(self.table.decision))

    @precondition(lambda self: self.table.going_on)
    @rule(turns=st.integers(1, 12))
    def time_passes(self, turns: int) -> None:
        """So that stocks run out and rounds end."""
        for _ in range(turns):
            if self.table.going_on:
                self.house()

    @precondition(lambda self: self.table.seq > 250)
    @rule()
    def close(self) -> None:
        self.attempt(Close("empty"))

    # --- what may not happen --------------------------------------------------------------------------------

    @rule(player=players, behind=st.integers(-2, 2), action=actions)
    def try_anything(self, player: str, behind: int, action: Action) -> None:
        self.attempt(Act(player, self.table.decision + behind, action))
        if self.table.going_on:
            assert self.refusal(Start(player)) in {RefusalCode.HAND_GOING_ON, RefusalCode.NOT_SEATED}

    @precondition(lambda self: self.table.going_on)
    @rule(action=actions)
    def try_any_action(self, action: Action) -> None:
        """Of the player to decide: refused if it is not listed, in whatever order a call names its cards."""
        decision = self.table.open_decision
        assert decision is not None
        listed = any(
            action == legal
            or (
                isinstance(action, Call)
                and isinstance(legal, Call)
                and sorted(action.cards) == sorted(legal.cards)
            )
            for legal in self.table.legal_actions()
        )
        occupant = self.table.occupants.get(decision.seat)
        if occupant is not None and not self.table.closed:
            refused = self.refusal(Act(occupant.player, decision.number, action)) is not None
            assert refused is not listed

    @precondition(lambda self: self.table.going_on)
    @rule(player=players)
    def try_out_of_turn(self, player: str) -> None:
        decision = self.table.open_decision
        assert decision is not None
        if self.table.seat_of(player) != decision.seat:
            refusal = self.refusal(Act(player, decision.number, self.table.legal_actions()[0]))
            assert refusal in {RefusalCode.NOT_YOUR_TURN, RefusalCode.NOT_SEATED}

    @rule(player=players, early=st.integers(-9, 9))
    def try_another_decision(self, player: str, early: int) -> None:
        """Whatever has closed it, or not yet opened it, the answer is refused alike; it may be sent twice."""
        decision = self.table.open_decision
        number = self.table.decision + early
        if self.table.closed or self.table.seat_of(player) is None:
            return
        if decision is None or decision.number != number:
            assert self.refusal(Act(player, number, Draw(Source.STOCK))) is RefusalCode.STALE_DECISION

    # --- what holds -----------------------------------------------------------------------------------------

    @invariant()
    def all_that_is_listed_is_accepted(self) -> None:
        decision = self.table.open_decision
        if decision is None or decision.absent:
            return
        player = self.table.occupants[decision.seat].player
        for action in self.table.legal_actions():
            assert self.refusal(Act(player, decision.number, action)) is None

    @invariant()
    def who_is_to_decide_is_there_or_the_house_plays(self) -> None:
        decision = self.table.open_decision
        if decision is not None:
            assert decision.absent is (decision.seat not in self.table.occupants)
            assert self.refusal(HousePlay(decision.number)) is None

    def teardown(self) -> None:
        self.play.referee.check_replay()
        assert redecided(self.play.referee.history) == self.play.referee.history
        for player in [occupant.player for occupant in self.table.occupants.values()]:
            if not self.table.closed:
                self.accepted(Leave(player))
        assert not self.table.going_on
        if not self.table.closed:
            self.accepted(Close("empty"))
        assert sum(account.balance for account in self.table.accounts()) == self.table.pot == 0

    # --- steps ----------------------------------------------------------------------------------------------

    def choose(self, options: Sequence[Action], place: int) -> None:
        decision = self.table.open_decision
        assert decision is not None
        if decision.absent:
            self.accepted(HousePlay(decision.number))
        else:
            player = self.table.occupants[decision.seat].player
            self.accepted(Act(player, decision.number, options[place % len(options)]))

    def accepted(self, command: Command) -> None:
        assert self.attempt(command) is None

    def attempt(self, command: Command) -> RefusalCode | None:
        """Carries the command out, or says why it is refused; that and deciding change nothing."""
        before = state_of(self.table)
        try:
            events = self.table.decide(command, self.play.dice)
        except Refusal as refusal:
            return refusal.code
        finally:
            assert state_of(self.table) == before
        assert events
        self.play.take_in(events)
        return None

    def refusal(self, command: Command) -> RefusalCode | None:
        """Why the command would be refused; it is not carried out."""
        try:
            self.table.decide(command, self.play.dice)
        except Refusal as refusal:
            return refusal.code
        return None


TestAnyTable = AnyTable.TestCase
TestAnyTable.settings = settings(max_examples=settings().max_examples // 2)
