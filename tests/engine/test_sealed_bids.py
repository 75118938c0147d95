"""The protocol supports games in which several seats act at once and hide their choices."""

from collections.abc import Iterable, Iterator
from typing import Any

from service.engine.dice import Dice
from tests.engine.rules_contract import RulesContract
from tests.engine.sealed_bids import CARDS, Bid, SealedBids, State


class TestSealedBids(RulesContract):
    rules = SealedBids()
    hidden_fields = frozenset({"deck", "card"})
    acts_at_once = True
    setups = tuple(({"cards": 4}, seats) for seats in (2, 3, 5))

    def every_action(self) -> Iterable[Any]:
        return [Bid(card) for card in CARDS]

    def resignation(self) -> Any:
        return Bid(None)

    def check_pieces(self, before: State, after: State) -> None:
        assert 0 <= sum(after.points) - sum(before.points) <= max(CARDS)
        assert after.deck == before.deck

    def unknowable(self, state: State, seat: int | None) -> Iterator[State]:
        """Other bids of the others, and another order of the deck below its top card."""
        for other in range(state.seats):
            if other != seat and state.bids[other]:
                bids = list(state.bids)
                bids[other] = bids[other] % CARDS[-1] + 1
                yield state._replace(bids=tuple(bids))
        if len(CARDS) - state.round > 2:
            seen = state.round + 1
            yield state._replace(deck=state.deck[:seen] + state.deck[seen:][::-1])

    def test_several_seats_act_at_once_in_any_order(self) -> None:
        rules, dice = self.rules, Dice("game", bytes(32))
        state = rules.set_up({"cards": 4}, 3)
        for event in rules.new_game({"cards": 4}, 3, dice):
            state = rules.evolve(state, event)
        assert rules.to_act(state) == {0, 1, 2}
        for event in rules.decide(state, 2, Bid(4), dice):
            state = rules.evolve(state, event)
        assert rules.to_act(state) == {0, 1}
        assert rules.view(state, 2)["mine"] == 4
        assert "4" not in str(rules.view(state, 0)["seats"])
