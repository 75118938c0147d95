"""JSON of options, actions, events and results, with the field names of the API and the record."""

from collections.abc import Callable
from typing import Any, Final

from service.engine.dice import LONGEST_SALT
from service.engine.json_reader import Fields, Json, Reader, flag, list_of, number, one_of, or_null, refuse, text
from service.engine.marrakech.actions import (
    LAY,
    RESIGN,
    Action,
    Eliminated,
    Event,
    Face,
    Faced,
    Finished,
    Laid,
    Lay,
    Moved,
    Paid,
    Resign,
    Resigned,
    Rolled,
    Rotate,
    Started,
    Turned,
)
from service.engine.marrakech.board import (
    DIRECTIONS,
    FACES,
    FACINGS,
    FILES,
    NAMES,
    NEIGHBOURS,
    RANKS,
    SQUARES,
    TURNS,
    Facing,
    Square,
    read_square,
)
from service.engine.marrakech.state import (
    COLOURS,
    MOST_RUGS,
    PILE_KINDS,
    PURSE,
    REASONS,
    RUGS_EACH,
    VARIANTS,
    Options,
    Piles,
    Result,
    Score,
    colours_of,
)

MOST_ROLLS: Final = 2 * MOST_RUGS
"""More than any game can have: every roll is followed by a rug, unless the player is eliminated."""

# Values that several objects contain

_direction: Final = one_of(DIRECTIONS)
_facing: Final = one_of(FACINGS)
_turn: Final = one_of(TURNS)
_colour_name: Final = one_of(COLOURS)
_die: Final = one_of(sorted(set(FACES)))
_action_type: Final = one_of(("face", "lay", "turn", "resign"))


def square(value: object, where: str) -> Square:
    """Read the name of a square."""
    if not isinstance(value, str) or not (len(value) == 2 and value[0] in FILES and value[1] in RANKS):
        refuse(where, "a square from a1 to g7", value)
    return read_square(value)


_two_squares: Final = list_of(square, 2, 2)


def _rug_squares(value: object, where: str) -> tuple[Square, Square]:
    """Read the two squares of a rug, in either order."""
    low, high = sorted(_two_squares(value, where))
    if high not in NEIGHBOURS[low]:
        refuse(where, "two squares that share an edge", value)
    return low, high


def _colour(value: object, where: str) -> int:
    """Read the name of a colour."""
    return COLOURS.index(_colour_name(value, where))


def assam(value: object, where: str) -> tuple[Square, Facing]:
    """Read where Assam stands and which way he faces."""
    fields = Fields(value, where)
    position = fields.take("at", square), fields.take("facing", _facing)
    fields.end()
    return position


def _piles(value: object, where: str) -> Piles:
    """Read the piles of a two-player game."""
    each = RUGS_EACH[2]
    return check_piles(list_of(list_of(_colour, each, each), 2, 2)(value, where), where)


