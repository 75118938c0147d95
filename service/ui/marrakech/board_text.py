"""The board in characters with the standings, for letters (plain ASCII) and terminals (Unicode and ANSI colours).

Colours are known by a letter and a weave as well, so the board can be read without colour.
"""

import textwrap
from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from rich.cells import cell_len

from service.engine.json_reader import Json
from service.engine.marrakech.board import FACINGS, FILES, RANKS
from service.engine.marrakech.state import COLOURS
from service.i18n import Gettext
from service.text import WIDTH
from service.ui.canvas import Canvas
from service.ui.marrakech.choices import list_places
from service.ui.marrakech.rugs import visible_rugs
from service.ui.marrakech.standings import build_standings
from service.ui.tables import Row, Standings, seat_name, standings_lines

_WEAVES: Final = {"red": "<>", "blue": "/\\", "yellow": "==", "green": "::"}
_NEUTRAL_WEAVE: Final = ".."
_GAP: Final = 2
"""Columns between the board and a text beside it."""
_LEAST_TEXT: Final = 40
"""Columns that a text beside the board needs."""
_COLUMNS: Final = (((0, 1, 2, 3), True), ((0, 1, 2), True), ((0, 2), True), ((0, 2), False), ((2,), False))
"""The columns of the standings that are shown and whether notes are, for narrower and narrower texts."""

# ANSI styles. Those of rugs are in the 16 colours of every terminal, followed by a second code in 256 colours, which
# look better; a client leaves that code out where the terminal lacks them.
_STYLES: Final = {
    "red": "1;37;41m\x1b[1;38;5;231;48;5;124",
    "blue": "1;37;44m\x1b[1;38;5;231;48;5;25",
    "yellow": "30;43m\x1b[1;38;5;16;48;5;220",
    "green": "30;42m\x1b[1;38;5;16;48;5;36",
}
_NEUTRAL: Final = "30;47m\x1b[38;5;16;48;5;248"
_REVERSE: Final = "1;7"
_BOLD: Final = "1"
_DIM: Final = "2"


class _Glyphs(NamedTuple):
    """The characters to draw with."""

    walls: tuple[str, str, str]
    """The corners and crossings of the first, a middle and the last wall."""
    across: str
    down: str
    corners: str
    """Of the tracks: north-west, north-east, south-west, south-east."""
    arrows: dict[str, str]
    dot: str


_ASCII: Final = _Glyphs(("+++", "+++", "+++"), "-", "|", "..''", dict(zip(FACINGS, "^>v<", strict=True)), "*")
_UNICODE: Final = _Glyphs(("┌┬┐", "├┼┤", "└┴┘"), "─", "│", "╭╮╰╯", dict(zip(FACINGS, "▲▶▼◀", strict=True)), "•")


class _Layout(NamedTuple):
    """The columns of a square, the lines from one rank to the next, and the room around the board."""

    cell: int
    step: int
    left: int
    top: int
    tracks: bool

    @property
    def right(self) -> int:
        return self.left + (self.cell + 1) * len(FILES)

    @property
    def bottom(self) -> int:
        return self.walls[-1]

    @property
    def width(self) -> int:
        return self.right + (self.left if self.tracks else 0) + 1

    @property
    def height(self) -> int:
        return self.bottom + self.top + 1

    @property
    def walls(self) -> tuple[int, ...]:
        """The lines of the walls: all of them, or only the first and the last if there are none between ranks."""
        if self.step == 1:
            return self.top, self.top + len(RANKS) + 1
        return tuple(range(self.top, self.top + 2 * len(RANKS) + 1, 2))

    def line(self, square: str) -> int:
        """The line of a square's characters."""
        return self.bottom - 1 - self.step * RANKS.index(square[1])

    def column(self, square: str) -> int:
        """The first column inside the walls of a square."""
        return self.left + 1 + (self.cell + 1) * FILES.index(square[0])

    def middle(self, square: str) -> int:
        return self.column(square) + self.cell // 2


_WIDE: Final = _Layout(7, 2, 5, 2, tracks=True)
_NARROW: Final = _Layout(3, 2, 2, 1, tracks=False)
_COMPACT: Final = _Layout(3, 1, 2, 1, tracks=False)
"""Without walls between the ranks, and so without the numbers of places, which stand on the walls."""


