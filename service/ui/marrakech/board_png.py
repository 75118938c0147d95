"""The board as a PNG picture, for letters and for the API: the same drawing as the SVG, put together out of stamps.

Having resvg draw a whole board takes some 150 ms, and most of a board is what it was in the picture before. So its
pieces are drawn once, as they stand in the SVG, and pressed where they belong: a few milliseconds.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import Final, NamedTuple

from service.engine.json_reader import Json
from service.engine.marrakech.board import NAMES, Facing, read_square
from service.ui.marrakech.assam import drawn_assam
from service.ui.marrakech.geometry import AHEAD, BOARD, MARGIN, SIDE, Point, door, middle
from service.ui.marrakech.ground import GROUND, TILES
from service.ui.marrakech.palette import AUBERGINE, CREAM
from service.ui.marrakech.path_dots import crumbs, doors_of
from service.ui.marrakech.payment import CORDS, Edge, drawn_cord, hems
from service.ui.marrakech.pixels import write_indexed
from service.ui.marrakech.places import Place, drawn_number, numbered
from service.ui.marrakech.png_palette import PALETTE
from service.ui.marrakech.png_tiles import Block, Box, Stamp, blocks, joined, pressed, stamp
from service.ui.marrakech.rugs import Rug, drawn_rugs, rugs_of, woven
from service.ui.marrakech.tracks import DOORS_DRAWN, TRACKS_DRAWN, Way, dots, drawn_door, drawn_dot, way_of

_PICTURE: Final = Box(-MARGIN, -MARGIN, BOARD + 2 * MARGIN, BOARD + 2 * MARGIN)
_EMPTY: Final = f"<defs>{TILES}</defs>{GROUND}{TRACKS_DRAWN}{DOORS_DRAWN}"
_ACROSS: Final = _PICTURE.width // SIDE
_HALF: Final = SIDE // 2
_SQUARE: Final = Box(-_HALF, -_HALF, SIDE, SIDE)
_CRUMB_BOX: Final = Box(-5, -5, 10, 10)
_CRUMB: Final = f'<circle r="3" fill="{CREAM}"/><circle r="2" fill="{AUBERGINE}"/>'
"""A dot of the way, as the dotted lines of the drawing have them."""
_ORIGIN: Final = Point(0, 0)
_LEVEL_EDGE, _UPRIGHT_EDGE = Box(-25, -5, 50, 10), Box(-5, -25, 10, 50)
_SOMEWHERE: Final = read_square("d4")
_BESIDE, _ABOVE = ("d4", "e4"), ("d4", "d5")
"""Where a piece stands while its stamp is made: one stamp is good for every square."""


class _Position(NamedTuple):
    """All that the picture shows and nothing that it does not, so that the readers of one position share a picture."""

    rugs: tuple[Rug, ...]
    way: Way
    at: str
    facing: Facing
    places: tuple[Place, ...]
    hems: tuple[Edge, ...]


def board_png(view: Json, places: Sequence[Sequence[str]] = (), *, paid_squares: Collection[str] = ()) -> bytes:
    """The board of a view as the bytes of a PNG, with the numbers of these places and the last payment on it."""
    rugs, assam = tuple(rugs_of(view["board"])), view["assam"]
    offered, paid = tuple(numbered(places)), tuple(hems(paid_squares))
    return _drawn(_Position(rugs, way_of(view), assam["at"], assam["facing"], offered, paid))


@lru_cache(maxsize=64)
def _drawn(position: _Position) -> bytes:
    rows = joined(_with_rugs(position.rugs), _ACROSS)
    _tie(rows, position.hems)
    _strew(rows, position.way)
    for piece, at in _standing(position):
        stamp(piece, _SQUARE).dab(rows, *at)
    return write_indexed(rows, PALETTE)


def _with_rugs(rugs: Sequence[Rug]) -> list[Block]:
    """The empty market square with these rugs on it, block by block."""
    cut = list(blocks(_EMPTY, _PICTURE))
    for rug in rugs:
        for half in (0, 1):
            block = _block(_half(rug, half))
            cut[block] = pressed(_rug_stamp(rug._replace(number=0, at=_SOMEWHERE), half), cut[block])
    return cut


@cache
def _rug_stamp(rug: Rug, half: int) -> Stamp:
    at = _half(rug, half)
    box = Box(at.x - _HALF, at.y - _HALF, SIDE, SIDE)
    return stamp(f"<defs>{woven([rug])}</defs>{drawn_rugs([rug])}", box)


def _half(rug: Rug, half: int) -> Point:
    """The middle of the square on which one half of a rug lies."""
    at, ahead = middle(rug.at), AHEAD[rug.along]
    return Point(at.x + half * ahead.x * SIDE, at.y + half * ahead.y * SIDE)


def _block(at: Point) -> int:
    return (at.y + MARGIN) // SIDE * _ACROSS + (at.x + MARGIN) // SIDE


def _tie(rows: list[bytearray], edges: Sequence[Edge]) -> None:
    """Put the cord round what was paid for, strand by strand."""
    for cord, edge in product(CORDS, edges):
        piece = drawn_cord(Edge(_ORIGIN, edge.level).line, *cord)
        stamp(piece, _LEVEL_EDGE if edge.level else _UPRIGHT_EDGE).dab(rows, *edge.at)


def _strew(rows: list[bytearray], way: Way) -> None:
    """Put the dots of the way down, and the doors of its tracks, which lie above them."""
    steps = len(way.path)
    for x, y in crumbs(*way.start, steps) if way.start else ():
        stamp(_CRUMB, _CRUMB_BOX).dab(rows, x, y)
    for square, radius in dots(way):
        piece = _moved(drawn_dot(_SOMEWHERE, radius), middle(_SOMEWHERE))
        stamp(piece, _SQUARE).dab(rows, *middle(square))
    for square, edge in doors_of(*way.start, steps) if way.start else ():
        at = door(square, edge)
        stamp(_moved(drawn_door(square, edge), at), _SQUARE).dab(rows, *at)


def _standing(position: _Position) -> Iterator[tuple[str, Point]]:
    """Assam and the numbers of places, each drawn round the origin, and where it belongs."""
    at = middle(read_square(position.at))
    yield _moved(drawn_assam({"at": NAMES[_SOMEWHERE], "facing": position.facing}), middle(_SOMEWHERE)), at
    for place in position.places:
        sample = Place(place.number, _BESIDE if place.level else _ABOVE)
        yield _moved(drawn_number(sample), sample.between), place.between


def _moved(piece: str, at: Point) -> str:
    return f'<g transform="translate({-at.x} {-at.y})">{piece}</g>'
