"""Marrakech fulfils the contract of every game."""

from collections.abc import Iterable, Iterator
from typing import Any

from service.engine.marrakech.actions import FACE, LAY, RESIGN, ROTATE
from service.engine.marrakech.game import MARRAKECH
from service.engine.marrakech.state import PURSE, RUGS_EACH, State, colours_of
from tests.engine.rules_contract import RulesContract


class TestMarrakech(RulesContract):
    rules = MARRAKECH
    hidden_fields = frozenset({"piles"})
    acts_at_once = False
    setups = tuple(
        (MARRAKECH.read_options({"variant": variant, "pile": pile}, seats), seats)
        for variant in ("standard", "rotate-after")
        for pile in ("shuffled", "alternating")
        for seats in (2, 3, 4)
    )

    def every_action(self) -> Iterable[Any]:
        return [*FACE, *LAY.values(), *ROTATE]

    def resignation(self) -> Any:
        return RESIGN

    def check_pieces(self, before: State, after: State) -> None:
        assert sum(after.dirhams) == PURSE * after.seats
        assert min(after.dirhams) >= 0
        discarded = sum(before.rugs_left[seat] for seat in set(after.out) - set(before.out))
        assert sum(before.rugs_left) - sum(after.rugs_left) == after.laid - before.laid + discarded
        assert after.laid + sum(after.rugs_left) <= RUGS_EACH[after.seats] * after.seats
        showing = [square for square in range(64) if after.top[square]]
        assert sum(mask.bit_count() for mask in after.shown) == len(showing)
        assert all(list(after.top).count(after.top[square]) <= 2 for square in showing)

    def unknowable(self, state: State, seat: int | None) -> Iterator[State]:
        """With two players, other orders of the piles below the top rug."""
        if state.seats != 2 or state.piles is None or state.options.pile == "alternating":
            return
        for pile in range(2):
            left = state.rugs_left[pile]
            if left < 2:
                continue
            below = state.piles[pile][-left + 1 :]
            swapped = tuple(sum(colours_of(2, pile)) - colour for colour in below)
            piles = list(state.piles)
            piles[pile] = state.piles[pile][: len(state.piles[pile]) - left + 1] + swapped
            yield state._replace(piles=tuple(piles))
