"""Where the dots of Assam's way lie, one by one, for pictures that are not drawn from a path."""

from collections.abc import Callable, Iterator
from math import atan2, cos, dist, pi, sin, sqrt
from typing import Final, NamedTuple, TypeAlias

from service.engine.marrakech.board import TRACKS, Facing, Square, step
from service.ui.marrakech.geometry import BOARD, Point, door, middle
from service.ui.marrakech.tracks import CORNER_LOOP, LOOP, clockwise, loop_end

Spot: TypeAlias = tuple[float, float]
_BENDS: Final = 6
"""Of how many straight parts a track is made where Assam walks along it; the eye takes that for a curve."""


class _Stretch(NamedTuple):
    """A part of the way: how long it is, and which point lies so far along it."""

    length: float
    at: Callable[[float], Spot]
    bent: bool = False


def footsteps(square: Square, facing: Facing) -> Iterator[tuple[Spot, float]]:
    """The points by which Assam comes to the next square, and how far each lies from the one before."""
    for stretch in _stretches(square, facing, 1):
        parts = _BENDS if stretch.bent else 1
        for part in range(1, parts + 1):
            yield stretch.at(stretch.length * part / parts), stretch.length / parts


def _stretches(square: Square, facing: Facing, steps: int) -> Iterator[_Stretch]:
    here = middle(square)
    for _ in range(steps):
        if (square, facing) in TRACKS:
            yield _straight(here, door(square, facing))
            yield _bend(square, facing)
            here = loop_end(square, facing)
        square, facing = step(square, facing)
        yield _straight(here, middle(square))
        here = middle(square)


def _straight(start: Point, end: Point) -> _Stretch:
    length = dist(start, end)
    across, down = (end.x - start.x) / length, (end.y - start.y) / length
    return _Stretch(length, lambda along: (start.x + across * along, start.y + down * along))


def _bend(square: Square, edge: Facing) -> _Stretch:
    """A track: half a circle between two neighbours, more than half round a corner."""
    start, end = door(square, edge), loop_end(square, edge)
    radius = CORNER_LOOP if TRACKS[square, edge][0] == square else LOOP
    x, y = _centre(start, end, radius)
    begin, finish = (atan2(point.y - y, point.x - x) for point in (start, end))
    turn = (finish - begin) % (2 * pi) if clockwise(square, edge) else -((begin - finish) % (2 * pi))
    sign = 1 if turn > 0 else -1

    def at(along: float) -> Spot:
        angle = begin + sign * along / radius
        return x + radius * cos(angle), y + radius * sin(angle)

    return _Stretch(radius * abs(turn), at, True)


def _centre(start: Point, end: Point, radius: int) -> Spot:
    """The middle of the circle through both, on the side that lies away from the board."""
    x, y, between = (start.x + end.x) / 2, (start.y + end.y) / 2, dist(start, end)
    off = sqrt(max(0.0, radius**2 - (between / 2) ** 2))
    across, down = (end.y - start.y) / between, (start.x - end.x) / between
    outwards = 1 if across * (x - BOARD / 2) + down * (y - BOARD / 2) > 0 else -1
    return x + outwards * off * across, y + outwards * off * down
