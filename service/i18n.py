"""Languages: the translations that a reader's texts go through, and how their language writes dates."""

import gettext
import re
from functools import lru_cache
from gettext import NullTranslations
from pathlib import Path
from typing import Final

from babel import Locale, UnknownLocaleError

from service import paths

ENGLISH: Final = "en"
_TAG: Final = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})?")
_DOMAIN: Final = "messages"
_AS_WRITTEN: Final = NullTranslations()
_DATES: Final = {ENGLISH: "en_GB"}
"""Our English is British, and so are its dates."""


def marked(text: str) -> str:
    """Mark a text for translation that is looked up later than it is written down."""
    return text


def translations_for(language: str) -> NullTranslations:
    """The translations into a language; English, as the texts are written, where there are none."""
    return _found(language, paths.locales())[1]


def spoken(language: str) -> str:
    """The language that `translations_for` this one really gives, for a reader's `lang` attribute."""
    return _found(language, paths.locales())[0]


def locale_for(language: str) -> Locale:
    """How dates and times are written in the language that texts come out in."""
    return _locale(spoken(language))


@lru_cache(maxsize=64)
def _found(language: str, folder: Path) -> tuple[str, NullTranslations]:
    """The nearest language that has a catalogue: Canadian French comes before French, and French before English."""
    if not _TAG.fullmatch(language):  # it becomes part of a path
        return ENGLISH, _AS_WRITTEN
    tag = language.replace("-", "_")
    for name in dict.fromkeys([tag, tag.partition("_")[0]]):
        if (folder / name / "LC_MESSAGES" / f"{_DOMAIN}.mo").is_file():
            return name.replace("_", "-"), gettext.translation(_DOMAIN, folder, [name])
    return ENGLISH, _AS_WRITTEN


@lru_cache(maxsize=64)
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(_DATES.get(language, language).replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return Locale.parse(_DATES[ENGLISH])
