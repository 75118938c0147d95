"""`/rules/GAME`: the rules of a game in our own words, with figures that the game's own code draws."""

from flask import Response, render_template

from service import paths
from service.engine.registry import GAMES, default_game
from service.errors import NotFound
from service.i18n import translations_for
from service.routes.current import query_language
from service.routes.pages.responses import CACHE_FOR_A_DAY, create_page_blueprint
from service.ui.protocol import GameUi
from service.ui.registry import game_ui

pages = create_page_blueprint("rules")


@pages.get("/rules")
def show_default_rules() -> str:
    """The rules of the first game, with links to those of the others."""
    return show_rules(default_game())


@pages.get("/rules/<game>")
def show_rules(game: str) -> str:
    """The rules of a game, if it has a page for them."""
    if game not in GAMES or not paths.has_rules_page(game_ui(game).templates):
        raise NotFound
    return render_template(f"{game_ui(game).templates}/rules.html", game=game)


@pages.get("/rules/<game>/<figure>.svg")
def show_figure(game: str, figure: str) -> Response:
    """A figure of that page, in the language that its URL names."""
    ui, translations = _find_ui(game), translations_for(query_language())
    svg = ui.picture(translations) if figure == "picture" else ui.rules_figure(figure, translations)
    if not svg:
        raise NotFound
    return Response(svg, mimetype="image/svg+xml", headers=CACHE_FOR_A_DAY)


def _find_ui(game: str) -> GameUi:
    if game not in GAMES:
        raise NotFound
    return game_ui(game)
