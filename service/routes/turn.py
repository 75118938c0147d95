"""The pages behind the links in letters: a turn, and a seat.

GET never changes anything, whoever opens the link and however often: mail scanners do. Only the forms post.
"""

from typing import Any

from flask import Blueprint, Response

from service.callers import caller_with
from service.errors import Unauthorised
from service.links import SeatLink, TurnLink
from service.office import Office
from service.routes.sealing import sealed_pages
from service.routes.table_deeds import do_and_show
from service.routes.table_page import Visit, show, visit_to
from service.shown import game_to_show


def turn_pages(office: Office) -> Blueprint:
    """`/t/TOKEN` and `/s/TOKEN`."""
    pages = sealed_pages("turn")

    @pages.get("/t/<token>")
    def turn(token: str) -> Response:
        return show(office, _visit(office, "t", token, TurnLink))

    @pages.post("/t/<token>")
    def play_turn(token: str) -> Any:
        return do_and_show(office, _visit(office, "t", token, TurnLink))

    @pages.get("/s/<token>")
    def seat(token: str) -> Response:
        return show(office, _visit(office, "s", token, SeatLink))

    @pages.post("/s/<token>")
    def play_seat(token: str) -> Any:
        return do_and_show(office, _visit(office, "s", token, SeatLink))

    return pages


def _visit(office: Office, door: str, token: str, kind: type[TurnLink | SeatLink]) -> Visit:
    """Whoever holds the link, at the table it belongs to."""
    caller = caller_with(office, token)
    if caller.link is None or not isinstance(caller.link, kind):
        raise Unauthorised("This link is not one of this kind; open the newest letter of the game.")
    return visit_to(office, game_to_show(office, caller.link.game), caller, f"/{door}/{token}")
