"""The rugs as they lie: which halves belong together, which end is covered, and how each is woven."""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, cast

from service.engine.json_reader import Json
from service.engine.marrakech.board import FACINGS, TRACKS, Facing, Square, read_square, step
from service.ui.marrakech.geometry import ANGLES, middle
from service.ui.marrakech.palette import CREAM, DYES, INK, NEUTRAL_DYES, RIB, WEAVES, Dyes, Layer

Shape = Literal["whole", "half", "patch"]
"""A rug that shows entirely, one that goes on under another at a known end, and one whose covered end is not known."""


class Rug(NamedTuple):
    """What shows of one rug; `along` leads from `at` to the other half, shown or covered."""

    number: int
    colour: str
    neutral: bool
    shape: Shape
    at: Square
    along: Facing

    @property
    def kind(self) -> str:
        """The name of its wools and weave."""
        return f"rug-{self.colour}-neutral" if self.neutral else f"rug-{self.colour}"

    @property
    def move(self) -> str:
        """What brings a piece that was drawn round the origin, running east, to where the rug lies."""
        turn = f"rotate({ANGLES[self.along]})" if ANGLES[self.along] else ""
        return f"translate({middle(self.at)}){turn}"


def rugs_of(board: Json) -> list[Rug]:
    """The rugs that show on a view's board, those laid first coming first."""
    tops = {read_square(name): board[name] for name in sorted(board)}
    numbers = {square: cast("int", rug["rug"]) for square, rug in tops.items()}
    shown: dict[int, list[Square]] = {}
    for square, number in numbers.items():
        shown.setdefault(number, []).append(square)
    return [_rug(tops[squares[0]], squares, numbers) for _, squares in sorted(shown.items())]


def placed(colour: str, squares: list[Square]) -> Rug:
    """A rug that is yet to be laid on two squares side by side."""
    _, at, along = _lie(squares, {})
    return Rug(0, colour, False, "whole", at, along)


def _rug(top: Json, squares: list[Square], numbers: dict[Square, int]) -> Rug:
    shape, at, along = _lie(squares, numbers)
    return Rug(top["rug"], top["colour"], top["neutral"], shape, at, along)


def _lie(squares: list[Square], numbers: dict[Square, int]) -> tuple[Shape, Square, Facing]:
    if len(squares) == 2:
        for along in FACINGS:
            if _beside(squares[0], along) == squares[1]:
                return "whole", squares[0], along
    return _half_lie(squares[0], numbers)


def _half_lie(square: Square, numbers: dict[Square, int]) -> tuple[Shape, Square, Facing]:
    """Only a rug that was laid later can cover the other half; where several lie around, the view cannot tell."""
    number = numbers[square]
    covered = [along for along in FACINGS if numbers.get(_beside(square, along), 0) > number]
    return ("half", square, covered[0]) if len(covered) == 1 else ("patch", square, "east")


def _beside(square: Square, along: Facing) -> Square:
    """The square beside this one; over the edge of the board, where no rug goes on, the square itself."""
    return square if (square, along) in TRACKS else step(square, along)[0]


_ENDS: Final[dict[Shape, tuple[int, int]]] = {"whole": (-15, 55), "half": (-15, 26), "patch": (-17, 17)}
"""From where to where the knotted part reaches, east of the middle of the first square."""
_FRINGES: Final[dict[Shape, str]] = {"whole": "M-17.3-16v32M57.3-16v32", "half": "M-17.3-16v32", "patch": ""}
_SHADE: Final = f'rx="3" fill="{INK}" fill-opacity=".16"'
_SHADOW: Final = f'rx="2" fill="{INK}" fill-opacity=".3"'
_HEM: Final = 4
"""How broad the dark hem is."""


def drawn_rugs(rugs: Iterable[Rug]) -> str:
    """Every rug in its place; later ones lie over earlier ones."""
    return "".join(_drawn(rug) for rug in rugs)


def _drawn(rug: Rug) -> str:
    return f'<use href="#{rug.kind}-{rug.shape}" data-rug="{rug.number}" transform="{rug.move}"/>'


def woven(rugs: Iterable[Rug]) -> str:
    """The definitions that these rugs are drawn with, and no others."""
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
    """A shadow all round, fringes, a dark hem with beads on it, the woven field, and the ribs of the weft over all."""
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
    """A frame so far within the edge of the rug."""
    return (
        f'<rect x="{start + inset:g}" y="{inset - 17:g}" width="{end - start - 2 * inset:g}"'
        f' height="{34 - 2 * inset:g}" {look}/>'
    )


def _dyes(colour: str, neutral: bool) -> Dyes:
    return (NEUTRAL_DYES if neutral else DYES)[colour]
