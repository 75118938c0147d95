"""`/rules`: the rules in our own words, with figures that the game's own renderer draws."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from flask import Blueprint, Response, render_template

from service.context import AppContext
from service.engine.json_reader import Json
from service.errors import NotFound
from service.i18n import translations_for
from service.routes.pages.page_language import FOR_A_DAY, language_named
from service.routes.pages.security_headers import sealed_pages
from service.ui.marrakech.board_svg import board_svg
from service.ui.marrakech.pictures import middle_game

LAID: Final = (
    ("red", 0, ("c4", "d4")),
    ("red", 0, ("d3", "e3")),
    ("blue", 1, ("b5", "b4")),
    ("yellow", 2, ("e5", "f5")),
    ("red", 0, ("e4", "f4")),
    ("green", 3, ("f3", "g3")),
    ("red", 0, ("a2", "a1")),
)
"""A market on which six red squares hang together and two lie apart."""
PLACES: Final = (("d6", "d7"), ("d6", "e6"), ("c6", "d6"), ("e5", "f5"), ("e5", "e4"), ("c5", "b5"), ("d4", "e4"))
"""Some of the places for a rug when Assam stands on d5."""


def rules_pages(ctx: AppContext) -> Blueprint:
    """The page and its figures."""
    pages = sealed_pages("rules")

    @pages.get("/rules")
    def rules() -> str:
        return render_template("rules.html")

    @pages.get("/rules/<figure>.svg")
    def figure(figure: str) -> Response:
        if figure not in FIGURES:
            raise NotFound
        return Response(_drawn(figure, language_named()), mimetype="image/svg+xml", headers=FOR_A_DAY)

    return pages


@lru_cache(maxsize=32)
def _drawn(figure: str, language: str) -> str:
    view, places = FIGURES[figure]
    say = translations_for(language).gettext
    return board_svg(_market() | view | {"name": say("A game of Marrakech")}, places, say)


@lru_cache(maxsize=1)
def _market() -> Json:
    return middle_game()


def _position(at: str, facing: str, *laid: tuple[str, int, tuple[str, str]], path: tuple[str, ...] = ()) -> Json:
    board = {
        square: {"rug": number, "colour": colour, "seat": seat, "neutral": False}
        for number, (colour, seat, squares) in enumerate(laid, 1)
        for square in squares
    }
    roll = {"die": len(path), "roll": 0, "path": list(path)} if path else None
    return {"assam": {"at": at, "facing": facing}, "board": board, "last_roll": roll}


FIGURES: Final[dict[str, tuple[Json, Sequence[Sequence[str]]]]] = {
    "market": ({}, ()),
    "square": (_position("d4", "north"), ()),
    "track": (_position("f5", "west", path=("g6", "g5", "f5")), ()),
    "payment": (_position("e4", "east", *LAID, path=("c4", "d4", "e4")), ()),
    "places": (_position("d5", "north", *LAID[:2], path=("d4", "d5")), PLACES),
    "variant": (_position("d6", "west", ("blue", 1, ("d7", "e7")), path=()), ()),
}
"""Each figure by the name in its address: what is otherwise than in the middle of a game, and numbered places."""
