"""In which language a page speaks: the one of whoever reads it, from the moment the route says who that is."""

from gettext import NullTranslations
from typing import Any

from flask import Flask, g

from service.mail.readers import Reader


def speak_to(reader: Reader) -> None:
    """Let the rest of this request speak to this reader."""
    g.reader = reader


def reader_here() -> Reader:
    """Whom this request speaks to; nobody in particular where nobody has said."""
    reader: Reader = g.get("reader") or Reader()
    return reader


def install_speech(app: Flask) -> None:
    """Send the texts of all templates through the translations of whoever reads the page."""

    def translations() -> NullTranslations:
        return reader_here().translations

    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda text: translations().gettext(text),
        lambda one, several, number: translations().ngettext(one, several, number),
        newstyle=True,
    )

    @app.context_processor
    def reading() -> dict[str, Any]:
        return {"reader": reader_here()}
