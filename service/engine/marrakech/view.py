"""What a seat may know of a game, as JSON. Everything is open except the order of the piles."""

from service.engine.json_reader import Json
from service.engine.marrakech.actions import Event
from service.engine.marrakech.board import NAMES
from service.engine.marrakech.codecs import ActionCodec, write_event, write_options, write_result, write_squares
from service.engine.marrakech.rules import legal_actions, to_act
from service.engine.marrakech.state import COLOURS, State, colour_of, colours_of, owner_of, rug_of

_write_action = ActionCodec().write


def view(state: State, seat: int | None) -> Json:
    """Build the view of a seat, or of a spectator (None)."""
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
    """Write an event without the piles, unless the game is over."""
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
    """Describe the rug on top of each square that isn't bare."""
    owners = [owner_of(colour, state.seats) for colour in range(len(COLOURS))]
    rugs = [
        {"colour": name, "seat": owner, "neutral": owner in state.out}
        for name, owner in zip(COLOURS, owners, strict=True)
    ]
    return {NAMES[square]: {"rug": rug_of(top), **rugs[colour_of(top)]} for square, top in enumerate(state.top) if top}


def _last_roll(state: State) -> Json | None:
    if state.die is None:
        return None
    return {"die": state.die, "roll": state.rolls - 1, "path": write_squares(state.path)}