def board_text(
    view: Json, say: Gettext = str, *, width: int = WIDTH, height: int | None = None, ansi: bool = False
) -> str:
    """The board of a view with the standings, in at most so many columns and lines.

    Places for a rug among the view's legal actions are numbered on it. The wide board with its tracks is used if it
    fits, with the text below or beside it, then the narrow and the compact one, and that one without its captions.
    Nothing is smaller than the compact board alone: 31 columns and 11 lines.
    """
    for layout, has_captions in ((_WIDE, True), (_NARROW, True), (_COMPACT, True), (_COMPACT, False)):
        board = _draw_board(view, layout, _letters(say), ansi)
        for arrange in (_text_below, _text_beside):
            lines = arrange(view, board, say, width, has_captions)
            if lines and layout.width <= width and (height is None or len(lines) <= height):
                return "".join(f"{line.rstrip()}\n" for line in lines)
    return "".join(f"{line.rstrip()}\n" for line in board.lines())


def _text_below(view: Json, board: "_Canvas", say: Gettext, width: int, has_captions: bool) -> list[str]:
    standings = _standings(view, say, width, short=not board.layout.tracks)
    captions = ["", *_captions(view, board, say, width)] if has_captions else []
    return [*board.lines(), *captions, "", *standings]


def _text_beside(view: Json, board: "_Canvas", say: Gettext, width: int, has_captions: bool) -> list[str]:
    """The text to the right of the board, from the first rank on; no lines if there is no room for it."""
    room, layout = width - board.layout.width - _GAP, board.layout
    if room < _LEAST_TEXT:
        return []
    captions = ["", *_captions(view, board, say, room)] if has_captions else []
    text = [*_standings(view, say, room, short=True), *captions]
    rows = zip_longest(board.lines(), [*[""] * layout.top, *text], fillvalue="")
    return [f"{drawn or ' ' * layout.width}{' ' * _GAP}{words}" for drawn, words in rows]


def _captions(view: Json, board: "_Canvas", say: Gettext, width: int) -> list[str]:
    assam, roll = view["assam"], view["last_roll"]
    words = {"arrow": board.glyphs.arrows[assam["facing"]], "at": assam["at"], "facing": say(assam["facing"])}
    sentences = [say("Assam (%(arrow)s) is on %(at)s, facing %(facing)s.") % words]
    if roll and roll["path"]:
        sentences.append(say("Last roll: %(die)s (%(path)s).") % {**roll, "path": " ".join(roll["path"])})
    legend = _legend(view, board, say)
    if legend:
        sentences.append(say("Legend: %(signs)s.") % {"signs": ", ".join(legend)})
    return [line for sentence in sentences for line in textwrap.wrap(sentence, width)]


def _legend(view: Json, board: "_Canvas", say: Gettext) -> list[str]:
    """The signs on this board and what each means."""
    letters, tops = _letters(say), view["board"].values()
    owned = {top["colour"] for top in tops if not top["neutral"]}
    signs = [
        say("%(sign)s = %(colour)s rug") % {"sign": letters[colour].upper(), "colour": say(colour)}
        for colour in COLOURS
        if colour in owned
    ]
    if any(top["neutral"] for top in tops):
        signs.append(say("small letter = neutral rug (costs nothing)"))
    if (view["last_roll"] or {}).get("path"):
        signs.append(say("%(sign)s = Assam's path") % {"sign": board.glyphs.dot})
    if list_places(view) and board.layout is not _COMPACT:
        sign = "#1" if board.layout is _WIDE else "1"
        signs.append(say("%(sign)s = a place for your rug") % {"sign": sign})
    return signs


def _standings(view: Json, say: Gettext, width: int, *, short: bool) -> list[str]:
    """The standings in the widest form that fits; short ones have letters for colours."""
    table, letters = build_standings(view, [seat_name(seat) for seat in view["seats"]], say), _letters(say)
    forms = [] if short else [table]
    for places, has_notes in _COLUMNS:
        columns = tuple(table.columns[place] for place in places)
        forms.append(Standings(columns, tuple(_shorten(row, places, has_notes, letters) for row in table.rows)))
    tables = [standings_lines(form, view["to_act"], say, width) for form in forms]
    return next((lines for lines in tables if max(map(cell_len, lines)) <= width), tables[-1])