def check_piles(piles: Piles, where: str) -> Piles:
    """Check that the piles contain the rugs of a two-player game: twelve of each of a seat's two colours."""
    each = RUGS_EACH[2]
    for seat, pile in enumerate(piles):
        if len(pile) != each or any(pile.count(colour) != each // 2 for colour in colours_of(2, seat)):
            names = " and ".join(COLOURS[colour] for colour in colours_of(2, seat))
            refuse(f"{where}[{seat}]", f"{each // 2} rugs each of {names}", _write_piles(piles))
    return piles


def _write_piles(piles: Piles) -> list[list[str]]:
    return [[COLOURS[colour] for colour in pile] for pile in piles]


def write_squares(squares: tuple[Square, ...]) -> list[str]:
    """Write the names of some squares."""
    return [NAMES[square] for square in squares]


# Options


def read_options(value: object, seats: int, where: str = "options") -> Options:
    """Read the options of a game with this many seats and fill in the defaults; raises `Malformed`."""
    fields = Fields(value, where)
    default = Options()
    options = Options(
        fields.take_or("variant", one_of(VARIANTS), default.variant),
        fields.take_or("pile", one_of(PILE_KINDS), default.pile),
        fields.take_or("first", or_null(number(0, seats - 1)), default.first),
    )
    fields.end()
    return options


def write_options(options: Options) -> Json:
    """Write the options; `first` is left out unless the host has named the seat that begins."""
    first = {} if options.first is None else {"first": options.first}
    return {"variant": options.variant, "pile": options.pile} | first


# Actions


class ActionCodec:
    """JSON of actions."""

    def read(self, value: object) -> Action:
        """Read an action; raises `Malformed`."""
        fields = Fields(value, "action")
        action: Action
        match fields.take("type", _action_type):
            case "face":
                action = Face(fields.take("direction", _direction))
            case "lay":
                action = LAY[fields.take("squares", _rug_squares)]
            case "turn":
                action = Rotate(fields.take("direction", _turn))
            case _:
                action = RESIGN
        fields.end()
        return action

    def write(self, value: Action) -> Json:
        """Write an action."""
        if isinstance(value, Lay):
            return {"type": value.type, "squares": write_squares(value.squares)}
        if isinstance(value, Resign):
            return {"type": value.type}
        return {"type": value.type, "direction": value.direction}


# Events


def write_event(event: Event) -> Json:
    """Write an event with all its fields, secret ones included."""
    return {"type": event.type, **_WRITERS[type(event)](event)}


def read_event(value: object, seats: int) -> Event:
    """Read an event of a game with this many seats; raises `Malformed`."""
    fields = Fields(value, "event")
    read = _READERS[fields.take("type", one_of(tuple(_READERS)))]
    event = read(fields, number(0, seats - 1), seats)
    fields.end()
    return event


def _write_started(event: Started) -> Json:
    value: Json = {"first": event.first, "assam": {"at": NAMES[event.assam], "facing": event.facing}}
    return value | ({"piles": _write_piles(event.piles)} if event.piles else {})


def _read_started(fields: Fields, seat: Reader[int], seats: int) -> Started:
    first = fields.take("first", seat)
    at, facing = fields.take("assam", assam)
    return Started(first, at, facing, fields.take_or("piles", _piles, None) if seats == 2 else None)


def _read_moved(fields: Fields, seat: Reader[int], seats: int) -> Moved:
    mover = fields.take("seat", seat)
    path = fields.take("path", list_of(square, 1, max(FACES)))
    to = fields.take("to", square)
    if to != path[-1]:
        refuse("event.to", f"the last square of the path, {NAMES[path[-1]]}", NAMES[to])
    return Moved(mover, path, to, fields.take("facing", _facing))


def _read_paid(fields: Fields, seat: Reader[int], seats: int) -> Paid:
    payer, owner = fields.take("from", seat), fields.take("to", seat)
    due, paid = fields.take("due", number(1, len(SQUARES))), fields.take("paid", number(0, PURSE * seats))
    return Paid(payer, owner, due, paid, fields.take("squares", list_of(square, due, due)))


_WRITERS: Final[dict[type[Event], Callable[[Any], Json]]] = {
    Started: _write_started,
    Faced: lambda e: {"seat": e.seat, "direction": e.direction, "facing": e.facing},
    Rolled: lambda e: {"seat": e.seat, "die": e.die, "roll": e.roll, "salt": e.salt},
    Moved: lambda e: {"seat": e.seat, "path": write_squares(e.path), "to": NAMES[e.to], "facing": e.facing},
    Paid: lambda e: {
        "from": e.payer,
        "to": e.owner,
        "due": e.due,
        "paid": e.paid,
        "squares": write_squares(e.squares),
    },
    Eliminated: lambda e: {"seat": e.seat},
    Laid: lambda e: {"seat": e.seat, "rug": e.rug, "colour": COLOURS[e.colour], "squares": write_squares(e.squares)},
    Turned: lambda e: {"seat": e.seat, "direction": e.direction, "facing": e.facing},
    Resigned: lambda e: {"seat": e.seat},
    Finished: lambda e: {"result": write_result(e.result)},
}

_READERS: Final[dict[str, Callable[[Fields, Reader[int], int], Event]]] = {
    "started": _read_started,
    "faced": lambda fields, seat, _: Faced(
        fields.take("seat", seat), fields.take("direction", _direction), fields.take("facing", _facing)
    ),
    "rolled": lambda fields, seat, _: Rolled(
        fields.take("seat", seat),
        fields.take("die", _die),
        fields.take("roll", number(0, MOST_ROLLS)),
        fields.take("salt", text(LONGEST_SALT)),
    ),
    "moved": _read_moved,
    "paid": _read_paid,
    "eliminated": lambda fields, seat, _: Eliminated(fields.take("seat", seat)),
    "laid": lambda fields, seat, _: Laid(
        fields.take("seat", seat),
        fields.take("rug", number(1, MOST_RUGS)),
        fields.take("colour", _colour),
        fields.take("squares", _rug_squares),
    ),
    "turned": lambda fields, seat, _: Turned(
        fields.take("seat", seat), fields.take("direction", _turn), fields.take("facing", _facing)
    ),
    "resigned": lambda fields, seat, _: Resigned(fields.take("seat", seat)),
    "finished": lambda fields, _, seats: Finished(fields.take("result", read_result(seats))),
}

# Results


def write_result(result: Result) -> Json:
    """Write the result of a game."""
    return {
        "winners": list(result.winners),
        "ranking": list(result.ranking),
        "scores": [
            {"seat": score.seat, "dirhams": score.dirhams, "rugs": score.rugs, "total": score.total, "out": score.out}
            for score in result.scores
        ],
        "reason": result.reason,
    }


def read_result(seats: int) -> Reader[Result]:
    """Make a reader for the result of a game with this many seats."""
    seat = number(0, seats - 1)

    def read_score(value: object, where: str) -> Score:
        fields = Fields(value, where)
        score = Score(
            fields.take("seat", seat),
            fields.take("dirhams", number(0, PURSE * seats)),
            fields.take("rugs", number(0, len(SQUARES))),
            fields.take("out", flag),
        )
        total = fields.take("total", number(0, PURSE * seats + len(SQUARES)))
        if total != score.total:
            refuse(f"{where}.total", f"the sum of dirhams and rugs, {score.total}", total)
        fields.end()
        return score

    def read(value: object, where: str) -> Result:
        fields = Fields(value, where)
        result = Result(
            fields.take("winners", list_of(seat, 1, seats)),
            fields.take("ranking", list_of(seat, seats, seats)),
            fields.take("scores", list_of(read_score, seats, seats)),
            fields.take("reason", one_of(REASONS)),
        )
        fields.end()
        _check_result(result, where)
        return result

    return read


def _check_result(result: Result, where: str) -> None:
    """Refuse a result that doesn't name every seat once, or whose winners aren't the first of the ranking."""
    seats = list(range(len(result.scores)))
    if sorted(result.ranking) != seats:
        refuse(f"{where}.ranking", "every seat once", list(result.ranking))
    if [score.seat for score in result.scores] != seats:
        refuse(f"{where}.scores", "every seat once, in order", [score.seat for score in result.scores])
    if result.winners != result.ranking[: len(result.winners)]:
        refuse(f"{where}.winners", "the first of the ranking", list(result.winners))
