"""What the current request is about: the application's context, the player whose browser it is, and their language."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from babel import Locale
from flask import Flask, current_app, g, has_request_context, request

from service import paths
from service.auth.access import find_token_player
from service.config_values import is_loopback
from service.context import AppContext
from service.db.models import Player
from service.errors import Unauthorised
from service.i18n import ENGLISH, Reader, spoken

SESSION_COOKIE: Final = "marrakech"
_EXTENSION: Final = "marrakech"
_FORWARDING_HEADERS: Final = frozenset(
    {
        *("Forwarded", "Via", "Client-Ip", "True-Client-Ip", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip"),
        *("X-Original-Host", "X-Original-Url", "X-Rewrite-Url", "X-Proxyuser-Ip", "X-Host", "X-Envoy-External-Address"),
    }
)
_FORWARDING_PREFIXES: Final = ("X-Forwarded", "X-Forward-", "Cf-", "Fly-", "Fastly-", "X-Appengine-", "X-Arr-")
"""Beginnings of the headers that proxies and content delivery networks add; anything they forward came from outside."""


def set_context(app: Flask, ctx: AppContext) -> None:
    """Set the context that the routes of this application use."""
    app.extensions[_EXTENSION] = ctx


def current_context() -> AppContext:
    """The context of the application that handles the current request."""
    ctx: AppContext = current_app.extensions[_EXTENSION]
    return ctx


def current_player() -> Player | None:
    """The player who is signed in to this browser; None without a session, or with one that is no longer valid."""
    if "player" not in g:
        g.player = _read_session(current_context())
    player: Player | None = g.player
    return player


def _read_session(ctx: AppContext) -> Player | None:
    try:
        return find_token_player(ctx, ctx.tokens.read_session(request.cookies.get(SESSION_COOKIE, ""), ctx.clock()))
    except Unauthorised:
        return None


def is_local_request() -> bool:
    """Whether the request came directly from this machine, to a loopback name, on a server for this machine only.

    The mailbox page shows everybody's sign-in codes. A foreign site can point a name of its own at 127.0.0.1 and have
    the browser read the page for it, and a proxy's requests also come from 127.0.0.1.
    """
    settings = current_context().settings
    if not settings.is_for_this_machine or not is_loopback(request.remote_addr or ""):
        return False
    # nginx speaks HTTP/1.0 to the server behind it and adds no header unless it is told to; no browser does.
    if request.environ.get("SERVER_PROTOCOL") == "HTTP/1.0" or any(map(_is_forwarding_header, request.headers.keys())):
        return False
    name = request.host.rpartition(":")[0] if _has_port(request.host) else request.host
    return is_loopback(name)


def _is_forwarding_header(name: str) -> bool:
    return name.title() in _FORWARDING_HEADERS or name.title().startswith(_FORWARDING_PREFIXES)


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")


def has_game_open() -> bool:
    """Whether the page's script or `marrakech-cli play` asks; a mail scanner that opens a link sends no such header."""
    return request.headers.get("Game-Open") == "yes"


def set_reader(player: Player | None) -> None:
    """Respond in the language of this player, who may have used a link without signing in."""
    if player is not None:
        g.reader = Reader(spoken(player.language), str(player.time_zone))


def current_reader() -> Reader:
    """The language and time zone of the response: the player's, or else the browser's language and UTC."""
    if not has_request_context():
        return Reader()
    if "reader" not in g:
        g.reader = Reader(browser_language(), "UTC")
        set_reader(current_player())
    reader: Reader = g.reader
    return reader


def browser_language() -> str:
    """The best of our languages for the `Accept-Language` header."""
    for wanted, quality in request.accept_languages:
        if quality > 0 and (wanted == "*" or wanted.partition("-")[0].lower() in languages()):
            return ENGLISH if wanted == "*" else spoken(_normalise(wanted))
    return ENGLISH


def _normalise(tag: str) -> str:
    """The tag in the usual case: a browser may write fr-CA in any."""
    language, dash, region = tag.replace("_", "-").partition("-")
    return f"{language.lower()}{dash}{region.upper()}"


def query_language() -> str:
    """The language that the query names by `?lang=`, or the nearest that there is."""
    return spoken(request.args.get("lang", ENGLISH))


def languages() -> dict[str, str]:
    """All our languages by tag, each with its own name."""
    return _languages(paths.locales())


@lru_cache(maxsize=8)
def _languages(folder: Path) -> dict[str, str]:
    found = {path.parents[1].name for path in folder.glob("*/LC_MESSAGES/messages.mo")} | {ENGLISH}
    names = {tag.replace("_", "-"): str(Locale.parse(tag).get_display_name(tag)) for tag in found}
    return {tag: names[tag].capitalize() for tag in sorted(names, key=lambda tag: names[tag].lower())}
