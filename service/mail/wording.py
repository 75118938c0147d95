"""How letters put things: names that can stand in a sentence, lines that fit a mail program, times and spans."""

from collections.abc import Sequence
from datetime import UTC, datetime
from gettext import NullTranslations
from typing import Final

from rich.cells import cell_len

from service.render.names import clean, fitted, seat_name
from service.store import StoredGame

WIDTH: Final = 72
LONGEST_SUBJECT: Final = 120
_NAME: Final = 32
"""How many columns of a player's name a letter shows: a longer one would push the sentence out of sight."""
_TITLE: Final = 48


def marked(text: str) -> str:
    """Mark a text for translation that is looked up later than it is written down."""
    return text


def player_names(game: StoredGame) -> list[str]:
    """What the letters call those at the table, seat by seat."""
    return [_harmless(seat_name({"seat": seat.seat, "name": seat.name}), _NAME) for seat in game.seats]


def table_name(game: StoredGame) -> str:
    """What the letters call the table."""
    return _harmless(clean(game.name), _TITLE) or game.game.capitalize()


def _harmless(name: str, columns: int) -> str:
    # A mail program makes a link of what looks like one, and who names himself must not place links in our letters.
    name = clean(name.replace("://", " "))
    return fitted(name, columns).rstrip()


def subject_line(text: str) -> str:
    """A subject on one line and not too long for a header."""
    line = clean(text)
    return line if len(line) <= LONGEST_SUBJECT else f"{line[: LONGEST_SUBJECT - 1].rstrip()}…"


def wrapped(text: str, bullet: str = "") -> str:
    """The text in lines that fit, measured in columns of a fixed-width font, behind a bullet where one is given."""
    lines = [bullet]
    room = WIDTH - cell_len(bullet)
    for word in text.split():
        start = lines[-1][len(bullet) :]
        if start and cell_len(start) + 1 + cell_len(word) > room:
            lines.append(" " * len(bullet) + word)
        else:
            lines[-1] += f" {word}" if start else word
    return "\n".join(lines)


def listed(names: Sequence[str], translations: NullTranslations) -> str:
    """Names as a sentence has them: Ann, Bo and Cleo."""
    if len(names) < 2:
        return "".join(names)
    return translations.gettext("%(some)s and %(last)s") % {"some": ", ".join(names[:-1]), "last": names[-1]}


def moment(seconds: float) -> str:
    """A time in a letter; in UTC as long as letters do not know the reader's zone."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def span(seconds: float, translations: NullTranslations) -> str:
    """A length of time in whole hours, or in days where it is made of them."""
    hours = max(1, round(seconds / 3600))
    if hours % 24:
        return translations.ngettext("%(hours)s hour", "%(hours)s hours", hours) % {"hours": hours}
    days = hours // 24
    return translations.ngettext("%(days)s day", "%(days)s days", days) % {"days": days}
