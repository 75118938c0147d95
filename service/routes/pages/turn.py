"""The pages behind the links in letters: a turn, and a seat.

GET never changes anything, whoever opens the link and however often: mail scanners do. Only the forms post.
"""

from typing import Any

from flask import Blueprint, Response

from service.auth.access import principal_with_token
from service.auth.tokens import SeatLink, TurnLink
from service.context import AppContext
from service.errors import Unauthorised
from service.games.views import get_open_game
from service.routes.pages.security_headers import sealed_pages
from service.routes.pages.table import TableRequest, show, visit_to
from service.routes.pages.table_forms import do_and_show


def turn_pages(ctx: AppContext) -> Blueprint:
    """`/t/TOKEN` and `/s/TOKEN`."""
    pages = sealed_pages("turn")

    @pages.get("/t/<token>")
    def turn(token: str) -> Response:
        return show(ctx, _visit(ctx, "t", token, TurnLink))

    @pages.post("/t/<token>")
    def play_turn(token: str) -> Any:
        return do_and_show(ctx, _visit(ctx, "t", token, TurnLink))

    @pages.get("/s/<token>")
    def seat(token: str) -> Response:
        return show(ctx, _visit(ctx, "s", token, SeatLink))

    @pages.post("/s/<token>")
    def play_seat(token: str) -> Any:
        return do_and_show(ctx, _visit(ctx, "s", token, SeatLink))

    return pages


def _visit(ctx: AppContext, door: str, token: str, kind: type[TurnLink | SeatLink]) -> TableRequest:
    """Whoever holds the link, at the table it belongs to."""
    caller = principal_with_token(ctx, token)
    if caller.link is None or not isinstance(caller.link, kind):
        raise Unauthorised("This link is not one of this kind; open the newest letter of the game.")
    return visit_to(ctx, get_open_game(ctx, caller.link.game), caller, f"/{door}/{token}")
