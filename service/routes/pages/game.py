"""A game's page: `/g/ID` for everyone, and behind the links in letters `/t/TOKEN` for a turn and `/s/TOKEN` for a seat.

GET never changes anything, because mail scanners open links. Only the forms post.
"""

from typing import Any

from flask import Response

from service.auth.access import Principal, principal_with_token
from service.auth.tokens import SeatLink, TurnLink
from service.errors import Unauthorised
from service.games.views import get_open_game
from service.routes.current import current_context, current_player
from service.routes.pages.responses import create_page_blueprint
from service.routes.pages.session import authenticate_form, form_token
from service.routes.pages.table import TableRequest, open_table, show_table
from service.routes.pages.table_forms import submit_form

pages = create_page_blueprint("game")


@pages.get("/g/<game_id>")
def show_game(game_id: str) -> Response:
    """The game for a spectator or, if the browser's player has a seat in it, for that seat."""
    return show_table(_at_game(game_id, Principal(current_player())))


@pages.post("/g/<game_id>")
def submit_game(game_id: str) -> Any:
    """Do what a form on that page says."""
    return submit_form(_at_game(game_id, Principal(authenticate_form())))


@pages.get("/t/<token>")
def show_turn(token: str) -> Response:
    """The game for the player with a turn link."""
    return show_table(_at_link("t", token, TurnLink))


@pages.post("/t/<token>")
def submit_turn(token: str) -> Any:
    """Do what a form on that page says."""
    return submit_form(_at_link("t", token, TurnLink))


@pages.get("/s/<token>")
def show_seat(token: str) -> Response:
    """The game for the player with the seat's link."""
    return show_table(_at_link("s", token, SeatLink))


@pages.post("/s/<token>")
def submit_seat(token: str) -> Any:
    """Do what a form on that page says."""
    return submit_form(_at_link("s", token, SeatLink))


def _at_game(game_id: str, principal: Principal) -> TableRequest:
    return open_table(get_open_game(current_context(), game_id), principal, f"/g/{game_id}", form_token())


def _at_link(prefix: str, token: str, kind: type[TurnLink | SeatLink]) -> TableRequest:
    ctx = current_context()
    principal = principal_with_token(ctx, token)
    if principal.link is None or not isinstance(principal.link, kind):
        raise Unauthorised("This link doesn't work here. Open the newest e-mail about this game.")
    return open_table(get_open_game(ctx, principal.link.game), principal, f"/{prefix}/{token}")
