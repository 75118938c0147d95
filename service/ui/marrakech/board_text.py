"""The market square in plain characters, for letters and terminals: never wider than 72 columns."""

from collections.abc import Mapping, Sequence
from typing import Final

from service.engine.json_reader import Json
from service.engine.marrakech.board import FILES, RANKS, STRIDE, Square, read_square
from service.engine.marrakech.state import COLOURS
from service.i18n import Gettext
from service.ui.marrakech.rugs import Rug, visible_rugs
from service.ui.marrakech.standings import standings

_ARROWS: Final = {"north": "^", "east": ">", "south": "v", "west": "<"}
_LEFT: Final = 5
"""How many columns stand to the left of the board's west wall."""
_CELL: Final = 8
"""How many columns a square takes, its west wall included."""
_WALL: Final = "+-------" * len(FILES) + "+"
_ROOM: Final = "|       " * len(FILES) + "|"

# The tracks: each bracket joins the two squares between which Assam goes, on the east side one rank later.
_NORTH: Final = (
    "         .-------.       .-------.       .-------.       .--------.",
    "         a       b       c       d       e       f       g        |",
)
_SOUTH: Final = (
    "|        a       b       c       d       e       f       g",
    "'--------'       '-------'       '-------'       '-------'",
)
_WEST: Final = (".- ", "|  ", "'- ", "   ")
_EAST: Final = (" -.", "  |", " -'", "")


def board_text(view: Json, places: Sequence[Sequence[str]] | None = None, say: Gettext = str) -> str:
    """The board of a view with the standings below it, and on it the numbers `#1`, `#2`, … of these places."""
    board = _framed(_square(view, places or (), _letters(say)))
    lines = [*_NORTH, *board, *_SOUTH, "", *_captions(view, say), "", *standings(view, say)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _letters(say: Gettext) -> dict[str, str]:
    """The letter of each colour: with which it begins in the reader's language, where that tells all of them apart."""
    letters: dict[str, str] = {colour: say(colour)[0].lower() for colour in COLOURS}
    told_apart = len(set(letters.values())) == len(letters) and all(letter.isalpha() for letter in letters.values())
    return letters if told_apart else {colour: colour[0] for colour in COLOURS}


def _square(view: Json, places: Sequence[Sequence[str]], letters: Mapping[str, str]) -> list[str]:
    """The walls and rooms of the board, rank 7 first, with all that lies and stands in them."""
    canvas = [list(_ROOM if line % 2 else _WALL) for line in range(2 * len(RANKS) + 1)]
    for rug in visible_rugs(view["board"]):
        if rug.shape == "whole":
            _open_wall(canvas, rug)
    for name, top in view["board"].items():
        letter = letters[top["colour"]] if top["neutral"] else letters[top["colour"]].upper()
        _write(canvas, read_square(name), f"{letter}{top['rug']}")
    at = view["assam"]["at"]
    _write(canvas, read_square(at), _ARROWS[view["assam"]["facing"]], -1 if at in view["board"] else 1)
    for number, place in enumerate(places, 1):
        _number(canvas, number, place)
    return ["".join(line) for line in canvas]


def _cell(square: Square) -> tuple[int, int]:
    """The line and the column in which what stands on a square begins."""
    return 2 * (len(RANKS) - square // STRIDE) - 1, _CELL * (square % STRIDE) + 3


def _write(canvas: list[list[str]], square: Square, text: str, shift: int = 0) -> None:
    line, column = _cell(square)
    canvas[line][column + shift : column + shift + len(text)] = text


def _open_wall(canvas: list[list[str]], rug: Rug) -> None:
    """A rug both halves of which show goes through the wall between its squares."""
    line, column = _cell(rug.at)
    if rug.along == "east":
        canvas[line][column + 5] = " "
    else:
        canvas[line - 1][column - 2 : column + 5] = " " * 7


def _number(canvas: list[list[str]], number: int, place: Sequence[str]) -> None:
    """The number of a place stands on the wall between its two squares."""
    (line, column), (other_line, _) = sorted(_cell(read_square(name)) for name in place)
    text = f"#{number}"
    start = column + 4 if line == other_line else column
    canvas[(line + other_line) // 2][start : start + len(text)] = text


def _framed(square: list[str]) -> list[str]:
    """The board between its rank numbers and the tracks to the west and to the east."""
    return [_frame(place, line) for place, line in enumerate(square)]


def _frame(place: int, line: str) -> str:
    rank = RANKS[-1 - place // 2] if place % 2 else " "
    west, east = _WEST[(place - 1) % 4], _EAST[(place - 3) % 4]
    if place == 0:
        return f"     {line}    |"
    return f"{west}{rank} {line} {rank}{east}"


def _captions(view: Json, say: Gettext) -> list[str]:
    assam, roll = view["assam"], view["last_roll"]
    words = {"arrow": _ARROWS[assam["facing"]], "at": assam["at"], "facing": say(assam["facing"])}
    lines = [say("Assam (%(arrow)s) stands on %(at)s and faces %(facing)s.") % words]
    if roll and roll["path"]:
        lines.append(say("Last roll: %(die)s, by way of %(path)s.") % {**roll, "path": " ".join(roll["path"])})
    if any(top["neutral"] for top in view["board"].values()):
        lines.append(say("Rugs in small letters are neutral: they cost nothing."))
    return lines
