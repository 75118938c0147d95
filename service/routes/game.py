"""`/g/ID`: the table for who looks on and, where the browser's player sits there, his own seat."""

from typing import Any

from flask import Blueprint, Response

from service.callers import Caller
from service.office import Office
from service.routes.sealing import sealed_pages
from service.routes.sessions import check_form, form_token, visitor
from service.routes.table_deeds import do_and_show
from service.routes.table_page import Visit, show, visit_to
from service.shown import game_to_show


def game_pages(office: Office) -> Blueprint:
    """The page, and its forms for who sits there."""
    pages = sealed_pages("game")

    @pages.get("/g/<game_id>")
    def game(game_id: str) -> Response:
        return show(office, _visit(game_id, Caller(visitor(office))))

    @pages.post("/g/<game_id>")
    def play_game(game_id: str) -> Any:
        return do_and_show(office, _visit(game_id, Caller(check_form(office))))

    def _visit(game_id: str, caller: Caller) -> Visit:
        return visit_to(office, game_to_show(office, game_id), caller, f"/g/{game_id}", form_token(office))

    return pages
