"""The board before anything lies on it: tiles, the wall around them, the tracks with their doors, and lettering.

Letters and digits are drawn as strokes, because a PNG is drawn without fonts.
"""

from typing import Final

from service.engine.marrakech.board import NAMES, TRACKS, Facing, Square
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

_STROKES: Final = {
    "0": "M2 0C.6 0 0 1.3 0 3s.6 3 2 3 2-1.3 2-3S3.4 0 2 0z",
    "1": "M.8 1.3 2.4 0V6",
    "2": "M.1 1.7C.1.7.9 0 2 0s1.9.7 1.9 1.7C3.9 3.1 1 4.2 0 6H4",
    "3": "M.2.9C.6.3 1.2 0 2 0c1.1 0 1.8.6 1.8 1.5S3 2.9 1.6 2.9C3.2 2.9 4 3.5 4 4.4S3.2 6 2 6C1.1 6 .4 5.7 0 5",
    "4": "M3 6V0L0 4.3H4",
    "5": "M3.7 0H.7L.4 2.7C.9 2.4 1.4 2.2 2 2.2 3.2 2.2 4 3 4 4.1S3.2 6 2 6C1.2 6 .5 5.7 0 5.1",
    "6": "M3.6.5C1.4-.6 0 1.2 0 4 0 5.2.8 6 2 6s2-.8 2-1.9S3.2 2.3 2 2.3 0 3 0 4.1",
    "7": "M0 0H4L1.5 6",
    "8": "M2 2.8C1 2.8.3 2.2.3 1.4S1 0 2 0s1.7.6 1.7 1.4S3 2.8 2 2.8 0 3.5 0 4.4.8 6 2 6s2-.7 2-1.6S3 2.8 2 2.8z",
    "9": "M.4 5.5C2.6 6.6 4 4.8 4 2 4 .8 3.2 0 2 0S0 .8 0 1.9s.8 1.8 2 1.8 2-.7 2-1.8",
    "a": "M4 2V6M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
    "b": "M0 0V6M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
    "c": "M3.7 2.9A2 2 0 1 0 3.7 5.1",
    "d": "M4 0V6M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
    "e": "M0 4H4A2 2 0 1 0 3.4 5.4",
    "f": "M3.5.2C2.3-.2 1.6.4 1.6 1.7V6M.3 2.3H3.2",
    "g": "M4 2V6C4 7.6 2 8 .4 7.3M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
}
PEN: Final = f'fill="none" stroke="{INK}" stroke-width="1.1" stroke-linecap="round" stroke-linejoin="round"'
_ADVANCE: Final = 5.6
_WIDTH: Final = 4
_LOW: Final = frozenset("aceg")
"""Letters without an ascender, whose middle is lower."""


def draw_label(text: str, x: float, y: float, height: float) -> str:
    """Draw the name of a square or the number of a place around a point, to be put into a group that has the `PEN`."""
    scale = height / 6
    left = x - scale * (_ADVANCE * (len(text) - 1) + _WIDTH) / 2
    return "".join(
        f'<path transform="translate({_short(left + scale * _ADVANCE * place)} '
        f'{_short(y - scale * (4 if character in _LOW else 3))})scale({_short(scale)})" d="{_STROKES[character]}"/>'
        for place, character in enumerate(text)
    )


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


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
