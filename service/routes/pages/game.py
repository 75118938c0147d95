"""`/g/ID`: the table for who looks on and, where the browser's player sits there, his own seat."""

from typing import Any

from flask import Blueprint, Response

from service.auth.access import Principal
from service.context import AppContext
from service.games.views import get_open_game
from service.routes.pages.security_headers import sealed_pages
from service.routes.pages.sessions import check_form, form_token, visitor
from service.routes.pages.table import TableRequest, show, visit_to
from service.routes.pages.table_forms import do_and_show


def game_pages(ctx: AppContext) -> Blueprint:
    """The page, and its forms for who sits there."""
    pages = sealed_pages("game")

    @pages.get("/g/<game_id>")
    def game(game_id: str) -> Response:
        return show(ctx, _visit(game_id, Principal(visitor(ctx))))

    @pages.post("/g/<game_id>")
    def play_game(game_id: str) -> Any:
        return do_and_show(ctx, _visit(game_id, Principal(check_form(ctx))))

    def _visit(game_id: str, caller: Principal) -> TableRequest:
        return visit_to(ctx, get_open_game(ctx, game_id), caller, f"/g/{game_id}", form_token(ctx))

    return pages
