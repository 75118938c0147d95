"""The rugs as they lie: which halves belong together, which end is covered, and how each is woven."""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, cast

from service.engine.marrakech.board import FACINGS, TRACKS, Facing, Square, read_square, step
from service.engine.reading import Json
from service.render.geometry import ANGLES, middle
from service.render.palette import DYES, INK, NEUTRAL_DYES, WEAVES

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


def rugs_of(board: Json) -> list[Rug]:
    """The rugs that show on a view's board, those laid first coming first."""
    tops = {read_square(name): board[name] for name in sorted(board)}
    numbers = {square: cast("int", rug["rug"]) for square, rug in tops.items()}
    shown: dict[int, list[Square]] = {}
    for square, number in numbers.items():
        shown.setdefault(number, []).append(square)
    return [_rug(tops[squares[0]], squares, numbers) for _, squares in sorted(shown.items())]


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
_FRINGES: Final[dict[Shape, str]] = {"whole": "M-17-15.5v31M57-15.5v31", "half": "M-17-15.5v31", "patch": ""}


def drawn_rugs(rugs: Iterable[Rug]) -> str:
    """Every rug in its place; later ones lie over earlier ones."""
    return "".join(_drawn(rug) for rug in rugs)


def _drawn(rug: Rug) -> str:
    turn = f"rotate({ANGLES[rug.along]})" if ANGLES[rug.along] else ""
    return (
        f'<use href="#{rug.kind}-{rug.shape}" data-rug="{rug.number}" transform="translate({middle(rug.at)}){turn}"/>'
    )


def woven(rugs: Iterable[Rug]) -> str:
    """The definitions that these rugs are drawn with, and no others."""
    pieces = sorted({(rug.colour, rug.neutral, rug.kind, rug.shape) for rug in rugs})
    weaves = sorted({piece[:3] for piece in pieces})
    return "".join(_weave(*weave) for weave in weaves) + "".join(_piece(*piece) for piece in pieces)


def _weave(colour: str, neutral: bool, kind: str) -> str:
    dyes, weave = (NEUTRAL_DYES if neutral else DYES)[colour], WEAVES[colour]
    return (
        f'<pattern id="{kind}" x="-20" y="-20" width="40" height="40" patternUnits="userSpaceOnUse">'
        f'<path d="M0 0h40v40H0z" fill="{dyes.fill}"/><path d="{weave.thread}" fill="{dyes.thread}"/>'
        f'<path d="{weave.light}" fill="{dyes.light}"/>'
        f'<path d="{weave.line}" fill="none" stroke="{dyes.light}" stroke-width="2"/></pattern>'
    )


def _piece(colour: str, neutral: bool, kind: str, shape: Shape) -> str:
    dyes, (start, end) = (NEUTRAL_DYES if neutral else DYES)[colour], _ENDS[shape]
    length = end - start
    fringe = _FRINGES[shape] and (
        f'<path d="{_FRINGES[shape]}" stroke="{INK}" stroke-opacity=".25" stroke-width="6"/>'
        f'<path d="{_FRINGES[shape]}" stroke="{dyes.fill}" stroke-width="5" stroke-dasharray="2 1.6"/>'
    )
    return (
        f'<g id="{kind}-{shape}">'
        f'<rect x="{start - 2}" y="-19" width="{length + 4}" height="38" rx="2" fill="{INK}" fill-opacity=".3"/>'
        f'{fringe}<rect x="{start}" y="-17" width="{length}" height="34" fill="url(#{kind})" stroke="{INK}"/>'
        f'<rect x="{start + 2}" y="-15" width="{length - 4}" height="30" fill="none" stroke="{dyes.fill}"'
        f' stroke-width="3"/><rect x="{start + 4}" y="-13" width="{length - 8}" height="26" fill="none"'
        f' stroke="{dyes.thread}"/></g>'
    )
