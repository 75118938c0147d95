"""Rendering a letter: one template for its body, rendered as plain text and as HTML."""

import re
from functools import lru_cache
from gettext import NullTranslations
from typing import Any, Final, Literal, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service import paths
from service.text import wrap

_GAPS: Final = re.compile(r"\n{3,}")


class RenderedMail(NamedTuple):
    """A letter's subject and its two parts."""

    subject: str
    text: str
    html: str


def render_mail(kind: str, translations: NullTranslations, context: dict[str, Any]) -> RenderedMail:
    """The letter of this kind in the reader's language.

    All letters about a game have the same subject, or some mail programs would not show them as one thread.
    """
    plain, rich = _environment(translations, "text"), _environment(translations, "html")
    subject = plain.get_template(f"{'game' if context['table'] else kind}.subject.txt").render(context)
    text = _GAPS.sub("\n\n", plain.get_template(f"{kind}.jinja").render(context).strip()) + "\n"
    return RenderedMail(subject, text, rich.get_template(f"{kind}.jinja").render(context))


def render_preview(kind: str, translations: NullTranslations, context: dict[str, Any]) -> str:
    """What a letter of this kind says in a sentence or two."""
    return _environment(translations, "text").get_template(f"{kind}.preview.txt").render(context).strip()


@lru_cache(maxsize=32)
def _environment(translations: NullTranslations, form: Literal["text", "html"]) -> Environment:
    """The Jinja environment in which the templates find the layout and the macros of this form."""
    mail = paths.templates() / "mail"
    environment = Environment(
        loader=FileSystemLoader([mail / form, mail]),
        autoescape=form == "html",  # noqa: S701 - plain text would show what was escaped
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
    )
    environment.install_gettext_translations(translations, newstyle=True)  # type: ignore[attr-defined]
    environment.filters["wrap"] = wrap
    return environment
