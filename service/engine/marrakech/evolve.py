"""Apply an event to the state; one function per type of event.

The functions that run every turn copy the state into a list, change the list by index and make a state of it again.
That is five times as fast as `_replace`, and simulations apply two hundred events per game.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from service.engine.marrakech.actions import (
    Eliminated,
    Event,
    Faced,
    Finished,
    Laid,
    Moved,
    Paid,
    Resigned,
    Rolled,
    Started,
    Turned,
)
from service.engine.marrakech.state import State, rug_top

_TURN: Final = State._fields.index("turn")
_MOVER: Final = State._fields.index("mover")
_PHASE: Final = State._fields.index("phase")
_ASSAM: Final = State._fields.index("assam")
_FACING: Final = State._fields.index("facing")
_DIRHAMS: Final = State._fields.index("dirhams")
_RUGS_LEFT: Final = State._fields.index("rugs_left")
_LAID: Final = State._fields.index("laid")
_TOP: Final = State._fields.index("top")
_SHOWN: Final = State._fields.index("shown")
_ROLLS: Final = State._fields.index("rolls")
_DIE: Final = State._fields.index("die")
_PATH: Final = State._fields.index("path")

_make_state: Final[Callable[[list[Any]], State]] = partial(tuple.__new__, State)


def evolve(state: State, event: Event) -> State:
    """Return the state after the event."""
    return _APPLY[type(event)](state, event)


def _started(state: State, event: Started) -> State:
    return state._replace(
        piles=event.piles or state.piles,
        mover=event.first,
        assam=event.assam,
        facing=event.facing,
    )


def _faced(state: State, event: Faced) -> State:
    fields: list[Any] = list(state)
    fields[_FACING] = event.facing
    return _make_state(fields)


def _rolled(state: State, event: Rolled) -> State:
    fields: list[Any] = list(state)
    fields[_ROLLS] = event.roll + 1
    fields[_DIE] = event.die
    fields[_PATH] = ()
    return _make_state(fields)


def _moved(state: State, event: Moved) -> State:
    fields: list[Any] = list(state)
    fields[_PHASE] = "placement"
    fields[_ASSAM] = event.to
    fields[_FACING] = event.facing
    fields[_PATH] = event.path
    return _make_state(fields)


def _paid(state: State, event: Paid) -> State:
    dirhams = list(state.dirhams)
    dirhams[event.payer] -= event.paid
    dirhams[event.owner] += event.paid
    fields: list[Any] = list(state)
    fields[_DIRHAMS] = tuple(dirhams)
    return _make_state(fields)


def _laid(state: State, event: Laid) -> State:
    low, high = event.squares
    top = bytearray(state.top)
    top[low] = top[high] = rug_top(event.rug, event.colour)
    covered = 1 << low | 1 << high
    elsewhere = ~covered
    shown = [mask & elsewhere for mask in state.shown]
    shown[event.colour] |= covered
    rugs_left = list(state.rugs_left)
    rugs_left[event.seat] -= 1

    fields: list[Any] = list(state)
    fields[_TOP] = bytes(top)
    fields[_SHOWN] = tuple(shown)
    fields[_RUGS_LEFT] = tuple(rugs_left)
    fields[_LAID] = event.rug
    if state.options.variant == "rotate-after":
        fields[_PHASE] = "rotation"
    else:
        _next_turn(fields, state, rugs_left)
    return _make_state(fields)


def _turned(state: State, event: Turned) -> State:
    fields: list[Any] = list(state)
    fields[_FACING] = event.facing
    _next_turn(fields, state, state.rugs_left)
    return _make_state(fields)


def _left(state: State, event: Eliminated | Resigned) -> State:
    rugs_left = list(state.rugs_left)
    rugs_left[event.seat] = 0
    out = (*state.out, event.seat)
    state = state._replace(rugs_left=tuple(rugs_left), out=out)
    one_left = len(out) == state.seats - 1
    if event.seat != state.mover or one_left:
        return state
    fields: list[Any] = list(state)
    _next_turn(fields, state, rugs_left)
    return _make_state(fields)


def _finished(state: State, event: Finished) -> State:
    return state._replace(phase="over", result=event.result)


def _next_turn(fields: list[Any], state: State, rugs_left: Sequence[int]) -> None:
    """Give the turn to the next seat that has a rug left; if there is none, the turn stays where it is."""
    for step in range(1, state.seats + 1):
        seat = (state.mover + step) % state.seats
        if rugs_left[seat]:
            fields[_MOVER] = seat
            fields[_TURN] = state.turn + 1
            fields[_PHASE] = "direction"
            return


_APPLY: Final[dict[type[Event], Callable[[State, Any], State]]] = {
    Started: _started,
    Faced: _faced,
    Rolled: _rolled,
    Moved: _moved,
    Paid: _paid,
    Eliminated: _left,
    Laid: _laid,
    Turned: _turned,
    Resigned: _left,
    Finished: _finished,
}
