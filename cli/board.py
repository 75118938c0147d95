"""The market square in characters: rugs by colour, letter and weave, Assam, his way, and numbered places."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from cli.output import Span

FILES: Final = "abcdefg"
RANKS: Final = "1234567"
WIDE: Final = 67
"""How many columns the board takes with its tracks; a narrower terminal gets a smaller one without."""

WEAVES: Final = {"red": "<>", "blue": "/\\", "yellow": "==", "green": "::"}
_DYES: Final = {
    "red": "bold #ffffff on #b8321a",
    "blue": "bold #ffffff on #14559b",
    "yellow": "bold #000000 on #f7cf2e",
    "green": "bold #000000 on #2aa982",
}
_NEUTRAL: Final = "#000000 on #a8a8a8"
_ASSAM: Final = "bold reverse"
_NUMBER: Final = "bold reverse"
_WAY: Final = "bold"
_WALL: Final = "dim"

_NORTH: Final = (("a", "b"), ("c", "d"), ("e", "f"))
_SOUTH: Final = (("b", "c"), ("d", "e"), ("f", "g"))
_WEST: Final = (("7", "6"), ("5", "4"), ("3", "2"))
_EAST: Final = (("6", "5"), ("4", "3"), ("2", "1"))


class Glyphs(NamedTuple):
    """The characters to draw with; `walls` are the corners row by row, then the lines across and down."""

    walls: str
    track: str
    arrows: dict[str, str]
    step: str


_FACINGS: Final = ("north", "east", "south", "west")
ASCII: Final = Glyphs("+++++++++-|", "..''-|", dict(zip(_FACINGS, "^>v<", strict=True)), "*")
UNICODE: Final = Glyphs("┌┬┐├┼┤└┴┘─│", "╭╮╰╯─│", dict(zip(_FACINGS, "▲▶▼◀", strict=True)), "•")


class _Canvas:
    """Characters and their styles, line by line."""

    def __init__(self, height: int, width: int) -> None:
        self._letters = [[" "] * width for _ in range(height)]
        self._styles = [[""] * width for _ in range(height)]

    def write(self, line: int, column: int, text: str, style: str = "") -> None:
        for place, letter in enumerate(text, column):
            self._letters[line][place] = letter
            self._styles[line][place] = style

    def lines(self) -> list[list[Span]]:
        return [_spans(letters, styles) for letters, styles in zip(self._letters, self._styles, strict=True)]


def _spans(letters: Sequence[str], styles: Sequence[str]) -> list[Span]:
    spans: list[Span] = []
    for letter, style in zip(letters, styles, strict=True):
        if spans and spans[-1][1] == style:
            spans[-1] = (spans[-1][0] + letter, style)
        else:
            spans.append((letter, style))
    return spans


class _Layout:
    """Where things stand: a board with room for tracks, or a small one."""

    def __init__(self, width: int) -> None:
        self.tracks = width >= WIDE
        self.cell = 7 if self.tracks else 3
        self.left, self.top = (5, 2) if self.tracks else (2, 1)
        self.right = self.left + (self.cell + 1) * len(FILES)
        self.bottom = self.top + 2 * len(RANKS)

    def canvas(self) -> _Canvas:
        return _Canvas(self.bottom + self.top + 1, WIDE if self.tracks else self.right + 1)

    def line(self, rank: str) -> int:
        return self.bottom - 1 - 2 * RANKS.index(rank)

    def column(self, file: str) -> int:
        """The first column inside the square's walls."""
        return self.left + 1 + (self.cell + 1) * FILES.index(file)

    def middle(self, file: str) -> int:
        return self.column(file) + self.cell // 2


def board_lines(
    view: dict[str, Any], width: int, unicode: bool, places: Sequence[Sequence[str]] = (), path: Sequence[str] = ()
) -> list[list[Span]]:
    """The board of a view, with the numbers of these places on it and the squares of Assam's way marked."""
    glyphs, layout = UNICODE if unicode else ASCII, _Layout(width)
    canvas = layout.canvas()
    _draw_walls(canvas, layout, glyphs)
    if layout.tracks:
        _draw_tracks(canvas, layout, glyphs)
    board = view["board"]
    for square, rug in board.items():
        canvas.write(layout.line(square[1]), layout.column(square[0]), _woven(rug, layout.cell), _style(rug))
    _join_halves(canvas, layout, board)
    _draw_way(canvas, layout, glyphs, board, path)
    _draw_assam(canvas, layout, glyphs, view)
    for number, place in enumerate(places, 1):
        _draw_number(canvas, layout, number, place)
    return canvas.lines()


def label(rug: dict[str, Any]) -> str:
    """How a rug is called on the board: the letter of its colour, small where it is neutral, and its number."""
    letter = rug["colour"][0]
    return f"{letter if rug['neutral'] else letter.upper()}{rug['rug']}"


def dye(colour: str) -> str:
    """The style of a colour."""
    return _DYES[colour]


def _style(rug: dict[str, Any]) -> str:
    return _NEUTRAL if rug["neutral"] else _DYES[rug["colour"]]


def _woven(rug: dict[str, Any], cell: int) -> str:
    weave = ".." if rug["neutral"] else WEAVES[rug["colour"]]
    return f"{weave}{label(rug):^3}{weave}" if cell == 7 else f"{weave[0]}{label(rug)[0]}{weave[1]}"


