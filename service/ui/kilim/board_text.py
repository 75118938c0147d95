"""Carpets in characters, for letters (plain ASCII) and terminals (Unicode and ANSI colours).

A half is known by its letter in the notation, so carpets can be read without colour.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from gettext import NullTranslations
from itertools import zip_longest
from typing import Final, NamedTuple

from rich.cells import cell_len

from service.engine.json_reader import Json
from service.engine.kilim.carpet import COLUMNS, SIZE
from service.engine.kilim.pieces import SHOWS
from service.i18n import marked
from service.text import WIDTH, pad_or_truncate
from service.ui.canvas import Canvas
from service.ui.kilim.board_svg import Crop, frame_carpet, legal_places
from service.ui.kilim.captions import KEEP, LONGEST_NAME, list_items, name_seat, tell_cards, tell_points, tell_round
from service.ui.kilim.carpets import cell_of
from service.ui.kilim.standings import build_standings
from service.ui.tables import standings_lines

SHOWS_NAMES: Final = {
    "bird": marked("bird"),
    "eye": marked("eye"),
    "horn": marked("horn"),
    "star": marked("star"),
    "tree": marked("tree"),
    "torn": marked("torn"),
    "blank": marked("blank"),
}
"""In the order of the legend."""
_LETTERS: Final = {shows: letter for letter, shows in SHOWS.items()}
_FREE: Final = "*"
_GAP: Final = 2
"""Columns between two carpets, or between a carpet and the text beside it."""
_LEAST_TEXT: Final = 26
"""Columns that a text beside a carpet needs."""
_MORE: Final = "..."

# ANSI styles in the 16 colours of every terminal, each followed by a second code in 256 colours, which look better; a
# client leaves that code out where the terminal lacks them.
_STYLES: Final = {
    "bird": "30;47m\x1b[1;38;5;54;48;5;230",
    "eye": "30;43m\x1b[1;38;5;16;48;5;214",
    "horn": "1;37;41m\x1b[1;38;5;231;48;5;124",
    "star": "1;37;44m\x1b[1;38;5;231;48;5;25",
    "tree": "30;42m\x1b[1;38;5;16;48;5;36",
    "torn": "37;40m\x1b[1;38;5;231;48;5;239",
    "blank": "30;47m\x1b[38;5;16;48;5;187",
}
_BOLD: Final = "1"
_DIM: Final = "2"
_UNICODE: Final = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_ASCII: Final = " |-+||++-+-+++++"
"""The sign where walls meet, by the walls there are: 1 up, 2 right, 4 down, 8 left."""


class _Look(NamedTuple):
    """How a carpet is written: the columns of a square, and whether there are walls around dominoes."""

    cell: int
    walls: bool


_WALLED: Final = _Look(3, walls=True)
_DENSE: Final = _Look(3, walls=False)
_TINY: Final = _Look(1, walls=False)


class _Form(NamedTuple):
    """One of the forms of a picture, of which the first that fits is used."""

    look: _Look
    margin: int
    has_legend: bool = True
    has_cards: bool = True


_FORMS: Final = (
    _Form(_WALLED, 2),
    _Form(_WALLED, 1),
    _Form(_WALLED, 1, has_legend=False),
    _Form(_DENSE, 2),
    _Form(_DENSE, 1, has_legend=False),
    _Form(_TINY, 1, has_legend=False),
    _Form(_TINY, 0, has_legend=False),
    _Form(_DENSE, 1, has_legend=False, has_cards=False),
    _Form(_TINY, 1, has_legend=False, has_cards=False),
    _Form(_TINY, 0, has_legend=False, has_cards=False),
)


class _Block(NamedTuple):
    """Lines, and the columns of the longest, which styles would make hard to count."""

    width: int
    lines: list[str]


def board_text(
    view: Json,
    translations: NullTranslations,
    seat: int | None = None,
    *,
    width: int = WIDTH,
    height: int | None = None,
    ansi: bool = False,
) -> str:
    """Write all carpets of a view, or that of one seat with its squares named, in so many columns and lines.

    The offer and everybody's points come with it, and a legend if there is room. The largest form that fits is used. A
    carpet that is too large even for the smallest form is cut off. At least 40 columns and 12 lines are needed.
    """
    page = _Page(view, translations, width, height, ansi)
    arrange = page.arrange_all if seat is None else page.arrange_one
    for form in _FORMS:
        for block in arrange(form, seat or 0):
            if block.width <= width and (height is None or len(block.lines) <= height):
                return "".join(f"{line.rstrip()}\n" for line in block.lines)
    smallest = page.cut_all() if seat is None else page.cut_one(seat)
    return "".join(f"{line.rstrip()}\n" for line in smallest[:height])


class _Page(NamedTuple):
    """What is written and the room for it."""

    view: Json
    translations: NullTranslations
    width: int
    height: int | None
    ansi: bool

    # One carpet

    def arrange_one(self, form: _Form, seat: int) -> Iterator[_Block]:
        """Write one carpet with the text above and below it, then with the text to its right."""
        own = self.view["seats"][seat]
        marks = {square for place in legal_places(self.view) for square in place} if seat == self.view["you"] else set()
        crop = frame_carpet(own["carpet"], form.margin)
        carpet = _draw_carpet(own["carpet"], crop, form.look, marks, ansi=self.ansi)
        above, below = tell_round(self.view, self.translations, own), self._texts(own, form, marks & set(crop.squares))
        top, bottom = _wrap(above, self.width), _wrap(below, self.width)
        head = self._head(own, LONGEST_NAME)
        yield _Block(max(carpet.width, _widest(top, bottom)), [head, *top, "", *carpet.lines, "", *bottom])
        room = self.width - carpet.width - _GAP
        if room >= _LEAST_TEXT:
            beside = [self._head(own, room), *_wrap(above, room), *_wrap(below, room)]
            yield _Block(self.width, _join_columns([carpet, _Block(room, beside)]))

    def cut_one(self, seat: int) -> list[str]:
        """Write as much of a carpet as fits in the smallest form, with the text to its right or, if need be, below."""
        own, height = self.view["seats"][seat], self.height or SIZE
        crop = frame_carpet(own["carpet"], 0)
        room = self.width - crop.columns - 3 - _GAP
        is_beside = room >= _LEAST_TEXT
        rows = height - 2 if is_beside else height - 4
        carpet = _draw_carpet(own["carpet"], crop._replace(rows=min(rows, crop.rows)), _TINY, (), ansi=self.ansi)
        lines = [*carpet.lines, *([_MORE.ljust(carpet.width)] if crop.rows > rows else [])]
        above, points = tell_round(self.view, self.translations, own), tell_points(self.view, self.translations)
        if is_beside:
            cards = tell_cards(self.view, own, self.translations)
            beside = [self._head(own, room), *_wrap([*above, *cards, points], room)]
            return _join_columns([_Block(carpet.width, lines), _Block(room, beside[:height])])
        return [*_wrap(above[:1], self.width)[:1], *lines, *_wrap([points], self.width)[:1]]

    # All carpets

    def arrange_all(self, form: _Form, _seat: int) -> Iterator[_Block]:
        """Write all carpets, as many side by side as there is room for, and the text below them."""
        seats = self.view["seats"]
        blocks = [self._small(seat, form.look, SIZE) for seat in seats]
        carpets = self._flow(blocks)
        top = _wrap(tell_round(self.view, self.translations), self.width)
        scores = self._scores() if form.has_cards else []
        text = _wrap(self._texts(None, form, (), has_points=not scores), self.width)
        lines = [*top, *carpets, "", *scores, *text]
        yield _Block(max(_widest(top, scores, text), *(block.width for block in blocks)), lines)

    def _scores(self) -> list[str]:
        """What everybody has scored for what. Only in a terminal: a letter has it below."""
        if self.height is None or not self.view["result"]:
            return []
        names = [name_seat(seat) for seat in self.view["seats"]]
        standings = build_standings(self.view, names, self.translations.gettext)
        return standings_lines(standings, (), self.translations.gettext, self.width)

    def cut_all(self) -> list[str]:
        """Write as much of all carpets as fits in the smallest form."""
        seats, room = self.view["seats"], (self.height or SIZE) - 1
        for rows in range(SIZE, -1, -1):
            lines = self._flow([self._small(seat, _TINY, rows) for seat in seats])
            if len(lines) <= room:
                break
        return [*_wrap(tell_round(self.view, self.translations)[:1], self.width)[:1], *lines]

    def _small(self, seat: Json, look: _Look, rows: int) -> _Block:
        """Write a small carpet of at most so many rows below the name and the points of its player."""
        crop = frame_carpet(seat["carpet"], 0)
        shown = crop._replace(rows=min(rows, crop.rows))
        carpet = _draw_carpet(seat["carpet"], shown, look, (), ansi=self.ansi, has_names=False)
        width = max(carpet.width, 9 if look is _TINY else 14)
        room = " " * (width - carpet.width)
        return _Block(width, [self._head(seat, width), *(f"{line}{room}" for line in carpet.lines)])

    def _flow(self, blocks: Sequence[_Block]) -> list[str]:
        lines: list[str] = []
        row: list[_Block] = []
        for block in [*blocks, None]:
            if block is None or sum(each.width + _GAP for each in [*row, block]) - _GAP > self.width:
                lines += [*([""] if lines else []), *_join_columns(row)] if row else []
                row = []
            if block is not None:
                row.append(block)
        return lines

    # Words

    def _head(self, seat: Json, columns: int) -> str:
        """A player's name and points in exactly so many columns."""
        total = f" {seat['points']['total']}"
        name = name_seat(seat)
        head = pad_or_truncate(name, min(columns, cell_len(name) + len(total)) - len(total)) + total
        padded = head + " " * (columns - cell_len(head))
        return f"\x1b[0;{_BOLD}m{padded}\x1b[0m" if self.ansi else padded

    def _texts(self, seat: Json | None, form: _Form, marks: Collection[str], *, has_points: bool = True) -> list[str]:
        """What is written below one carpet or all. The cards only in a terminal: a letter lists everybody's."""
        has_cards = form.has_cards and self.height is not None
        cards = tell_cards(self.view, seat, self.translations) if seat and has_cards else []
        points = [tell_points(self.view, self.translations)] if has_points else []
        return [*cards, *points, *(self._legend(seat, marks) if form.has_legend else [])]

    def _legend(self, seat: Json | None, marks: Collection[str]) -> list[str]:
        """The signs in this picture, and in the names of the dominoes on offer and to weave, and what each means."""
        say, carpets = self.translations.gettext, [each["carpet"] for each in ([seat] if seat else self.view["seats"])]
        cells = [cell for carpet in carpets for cell in carpet.values()]
        named = [*self.view["offer"], *((*seat["owes"]["weave"], *seat["perfect"]) if seat else ())]
        letters = {_LETTERS[cell["shows"]] for cell in cells} | {letter for name in named for letter in name}
        signs = [
            f"{_LETTERS[shows]} = {say(name)}" for shows, name in SHOWS_NAMES.items() if _LETTERS[shows] in letters
        ]
        if any(cell["scrap"] for cell in cells):
            signs.append(say("%(sign)s = scrap") % {"sign": "( )"})
        if marks:
            signs.append(say("%(sign)s = free for your domino") % {"sign": _FREE})
        return [say("Legend: %(signs)s.") % {"signs": list_items(signs)}] if signs else []


