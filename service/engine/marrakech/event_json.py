"""The events of Marrakech as JSON, both ways, with the field names that the outside sees."""

from collections.abc import Callable
from typing import Any, Final

from service.engine.dice import LONGEST_SALT
from service.engine.json_reader import Fields, Json, Reader, list_of, number, one_of, refuse, text
from service.engine.marrakech.actions import rug_squares, square
from service.engine.marrakech.board import DIRECTIONS, FACES, FACINGS, NAMES, TURNS, Facing, Square
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
from service.engine.marrakech.result_json import read_result, write_result
from service.engine.marrakech.state import COLOURS, MOST_RUGS, PURSE, RUGS_EACH, Piles, colours_of

MOST_ROLLS: Final = 2 * MOST_RUGS
"""More than any game can have: every roll but those of players who go out is followed by a rug."""


_read_colour: Final = one_of(COLOURS)
_read_facing: Final = one_of(FACINGS)


def colour(value: object, where: str) -> int:
    """Read the name of a colour."""
    return COLOURS.index(_read_colour(value, where))


def assam(value: object, where: str) -> tuple[Square, Facing]:
    """Read where Assam stands and which way he faces."""
    fields = Fields(value, where)
    stand = fields.take("at", square), fields.take("facing", _read_facing)
    fields.end()
    return stand


def _names(squares: tuple[Square, ...]) -> list[str]:
    return [NAMES[square] for square in squares]


def write_piles(piles: Piles) -> list[list[str]]:
    """The piles as lists of colours."""
    return [[COLOURS[colour] for colour in pile] for pile in piles]


def read_piles(value: object, where: str) -> Piles:
    """The piles of a two-player game: twelve rugs of each of a seat's two colours."""
    each = RUGS_EACH[2]
    return checked_piles(list_of(list_of(colour, each, each), 2, 2)(value, where), where)


def checked_piles(piles: Piles, where: str) -> Piles:
    """The piles, refused where they are not of the rugs that two players have."""
    each = RUGS_EACH[2]
    for seat, pile in enumerate(piles):
        if len(pile) != each or any(pile.count(owned) != each // 2 for owned in colours_of(2, seat)):
            names = " and ".join(COLOURS[owned] for owned in colours_of(2, seat))
            refuse(f"{where}[{seat}]", f"{each // 2} rugs each of {names}", write_piles(piles))
    return piles


def write_event(event: Event) -> Json:
    """The event as JSON, nothing left out."""
    return {"type": event.type, **_WRITERS[type(event)](event)}


def read_event(value: object, seats: int) -> Event:
    """The event of a game with so many seats; raises `Malformed`."""
    fields = Fields(value, "event")
    read = _READERS[fields.take("type", one_of(tuple(_READERS)))]
    event = read(fields, number(0, seats - 1), seats)
    fields.end()
    return event


def _write_started(event: Started) -> Json:
    opening: Json = {"first": event.first, "assam": {"at": NAMES[event.assam], "facing": event.facing}}
    return opening | ({"piles": write_piles(event.piles)} if event.piles else {})


def _read_started(fields: Fields, seat: Reader[int], seats: int) -> Started:
    first = fields.take("first", seat)
    at, facing = fields.take("assam", assam)
    return Started(first, at, facing, fields.take_or("piles", read_piles, None) if seats == 2 else None)


def _read_moved(fields: Fields, seat: Reader[int], seats: int) -> Moved:
    mover = fields.take("seat", seat)
    path = fields.take("path", list_of(square, 1, max(FACES)))
    to = fields.take("to", square)
    if to != path[-1]:
        refuse("event.to", f"the last square of the path, {NAMES[path[-1]]}", NAMES[to])
    return Moved(mover, path, to, fields.take("facing", one_of(FACINGS)))


def _read_paid(fields: Fields, seat: Reader[int], seats: int) -> Paid:
    payer, owner = fields.take("from", seat), fields.take("to", seat)
    due, paid = fields.take("due", number(1, len(NAMES))), fields.take("paid", number(0, PURSE * seats))
    return Paid(payer, owner, due, paid, fields.take("squares", list_of(square, due, due)))


_WRITERS: Final[dict[type[Event], Callable[[Any], Json]]] = {
    Started: _write_started,
    Faced: lambda e: {"seat": e.seat, "direction": e.direction, "facing": e.facing},
    Rolled: lambda e: {"seat": e.seat, "die": e.die, "roll": e.roll, "salt": e.salt},
    Moved: lambda e: {"seat": e.seat, "path": _names(e.path), "to": NAMES[e.to], "facing": e.facing},
    Paid: lambda e: {"from": e.payer, "to": e.owner, "due": e.due, "paid": e.paid, "squares": _names(e.squares)},
    Eliminated: lambda e: {"seat": e.seat},
    Laid: lambda e: {"seat": e.seat, "rug": e.rug, "colour": COLOURS[e.colour], "squares": _names(e.squares)},
    Turned: lambda e: {"seat": e.seat, "direction": e.direction, "facing": e.facing},
    Resigned: lambda e: {"seat": e.seat},
    Finished: lambda e: {"result": write_result(e.result)},
}

_READERS: Final[dict[str, Callable[[Fields, Reader[int], int], Event]]] = {
    "started": _read_started,
    "faced": lambda fields, seat, _: Faced(
        fields.take("seat", seat),
        fields.take("direction", one_of(DIRECTIONS)),
        fields.take("facing", one_of(FACINGS)),
    ),
    "rolled": lambda fields, seat, _: Rolled(
        fields.take("seat", seat),
        fields.take("die", one_of(sorted(set(FACES)))),
        fields.take("roll", number(0, MOST_ROLLS)),
        fields.take("salt", text(LONGEST_SALT)),
    ),
    "moved": _read_moved,
    "paid": _read_paid,
    "eliminated": lambda fields, seat, _: Eliminated(fields.take("seat", seat)),
    "laid": lambda fields, seat, _: Laid(
        fields.take("seat", seat),
        fields.take("rug", number(1, MOST_RUGS)),
        fields.take("colour", colour),
        fields.take("squares", rug_squares),
    ),
    "turned": lambda fields, seat, _: Turned(
        fields.take("seat", seat),
        fields.take("direction", one_of(TURNS)),
        fields.take("facing", one_of(FACINGS)),
    ),
    "resigned": lambda fields, seat, _: Resigned(fields.take("seat", seat)),
    "finished": lambda fields, _, seats: Finished(fields.take("result", read_result(seats))),
}
