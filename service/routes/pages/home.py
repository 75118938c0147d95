"""The start page, with the games of the player who is signed in, their boards, and the web app manifest."""

import json
from typing import Final

from flask import Response, render_template, request, url_for

from service.auth.access import Principal
from service.games.names import with_display_names
from service.games.views import get_open_game, view_after
from service.i18n import locale_for, translations_for
from service.routes.current import current_context, current_player, current_reader, query_language
from service.routes.pages.guest import list_guest_games
from service.routes.pages.mailbox import mailbox_link
from service.routes.pages.my_games import list_my_games
from service.routes.pages.responses import CACHE_FOR_A_DAY, create_page_blueprint
from service.routes.pictures import picture_key, picture_response

_ICONS: Final = (
    ("icon.svg", "any", "image/svg+xml", "any"),
    ("icon-192.png", "192x192", "image/png", "any"),
    ("icon-512.png", "512x512", "image/png", "any maskable"),
)

pages = create_page_blueprint("pages")


@pages.get("/")
def show_home() -> str:
    """The start page."""
    player = current_player()
    cursor = request.args.get("cursor") or None
    games, older = ([], None) if player is None else list_my_games(current_context(), player, cursor, current_reader())
    return render_template(
        "home.html",
        mailbox=mailbox_link(),
        games=games,
        cursor=older,
        later=cursor is not None,
        trials=list_guest_games(),
    )


@pages.get("/g/<game_id>/board.svg")
def show_board(game_id: str) -> Response:
    """The board as the player who is signed in sees it, small enough for the list: without the numbers of choices."""
    ctx, reader = current_context(), current_reader()
    game = with_display_names(get_open_game(ctx, game_id), reader.translations)
    seat = Principal(current_player()).find_seat_in(game)

    def draw() -> str:
        return game.ui.thumbnail(view_after(ctx, game, None, seat), reader.translations)

    return picture_response(picture_key("thumbnail.svg", game, reader.language, f"seat {seat}"), draw)


@pages.get("/manifest.webmanifest")
def show_manifest() -> Response:
    """The web app manifest, in the language that its URL names: browsers fetch it without cookies."""
    language = query_language()
    say = translations_for(language).gettext
    manifest = {
        "lang": language,
        "dir": str(locale_for(language).text_direction),
        "name": say("Marrakech by Mail"),
        "short_name": "Marrakech",
        "description": say("Board games for friends, played by e-mail."),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#fff6e6",
        "theme_color": "#8f4521",
        "icons": [
            {"src": url_for("static", filename=name), "sizes": sizes, "type": kind, "purpose": purpose}
            for name, sizes, kind, purpose in _ICONS
        ],
    }
    return Response(json.dumps(manifest), mimetype="application/manifest+json", headers=CACHE_FOR_A_DAY)
