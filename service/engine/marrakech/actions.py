"""What a player of Marrakech can do, and the JSON for it."""

from typing import Final, Literal, NamedTuple, TypeAlias

from service.engine.json_reader import Fields, Json, list_of, one_of, refuse
from service.engine.marrakech.board import (
    DIRECTIONS,
    NAMES,
    NEIGHBOURS,
    PLACES,
    TURNS,
    Direction,
    Square,
    Turn,
    read_square,
)


class Face(NamedTuple):
    """Turn Assam before he walks; the roll follows at once."""

    direction: Direction
    type: Literal["face"] = "face"


class Lay(NamedTuple):
    """Lay the next rug over two squares, the smaller one named first."""

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
"""The action for each of the 84 places a rug can have at all."""
BESIDE: Final = {assam: {place: LAY[place] for place in places} for assam, places in PLACES.items()}
"""For each square of Assam the places beside him and the actions that lay a rug there."""
ROTATE: Final = tuple(Rotate(direction) for direction in TURNS)
RESIGN: Final = Resign()


def square(value: object, where: str) -> Square:
    """Read the name of a square."""
    if not isinstance(value, str) or not (len(value) == 2 and value[0] in "abcdefg" and value[1] in "1234567"):
        refuse(where, "a square from a1 to g7", value)
    return read_square(value)


def rug_squares(value: object, where: str) -> tuple[Square, Square]:
    """Read the two squares of a rug, in either order."""
    one, other = sorted(list_of(square, 2, 2)(value, where))
    if other not in NEIGHBOURS[one]:
        refuse(where, "two squares that share an edge", value)
    return one, other


class ActionCodec:
    """Actions as JSON."""

    def read(self, value: object) -> Action:
        """The action; raises `Malformed`."""
        fields = Fields(value, "action")
        action: Action
        match fields.take("type", one_of(("face", "lay", "turn", "resign"))):
            case "face":
                action = Face(fields.take("direction", one_of(DIRECTIONS)))
            case "lay":
                action = LAY[fields.take("squares", rug_squares)]
            case "turn":
                action = Rotate(fields.take("direction", one_of(TURNS)))
            case _:
                action = RESIGN
        fields.end()
        return action

    def write(self, value: Action) -> Json:
        """The same as JSON."""
        if isinstance(value, Lay):
            return {"type": value.type, "squares": [NAMES[square] for square in value.squares]}
        if isinstance(value, Resign):
            return {"type": value.type}
        return {"type": value.type, "direction": value.direction}
