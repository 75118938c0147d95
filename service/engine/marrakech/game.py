"""Marrakech behind the protocol that every game implements."""

from collections.abc import Mapping, Sequence
from typing import Final

from service.engine.dice import Dice
from service.engine.errors import Malformed
from service.engine.json_reader import Json
from service.engine.marrakech import evolve, notation, rules, view
from service.engine.marrakech.actions import Event
from service.engine.marrakech.analyst import ANALYST
from service.engine.marrakech.bots import BOTS
from service.engine.marrakech.codecs import ActionCodec, read_event, read_options, write_event, write_options
from service.engine.marrakech.snapshots import StateCodec
from service.engine.marrakech.state import COLOURS, SEATS, Result, State, colours_of, set_up
from service.engine.protocol import Bot


class EventCodec:
    """Events as JSON and as sentences."""

    read = staticmethod(read_event)
    write = staticmethod(write_event)
    read_text = staticmethod(notation.read_text)
    write_text = staticmethod(notation.write_text)


class Marrakech:
    """The game; `service.engine.protocol.Rules` documents each member."""

    name: Final = "marrakech"
    seats: Final = SEATS
    bots: Final[Mapping[str, Bot]] = BOTS
    stand_in: Final = "medium"
    analyst: Final = ANALYST
    actions: Final = ActionCodec()
    events: Final = EventCodec()
    states: Final = StateCodec()

    to_act = staticmethod(rules.to_act)
    legal_actions = staticmethod(rules.legal_actions)
    decide = staticmethod(rules.decide)
    evolve = staticmethod(evolve.evolve)
    view = staticmethod(view.view)

    def read_options(self, options: object, seats: int) -> Json:
        if seats not in SEATS:
            raise Malformed(f"Marrakech is for {SEATS.start} to {SEATS.stop - 1} players, not {seats}.")
        return write_options(read_options(options, seats))

    def rematch_options(self, options: Json) -> Json:
        return {name: value for name, value in options.items() if name != "first"}

    def seat_assets(self, seats: int, seat: int) -> Json:
        return {"colours": [COLOURS[colour] for colour in colours_of(seats, seat)]}

    def seat_assets_in_words(self, seats: int, seat: int) -> str:
        return f"{' and '.join(self.seat_assets(seats, seat)['colours'])} rugs"

    def seat_label(self, seat: int) -> str:
        return notation.SEAT_LABELS[seat]

    def set_up(self, options: Json, seats: int) -> State:
        return set_up(read_options(options, seats), seats)

    def new_game(self, options: Json, seats: int, dice: Dice) -> Sequence[Event]:
        return rules.new_game(read_options(options, seats), seats, dice)

    def is_active(self, state: State, seat: int) -> bool:
        return state.result is None and seat not in state.out

    def is_stale(self, since: Sequence[Event]) -> bool:
        return bool(since)

    def event_view(self, state: State, event: Event, seat: int | None) -> Json:
        return view.event_view(state, event)

    def result(self, state: State) -> Result | None:
        return state.result

    def turn(self, state: State) -> int:
        return state.turn

    def turn_of(self, before: State, after: State) -> int:
        return before.turn


MARRAKECH: Final = Marrakech()