def _shorten(row: Row, places: Sequence[int], has_notes: bool, letters: Mapping[str, str]) -> Row:
    chips = tuple(chip._replace(label=letters[chip.colour].upper()) for chip in row.chips)
    cells = tuple(row.cells[place] for place in places)
    return row._replace(cells=cells, chips=chips, note=row.note if has_notes else "")


def _letters(say: Gettext) -> dict[str, str]:
    """The first letter of each colour in the reader's language, or in English if the letters aren't different."""
    letters: dict[str, str] = {colour: say(colour)[0].lower() for colour in COLOURS}
    unique = len(set(letters.values())) == len(letters) and all(letter.isalpha() for letter in letters.values())
    return letters if unique else {colour: colour[0] for colour in COLOURS}


# The board


class _Canvas(Canvas):
    """The characters of a board."""

    def __init__(self, layout: _Layout, ansi: bool) -> None:
        super().__init__(layout.width, layout.height, ansi)
        self.layout = layout
        self.glyphs = _UNICODE if ansi else _ASCII


def _draw_board(view: Json, layout: _Layout, letters: Mapping[str, str], ansi: bool) -> _Canvas:
    canvas, board = _Canvas(layout, ansi), view["board"]
    _draw_walls(canvas)
    if layout.tracks:
        _draw_tracks(canvas)
    for square, rug in board.items():
        canvas.write(layout.line(square), layout.column(square), _woven(rug, layout, letters), _style(rug))
    _join_halves(canvas, board)
    for square in (view["last_roll"] or {}).get("path", ()):
        _draw_dot(canvas, square, board.get(square))
    _draw_assam(canvas, view, letters)
    for number, place in enumerate(list_places(view) if layout is not _COMPACT else (), 1):
        _draw_number(canvas, number, place)
    return canvas


def _draw_walls(canvas: _Canvas) -> None:
    layout, glyphs = canvas.layout, canvas.glyphs
    for line in range(layout.top, layout.bottom + 1):
        row = glyphs.down + (" " * layout.cell + glyphs.down) * len(FILES)
        if line in layout.walls:
            start, cross, end = tuple(glyphs.walls[0 if line == layout.top else 2 if line == layout.bottom else 1])
            row = start + cross.join([glyphs.across * layout.cell] * len(FILES)) + end
        canvas.write(line, layout.left, row, _DIM)
    for file in FILES:
        canvas.write(layout.top - 1, layout.middle(file), file)
        canvas.write(layout.bottom + 1, layout.middle(file), file)
    for rank in RANKS:
        canvas.write(layout.line(f"a{rank}"), layout.left - 2, rank)
        if layout.tracks:
            canvas.write(layout.line(f"a{rank}"), layout.right + 2, rank)


def _draw_tracks(canvas: _Canvas) -> None:
    """Draw the tracks as brackets, each joining two squares between which Assam goes when he leaves the board."""
    layout, across = canvas.layout, canvas.glyphs.across
    north_west, north_east, south_west, south_east = tuple(canvas.glyphs.corners)
    low, far = layout.bottom + 2, layout.width - 1
    room = across * layout.cell
    for file in "ace":
        canvas.write(0, layout.middle(file), f"{north_west}{room}{north_east}", _DIM)
    for file in "bdf":
        canvas.write(low, layout.middle(file), f"{south_west}{room}{south_east}", _DIM)
    for rank in "753":
        top = layout.line(f"a{rank}")
        _draw_side(canvas, 0, (top, top + 2), north_west + south_west)
    for rank in "642":
        top = layout.line(f"g{rank}")
        _draw_side(canvas, far, (top, top + 2), north_east + south_east)
    # Around the corners of a1 and g7.
    _draw_side(canvas, 0, (layout.line("a1"), low), north_west + south_west)
    canvas.write(low, 1, across * (layout.middle("a") - 1) + south_east, _DIM)
    _draw_side(canvas, far, (0, layout.line("g7")), north_east + south_east)
    canvas.write(0, layout.middle("g"), north_west + across * (far - layout.middle("g") - 1), _DIM)


