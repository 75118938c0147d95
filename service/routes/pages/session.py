"""The browser's session: a signed cookie that no script can read, and what protects it against forged forms (CSRF)."""

import hashlib
import hmac
import secrets
import zoneinfo
from typing import Final
from urllib.parse import urlsplit

from flask import g, request
from werkzeug.wrappers import Response

from service.auth.login import CODE_SECONDS
from service.auth.tokens import SESSION_SECONDS, BadLink
from service.db.models import Player
from service.errors import Forbidden
from service.i18n import marked
from service.routes.current import SESSION_COOKIE, browser_language, current_context, current_player

FORM_FIELD: Final = "form"
LOGIN_COOKIE: Final = "marrakech_login"
_LOGIN_PATH: Final = "/login"
_FOREIGN_FORM: Final = marked(
    "This form is too old or came from another site. Open the page again and press the button there."
)
_SETTINGS: Final = (Player.language, Player.time_zone, Player.mail, Player.quiet, Player.days_off)


def set_session_cookie(response: Response, player: Player) -> None:
    """Sign the player in to this browser."""
    ctx = current_context()
    response.set_cookie(
        SESSION_COOKIE,
        ctx.tokens.session(player.id, player.token_version, ctx.clock()),
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=ctx.settings.base_url.startswith("https://"),
    )


def delete_session_cookie(response: Response) -> None:
    """Sign out of this browser."""
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="Lax")


def login_browser() -> str:
    """The secret of this browser while somebody signs in: its codes can be entered only here."""
    if "login_browser" not in g:
        g.login_browser = request.cookies.get(LOGIN_COOKIE) or secrets.token_urlsafe(16)
    browser: str = g.login_browser
    return browser


def set_login_cookie(response: Response) -> None:
    """Keep that secret for as long as a code is valid."""
    response.set_cookie(
        LOGIN_COOKIE,
        login_browser(),
        max_age=CODE_SECONDS,
        path=_LOGIN_PATH,
        httponly=True,
        samesite="Lax",
        secure=current_context().settings.base_url.startswith("https://"),
    )


def reject_cross_site_post() -> None:
    """Refuse a form that another site submits: it could sign somebody in to an account that isn't theirs."""
    if request.method == "POST" and not _is_from_here():
        raise Forbidden(_FOREIGN_FORM)


def _is_from_here() -> bool:
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = request.headers.get("Origin") or request.headers.get("Referer")
    if origin is None:
        return True  # every browser sends one of these headers with a form, so this is a program
    if origin != "null":
        own = {request.host, urlsplit(current_context().settings.base_url).netloc}
        return origin.partition("://")[2].partition("/")[0] in own
    # Without TLS, browsers send no Sec-Fetch-Site, and our Referrer-Policy makes the origin null. Other sites can do
    # the same, but their forms come without the cookie, which is SameSite. Forms elsewhere contain a token.
    return not request.path.startswith(_LOGIN_PATH) or LOGIN_COOKIE in request.cookies


def form_token() -> str:
    """The token that a form of this session must contain; no other site can know it."""
    return make_form_token(current_context().settings.secret_keys[0], request.cookies.get(SESSION_COOKIE, ""))


def make_form_token(key: str, cookie: str) -> str:
    """The token for the session in this cookie."""
    return hmac.new(key.encode(), f"marrakech/form/{cookie}".encode(), hashlib.sha256).hexdigest()[:32]


def authenticate_form() -> Player:
    """The player who posts this form; refuses forms from other sites."""
    player = current_player()
    if player is None:
        raise BadLink("You're not signed in, or no longer. Sign in and try again.")
    given, cookie = request.form.get(FORM_FIELD, ""), request.cookies.get(SESSION_COOKIE, "")
    tokens = [make_form_token(key, cookie) for key in current_context().settings.secret_keys]
    if not any(hmac.compare_digest(given.encode(), token.encode()) for token in tokens):
        raise Forbidden(_FOREIGN_FORM)
    return player


def adopt_browser_settings(player: Player) -> None:
    """Give a new player the language of the browser, and its time zone if the form contains it."""
    zone = request.form.get("zone", "")
    known = zone in zoneinfo.available_timezones()
    changes = {"language": browser_language(), "time_zone": zone if known else player.time_zone}
    Player.update(**changes).where(Player.id == player.id).execute(current_context().database)


def has_default_settings(player: Player) -> bool:
    """Whether the player has never changed a setting, like everyone who was only invited so far."""
    return all(getattr(player, setting.name) == setting.default for setting in _SETTINGS)
