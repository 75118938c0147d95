"""A carpet as SVG: dominoes with their two halves, scraps sewn over them, and cords around its groups.

Squares keep their places on the loom: a square has 40 units, a1 is in the lower left corner and y25 in the upper right.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from service.engine.json_reader import Json
from service.engine.kilim.carpet import SIZE, SQUARES, group_squares
from service.engine.kilim.pieces import DOMINOES, LETTERS, SHOWS
from service.ui.kilim.motifs import SIDE, draw_motif
from service.ui.kilim.outlines import Cell, outline
from service.ui.kilim.palette import CREAM, DYES, HEM, INK, SAFFRON
from service.ui.lettering import PEN, draw_label

_PATCH: Final = 0.76
"""The size of a scrap beside that of a half."""
_TILT: Final = -6
"""Scraps lie a little askew, so that they look sewn on."""
_CORDS: Final = ((INK, 5.4), (SAFFRON, 3.2))
"""The lines around a group: colour and width, the lowest first."""
_CORD_INSET: Final = 3.4
"""How far inside its squares a cord runs, so that the cords of neighbours lie side by side."""


class Point(NamedTuple):
    x: float
    y: float

    def __str__(self) -> str:
        return f"{self.x:g} {self.y:g}"


class Domino(NamedTuple):
    """A domino and what its halves show under any scraps; the first one is the western or northern one."""

    name: str
    squares: tuple[str, str]
    shows: tuple[str, str]


def cell_of(square: str) -> Cell:
    """The column and the row of a square, counted from the upper left corner of the loom."""
    row, column = divmod(SQUARES[square], SIZE)
    return column, SIZE - 1 - row


def middle(square: str) -> Point:
    """The middle of a square."""
    column, row = cell_of(square)
    return Point((column + 0.5) * SIDE, (row + 0.5) * SIDE)


def read_dominoes(carpet: Json) -> list[Domino]:
    """The dominoes of a view's carpet, in the order of their squares."""
    found: dict[str, list[str]] = {}
    for square in sorted(carpet, key=cell_of):
        if carpet[square]["domino"]:
            found.setdefault(carpet[square]["domino"], []).append(square)
    return [
        Domino(name, (one, other), _shows_beneath(name, carpet[one], carpet[other]))
        for name, (one, other) in found.items()
    ]


def _shows_beneath(name: str, one: Json, other: Json) -> tuple[str, str]:
    """What the halves of a domino show without scraps: at least one order of its name agrees with the view."""
    first, second = SHOWS[name[0]], SHOWS[name[1]]
    turned = (not one["scrap"] and one["shows"] != first) or (not other["scrap"] and other["shows"] != second)
    return (second, first) if turned else (first, second)


def draw_carpet(carpet: Json, ids: str) -> str:
    """Draw the dominoes and scraps of a view's carpet with the pieces that `define_pieces` has defined."""
    dominoes = "".join(draw_domino(domino, middle(domino.squares[0]), ids) for domino in read_dominoes(carpet))
    scraps = "".join(
        f'<g data-square="{square}">{draw_scrap(cell["shows"], middle(square), ids)}</g>'
        for square, cell in carpet.items()
        if cell["scrap"]
    )
    return dominoes + scraps


def name_domino(name: str) -> Domino:
    """A domino beside the loom, lying from west to east."""
    return Domino(name, ("a1", "b1"), (SHOWS[name[0]], SHOWS[name[1]]))


def draw_domino(domino: Domino, at: Point, ids: str) -> str:
    """Draw a domino with the middle of its first half at a point."""
    down = domino.squares[0][0] == domino.squares[1][0]
    angle, other = (90, Point(at.x, at.y + SIDE)) if down else (0, Point(at.x + SIDE, at.y))
    one, two = domino.shows
    return (
        f'<g class="domino" data-domino="{domino.name}">{_use(ids, "domino", at, angle)}'
        f"{_use(ids, f'{one}-ground', at, angle)}{_use(ids, f'{two}-ground', other, angle + 180)}"
        f"{_use(ids, 'seam', at, angle)}{_use(ids, one, at)}{_use(ids, two, other)}{_use(ids, 'ribs', at, angle)}</g>"
    )


def draw_scrap(motif: str, at: Point, ids: str) -> str:
    """Draw a scrap with its middle at a point."""
    return f'<g class="scrap" data-scrap="{motif}">{_use(ids, f"patch-{motif}", at, _TILT)}</g>'


def draw_every_way(pieces: Iterable[str], ids: str) -> str:
    """Definitions of pieces around the origin: dominoes in all four directions, and scraps.

    A direction says where the second half lies: `piece-BE1-north`. A scrap is called `piece-scrap-star`.
    """
    dominoes = [piece for piece in pieces if piece in DOMINOES]
    scraps = [piece for piece in pieces if piece not in DOMINOES]
    shows = {shown for domino in dominoes for shown in name_domino(domino).shows}
    drawn = [define_pieces(shows, scraps, ids)]
    for name in dominoes:
        one, two = name_domino(name).shows
        for way, squares, halves, at in (
            ("east", ("a1", "b1"), (one, two), Point(0, 0)),
            ("south", ("a2", "a1"), (one, two), Point(0, 0)),
            ("west", ("a1", "b1"), (two, one), Point(-SIDE, 0)),
            ("north", ("a2", "a1"), (two, one), Point(0, -SIDE)),
        ):
            drawn.append(f'<g id="{ids}-{name}-{way}">{draw_domino(Domino(name, squares, halves), at, ids)}</g>')
    drawn += [f'<g id="{ids}-scrap-{motif}">{draw_scrap(motif, Point(0, 0), ids)}</g>' for motif in scraps]
    return "".join(drawn)