def _draw_side(canvas: _Canvas, column: int, ends: tuple[int, int], corners: str) -> None:
    """Draw an upright bracket: its corners, the line between them, and a short arm towards the board."""
    glyphs = canvas.glyphs
    for line in range(ends[0] + 1, ends[1]):
        canvas.write(line, column, glyphs.down, _DIM)
    for line, corner in zip(ends, corners, strict=True):
        canvas.write(line, column, corner, _DIM)
        canvas.write(line, 1 if column == 0 else column - 1, glyphs.across, _DIM)


def _label(rug: Json, letters: Mapping[str, str]) -> str:
    """The letter of the colour, small if the rug is neutral, and the number of the rug."""
    letter = letters[rug["colour"]]
    return f"{letter if rug['neutral'] else letter.upper()}{rug['rug']}"


def _woven(rug: Json, layout: _Layout, letters: Mapping[str, str]) -> str:
    weave, label = _NEUTRAL_WEAVE if rug["neutral"] else _WEAVES[rug["colour"]], _label(rug, letters)
    return f"{weave}{label:^3}{weave}" if layout.cell == _WIDE.cell else f"{weave[0]}{label[0]}{weave[1]}"


def _style(rug: Json) -> str:
    return _NEUTRAL if rug["neutral"] else _STYLES[rug["colour"]]


def _join_halves(canvas: _Canvas, board: Json) -> None:
    """Open the wall between the halves of a rug that is entirely visible."""
    layout = canvas.layout
    for rug in visible_rugs(board):
        if rug.shape != "whole":
            continue
        squares = sorted(square for square, top in board.items() if top["rug"] == rug.number)
        style = _style(board[squares[0]])
        if rug.along == "east":
            canvas.write(layout.line(squares[0]), layout.column(squares[1]) - 1, " ", style)
        elif layout is not _COMPACT:
            canvas.write(layout.line(squares[1]) + 1, layout.column(squares[0]), " " * layout.cell, style)


def _draw_dot(canvas: _Canvas, square: str, rug: Json | None) -> None:
    """Mark a square of Assam's path: in the middle, or on both sides of a rug's label."""
    layout, dot = canvas.layout, canvas.glyphs.dot
    line, column = layout.line(square), layout.column(square)
    if rug is None:
        canvas.write(line, layout.middle(square), dot, _BOLD)
        return
    inset = 1 if layout.cell == _WIDE.cell else 0
    for place in (column + inset, column + layout.cell - 1 - inset):
        canvas.write(line, place, dot, _style(rug))


def _draw_assam(canvas: _Canvas, view: Json, letters: Mapping[str, str]) -> None:
    """Draw Assam as an arrow in brackets, to the left of a rug's label if there is room for both."""
    layout, arrow = canvas.layout, canvas.glyphs.arrows[view["assam"]["facing"]]
    at, rug = view["assam"]["at"], view["board"].get(view["assam"]["at"])
    line, column = layout.line(at), layout.middle(at) - 1
    if rug and layout.cell == _WIDE.cell:
        column = layout.column(at)
        canvas.write(line, column, f"{'':4}{_label(rug, letters):<3}", _style(rug))
    canvas.write(line, column, "( )", _style(rug) if rug else _REVERSE)
    canvas.write(line, column + 1, arrow, _REVERSE)


def _draw_number(canvas: _Canvas, number: int, place: Collection[str]) -> None:
    """Write the number of a place on the wall between its squares."""
    layout, (one, other) = canvas.layout, sorted(place)
    text = f"#{number}" if layout.cell == _WIDE.cell else str(number)
    line, middle = (layout.line(one) + layout.line(other)) // 2, layout.column(other) - 1
    if one[0] == other[0]:
        middle = layout.middle(one)
    elif layout.cell == _WIDE.cell:
        text = f" {text} "
    canvas.write(line, middle - len(text) // 2, text, _REVERSE)
