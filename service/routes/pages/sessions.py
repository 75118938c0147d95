"""Who sits in front of the browser: a signed cookie that no script can read, and a token in every form that counts."""

import hashlib
import hmac
from typing import Final

from flask import Response, g, request

from service.auth.access import player_behind
from service.auth.tokens import SESSION_SECONDS, BadLink
from service.context import AppContext
from service.db.models import Player
from service.errors import Forbidden, Unauthorised

COOKIE: Final = "marrakech"
FORM_FIELD: Final = "form"


def open_session(ctx: AppContext, response: Response, player: Player) -> None:
    """Remember in this browser who it is."""
    response.set_cookie(
        COOKIE,
        ctx.links.session(player.id, player.token_version, ctx.clock()),
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=ctx.settings.base_url.startswith("https://"),
    )


def close_session(response: Response) -> None:
    """Forget it."""
    response.delete_cookie(COOKIE, httponly=True, samesite="Lax")


def visitor(ctx: AppContext) -> Player | None:
    """The player whose browser this is; None for a stranger, also where the cookie is no good any more."""
    if "visitor" not in g:
        g.visitor = _read(ctx)
    known: Player | None = g.visitor
    return known


def _read(ctx: AppContext) -> Player | None:
    try:
        return player_behind(ctx, ctx.links.read_session(request.cookies.get(COOKIE, ""), ctx.clock()))
    except Unauthorised:
        return None


def form_token(ctx: AppContext) -> str:
    """What a form of this browser must bring along; no other site can know it."""
    return _form_token(ctx.settings.secret_keys[0], request.cookies.get(COOKIE, ""))


def _form_token(key: str, cookie: str) -> str:
    return hmac.new(key.encode(), f"marrakech/form/{cookie}".encode(), hashlib.sha256).hexdigest()[:32]


def check_form(ctx: AppContext) -> Player:
    """Who posts this form; refuses one that another site has made up."""
    player = visitor(ctx)
    if player is None:
        raise BadLink("You are not signed in, or not any more; sign in and try again.")
    given, cookie = request.form.get(FORM_FIELD, ""), request.cookies.get(COOKIE, "")
    tokens = [_form_token(key, cookie) for key in ctx.settings.secret_keys]
    if not any(hmac.compare_digest(given.encode(), token.encode()) for token in tokens):
        raise Forbidden("This form is too old or came from elsewhere; open the page again and press the button there.")
    return player
