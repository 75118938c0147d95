"""Trying a game without signing in: against bots, and until the browser is closed."""

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

_COOKIE: Final = "marrakech_guest_"
"""How the cookie of a trial game begins; the name of the game follows."""

pages = create_page_blueprint("guest")


@pages.post("/try")
def submit_trial() -> ResponseReturnValue:
    """Start a game against bots, or continue the one that was started in this browser."""
    name = request.form.get("game", default_game())
    if name not in GAMES:
        raise NotFound
    running = _find_guest_game(name)
    if running and "new" not in request.form:
        return redirect(running, 303)
    ctx, reader = current_context(), current_reader()
    say = reader.translations.gettext
    game = start_guest_game(ctx, name, say("Trial game"), say("Guest"), reader.language, request.remote_addr)
    token = ctx.tokens.seat(game.id, 0, 0)
    response = redirect(f"/s/{token}", 303)
    # Without a lifetime, so that the browser forgets it when it is closed.
    secure = ctx.settings.base_url.startswith("https://")
    response.set_cookie(guest_cookie(name), token, httponly=True, samesite="Lax", secure=secure)
    return response


def guest_cookie(game: str) -> str:
    """The name of the cookie with the link to this browser's trial of a game."""
    return f"{_COOKIE}{game}"


def list_guest_games() -> list[str]:
    """The games of which a trial is running in this browser."""
    return [name for name in GAMES if _find_guest_game(name)]


def _find_guest_game(name: str) -> str:
    """The path of the trial that was started in this browser; empty if none is running."""
    ctx, token = current_context(), request.cookies.get(guest_cookie(name), "")
    if not token:
        return ""
    try:
        link = principal_with_token(ctx, token).link
        return f"/s/{token}" if link and get_open_game(ctx, link.game).status == "playing" else ""
    except Problem:
        return ""
