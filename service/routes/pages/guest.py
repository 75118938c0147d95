"""Trying the game without signing in: a game against bots, which lasts until the browser is closed."""

from typing import Final

from flask import redirect, request
from flask.typing import ResponseReturnValue

from service.auth.access import principal_with_token
from service.engine.registry import GAMES, default_game
from service.errors import NotFound, Problem
from service.games.guests import start_guest_game
from service.games.views import get_open_game
from service.routes.current import current_context, current_reader
from service.routes.pages.responses import create_page_blueprint

GUEST_COOKIE: Final = "marrakech_guest"

pages = create_page_blueprint("guest")


@pages.post("/try")
def submit_trial() -> ResponseReturnValue:
    """Start a game against bots, or continue the one that was started in this browser."""
    running = find_guest_game()
    if running and "new" not in request.form:
        return redirect(running, 303)
    ctx, reader = current_context(), current_reader()
    say = reader.translations.gettext
    name = request.form.get("game", default_game())
    if name not in GAMES:
        raise NotFound
    game = start_guest_game(ctx, name, say("Trial game"), say("Guest"), reader.language, request.remote_addr)
    token = ctx.tokens.seat(game.id, 0, 0)
    response = redirect(f"/s/{token}", 303)
    # Without a lifetime, so that the browser forgets it when it is closed.
    secure = ctx.settings.base_url.startswith("https://")
    response.set_cookie(GUEST_COOKIE, token, httponly=True, samesite="Lax", secure=secure)
    return response


def find_guest_game() -> str:
    """The path of the game that was started in this browser; empty if none is running."""
    ctx, token = current_context(), request.cookies.get(GUEST_COOKIE, "")
    try:
        link = principal_with_token(ctx, token).link
        return f"/s/{token}" if link and get_open_game(ctx, link.game).status == "playing" else ""
    except Problem:
        return ""
