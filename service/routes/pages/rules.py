"""`/rules`: the rules in our own words, with figures that the game's own code draws."""

from flask import Blueprint, Response, render_template

from service.context import AppContext
from service.engine.registry import default_game
from service.errors import NotFound
from service.i18n import translations_for
from service.routes.pages.page_language import FOR_A_DAY, language_named
from service.routes.pages.security_headers import sealed_pages
from service.ui.registry import game_ui


def rules_pages(ctx: AppContext) -> Blueprint:
    """The page and its figures."""
    pages = sealed_pages("rules")

    @pages.get("/rules")
    def rules() -> str:
        return render_template("rules.html")

    @pages.get("/rules/<figure>.svg")
    def figure(figure: str) -> Response:
        svg = game_ui(default_game()).rules_figure(figure, translations_for(language_named()))
        if svg is None:
            raise NotFound
        return Response(svg, mimetype="image/svg+xml", headers=FOR_A_DAY)

    return pages
