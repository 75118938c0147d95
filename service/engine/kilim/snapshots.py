"""JSON of states, for the snapshots that the server stores beside the events."""

from typing import Any, Final

from service.engine.errors import Malformed
from service.engine.json_reader import Fields, Json, Reader, flag, list_of, number, one_of, or_null, refuse, text
from service.engine.kilim.actions import Auctioned, Settled
from service.engine.kilim.carpet import NAMES, Carpet, Laid, place_name
from service.engine.kilim.codecs import (
    MOST_GOLD,
    MOST_ROUNDS,
    card,
    domino,
    gold,
    motif,
    place,
    read_event,
    read_result,
    square,
    token,
    write_event,
)
from service.engine.kilim.pieces import DAYS, DOMINOES, MOTIFS, SEATS, SPECIALS, TOKENS
from service.engine.kilim.state import PHASES, UNKNOWN, WEAVINGS, HeldToken, SeatState, State
from service.engine.kilim.view import write_result

FORMAT: Final = "kilim-state/1"
MOST_TURNS: Final = 5 * MOST_ROUNDS
_SEAT_FIELDS: Final = ("gold", "specials", "card", "bid", "owes_weave", "owes_keep", "owes_take", "scraps", "perfect")


class StateCodec:
    """JSON of states."""

    def write(self, value: State) -> Json:
        """Write a state with all its fields."""
        return {
            "format": FORMAT,
            "weaving": value.weaving,
            "seats": [_write_seat(seat) for seat in value.seats],
            "piles": _lists(value.piles),
            "aside": _lists(value.aside),
            "phase": value.phase,
            "turn": value.turn,
            "round": value.round,
            "day": value.day,
            "offer": list(value.offer),
            "bag": list(value.bag),
            "bag_left": value.bag_left,
            "patched": list(value.patched),
            "tokens": list(value.tokens),
            "late_tokens": list(value.late_tokens),
            "perfect_taken": value.perfect_taken,
            "shown": None if value.shown is None else list(value.shown),
            "auctioned": _write_or_null(value.auctioned),
            "settled": _write_or_null(value.settled),
            "last": _write_last(value),
            "out": list(value.out),
            "result": None if value.result is None else write_result(value.result),
        }

    def read(self, value: object) -> State:
        """Read a state; raises `Malformed`."""
        fields = Fields(value, "state")
        fields.take("format", one_of((FORMAT,)))
        seats = fields.take("seats", list_of(_read_seat, SEATS.start, SEATS.stop - 1))
        count = len(seats)
        cards = list_of(or_null(card), count, count)
        state = State(
            weaving=fields.take("weaving", one_of(WEAVINGS)),
            seats=seats,
            piles=fields.take("piles", or_null(_read_lists(DAYS))),
            aside=fields.take("aside", or_null(_read_lists(DAYS + 1))),
            phase=fields.take("phase", one_of(PHASES)),
            turn=fields.take("turn", number(1, MOST_TURNS)),
            round=fields.take("round", number(0, MOST_ROUNDS)),
            day=fields.take("day", number(0, DAYS)),
            offer=fields.take("offer", list_of(domino, 0, MOST_GOLD)),
            bag=fields.take("bag", list_of(motif, 0, len(MOTIFS))),
            bag_left=fields.take("bag_left", number(0, len(MOTIFS))),
            patched=fields.take("patched", list_of(motif, 0, len(MOTIFS))),
            tokens=fields.take("tokens", list_of(token, 0, len(TOKENS))),
            late_tokens=fields.take("late_tokens", list_of(token, 0, len(TOKENS))),
            perfect_taken=fields.take("perfect_taken", number(0, DAYS)),
            shown=fields.take("shown", or_null(cards)),
            auctioned=fields.take("auctioned", or_null(_event_reader(Auctioned, count))),
            settled=fields.take("settled", or_null(_event_reader(Settled, count))),
            last=fields.take("last", or_null(_last_reader(count))),
            out=fields.take("out", list_of(number(0, count - 1), 0, count - 1)),
            result=fields.take("result", or_null(read_result(count))),
        )
        fields.end()
        return state


