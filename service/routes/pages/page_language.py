"""Which language a page is in: its reader's own where the reader is known, else the best that the browser asks for."""

from functools import lru_cache
from gettext import NullTranslations
from pathlib import Path
from typing import Final

from babel import Locale
from flask import Flask, g, has_request_context, request

from service import paths
from service.context import AppContext
from service.db.models import Player
from service.i18n import ENGLISH, Reader, spoken
from service.routes.pages.problems import in_words
from service.routes.pages.sessions import form_token, visitor

_UTC: Final = "UTC"
FOR_A_DAY: Final = {"Cache-Control": "public, max-age=86400"}
"""For what browsers and proxies may keep: it must not depend on who asks, so its address names a language."""


def speak(app: Flask, ctx: AppContext) -> None:
    """Have every page of the application speak its reader's language, and know who the reader is."""
    environment = app.jinja_env
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        lambda text: _translations(ctx).gettext(text),
        lambda one, many, number: _translations(ctx).ngettext(one, many, number),
        newstyle=True,
    )

    # Not `_`, which takes what it says for markup: a refusal may quote what somebody wrote.
    environment.filters["said"] = lambda problem: in_words(problem, _translations(ctx))

    @app.context_processor
    def known_everywhere() -> dict[str, object]:
        reader, player = reader_here(ctx), visitor(ctx)
        return {
            "lang": reader.language,
            "dir": reader.direction,
            "visitor": player,
            "form": form_token(ctx),
            "is_host": is_host(ctx, player),
        }


def is_host(ctx: AppContext, player: Player | None) -> bool:
    """Whether this is one of those who run the server."""
    return player is not None and player.email in ctx.settings.hosts


def speak_to(player: Player | None) -> None:
    """Have this request's page speak to the holder of a link, who need not be signed in."""
    if player is not None:
        g.reader = Reader(spoken(player.language), str(player.time_zone))


def reader_here(ctx: AppContext) -> Reader:
    """Whoever reads the page that is being made."""
    if not has_request_context():
        return Reader()
    reader: Reader | None = g.get("reader")
    if reader is None:
        speak_to(visitor(ctx))
        reader = g.reader = g.get("reader") or Reader(asked_for(), _UTC)
    return reader


def language_named() -> str:
    """The language that the address names by `?lang=`, or the nearest that there is."""
    return spoken(request.args.get("lang", ENGLISH))


def _translations(ctx: AppContext) -> NullTranslations:
    return reader_here(ctx).translations


def asked_for() -> str:
    """The best of our languages for this browser."""
    for wanted, quality in request.accept_languages:
        if quality > 0 and (wanted == "*" or wanted.partition("-")[0].lower() in languages()):
            return ENGLISH if wanted == "*" else spoken(_tag(wanted))
    return ENGLISH


def _tag(wanted: str) -> str:
    """A browser may write fr-CA in any case."""
    language, dash, region = wanted.replace("_", "-").partition("-")
    return f"{language.lower()}{dash}{region.upper()}"


def languages() -> dict[str, str]:
    """The languages that there are, each by the name that its own speakers give it."""
    return _languages(paths.locales())


@lru_cache(maxsize=8)
def _languages(folder: Path) -> dict[str, str]:
    found = {path.parents[1].name for path in folder.glob("*/LC_MESSAGES/messages.mo")} | {ENGLISH}
    names = {tag.replace("_", "-"): str(Locale.parse(tag).get_display_name(tag)) for tag in found}
    return {tag: names[tag].capitalize() for tag in sorted(names, key=lambda tag: names[tag].lower())}
