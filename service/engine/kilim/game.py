"""Kilim behind the protocol that every game implements."""

from collections.abc import Mapping, Sequence
from typing import Final

from service.engine.dice import Dice
from service.engine.errors import Malformed
from service.engine.json_reader import Json
from service.engine.kilim import evolve, notation, rules, view
from service.engine.kilim.actions import Auctioned, Evening, Event, Finished, Result, Revealed, Settled, Shown
from service.engine.kilim.bots import BOTS
from service.engine.kilim.codecs import ActionCodec, read_event, read_options, write_event
from service.engine.kilim.pieces import COLOURS, SEATS
from service.engine.kilim.snapshots import StateCodec
from service.engine.kilim.state import State, set_up
from service.engine.protocol import Bot

_NEW_TURN: Final = (Revealed, Shown, Auctioned, Settled, Evening, Finished)
"""Each of these begins a turn, or is followed at once by one that does."""


class EventCodec:
    """Events as JSON and as sentences."""

    read = staticmethod(read_event)
    write = staticmethod(write_event)
    read_text = staticmethod(notation.read_text)
    write_text = staticmethod(notation.write_text)


class Kilim:
    """The game; `service.engine.protocol.Rules` documents each member."""

    name: Final = "kilim"
    seats: Final = SEATS
    bots: Final[Mapping[str, Bot]] = BOTS
    stand_in: Final = "medium"
    analyst: Final = None
    actions: Final = ActionCodec()
    events: Final = EventCodec()
    states: Final = StateCodec()

    to_act = staticmethod(rules.to_act)
    legal_actions = staticmethod(rules.legal_actions)
    decide = staticmethod(rules.decide)
    evolve = staticmethod(evolve.evolve)

    def read_options(self, options: object, seats: int) -> Json:
        if seats not in SEATS:
            raise Malformed(f"Kilim is for {SEATS.start} to {SEATS.stop - 1} players, not {seats}.")
        return {"weaving": read_options(options)}

    def rematch_options(self, options: Json) -> Json:
        return options

    def seat_assets(self, seats: int, seat: int) -> Json:
        return {"colours": [COLOURS[seat]]}

    def seat_assets_in_words(self, seats: int, seat: int) -> str:
        return f"{COLOURS[seat]} cards"

    def seat_label(self, seat: int) -> str:
        return notation.SEAT_LABELS[seat]

    def set_up(self, options: Json, seats: int) -> State:
        return set_up(read_options(options), seats)

    def new_game(self, options: Json, seats: int, dice: Dice) -> Sequence[Event]:
        return rules.new_game(read_options(options), seats, dice)

    def is_active(self, state: State, seat: int) -> bool:
        return state.is_active(seat)

    def is_stale(self, since: Sequence[Event]) -> bool:
        return any(isinstance(event, _NEW_TURN) for event in since)

    def view(self, state: State, seat: int | None) -> Json:
        return view.build_view(state, seat, self.actions.write)

    def event_view(self, state: State, event: Event, seat: int | None) -> Json:
        return write_event(view.hide_fields(state, event, seat))

    def result(self, state: State) -> Result | None:
        return state.result

    def turn(self, state: State) -> int:
        return state.turn

    def turn_of(self, before: State, after: State) -> int:
        return after.turn


KILIM: Final = Kilim()
