"""The rugs of a board: which halves belong together, which end is covered, and how each kind is drawn."""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, cast

from service.engine.json_reader import Json
from service.engine.marrakech.board import FACINGS, TRACKS, Facing, Square, read_square, step
from service.ui.marrakech.geometry import ANGLES, middle
from service.ui.marrakech.palette import CREAM, DYES, INK, NEUTRAL_DYES, RIB, WEAVES, Dyes, Layer

Shape = Literal["whole", "half", "patch"]
"""A rug that is entirely visible, one with a half under another rug, and one whose covered half is not known."""


class Rug(NamedTuple):
    """The visible part of a rug; `along` is the direction from `at` to the other half, visible or covered."""

    number: int
    colour: str
    neutral: bool
    shape: Shape
    at: Square
    along: Facing

    @property
    def kind(self) -> str:
        """The name of its pattern in the SVG."""
        return f"rug-{self.colour}-neutral" if self.neutral else f"rug-{self.colour}"

    @property
    def transform(self) -> str:
        """Moves a piece that is drawn at the origin, towards the east, to the place of the rug."""
        turn = f"rotate({ANGLES[self.along]})" if ANGLES[self.along] else ""
        return f"translate({middle(self.at)}){turn}"


def visible_rugs(board: Json) -> list[Rug]:
    """The visible rugs of a view's board, the oldest first."""
    tops = {read_square(name): board[name] for name in sorted(board)}
    numbers = {square: cast("int", rug["rug"]) for square, rug in tops.items()}
    shown: dict[int, list[Square]] = {}
    for square, number in numbers.items():
        shown.setdefault(number, []).append(square)
    return [_rug(tops[squares[0]], squares, numbers) for _, squares in sorted(shown.items())]


def place_rug(colour: str, squares: list[Square]) -> Rug:
    """A rug as it would lie on two neighbouring squares."""
    _, at, along = _position(squares, {})
    return Rug(0, colour, False, "whole", at, along)


def _rug(top: Json, squares: list[Square], numbers: dict[Square, int]) -> Rug:
    shape, at, along = _position(squares, numbers)
    return Rug(top["rug"], top["colour"], top["neutral"], shape, at, along)


def _position(squares: list[Square], numbers: dict[Square, int]) -> tuple[Shape, Square, Facing]:
    if len(squares) == 2:
        for along in FACINGS:
            if _beside(squares[0], along) == squares[1]:
                return "whole", squares[0], along
    return _half_position(squares[0], numbers)


def _half_position(square: Square, numbers: dict[Square, int]) -> tuple[Shape, Square, Facing]:
    """Only a newer rug can cover the other half; if several newer rugs are neighbours, the view doesn't tell which."""
    number = numbers[square]
    covered = [along for along in FACINGS if numbers.get(_beside(square, along), 0) > number]
    return ("half", square, covered[0]) if len(covered) == 1 else ("patch", square, "east")


def _beside(square: Square, along: Facing) -> Square:
    """The next square in a direction; at the edge of the board, which no rug crosses, the square itself."""
    return square if (square, along) in TRACKS else step(square, along)[0]


_ENDS: Final[dict[Shape, tuple[int, int]]] = {"whole": (-15, 55), "half": (-15, 26), "patch": (-17, 17)}
"""Start and end of the rug without its fringes, east of the middle of the first square."""
_FRINGES: Final[dict[Shape, str]] = {"whole": "M-17.3-16v32M57.3-16v32", "half": "M-17.3-16v32", "patch": ""}
_SHADE: Final = f'rx="3" fill="{INK}" fill-opacity=".16"'
_SHADOW: Final = f'rx="2" fill="{INK}" fill-opacity=".3"'
_HEM: Final = 4
"""The width of the dark hem."""


def draw_rugs(rugs: Iterable[Rug]) -> str:
    """Draw every rug in its place, newer ones over older ones."""
    return "".join(_draw_rug(rug) for rug in rugs)


def _draw_rug(rug: Rug) -> str:
    return f'<use href="#{rug.kind}-{rug.shape}" data-rug="{rug.number}" transform="{rug.transform}"/>'


def define_rugs(rugs: Iterable[Rug]) -> str:
    """Define the patterns and pieces that these rugs are drawn with, and no others."""
    pieces = sorted({(rug.colour, rug.neutral, rug.kind, rug.shape) for rug in rugs})
    weaves = sorted({piece[:3] for piece in pieces})
    return "".join(_weave(*weave) for weave in weaves) + "".join(_piece(*piece) for piece in pieces)


def _weave(colour: str, neutral: bool, kind: str) -> str:
    dyes = _dyes(colour, neutral)
    layers = "".join(_layer(layer, getattr(dyes, layer.wool)) for layer in WEAVES[colour])
    return (
        f'<pattern id="{kind}" x="-20" y="-20" width="40" height="40" patternUnits="userSpaceOnUse">'
        f'<path d="M0 0h40v40H0z" fill="{dyes.fill}"/>{layers}</pattern>'
    )


def _layer(layer: Layer, dye: str) -> str:
    if not layer.line:
        return f'<path d="{layer.path}" fill="{dye}"/>'
    return f'<path d="{layer.path}" fill="none" stroke="{dye}" stroke-width="{layer.line}"/>'


def _piece(colour: str, neutral: bool, kind: str, shape: Shape) -> str:
    """A shadow on all sides, fringes, a dark hem with beads, the woven field, and the ribs of the weft over all."""
    dyes, (start, end) = _dyes(colour, neutral), _ENDS[shape]
    fringe = _FRINGES[shape] and (
        f'<path d="{_FRINGES[shape]}" stroke="{dyes.thread}" stroke-width="5"/>'
        f'<path class="fringe" d="{_FRINGES[shape]}" stroke="{CREAM}" stroke-width="5" stroke-dasharray="1.6 .9"/>'
    )
    field = f'fill="url(#{kind})" stroke="{dyes.fill}"'
    hem = f'fill="{dyes.thread}"'
    beads = f'fill="none" stroke="{dyes.light}" stroke-width="1.5" stroke-dasharray="1.5 2.25"'
    return (
        f'<g id="{kind}-{shape}">{_box(start, end, -2.6, _SHADE)}'
        f"{_box(start, end, -1.4, _SHADOW)}"
        f"{fringe}{_box(start, end, 0, hem)}{_box(start, end, _HEM / 2, beads)}"
        f"{_box(start, end, _HEM, field)}"
        f'<path d="M{start} 0H{end}" stroke="{INK}" stroke-opacity="{RIB}" stroke-width="34"'
        ' stroke-dasharray="1.25"/></g>'
    )


def _box(start: float, end: float, inset: float, look: str) -> str:
    """A rectangle inset from the edge of the rug."""
    return (
        f'<rect x="{start + inset:g}" y="{inset - 17:g}" width="{end - start - 2 * inset:g}"'
        f' height="{34 - 2 * inset:g}" {look}/>'
    )


def _dyes(colour: str, neutral: bool) -> Dyes:
    return (NEUTRAL_DYES if neutral else DYES)[colour]
