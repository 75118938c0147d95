"""Where things stand in the picture: squares and doors as points, forty units to a square, a7's corner the origin."""

from typing import Final, NamedTuple

from service.engine.marrakech.board import FACINGS, FILES, RANKS, STRIDE, Facing, Square

SIDE: Final = 40
BOARD: Final = SIDE * len(FILES)
MARGIN: Final = 40
DOOR: Final = 12
"""How far outside the board's edge the middle of a door lies."""


class Point(NamedTuple):
    """A point of the picture; y runs down."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.x} {self.y}"


AHEAD: Final[dict[Facing, Point]] = {
    "north": Point(0, -1),
    "east": Point(1, 0),
    "south": Point(0, 1),
    "west": Point(-1, 0),
}
ANGLES: Final[dict[Facing, int]] = {"north": -90, "east": 0, "south": 90, "west": 180}
"""By how much a thing drawn facing east is turned to face so."""


def middle(square: Square) -> Point:
    """The middle of a square."""
    return Point(square % STRIDE * SIDE + SIDE // 2, (len(RANKS) - 1 - square // STRIDE) * SIDE + SIDE // 2)


def door(square: Square, edge: Facing) -> Point:
    """The middle of the door through which Assam leaves this square over this edge of the board."""
    at, ahead = middle(square), AHEAD[edge]
    return Point(at.x + ahead.x * (SIDE // 2 + DOOR), at.y + ahead.y * (SIDE // 2 + DOOR))


def opposite(facing: Facing) -> Facing:
    """The way that looks back."""
    return FACINGS[(FACINGS.index(facing) + 2) % len(FACINGS)]