def _lists(piles: Any) -> list[list[str]] | None:
    return None if piles is None else [list(pile) for pile in piles]


def _read_lists(groups: int) -> Reader[tuple[tuple[str, ...], ...]]:
    return list_of(list_of(domino, 0, len(DOMINOES)), groups, groups)


def _write_or_null(event: Auctioned | Settled | None) -> Json | None:
    return None if event is None else write_event(event)


def _event_reader(kind: type[Any], seats: int) -> Reader[Any]:
    def read(value: object, where: str) -> Any:
        try:
            event = read_event(value, seats)
        except Malformed as problem:
            raise Malformed(f"In {where}: {problem.sentence}") from None
        if not isinstance(event, kind):
            refuse(f"{where}.type", kind.__name__.lower(), event.type)
        return event

    return read


def _write_last(state: State) -> Json | None:
    if state.last is None:
        return None
    cards, auctioned, settled = state.last
    return {"cards": list(cards), "auctioned": write_event(auctioned), "settled": _write_or_null(settled)}


def _last_reader(seats: int) -> Reader[Any]:
    def read(value: object, where: str) -> Any:
        fields = Fields(value, where)
        last = (
            fields.take("cards", list_of(or_null(card), seats, seats)),
            fields.take("auctioned", _event_reader(Auctioned, seats)),
            fields.take("settled", or_null(_event_reader(Settled, seats))),
        )
        fields.end()
        return last

    return read


def _write_seat(seat: SeatState) -> Json:
    plain = {name: getattr(seat, name) for name in _SEAT_FIELDS}
    return {
        **{name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()},
        "token": None if seat.token is None else list(seat.token),
        "carpet": [f"{laid.domino} {place_name(laid[1:])}" for laid in seat.carpet.dominoes],
        "patches": [f"{scrap} {NAMES[at]}" for scrap, at in seat.carpet.scraps],
        "passed": seat.passed,
    }


def _read_seat(value: object, where: str) -> SeatState:
    fields = Fields(value, where)
    dominoes = fields.take("carpet", list_of(_read_laid, 0, len(DOMINOES)))
    patches = fields.take("patches", list_of(_read_patch, 0, len(MOTIFS)))
    seat = SeatState(
        gold=fields.take("gold", list_of(gold, 0, MOST_GOLD)),
        specials=fields.take("specials", list_of(one_of(SPECIALS), 0, len(SPECIALS))),
        card=fields.take("card", or_null(_or_unknown(card))),
        bid=fields.take("bid", or_null(_or_unknown(gold))),
        owes_weave=fields.take("owes_weave", list_of(domino, 0, MOST_GOLD)),
        owes_keep=fields.take("owes_keep", flag),
        owes_take=fields.take("owes_take", number(0, DAYS)),
        scraps=fields.take("scraps", list_of(_or_unknown(motif), 0, len(MOTIFS))),
        perfect=fields.take("perfect", list_of(domino, 0, DAYS)),
        token=fields.take("token", or_null(_read_token)),
        carpet=Carpet(dominoes, patches),
        passed=fields.take("passed", flag),
    )
    fields.end()
    return seat


def _or_unknown(read_one: Reader[Any]) -> Reader[Any]:
    """Make a reader that also accepts the mark of a hidden value."""

    def read(value: object, where: str) -> Any:
        return UNKNOWN if value == UNKNOWN else read_one(value, where)

    return read


def _read_token(value: object, where: str) -> HeldToken:
    name, used, day = list_of(lambda entry, _: entry, 3, 3)(value, where)
    return HeldToken(token(name, where), flag(used, where), number(1, DAYS)(day, where))


def _read_laid(value: object, where: str) -> Laid:
    name, _, squares = text(20)(value, where).partition(" ")
    return Laid(domino(name, where), *place(squares.split("-"), where))


def _read_patch(value: object, where: str) -> tuple[Any, int]:
    name, _, at = text(20)(value, where).partition(" ")
    return motif(name, where), square(at, where)
