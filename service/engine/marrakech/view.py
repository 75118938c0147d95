"""What a seat may know of a game of Marrakech, as JSON. All is open but the order of the piles."""

from functools import lru_cache

from service.engine.json_reader import Json
from service.engine.marrakech.actions import ActionCodec
from service.engine.marrakech.board import NAMES
from service.engine.marrakech.event_json import write_event
from service.engine.marrakech.events import Event
from service.engine.marrakech.options import write_options
from service.engine.marrakech.result_json import write_result
from service.engine.marrakech.rules import legal_actions, to_act
from service.engine.marrakech.state import COLOURS, State, colour_of, colours_of, owner_of, rug_of

_write_action = ActionCodec().write


def view(state: State, seat: int | None) -> Json:
    """The game as this seat sees it; None is an onlooker."""
    return {
        "turn": state.turn,
        "phase": state.phase,
        "to_act": sorted(to_act(state)),
        "you": seat,
        "options": write_options(state.options),
        "assam": {"at": NAMES[state.assam], "facing": state.facing},
        "seats": [_seat(state, each) for each in range(state.seats)],
        "board": _board(state),
        "legal": [] if seat is None else [_write_action(action) for action in legal_actions(state, seat)],
        "last_roll": _last_roll(state),
        "result": write_result(state.result) if state.result else None,
    }


def event_view(state: State, event: Event) -> Json:
    """What everybody may know of an event: the piles are shown when the game is over."""
    value = write_event(event)
    if not state.result:
        value.pop("piles", None)
    return value


def _seat(state: State, seat: int) -> Json:
    next_rug = state.next_rug(seat)
    visible = state.visible(seat)
    return {
        "seat": seat,
        "colours": [COLOURS[colour] for colour in colours_of(state.seats, seat)],
        "dirhams": state.dirhams[seat],
        "rugs_left": state.rugs_left[seat],
        "next_rug": None if next_rug is None else COLOURS[next_rug],
        "visible": visible,
        "total": state.dirhams[seat] + visible,
        "out": seat in state.out,
    }


def _board(state: State) -> Json:
    """What shows on each square that is not bare."""
    shows = _shows(state.seats, state.out)
    return {name: shows[top].copy() for square, name in NAMES.items() if (top := state.top[square])}


@lru_cache(maxsize=64)
def _shows(seats: int, out: tuple[int, ...]) -> list[Json]:
    """How whatever can show on a square is told: every view tells of it, so each is there ready to be copied."""
    return [
        {
            "rug": rug_of(top),
            "colour": COLOURS[colour_of(top)],
            "seat": owner_of(colour_of(top), seats),
            "neutral": owner_of(colour_of(top), seats) in out,
        }
        for top in range(256)
    ]


def _last_roll(state: State) -> Json | None:
    if state.die is None:
        return None
    return {"die": state.die, "roll": state.rolls - 1, "path": [NAMES[square] for square in state.path]}
