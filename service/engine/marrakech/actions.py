"""The actions of players, and the events that they cause.

An event records what happened, so a replay neither applies the rules nor rolls the die again.
"""

from typing import Final, Literal, NamedTuple, TypeAlias

from service.engine.marrakech.board import DIRECTIONS, NEIGHBOURS, PLACES, TURNS, Direction, Facing, Square, Turn
from service.engine.marrakech.state import Piles, Result

# Actions


class Face(NamedTuple):
    """Turn Assam before he walks; the roll follows at once."""

    direction: Direction
    type: Literal["face"] = "face"


class Lay(NamedTuple):
    """Lay the next rug on two squares, given in ascending order."""

    squares: tuple[Square, Square]
    type: Literal["lay"] = "lay"


class Rotate(NamedTuple):
    """Turn Assam a quarter at the end of a turn (`rotate-after`)."""

    direction: Turn
    type: Literal["turn"] = "turn"


class Resign(NamedTuple):
    """Leave the game."""

    type: Literal["resign"] = "resign"


Action: TypeAlias = Face | Lay | Rotate | Resign

FACE: Final = tuple(Face(direction) for direction in DIRECTIONS)
LAY: Final = {(low, high): Lay((low, high)) for low in NEIGHBOURS for high in NEIGHBOURS[low] if low < high}
"""The action for each of the 84 pairs of neighbouring squares."""
LAY_BESIDE: Final = {assam: {place: LAY[place] for place in places} for assam, places in PLACES.items()}
"""For each square Assam can stand on, the actions that lay a rug beside him."""
ROTATE: Final = tuple(Rotate(direction) for direction in TURNS)
RESIGN: Final = Resign()


# Events


class Started(NamedTuple):
    """The game began. The piles of a two-player game stay hidden until it is over."""

    first: int
    assam: Square
    facing: Facing
    piles: Piles | None
    type: Literal["started"] = "started"


class Faced(NamedTuple):
    """The mover turned Assam, or left him as he stood, before the roll."""

    seat: int
    direction: Direction
    facing: Facing
    type: Literal["faced"] = "faced"


class Rolled(NamedTuple):
    """The die was rolled; `roll` counts the rolls of the game from 0."""

    seat: int
    die: int
    roll: int
    salt: str
    type: Literal["rolled"] = "rolled"


class Moved(NamedTuple):
    """Assam walked."""

    seat: int
    path: tuple[Square, ...]
    to: Square
    facing: Facing
    type: Literal["moved"] = "moved"


class Paid(NamedTuple):
    """One player paid another for the squares of one region."""

    payer: int
    owner: int
    due: int
    paid: int
    squares: tuple[Square, ...]
    type: Literal["paid"] = "paid"


class Eliminated(NamedTuple):
    """A player could not pay and is out."""

    seat: int
    type: Literal["eliminated"] = "eliminated"


class Laid(NamedTuple):
    """A rug was laid; rugs are numbered in the order they are laid, from 1."""

    seat: int
    rug: int
    colour: int
    squares: tuple[Square, Square]
    type: Literal["laid"] = "laid"


class Turned(NamedTuple):
    """The mover turned Assam a quarter after laying (`rotate-after`)."""

    seat: int
    direction: Turn
    facing: Facing
    type: Literal["turned"] = "turned"


class Resigned(NamedTuple):
    """A player left the game."""

    seat: int
    type: Literal["resigned"] = "resigned"


class Finished(NamedTuple):
    """The game is over."""

    result: Result
    type: Literal["finished"] = "finished"


Event: TypeAlias = Started | Faced | Rolled | Moved | Paid | Eliminated | Laid | Turned | Resigned | Finished
