"""The figures of the rules page, and the game's picture: positions drawn by the same code as the board of a game."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.engine.marrakech.state import COLOURS
from service.ui.marrakech.board_svg import board_svg

_NAMES: Final = ("Amina", "Basim", "Chadia", "Driss")
_MIDDLE_GAME: Final = (
    "d7-e7 red, a7 blue, d5-d6 red, a2 green, b2 red, d4 yellow, g4 green, f1 red, c1-c2 blue, f4 yellow, b4 green,"
    " c4-c5 red, c6-c7 blue, b6-b7 yellow, a3-b3 green, e5 red, c3-d3 blue, e3-e4 yellow, f2-f3 green"
)
"""The visible squares of the rugs, the oldest rug first."""
_AREA: Final = "c4-d4 red, d3-e3 red, b4-b5 blue, e5-f5 yellow, e4-f4 red, f3-g3 green, a1-a2 red"
"""Six red squares are connected and two lie apart."""
PLACES: Final = (("d6", "d7"), ("d6", "e6"), ("c6", "d6"), ("e5", "f5"), ("e5", "e4"), ("c5", "b5"), ("d4", "e4"))
"""Some of the places for a rug when Assam stands on d5."""


def _position(at: str, facing: str, rugs: str = "", path: str = "") -> Json:
    board = {}
    for number, rug in enumerate(filter(None, rugs.split(", ")), 1):
        squares, colour = rug.split()
        for square in squares.split("-"):
            board[square] = {"rug": number, "colour": colour, "seat": COLOURS.index(colour), "neutral": False}
    walked = path.split()
    return {
        "assam": {"at": at, "facing": facing},
        "board": board,
        "last_roll": {"die": len(walked), "roll": 0, "path": walked} if walked else None,
    }


_MARKET: Final = _position("f1", "west", _MIDDLE_GAME, "f2 g2 g1 f1")
POSITIONS: Final[dict[str, tuple[Json, Sequence[Sequence[str]]]]] = {
    "square": (_position("d4", "north"), ()),
    "track": (_position("f5", "west", path="g6 g5 f5"), ()),
    "payment": (_position("e4", "east", _AREA, "c4 d4 e4"), ()),
    "places": (_position("d5", "north", "c4-d4 red, d3-e3 red", "d4 d5"), PLACES),
    "variant": (_position("d6", "west", "d7-e7 blue"), ()),
}
"""Each figure by its name, with the places that are numbered in it."""


def draw_figure(name: str, translations: NullTranslations) -> str | None:
    """The figure as SVG; None if there is none of this name."""
    if name not in POSITIONS:
        return None
    position, places = POSITIONS[name]
    return board_svg(_with_seats(position, translations), places, translations.gettext)


def draw_picture(translations: NullTranslations) -> str:
    """The picture of the game, from the middle of one."""
    return board_svg(_with_seats(_MARKET, translations), (), translations.gettext)


def _with_seats(position: Json, translations: NullTranslations) -> Json:
    """The position as a view of a game between four players."""
    showing = [top["seat"] for top in position["board"].values()]
    seats = [
        {
            "seat": seat,
            "name": name,
            "colours": [COLOURS[seat]],
            "dirhams": 30,
            "visible": showing.count(seat),
            "next_rug": COLOURS[seat],
            "out": False,
        }
        for seat, name in enumerate(_NAMES)
    ]
    title = translations.gettext("A game of Marrakech")
    return {**position, "name": title, "seats": seats, "to_act": [0], "you": None, "phase": "direction", "result": None}
