"""The board before anything lies on it: tiles, the wall around them, and the tracks with their labelled doors."""

from typing import Final

from service.engine.marrakech.board import NAMES, TRACKS, Facing, Square
from service.ui.lettering import PEN, draw_label
from service.ui.marrakech.geometry import (
    BOARD,
    MARGIN,
    SIDE,
    SIZE,
    door,
    is_clockwise,
    middle,
    track_end,
    track_radius,
)
from service.ui.marrakech.palette import CLAY, CREAM, DUNE, GROUT, INK, MOSAIC, OCHRE, SAND, TEAL, TERRACOTTA

_STAR: Final = "M12 12H28V28H12zM20 8.7 31.3 20 20 31.3 8.7 20z"
TILES: Final = (
    '<pattern id="market-tiles" width="80" height="80" patternUnits="userSpaceOnUse">'
    f'<path d="M0 0h80v80H0z" fill="{SAND}"/><path d="M40 0h40v40H40zM0 40h40v40H0z" fill="{DUNE}"/>'
    '<g id="market-row"><g id="market-star">'
    f'<path d="{_STAR}" fill="{OCHRE}" fill-opacity=".55"/>'
    f'<path d="{_STAR}" fill="none" stroke="{GROUT}" stroke-width=".8"/>'
    f'<circle cx="20" cy="20" r="4" fill="{SAND}" stroke="{GROUT}" stroke-width=".8"/></g>'
    '<use href="#market-star" x="40"/></g><use href="#market-row" y="40"/>'
    f'<path d="M0 0H80M0 40H80M0 0V80M40 0V80" stroke="{GROUT}" stroke-width="1.2"/>'
    f'<path id="market-knot" d="M0-4 4 0 0 4-4 0z" fill="{TERRACOTTA}" fill-opacity=".55"/>'
    '<use href="#market-knot" x="40"/><use href="#market-knot" y="40"/><use href="#market-knot" x="40" y="40"/>'
    '<use href="#market-knot" x="80"/><use href="#market-knot" y="80"/><use href="#market-knot" x="80" y="80"/>'
    '<use href="#market-knot" x="80" y="40"/><use href="#market-knot" x="40" y="80"/></pattern>'
)


def _ring(inset: float, corner: float, look: str) -> str:
    start, side = f"{inset - MARGIN:g}", f"{SIZE - 2 * inset:g}"
    return f'<rect x="{start}" y="{start}" width="{side}" height="{side}" rx="{corner:g}" {look}/>'


def _rosette(x: int, y: int, radius: float) -> str:
    """An eight-pointed star on the wall."""
    near = radius * 0.707
    star = f"M{x - near:g} {y - near:g}h{2 * near:g}v{2 * near:g}h{-2 * near:g}z"
    star += f"M{x} {y - radius:g}l{radius:g} {radius:g}-{radius:g} {radius:g}-{radius:g}-{radius:g}z"
    return (
        f'<path d="{star}" fill="{MOSAIC}" stroke="{INK}" stroke-width="1.2"/><path d="{star}" fill="{MOSAIC}"/>'
        f'<circle cx="{x}" cy="{y}" r="{radius * 0.5:g}" fill="{TEAL}" stroke="{INK}" stroke-width=".8"/>'
        f'<circle cx="{x}" cy="{y}" r="{radius * 0.18:g}" fill="{CREAM}"/>'
    )


def _rosettes() -> str:
    """Small stars in the gaps between the tracks, large ones in the two corners without a track."""
    gaps = [BOARD * 2 // 7, BOARD * 4 // 7]
    north, south = -22, BOARD + 22
    small = [(x, north) for x in gaps] + [(BOARD - x, south) for x in gaps]
    small += [(north, y) for y in gaps] + [(south, BOARD - y) for y in gaps]
    large = [(north, north), (south, south)]
    return "".join(_rosette(x, y, 6) for x, y in small) + "".join(_rosette(x, y, 11) for x, y in large)


GROUND: Final = (
    _ring(0, 14, f'fill="{CLAY}"')
    + _ring(2, 12.5, f'fill="{TERRACOTTA}" stroke="{INK}" stroke-width=".8"')
    + _ring(1.6, 12.5, f'fill="none" stroke="{TEAL}" stroke-width="2.6"')
    + _ring(1.6, 12.5, f'fill="none" stroke="{MOSAIC}" stroke-width="1.8" stroke-dasharray="2.4 2.6"')
    + f'<rect x="-3" y="-3" width="{BOARD + 6}" height="{BOARD + 6}" rx="1.5" fill="{INK}"/>'
    f'<rect x="-1.6" y="-1.6" width="{BOARD + 3.2}" height="{BOARD + 3.2}" fill="none" stroke="{MOSAIC}"'
    ' stroke-width="1.2"/>'
    f'<rect width="{BOARD}" height="{BOARD}" fill="url(#market-tiles)"/>' + _rosettes()
)


def _squares() -> str:
    places = ((name, middle(square)) for square, name in sorted(NAMES.items(), key=lambda each: each[1]))
    paths = (
        f'<path data-square="{name}" d="M{at.x - SIDE // 2} {at.y - SIDE // 2}h{SIDE}v{SIDE}h-{SIDE}z"/>'
        for name, at in places
    )
    return f'<g class="squares" fill-opacity="0">{"".join(paths)}</g>'


SQUARES: Final = _squares()
"""A transparent path over each square, for scripts."""


def draw_track(square: Square, edge: Facing) -> str:
    """The track that starts at this door, as an arc that continues a path."""
    radius = track_radius(square, edge)
    large = int(TRACKS[square, edge][0] == square)
    return f"A{radius} {radius} 0 {large} {int(is_clockwise(square, edge))} {track_end(square, edge)}"


def _draw_tracks() -> str:
    lines = "".join(
        f"M{door(square, edge)}{draw_track(square, edge)}" for square, edge in TRACKS if is_clockwise(square, edge)
    )
    return (
        f'<g fill="none"><path d="{lines}" stroke="{INK}" stroke-width="9"/>'
        f'<path d="{lines}" stroke="{MOSAIC}" stroke-width="6.4" stroke-dasharray="4 1.2"/>'
        f'<path d="{lines}" stroke="{TEAL}" stroke-width="6.4" stroke-dasharray="4 6.4"/></g>'
    )


def _door(square: Square, edge: Facing) -> str:
    at = door(square, edge)
    label = NAMES[square][0 if edge in {"north", "south"} else 1]
    tile = f'<circle cx="{at.x}" cy="{at.y}" r="9" fill="{CREAM}"/>'
    return f'<g class="door" data-label="{label}">{tile}{draw_label(label, *at, 8.5)}</g>'


TRACK_LINES: Final = _draw_tracks()
DOORS: Final = f'<g class="doors" {PEN}>{"".join(_door(square, edge) for square, edge in TRACKS)}</g>'
"""The ends of the tracks, labelled with the files and ranks of the squares behind them."""
