"""`/manifest.webmanifest`: what the site is called and looks like where somebody installs it."""

import json
from typing import Final

from flask import Blueprint, Response, url_for

from service.i18n import locale_for, translations_for
from service.routes.pages.page_language import FOR_A_DAY, language_named
from service.routes.pages.security_headers import sealed_pages

_ICONS: Final = (
    ("icon.svg", "any", "image/svg+xml", "any"),
    ("icon-192.png", "192x192", "image/png", "any"),
    ("icon-512.png", "512x512", "image/png", "any maskable"),
)


def manifest_pages() -> Blueprint:
    """The manifest, in the language that its address names: browsers fetch it without saying who asks."""
    pages = sealed_pages("manifest")

    @pages.get("/manifest.webmanifest")
    def manifest() -> Response:
        language = language_named()
        say = translations_for(language).gettext
        answer = {
            "lang": language,
            "dir": str(locale_for(language).text_direction),
            "name": say("Marrakech by Mail"),
            "short_name": "Marrakech",
            "description": say("A board game for friends, played by e-mail."),
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
        return Response(json.dumps(answer), mimetype="application/manifest+json", headers=FOR_A_DAY)

    return pages
