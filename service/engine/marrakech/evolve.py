"""Folding events into the state: each event has one function that makes the next state out of the last.

The functions that run every turn copy the state into a list, change it by the places named below and make a state
of it again: a game folds two hundred events, and that is three times as fast as `_replace`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from service.engine.marrakech.events import (
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
_OUT: Final = State._fields.index("out")
_ROLLS: Final = State._fields.index("rolls")
_DIE: Final = State._fields.index("die")
_PATH: Final = State._fields.index("path")

_state: Final[Callable[[list[Any]], State]] = partial(tuple.__new__, State)


def evolve(state: State, event: Event) -> State:
    """The state after the event."""
    return _FOLDS[type(event)](state, event)


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
    return _state(fields)


def _rolled(state: State, event: Rolled) -> State:
    fields: list[Any] = list(state)
    fields[_ROLLS] = event.roll + 1
    fields[_DIE] = event.die
    fields[_PATH] = ()
    return _state(fields)


def _moved(state: State, event: Moved) -> State:
    fields: list[Any] = list(state)
    fields[_PHASE] = "placement"
    fields[_ASSAM] = event.to
    fields[_FACING] = event.facing
    fields[_PATH] = event.path
    return _state(fields)


def _paid(state: State, event: Paid) -> State:
    dirhams = list(state.dirhams)
    dirhams[event.payer] -= event.paid
    dirhams[event.owner] += event.paid
    fields: list[Any] = list(state)
    fields[_DIRHAMS] = tuple(dirhams)
    return _state(fields)


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
        _pass_on(fields, state, rugs_left)
    return _state(fields)


def _turned(state: State, event: Turned) -> State:
    fields: list[Any] = list(state)
    fields[_FACING] = event.facing
    _pass_on(fields, state, state.rugs_left)
    return _state(fields)


def _went_out(state: State, event: Eliminated | Resigned) -> State:
    rugs_left = list(state.rugs_left)
    rugs_left[event.seat] = 0
    out = (*state.out, event.seat)
    state = state._replace(rugs_left=tuple(rugs_left), out=out)
    one_left = len(out) == state.seats - 1
    if event.seat != state.mover or one_left:
        return state
    fields: list[Any] = list(state)
    _pass_on(fields, state, rugs_left)
    return _state(fields)


def _finished(state: State, event: Finished) -> State:
    return state._replace(phase="over", result=event.result)


def _pass_on(fields: list[Any], state: State, rugs_left: Sequence[int]) -> None:
    """Give the turn to the next seat that has a rug to lay; where nobody has one, it stays where it is."""
    for step in range(1, state.seats + 1):
        seat = (state.mover + step) % state.seats
        if rugs_left[seat]:
            fields[_MOVER] = seat
            fields[_TURN] = state.turn + 1
            fields[_PHASE] = "direction"
            return


_FOLDS: Final[dict[type[Event], Callable[[State, Any], State]]] = {
    Started: _started,
    Faced: _faced,
    Rolled: _rolled,
    Moved: _moved,
    Paid: _paid,
    Eliminated: _went_out,
    Laid: _laid,
    Turned: _turned,
    Resigned: _went_out,
    Finished: _finished,
}
