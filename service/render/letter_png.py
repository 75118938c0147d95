"""The board as the PNG picture of a letter: the same drawing as on the pages, put together out of stamps.

Having resvg draw a whole board takes some 150 ms, and most of a board is what it was in the letter before. So its
pieces are drawn once, as they stand in the SVG, and pressed where they belong: a few milliseconds.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from service.engine.marrakech.board import NAMES, Facing, read_square
from service.engine.reading import Json
from service.render.geometry import AHEAD, BOARD, MARGIN, SIDE, Point, middle
from service.render.inks import PALETTE
from service.render.pixels import write_indexed
from service.render.rugs import Rug, drawn_rugs, rugs_of, woven
from service.render.stamps import Box, Stamp, ground, stamp
from service.render.svg import GROUND, TILES, drawn_assam, drawn_place
from service.render.tracks import DOORS_DRAWN, TRACKS_DRAWN, drawn_way

_PICTURE: Final = Box(-MARGIN, -MARGIN, BOARD + 2 * MARGIN, BOARD + 2 * MARGIN)
_EMPTY: Final = f"<defs>{TILES}</defs>{GROUND}{TRACKS_DRAWN}{DOORS_DRAWN}"
_HALF: Final = SIDE // 2
_SQUARE: Final = Box(-_HALF, -_HALF, SIDE, SIDE)
_SOMEWHERE: Final = read_square("d4")
"""Where a piece stands while its stamp is made."""
_POINT: Final = re.compile(r'(-?\d+) (-?\d+)(?=[LA"])|cx="(-?\d+)" cy="(-?\d+)"')


class _Position(NamedTuple):
    """All that the picture shows and nothing that it does not, so that the readers of one position share a picture."""

    rugs: tuple[Rug, ...]
    way: str
    at: str
    facing: Facing
    places: tuple[tuple[str, ...], ...]


def letter_png(view: Json, places: Sequence[Sequence[str]] = ()) -> bytes:
    """The board of a view as the bytes of a PNG, with the numbers of these places on it."""
    rugs, assam = tuple(rugs_of(view["board"])), view["assam"]
    return _drawn(_Position(rugs, drawn_way(view), assam["at"], assam["facing"], tuple(map(tuple, places))))


@lru_cache(maxsize=64)
def _drawn(position: _Position) -> bytes:
    rows = [bytearray(row) for row in ground(_EMPTY, _PICTURE)]
    for rug in position.rugs:
        _press_rug(rows, rug)
    if position.way:
        box = _around(position.way)
        stamp(position.way + DOORS_DRAWN, box).press(rows, box.x, box.y)  # the doors of a track lie above the way
    for piece, at in _standing(position):
        stamp(piece, _SQUARE).press(rows, at.x - _HALF, at.y - _HALF)
    return write_indexed(rows, PALETTE)


def _press_rug(rows: list[bytearray], rug: Rug) -> None:
    at, corner = middle(rug.at), _corner(rug)
    _rug_stamp(rug._replace(number=0, at=_SOMEWHERE)).press(rows, at.x + corner.x, at.y + corner.y)


@cache
def _rug_stamp(rug: Rug) -> Stamp:
    at, corner, ahead = middle(rug.at), _corner(rug), AHEAD[rug.along]
    box = Box(at.x + corner.x, at.y + corner.y, SIDE * (1 + abs(ahead.x)), SIDE * (1 + abs(ahead.y)))
    return stamp(f"<defs>{woven([rug])}</defs>{drawn_rugs([rug])}", box)


def _corner(rug: Rug) -> Point:
    """Where the top left corner of a rug's two squares lies, from the middle of its first."""
    ahead = AHEAD[rug.along]
    return Point(min(0, ahead.x) * SIDE - _HALF, min(0, ahead.y) * SIDE - _HALF)


def _around(way: str) -> Box:
    """A box of whole squares that holds the way, and the tracks that it takes."""
    points = [Point(int(match[1] or match[3]), int(match[2] or match[4])) for match in _POINT.finditer(way)]
    room = SIDE if "A" in way else _HALF
    left, right = (_edge(each(point.x for point in points), side * room) for each, side in ((min, -1), (max, 1)))
    top, bottom = (_edge(each(point.y for point in points), side * room) for each, side in ((min, -1), (max, 1)))
    return Box(left, top, right - left, bottom - top)


def _edge(reached: int, room: int) -> int:
    """The next edge of a square beyond what was reached and some room, within the picture."""
    edge = (reached + room) // SIDE * SIDE if room < 0 else -(-(reached + room) // SIDE) * SIDE
    return max(-MARGIN, min(BOARD + MARGIN, edge))


def _standing(position: _Position) -> Iterator[tuple[str, Point]]:
    """Assam and the numbers of places, each drawn round the origin, and where it belongs."""
    at = middle(read_square(position.at))
    yield _moved(drawn_assam({"at": NAMES[_SOMEWHERE], "facing": position.facing}), middle(_SOMEWHERE)), at
    for number, place in enumerate(position.places, 1):
        one, other = (middle(read_square(name)) for name in place)
        at = Point((one.x + other.x) // 2, (one.y + other.y) // 2)
        yield _moved(drawn_place(number, place), at), at


def _moved(piece: str, at: Point) -> str:
    return f'<g transform="translate({-at.x} {-at.y})">{piece}</g>'
