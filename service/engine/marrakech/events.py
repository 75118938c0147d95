"""What happens in a game of Marrakech. An event says what came of an action, so that a replay never judges again."""

from typing import Literal, NamedTuple, TypeAlias

from service.engine.marrakech.board import Direction, Facing, Square, Turn
from service.engine.marrakech.state import Piles, Result


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
    """A rug was laid; rugs are numbered as they are laid, from 1."""

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
