"""Where things are in the pictures: squares, doors, tracks and Assam's path, with 40 units to a square."""

from collections.abc import Callable, Iterator, Sequence
from math import atan2, cos, dist, pi, sin, sqrt
from typing import Final, NamedTuple, TypeAlias

from service.engine.json_reader import Json
from service.engine.marrakech.board import (
    FACINGS,
    FILES,
    RANKS,
    STRIDE,
    TRACKS,
    WALKS,
    Facing,
    Square,
    read_square,
    step,
)

SIDE: Final = 40
BOARD: Final = SIDE * len(FILES)
MARGIN: Final = 40
SIZE: Final = BOARD + 2 * MARGIN
"""The width and height of the picture; its origin is the north-west corner of a7."""
DOOR: Final = 12
"""The distance from the edge of the board to the middle of a door."""
TRACK: Final = 20
"""The radius of a track between two neighbours: half the distance between their doors."""
CORNER_TRACK: Final = 25
_TRACK_PARTS: Final = 6
"""The number of straight lines that stand for a track in an animation."""


class Point(NamedTuple):
    """A point of the picture; y grows downwards."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.x} {self.y}"


Spot: TypeAlias = tuple[float, float]
AHEAD: Final[dict[Facing, Point]] = {
    "north": Point(0, -1),
    "east": Point(1, 0),
    "south": Point(0, 1),
    "west": Point(-1, 0),
}
ANGLES: Final[dict[Facing, int]] = {"north": -90, "east": 0, "south": 90, "west": 180}
"""The rotation of a piece that is drawn facing east."""


def middle(square: Square) -> Point:
    """The middle of a square."""
    return Point(square % STRIDE * SIDE + SIDE // 2, (len(RANKS) - 1 - square // STRIDE) * SIDE + SIDE // 2)


def door(square: Square, edge: Facing) -> Point:
    """The middle of the door through which Assam leaves this square over this edge of the board."""
    at, ahead = middle(square), AHEAD[edge]
    return Point(at.x + ahead.x * (SIDE // 2 + DOOR), at.y + ahead.y * (SIDE // 2 + DOOR))


def opposite(facing: Facing) -> Facing:
    """The opposite direction."""
    return FACINGS[(FACINGS.index(facing) + 2) % len(FACINGS)]


def track_end(square: Square, edge: Facing) -> Point:
    """The door at the other end of the track that starts at this door."""
    back, facing = TRACKS[square, edge]
    return door(back, opposite(facing))


def track_radius(square: Square, edge: Facing) -> int:
    """The radius of a track; a corner's track leads back to the square it starts from."""
    return CORNER_TRACK if TRACKS[square, edge][0] == square else TRACK


def is_clockwise(square: Square, edge: Facing) -> bool:
    """Whether the track from this door turns to the right."""
    start, end, centre = door(square, edge), track_end(square, edge), BOARD // 2
    return (start.x - centre) * (end.y - centre) > (start.y - centre) * (end.x - centre)


class Path(NamedTuple):
    """Assam's path: the squares he came to and, if it is known, the square he left and the way he faced there."""

    squares: tuple[Square, ...]
    start: tuple[Square, Facing] | None


def last_path(view: Json) -> Path:
    """The path of the last roll."""
    squares = tuple(read_square(name) for name in (view["last_roll"] or {}).get("path", ()))
    return Path(squares, _start(squares, view["assam"]["facing"]) if squares else None)


def _start(path: Sequence[Square], facing: Facing) -> tuple[Square, Facing] | None:
    """Where Assam set out and which way he faced: any walk can be walked backwards from its end.

    After a walk he faces the way it ended. If he has been turned since, the path may not fit and the start is unknown.
    """
    back = WALKS[path[-1]][opposite(facing)][len(path)]
    if list(back.path[:-1]) != list(path[-2::-1]):
        return None
    return back.to, opposite(back.facing)


class _Stretch(NamedTuple):
    """A part of a walk: its length, and the point at a distance from its start."""

    length: float
    point: Callable[[float], Spot]
    parts: int = 1


def step_points(square: Square, facing: Facing) -> Iterator[tuple[Spot, float]]:
    """The points on the way to the next square, and the distance of each from the one before."""
    for stretch in _stretches(square, facing):
        for part in range(1, stretch.parts + 1):
            yield stretch.point(stretch.length * part / stretch.parts), stretch.length / stretch.parts


def _stretches(square: Square, facing: Facing) -> Iterator[_Stretch]:
    start = middle(square)
    if (square, facing) in TRACKS:
        yield _straight(start, door(square, facing))
        yield _bend(square, facing)
        start = track_end(square, facing)
    yield _straight(start, middle(step(square, facing)[0]))


def _straight(start: Point, end: Point) -> _Stretch:
    length = dist(start, end)
    across, down = (end.x - start.x) / length, (end.y - start.y) / length
    return _Stretch(length, lambda along: (start.x + across * along, start.y + down * along))


def _bend(square: Square, edge: Facing) -> _Stretch:
    """A track: half a circle between two neighbours, more than half around a corner."""
    start, end, radius = door(square, edge), track_end(square, edge), track_radius(square, edge)
    x, y = _centre(start, end, radius)
    begin, finish = (atan2(point.y - y, point.x - x) for point in (start, end))
    turn = (finish - begin) % (2 * pi) if is_clockwise(square, edge) else -((begin - finish) % (2 * pi))
    sign = 1 if turn > 0 else -1

    def point(along: float) -> Spot:
        angle = begin + sign * along / radius
        return x + radius * cos(angle), y + radius * sin(angle)

    return _Stretch(radius * abs(turn), point, _TRACK_PARTS)


def _centre(start: Point, end: Point, radius: int) -> Spot:
    """The centre of the circle through both points, on the side away from the board."""
    x, y, between = (start.x + end.x) / 2, (start.y + end.y) / 2, dist(start, end)
    off = sqrt(max(0.0, radius**2 - (between / 2) ** 2))
    across, down = (end.y - start.y) / between, (start.x - end.x) / between
    outwards = 1 if across * (x - BOARD / 2) + down * (y - BOARD / 2) > 0 else -1
    return x + outwards * off * across, y + outwards * off * down
