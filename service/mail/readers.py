"""Whoever reads a letter: the language they want it in, and the clock on their wall."""

from datetime import datetime
from gettext import NullTranslations
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel.dates import format_date, format_skeleton, format_time, get_timezone_gmt, get_timezone_name

from service.context import AppContext
from service.db.models import Player
from service.db.statements import run
from service.i18n import ENGLISH, locale_for, spoken, translations_for

_UTC: Final = "UTC"
_FIND_READER: Final = "select language, time_zone from player where email = ?"


class Reader(NamedTuple):
    """Somebody's language and time zone, as far as this server can follow their wishes."""

    language: str = ENGLISH
    zone: str = _UTC

    @property
    def translations(self) -> NullTranslations:
        """What every text for this reader goes through."""
        return translations_for(self.language)

    @property
    def direction(self) -> str:
        """Which way the reader's language is written: ltr or rtl."""
        return str(locale_for(self.language).text_direction)

    def moment(self, seconds: float) -> str:
        """A time on the reader's clock, the zone named: Tuesday 22 September 2026, 16:13 (British Summer Time)."""
        at, locale = datetime.fromtimestamp(seconds, _zone(self.zone)), locale_for(self.language)
        date, time = format_date(at, "full", locale), format_time(at, "short", locale=locale)
        return f"{date}, {time} ({self._zone_name(at)})"

    def briefly(self, seconds: float) -> str:
        """The same in short, for lists on the reader's own pages: Tue, 22 Sept 2026, 16:13."""
        at, locale = datetime.fromtimestamp(seconds, _zone(self.zone)), locale_for(self.language)
        told = f"{format_skeleton('yMMMEd', at, locale=locale)}, {format_time(at, 'short', locale=locale)}"
        return f"{told} {_UTC}" if str(at.tzinfo) == _UTC else told

    def _zone_name(self, at: datetime) -> str:
        """The zone's own name at that time of the year; where it has none in this language, how far it is off."""
        if str(at.tzinfo) == _UTC:
            return _UTC
        locale = locale_for(self.language)
        off = str(get_timezone_gmt(at, locale=locale))
        name = str(get_timezone_name(at, locale=locale))
        return f"{self.zone}, {off}" if name == off else name


def reader_of(player: Player | None) -> Reader:
    """The reader that a player is; nobody in particular reads English and UTC."""
    return Reader() if player is None else Reader(spoken(player.language), str(player.time_zone))


def reader_with(ctx: AppContext, address: str, language: str = ENGLISH) -> Reader:
    """The reader with this address; who is not known yet reads the language that is given."""
    row = run(ctx.database, _FIND_READER, [address]).fetchone()
    return Reader(spoken(row[0]), row[1]) if row else Reader(spoken(language))


def _zone(name: str) -> ZoneInfo:
    """The zone; one that a newer list of zones no longer has must not keep a letter back."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo(_UTC)
