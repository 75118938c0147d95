"""What a finished game amounts to: rugs and money turn by turn, and who paid how much to whom."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from service.engine.marrakech.events import Paid
from service.engine.marrakech.state import State
from service.engine.record import Entry


class Chronicle(NamedTuple):
    """By seat: the dirhams and the visible squares before the first turn and after each, and what was paid."""

    dirhams: list[list[int]]
    squares: list[list[int]]
    paid: list[list[int]]
    """`paid[payer][owner]`."""


def chronicle_of(happened: Sequence[Entry], states: Sequence[Any], seats: int) -> Chronicle:
    """The chronicle of these events; `states` begins with the one before the first of them."""
    ends = _ends_of_turns(states)
    paid = [[0] * seats for _ in range(seats)]
    for entry in happened:
        if isinstance(entry.event, Paid):
            paid[entry.event.payer][entry.event.owner] += entry.event.paid
    return Chronicle(
        [[state.dirhams[seat] for state in ends] for seat in range(seats)],
        [[state.visible(seat) for state in ends] for seat in range(seats)],
        paid,
    )


def _ends_of_turns(states: Sequence[State]) -> list[State]:
    """The first state, and the last of each turn."""
    last = {state.turn: state for state in states}
    return [states[0], *last.values()]
