"""Which language a page is in: its reader's own, where the reader is known."""

from gettext import NullTranslations

from flask import Flask, g, has_request_context

from service.mail.readers import Reader, reader_of
from service.models import Player
from service.office import Office
from service.routes.sessions import visitor


def speak(app: Flask, office: Office) -> None:
    """Have every page of the application speak its reader's language."""
    environment = app.jinja_env
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        lambda text: _translations(office).gettext(text),
        lambda one, many, number: _translations(office).ngettext(one, many, number),
        newstyle=True,
    )

    @app.context_processor
    def known_everywhere() -> dict[str, object]:
        reader = reader_here(office)
        return {"lang": reader.language, "dir": reader.direction}


def speak_to(player: Player | None) -> None:
    """Have this request's page speak to the holder of a link, who need not be signed in."""
    if player is not None:
        g.reader = reader_of(player)


def reader_here(office: Office) -> Reader:
    """Whoever reads the page that is being made."""
    if not has_request_context():
        return Reader()
    if "reader" not in g:
        g.reader = reader_of(visitor(office))
    reader: Reader = g.reader
    return reader


def _translations(office: Office) -> NullTranslations:
    return reader_here(office).translations