def _widest(*texts: Sequence[str]) -> int:
    return max((cell_len(line) for text in texts for line in text), default=0)


def _wrap(paragraphs: Iterable[str], width: int) -> list[str]:
    """The paragraphs in lines of at most so many columns, in which wide characters have two."""
    return [line for paragraph in paragraphs for line in _wrap_one(paragraph, width)]


def _wrap_one(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        line = f"{lines[-1]} {word}".strip()
        if cell_len(line) <= width:
            lines[-1] = line
        else:
            lines.append(word)
    return [line.replace(KEEP, " ") for line in lines]


def _join_columns(blocks: Sequence[_Block]) -> list[str]:
    """The lines of blocks side by side; every line of a block but the last one's has its full width."""
    rows = zip_longest(*(block.lines for block in blocks), fillvalue=None)
    return [
        (" " * _GAP).join(
            line if line is not None else " " * block.width for line, block in zip(row, blocks, strict=True)
        )
        for row in rows
    ]


# The carpet


def _draw_carpet(
    carpet: Json, crop: Crop, look: _Look, marks: Collection[str], *, ansi: bool, has_names: bool = True
) -> _Block:
    """Write a part of a loom; squares in `marks` are marked."""
    loom = _Loom(carpet, crop, look, 3 if has_names else 0, 1 if has_names else 0)
    canvas = Canvas(loom.width, loom.height, ansi)
    if has_names:
        _write_names(canvas, loom)
    if look.walls:
        _draw_walls(canvas, loom, _UNICODE if ansi else _ASCII)
    free = "." if has_names else " "
    for square in crop.squares:
        line, column = loom.line(square), loom.column(square)
        if square in carpet:
            canvas.write(line, column, _write_half(loom, square), _STYLES[carpet[square]["shows"]])
        else:
            sign = _FREE if square in marks else free
            canvas.write(line, column + look.cell // 2, sign, _BOLD if square in marks else _DIM)
    lines = canvas.lines()
    if not look.walls:
        return _Block(loom.width, lines)
    # Nothing is seen of the walls at the edge of an empty margin.
    first, last = (not lines[at].strip() for at in (loom.top, -1))
    return _Block(loom.width, [*lines[: loom.top], *lines[loom.top + first : len(lines) - last]])


class _Loom(NamedTuple):
    """A carpet, the part of its loom that is shown, and where each square is written."""

    carpet: Json
    crop: Crop
    look: _Look
    left: int
    top: int

    @property
    def step(self) -> int:
        return self.look.cell + self.look.walls

    @property
    def width(self) -> int:
        return self.left + self.step * self.crop.columns + self.look.walls

    @property
    def height(self) -> int:
        return self.top + (1 + self.look.walls) * self.crop.rows + self.look.walls

    def line(self, square: str) -> int:
        return self.top + self.look.walls + (1 + self.look.walls) * (cell_of(square)[1] - self.crop.row)

    def column(self, square: str) -> int:
        return self.left + self.look.walls + self.step * (cell_of(square)[0] - self.crop.column)

    def piece(self, column: int, row: int) -> str | None:
        """What covers a square, counted from the corner of the part: a domino's name, or a hole's scrap."""
        column, row = column + self.crop.column, row + self.crop.row
        if not (0 <= column < SIZE and 0 <= row < SIZE):
            return None
        square = f"{COLUMNS[column]}{SIZE - row}"
        cell = self.carpet.get(square)
        return cell and (cell["domino"] or square)

    def style(self, column: int, row: int) -> str:
        """The style of what shows on a square, counted from the corner of the part."""
        square = f"{COLUMNS[column + self.crop.column]}{SIZE - row - self.crop.row}"
        return _STYLES[self.carpet[square]["shows"]]


def _write_names(canvas: Canvas, loom: _Loom) -> None:
    crop = loom.crop
    for square in crop.squares[: crop.columns]:
        canvas.write(0, loom.column(square) + loom.look.cell // 2, square[0])
    for square in crop.squares[:: crop.columns]:
        canvas.write(loom.line(square), 0, f"{square[1:]:>2}")


def _write_half(loom: _Loom, square: str) -> str:
    """The characters of a covered square; without walls, brackets show the other half's side."""
    cell = loom.carpet[square]
    letter = _LETTERS[cell["shows"]]
    if loom.look is _TINY:
        return letter.lower() if cell["scrap"] else letter
    if cell["scrap"]:
        return f"({letter})"
    if loom.look.walls:
        return f" {letter} "
    column, row = cell_of(square)
    x, y, own = column - loom.crop.column, row - loom.crop.row, cell["domino"]
    for shape, beside in (("[%s ", (1, 0)), (" %s]", (-1, 0)), ("/%s\\", (0, 1)), ("\\%s/", (0, -1))):
        if loom.piece(x + beside[0], y + beside[1]) == own:
            return shape % letter
    return f"[{letter}]"


def _draw_walls(canvas: Canvas, loom: _Loom, glyphs: str) -> None:
    """Draw lines between pieces, and give the space between the halves of a domino the style of the first."""
    crop, cell = loom.crop, loom.look.cell
    for row in range(crop.rows + 1):
        for column in range(crop.columns + 1):
            line, at = loom.top + 2 * row, loom.left + loom.step * column
            north_west, north = loom.piece(column - 1, row - 1), loom.piece(column, row - 1)
            west, here = loom.piece(column - 1, row), loom.piece(column, row)
            up, right, down, left = north_west != north, north != here, west != here, north_west != west
            if joined := up + 2 * right + 4 * down + 8 * left:
                canvas.write(line, at, glyphs[joined], _DIM)
            if right and column < crop.columns:
                canvas.write(line, at + 1, glyphs[10] * cell, _DIM)
            elif here and column < crop.columns:
                canvas.write(line, at + 1, " " * cell, loom.style(column, row - 1))
            if down and row < crop.rows:
                canvas.write(line + 1, at, glyphs[5], _DIM)
            elif here and row < crop.rows:
                canvas.write(line + 1, at, " ", loom.style(column - 1, row))