def _use(ids: str, kind: str, at: Point, angle: int = 0) -> str:
    turn = f"rotate({angle})" if angle else ""
    return f'<use href="#{ids}-{kind}" transform="translate({at}){turn}"/>'


# The pieces


def define_pieces(shows: Iterable[str], patches: Iterable[str], ids: str) -> str:
    """Define what dominoes and scraps with these motifs are drawn with; `ids` begins every id."""
    kinds = sorted(set(shows) | set(patches))
    return (
        f'<g id="{ids}-domino">{_DOMINO}</g><path id="{ids}-seam" {_SEAM}/><path id="{ids}-ribs" {_RIBS}/>'
        + "".join(f'<g id="{ids}-{kind}">{draw_motif(kind)}</g>' for kind in kinds)
        + "".join(f'<path id="{ids}-{kind}-ground" {_GROUND} fill="{DYES[kind].ground}"/>' for kind in kinds)
        + "".join(f'<g id="{ids}-patch-{kind}">{_patch(kind, ids)}</g>' for kind in sorted(set(patches)))
    )


def _box(start: float, end: float, inset: float, look: str) -> str:
    return (
        f'<rect x="{start + inset:g}" y="{inset - 18:g}" width="{end - start - 2 * inset:g}"'
        f' height="{36 - 2 * inset:g}" {look}/>'
    )


_DOMINO: Final = (
    _box(-17, 57, -1.6, f'rx="2" fill="{INK}" fill-opacity=".3"')
    + f'<path d="M-18-17.5v35M58-17.5v35" stroke="{HEM}" stroke-width="3.4"/>'
    + f'<path d="M-18-17.5v35M58-17.5v35" stroke="{CREAM}" stroke-width="3.4" stroke-dasharray="1.8 1.2"/>'
    + _box(-17, 57, 0, f'fill="{HEM}"')
    + _box(-17, 57, 1.1, f'fill="none" stroke="{CREAM}" stroke-width="1" stroke-dasharray="2 2.8"')
)
"""A shadow on all sides, fringes at both ends, and a dark hem with beads around both halves, the second to the east."""
_GROUND: Final = 'd="M-15-16H20V16H-15z"'
"""The ground of a half whose other half is to the east: there is no hem between them."""
_SEAM: Final = f'd="M20-15.5v31" stroke="{INK}" stroke-opacity=".55" stroke-width="1" stroke-dasharray="1.6 1.4"'
_RIBS: Final = f'd="M-15 0H55" stroke="{INK}" stroke-opacity=".09" stroke-width="32" stroke-dasharray="2"'


def _patch(shows: str, ids: str) -> str:
    """A scrap: its own ground with rough edges, the motif, and large stitches all around."""
    return (
        f'<path d="M-15.5-15.5h31v31h-31z" fill="{INK}" fill-opacity=".4"'
        f' stroke="{INK}" stroke-opacity=".4" stroke-width="2"/>'
        f'<path d="M-15-15h30v30h-30z" fill="{DYES[shows].ground}" stroke="{CREAM}" stroke-width="1.4"/>'
        f'<use href="#{ids}-{shows}" transform="scale({_PATCH})"/>'
        f'<path d="{_STITCHES}" stroke="{HEM}" stroke-width="2.8" stroke-linecap="round"/>'
        f'<path d="{_STITCHES}" stroke="{CREAM}" stroke-width="1.5" stroke-linecap="round"/>'
    )


_STITCHES: Final = "".join(
    f"M{along}-17.5v4.6M{along} 12.9v4.6M-17.5 {along}h4.6M12.9 {along}h4.6" for along in (-9.5, 0, 9.5)
)


# Groups


def find_groups(carpet: Json) -> list[list[str]]:
    """The squares of each group of two or more with one motif."""
    names = {SQUARES[square]: square for square in carpet}
    letters = {at: LETTERS.get(carpet[square]["shows"], "") for at, square in names.items()}
    return [
        sorted((names[at] for at in squares), key=cell_of) for _, squares in group_squares(letters) if len(squares) > 1
    ]


def draw_groups(groups: Iterable[Sequence[str]], *, has_points: bool = True) -> str:
    """Draw a cord around each group and, on a badge, the points that it counts."""
    return "".join(
        f'<g class="group" data-squares="{" ".join(group)}">{_draw_cords(group)}'
        f"{_draw_points(group) if has_points else ''}</g>"
        for group in groups
    )


def _draw_cords(squares: Sequence[str]) -> str:
    path = outline({cell_of(square) for square in squares}, SIDE, _CORD_INSET)
    return "".join(
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"/>'
        for colour, width in _CORDS
    )


def _draw_points(squares: Sequence[str]) -> str:
    at = middle(min(squares, key=lambda square: cell_of(square)[::-1]))
    x, y, points = at.x - 11, at.y - 11, f"+{len(squares) - 1}"
    width = 5 + 7 * len(points)
    return (
        f'<g class="badge" {PEN}><rect x="{x - width / 2:g}" y="{y - 7:g}" width="{width}" height="14" rx="7"'
        f' fill="{CREAM}" stroke-width="1.2"/>{draw_label(points, x, y, 7)}</g>'
    )