def _draw_walls(canvas: _Canvas, layout: _Layout, glyphs: Glyphs) -> None:
    across, down = glyphs.walls[9], glyphs.walls[10]
    for number in range(2 * len(RANKS) + 1):
        line = layout.top + number
        if number % 2:
            row = (down + " " * layout.cell) * len(FILES) + down
        else:
            first, cross, last = tuple(glyphs.walls)[_third(number, 2 * len(RANKS)) :][:3]
            row = first + cross.join([across * layout.cell] * len(FILES)) + last
        canvas.write(line, layout.left, row, _WALL)
    for file in FILES:
        canvas.write(layout.top - 1, layout.middle(file), file)
        canvas.write(layout.bottom + 1, layout.middle(file), file)
    for rank in RANKS:
        canvas.write(layout.line(rank), layout.left - 2, rank)
        if layout.tracks:
            canvas.write(layout.line(rank), layout.right + 2, rank)


def _third(number: int, last: int) -> int:
    """Where the corners of the first, a middle or the last wall begin."""
    return 0 if number == 0 else 6 if number == last else 3


def _draw_tracks(canvas: _Canvas, layout: _Layout, glyphs: Glyphs) -> None:
    """The tracks: each bracket joins the two squares between which Assam goes when he leaves the board."""
    north_west, north_east, south_west, south_east, across, _ = tuple(glyphs.track)
    far_left, far_right, low = 0, WIDE - 1, layout.bottom + 2
    for line, pairs, ends in ((0, _NORTH, (north_west, north_east)), (low, _SOUTH, (south_west, south_east))):
        for one, other in pairs:
            start, end = layout.middle(one), layout.middle(other)
            canvas.write(line, start, ends[0] + across * (end - start - 1) + ends[1], _WALL)
    sides = ((_WEST, far_left, (north_west, south_west)), (_EAST, far_right, (north_east, south_east)))
    for pairs, column, corners in sides:
        for upper, lower in pairs:
            _upright(canvas, column, layout.line(upper), layout.line(lower), corners, glyphs)
    _upright(canvas, far_left, layout.line("1"), low, (north_west, south_west), glyphs)
    canvas.write(low, 1, across * (layout.middle("a") - 1) + south_east, _WALL)
    _upright(canvas, far_right, 0, layout.line("7"), (north_east, south_east), glyphs)
    start = layout.middle("g")
    canvas.write(0, start, north_west + across * (far_right - start - 1), _WALL)


def _upright(canvas: _Canvas, column: int, top: int, bottom: int, corners: tuple[str, str], glyphs: Glyphs) -> None:
    """A bracket at one side: its corners, the line between, and a short arm towards the board."""
    arm = column + 1 if column == 0 else column - 1
    for line in range(top + 1, bottom):
        canvas.write(line, column, glyphs.track[5], _WALL)
    for line, corner in ((top, corners[0]), (bottom, corners[1])):
        canvas.write(line, column, corner, _WALL)
        canvas.write(line, arm, glyphs.track[4], _WALL)


def _join_halves(canvas: _Canvas, layout: _Layout, board: dict[str, Any]) -> None:
    """A rug of which both halves show lies over the wall between them."""
    first: dict[int, str] = {}
    for square in sorted(board):
        rug = board[square]
        if rug["rug"] not in first:
            first[rug["rug"]] = square
            continue
        file, rank = tuple(first[rug["rug"]])
        if file == square[0]:
            canvas.write(layout.line(rank) - 1, layout.column(file), " " * layout.cell, _style(rug))
        else:
            canvas.write(layout.line(rank), layout.column(square[0]) - 1, " ", _style(rug))


def _draw_way(canvas: _Canvas, layout: _Layout, glyphs: Glyphs, board: dict[str, Any], path: Iterable[str]) -> None:
    for square in path:
        line, column, cell = layout.line(square[1]), layout.column(square[0]), layout.cell
        if square not in board:
            canvas.write(line, layout.middle(square[0]), glyphs.step, _WAY)
            continue
        inset = 1 if cell == 7 else 0
        for place in (column + inset, column + cell - 1 - inset):
            canvas.write(line, place, glyphs.step, _style(board[square]))


def _draw_assam(canvas: _Canvas, layout: _Layout, glyphs: Glyphs, view: dict[str, Any]) -> None:
    at, rug = view["assam"]["at"], view["board"].get(view["assam"]["at"])
    line, column = layout.line(at[1]), layout.column(at[0])
    figure = f"({glyphs.arrows[view['assam']['facing']]})"
    if layout.cell == 3 or rug is None:
        canvas.write(line, layout.middle(at[0]) - 1, figure, _ASSAM)
        return
    canvas.write(line, column, f"{'':4}{label(rug):<3}", _style(rug))
    canvas.write(line, column, figure, _ASSAM)


def _draw_number(canvas: _Canvas, layout: _Layout, number: int, place: Sequence[str]) -> None:
    """The number of a place stands on the wall between its two squares."""
    (file, rank), (other_file, other_rank) = sorted(tuple(square) for square in place)
    text = f"#{number}" if layout.cell == 7 else str(number)
    if file == other_file:
        line, middle = (layout.line(rank) + layout.line(other_rank)) // 2, layout.middle(file)
    else:
        line, middle = layout.line(rank), layout.column(other_file) - 1
    canvas.write(line, middle - len(text) // 2, text, _NUMBER)
