"""Text for people: sanitized names, lines of a fixed width, lists of names, times and durations."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from gettext import NullTranslations
from itertools import accumulate, takewhile
from typing import Final

from rich.cells import cell_len, chop_cells

WIDTH: Final = 72
"""Columns of a line in a letter's text part."""
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Unicode categories: control and bidi characters, lone surrogates, private use and unassigned code points."""
JOINERS: Final = "\u200c\u200d"
"""They separate or join the letters around them: Persian spelling needs the first, many emoji need the second."""
_LOOSE_JOINERS: Final = re.compile(rf"(?<!\S)[{JOINERS}]+|[{JOINERS}]+(?!\S)")
_BREAK: Final = re.compile(r"[^\S\u00a0\u202f]+")
"""Space at which a line can end: not a no-break space."""
_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE


def clean(text: str) -> str:
    """The text on one line, without invisible characters that change how the rest is shown."""
    visible = (character for character in text if character.isspace() or _is_visible(character))
    return " ".join(_LOOSE_JOINERS.sub("", "".join(visible)).split())


def _is_visible(character: str) -> bool:
    return character in JOINERS or unicodedata.category(character) not in _INVISIBLE


def sanitize(text: str, columns: int) -> str:
    """Text from a user on one line, without links, truncated to a number of columns."""
    # Mail programs turn anything with :// into a link, and a player's name must not place links in our letters.
    return pad_or_truncate(clean(clean(text).replace("://", " ")), columns).rstrip()


def pad_or_truncate(text: str, columns: int) -> str:
    """The text in exactly this many columns of a fixed-width font."""
    if _columns(text) > columns:
        widths = accumulate(map(_width, text))
        kept = sum(1 for _ in takewhile(lambda width: width <= columns - 2, widths))
        text = f"{text[:kept].rstrip()}.."
    return text + " " * (columns - _columns(text))


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def wrap(text: str, bullet: str = "") -> str:
    """The text in lines of at most `WIDTH` columns; after a bullet, the following lines are indented."""
    lines: list[str] = []
    room, line, length = WIDTH - len(bullet), bullet, -1
    for word in _words(text, room):
        width = cell_len(word)
        if length >= 0 and length + 1 + width > room:
            lines.append(line)
            line, length = " " * len(bullet), -1
        line += word if length < 0 else f" {word}"
        length += width + 1
    return "\n".join([*lines, line])


def _words(text: str, room: int) -> Iterator[str]:
    """What a line can end after: words, with the signs that French sets apart; one wider than a line is cut."""
    for word in filter(None, (" ".join(part.split()) for part in _BREAK.split(text))):
        yield from chop_cells(word, room) if cell_len(word) > room else [word]


def join_names(names: Sequence[str], translations: NullTranslations) -> str:
    """Names as a sentence lists them: Ann, Bo and Cleo."""
    if len(names) < 2:
        return "".join(names)
    return translations.gettext("%(some)s and %(last)s") % {"some": ", ".join(names[:-1]), "last": names[-1]}


def format_utc(seconds: float) -> str:
    """A time in the API's format: 2026-11-16T09:30:00Z."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_optional_utc(seconds: float | None) -> str | None:
    """A time in the API's format, or None."""
    return None if seconds is None else format_utc(seconds)


def format_duration(seconds: float, translations: NullTranslations) -> str:
    """A length of time as people say it: in days, in hours or, if it is short, in minutes."""
    ngettext = translations.ngettext
    if seconds < 1.5 * _HOUR and round(seconds) != _HOUR:
        minutes = max(1, round(seconds / _MINUTE))
        return ngettext("%(minutes)s minute", "%(minutes)s minutes", minutes) % {"minutes": minutes}
    hours = round(seconds / _HOUR)
    days, rest = divmod(hours, 24)
    in_hours = ngettext("%(hours)s hour", "%(hours)s hours", rest if days > 1 else hours)
    if days < 2 and rest:
        return in_hours % {"hours": hours}
    in_days = ngettext("%(days)s day", "%(days)s days", days) % {"days": days}
    return join_names([in_days, in_hours % {"hours": rest}], translations) if rest else in_days
