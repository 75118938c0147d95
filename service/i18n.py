"""Languages and time zones: translations, and dates and times as a reader expects them."""

import gettext
import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from gettext import NullTranslations
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton, format_time, get_timezone_gmt, get_timezone_name
from babel.numbers import format_decimal, format_percent

from service import paths

Gettext: TypeAlias = Callable[[str], str]
"""A translation's `gettext`; `str` leaves a text in English."""
ENGLISH: Final = "en"
YOU: Final = "you"
"""The context of a text about the reader, where the same English words are used about anyone."""
_UTC: Final = "UTC"
_TAG: Final = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})?")
_DOMAIN: Final = "messages"
_UNTRANSLATED: Final = NullTranslations()
_DATES: Final = {ENGLISH: "en_GB"}
"""Our English is British, and so are its dates."""


def marked(text: str) -> str:
    """Mark a text for translation; it is translated later, where it is shown."""
    return text


def marked_for_you(*forms: str) -> tuple[str, ...]:
    """Mark a text, or its singular and plural, for translation twice: about anyone, and about the reader.

    The second translation has the context `YOU`, because verbs have other forms for it in many languages.
    """
    return forms


def translations_for(language: str) -> NullTranslations:
    """The translations into a language; English if there are none."""
    return _find_catalogue(language, paths.locales())[1]


def spoken(language: str) -> str:
    """The language that `translations_for` returns for this one, for a `lang` attribute."""
    return _find_catalogue(language, paths.locales())[0]


def locale_for(language: str) -> Locale:
    """The locale for dates and times that goes with `translations_for`."""
    return _locale(spoken(language))


@lru_cache(maxsize=64)
def _find_catalogue(language: str, folder: Path) -> tuple[str, NullTranslations]:
    """Find the nearest language with a catalogue: fr-CA, then fr, then English."""
    if not _TAG.fullmatch(language):  # it becomes part of a path
        return ENGLISH, _UNTRANSLATED
    tag = language.replace("-", "_")
    for name in dict.fromkeys([tag, tag.partition("_")[0]]):
        if (folder / name / "LC_MESSAGES" / f"{_DOMAIN}.mo").is_file():
            return name.replace("_", "-"), gettext.translation(_DOMAIN, folder, [name])
    return ENGLISH, _UNTRANSLATED


@lru_cache(maxsize=64)
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(_DATES.get(language, language).replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return Locale.parse(_DATES[ENGLISH])


class Reader(NamedTuple):
    """The language and the time zone of the person who reads a page or a letter."""

    language: str = ENGLISH
    zone: str = _UTC

    @property
    def translations(self) -> NullTranslations:
        """The translations into the reader's language."""
        return translations_for(self.language)

    @property
    def direction(self) -> str:
        """The direction in which the reader's language is written: ltr or rtl."""
        return str(locale_for(self.language).text_direction)

    def format_time(self, seconds: float) -> str:
        """A time with its zone: Tuesday, 22 September 2026, 16:13 (British Summer Time)."""
        at, locale = datetime.fromtimestamp(seconds, _zone(self.zone)), locale_for(self.language)
        date, time = format_date(at, "full", locale), format_time(at, "short", locale=locale)
        return f"{date}, {time} ({self._zone_name(at)})"

    def format_short_time(self, seconds: float) -> str:
        """The same in short, for lists: Tue, 22 Sept 2026, 16:13."""
        at, locale = datetime.fromtimestamp(seconds, _zone(self.zone)), locale_for(self.language)
        short = f"{format_skeleton('yMMMEd', at, locale=locale)}, {format_time(at, 'short', locale=locale)}"
        return f"{short} {_UTC}" if str(at.tzinfo) == _UTC else short

    def format_percent(self, percent: int) -> str:
        """A whole number of percent: 12%."""
        return str(format_percent(percent / 100, locale=locale_for(self.language)))

    def format_change(self, percent: int) -> str:
        """A change by so many percent, with its sign: +12%."""
        sign = "+" if percent > 0 else "−" if percent < 0 else ""  # noqa: RUF001 - a minus sign, not a hyphen
        return f"{sign}{self.format_percent(abs(percent))}"

    def format_day(self, seconds: float) -> str:
        """A day: 22 Sept 2026."""
        at = datetime.fromtimestamp(seconds, _zone(self.zone))
        return str(format_date(at, "medium", locale_for(self.language)))

    def format_number(self, number: float) -> str:
        """A number with one decimal: 27.5."""
        return str(format_decimal(number, "0.0", locale_for(self.language)))

    def _zone_name(self, at: datetime) -> str:
        """The zone's name at that time of the year, or its offset if it has no name in this language."""
        if str(at.tzinfo) == _UTC:
            return _UTC
        locale = locale_for(self.language)
        offset = str(get_timezone_gmt(at, locale=locale))
        name = str(get_timezone_name(at, locale=locale))
        return f"{self.zone}, {offset}" if name == offset else name


def _zone(name: str) -> ZoneInfo:
    """The zone; UTC if a newer time zone database no longer has it, so that a letter is still sent."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo(_UTC)
