"""The paper that letters are written on: one body for each, set once in plain text and once in HTML."""

import re
from functools import lru_cache
from gettext import NullTranslations
from typing import Any, Final, Literal, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service import paths
from service.text import wrap

_GAPS: Final = re.compile(r"\n{3,}")


class RenderedMail(NamedTuple):
    """A letter in both its forms."""

    subject: str
    text: str
    html: str


def render_mail(kind: str, translations: NullTranslations, context: dict[str, Any]) -> RenderedMail:
    """The letter of this kind in the reader's language."""
    plain, rich = _environment(translations, "text"), _environment(translations, "html")
    subject = plain.get_template(f"{kind}.subject.txt").render(context)
    text = _GAPS.sub("\n\n", plain.get_template(f"{kind}.jinja").render(context).strip()) + "\n"
    return RenderedMail(subject, text, rich.get_template(f"{kind}.jinja").render(context))


@lru_cache(maxsize=32)
def _environment(translations: NullTranslations, form: Literal["text", "html"]) -> Environment:
    """Where the bodies find the sheet and the parts of this form."""
    mail = paths.templates() / "mail"
    environment = Environment(
        loader=FileSystemLoader([mail / form, mail]),
        autoescape=form == "html",  # noqa: S701 - plain text would show what was escaped
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # they are read once; looking at fifteen files for every letter takes a while
        extensions=["jinja2.ext.i18n"],
    )
    environment.install_gettext_translations(translations, newstyle=True)  # type: ignore[attr-defined]
    environment.filters["wrap"] = wrap
    return environment
