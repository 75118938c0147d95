"""Kilim keeps the contract of every game."""

from collections.abc import Iterable, Iterator
from typing import Any

from service.engine.kilim.actions import PASS, RESIGN, Bid, Keep, Patch, Play, Rework, Take, Weave
from service.engine.kilim.carpet import FIRST_PLACE, NEIGHBOURS
from service.engine.kilim.game import KILIM
from service.engine.kilim.pieces import DOMINOES, MOTIFS, SPECIALS, TOKENS
from service.engine.kilim.state import State
from tests.engine.rules_contract import RulesContract

NEAR = sorted({*FIRST_PLACE, *(near for square in FIRST_PLACE for near in NEIGHBOURS[square])})
"""Squares in the middle of the loom: carpets begin there."""
PLACES = [(first, second) for first in NEAR for second in NEIGHBOURS[first]]


class TestKilim(RulesContract):
    rules = KILIM
    hidden_fields = frozenset({"piles", "aside", "card", "gold", "scrap"})
    acts_at_once = True
    every = 5
    setups = tuple(({"weaving": weaving}, seats) for weaving in ("relaxed", "strict") for seats in (2, 3, 4, 5))

    def every_action(self) -> Iterable[Any]:
        """All actions with cards, scraps and tokens, and those with some dominoes in the middle of the loom."""
        yield from (Play(card) for card in (*range(1, 16), *SPECIALS))
        yield from (Bid(gold) for gold in range(1, 16))
        yield from (Keep(scrap) for scrap in MOTIFS)
        yield from (Take(token) for token in TOKENS)
        yield from (Patch(scrap, square) for scrap in MOTIFS for square in NEAR)
        yield from (Weave(domino, place) for domino in DOMINOES[::9] for place in PLACES)
        yield from (Rework("turn", domino, place) for domino in DOMINOES[::9] for place in PLACES[:6])
        yield from (Rework("remove", piece, ()) for piece in (*DOMINOES[::9], *MOTIFS))
        yield PASS

    def resignation(self) -> Any:
        return RESIGN

    def check_pieces(self, before: State, after: State) -> None:
        laid = [each.domino for seat in after.seats for each in seat.carpet.dominoes]
        held = [domino for seat in after.seats for domino in (*seat.owes_weave, *seat.perfect)]
        assert len({*laid, *held}) == len(laid) + len(held)
        scraps = [scrap for seat in after.seats for scrap, _ in seat.carpet.scraps]
        kept = [scrap for seat in after.seats for scrap in seat.scraps]
        assert len({*scraps, *kept, *after.bag}) == len(scraps) + len(kept) + len(after.bag)
        assert after.bag_left == len(after.bag)

    def unknowable(self, state: State, seat: int | None) -> Iterator[State]:
        """Other piles, other sealed cards and bids, and other scraps in other hands."""
        if state.piles is None or state.result is not None:
            return
        yield state._replace(piles=tuple(tuple(reversed(pile)) for pile in state.piles), aside=None)
        for number, own in enumerate(state.seats):
            if number == seat:
                continue
            if own.card is not None and state.shown is None:
                yield self._with(state, number, card=next(card for card in (*own.gold, "spy") if card != own.card))
            if own.bid is not None and state.auctioned is None:
                yield self._with(state, number, bid=15 if own.bid != 15 else 14)

    @staticmethod
    def _with(state: State, seat: int, **changes: Any) -> State:
        seats = list(state.seats)
        seats[seat] = seats[seat]._replace(**changes)
        return state._replace(seats=tuple(seats))
