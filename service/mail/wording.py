"""How pages and letters put things: names for a sentence, lines that fit a mail program, times and spans."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from gettext import NullTranslations
from typing import Final

from rich.cells import cell_len, chop_cells

from service.games.stored import StoredGame, StoredSeat
from service.text import display_seat_name, display_table_name
from service.ui.marrakech.alt_text import Say
from service.ui.marrakech.names import clean, fitted

WIDTH: Final = 72
LONGEST_SUBJECT: Final = 120
_NAME: Final = 32
"""How many columns of a player's name a letter shows: a longer one would push the sentence out of sight."""
_TITLE: Final = 48
_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE


def named(game: StoredGame, translations: NullTranslations) -> StoredGame:
    """The game with a name for its table and for everybody at it, in the language of whoever is going to read them."""
    say = translations.gettext
    title = display_table_name(game.game, game.name, game.seats[0].name, say)
    return game._replace(name=title, seats=tuple(_all_named(game.seats, say)))


def _all_named(seats: Sequence[StoredSeat], say: Say) -> Iterator[StoredSeat]:
    """The seats, each with a name; those that are called alike because nobody has named them are numbered."""
    called: list[str] = []
    for seat in seats:
        name = seat.name if _is_seen(seat.name) else _name(seat, say)
        called.append(name)
        alike = 1 if name == seat.name else called.count(name)
        yield seat._replace(name=name if alike == 1 else f"{name} {alike}")


@lru_cache(maxsize=4096)
def _is_seen(name: str) -> bool:
    return bool(clean(name))


def _name(seat: StoredSeat, say: Say) -> str:
    """A name where there is none; one of which nothing can be seen gives way to the seat."""
    called = "" if seat.name else display_seat_name(seat, say)
    return called or say("Seat %(number)s") % {"number": seat.seat + 1}


def player_names(game: StoredGame) -> list[str]:
    """What pages and letters call those at the table, seat by seat; it is to be `named` before."""
    return [_called(seat.name) for seat in game.seats]


@lru_cache(maxsize=4096)
def _called(name: str) -> str:
    return sanitize(name, _NAME)


def table_name(game: StoredGame) -> str:
    """What pages and letters call the table; it is to be `named` before."""
    return sanitize(game.name, _TITLE) or game.game.capitalize()


def sanitize(text: str, columns: int) -> str:
    """What somebody wrote, on one line of at most so many columns and without links."""
    # A mail program makes a link of what looks like one, and who names himself must not place links in our letters.
    return fitted(clean(clean(text).replace("://", " ")), columns).rstrip()


def subject_line(text: str) -> str:
    """A subject on one line and not too long for a header."""
    line = clean(text)
    return line if len(line) <= LONGEST_SUBJECT else f"{line[: LONGEST_SUBJECT - 1].rstrip()}…"


def wrapped(text: str, bullet: str = "") -> str:
    """The text in lines that fit, measured in columns of a fixed-width font, behind a bullet where one is given."""
    columns = len if text.isascii() else cell_len
    lines: list[str] = []
    room, line, length = WIDTH - len(bullet), bullet, -1
    for word in _words(text, room):
        width = columns(word)
        if length >= 0 and length + 1 + width > room:
            lines.append(line)
            line, length = " " * len(bullet), -1
        line += word if length < 0 else f" {word}"
        length += width + 1
    return "\n".join([*lines, line])


def _words(text: str, room: int) -> Iterator[str]:
    """The words, one that fits on no line in pieces that do."""
    for word in text.split():
        # Nothing that is short in characters is too wide in columns, and measuring takes a while.
        yield from chop_cells(word, room) if 2 * len(word) > room and cell_len(word) > room else [word]


def listed(names: Sequence[str], translations: NullTranslations) -> str:
    """Names as a sentence has them: Ann, Bo and Cleo."""
    if len(names) < 2:
        return "".join(names)
    return translations.gettext("%(some)s and %(last)s") % {"some": ", ".join(names[:-1]), "last": names[-1]}


def span(seconds: float, translations: NullTranslations) -> str:
    """A length of time as people say it: in days, in hours or, where it is short, in minutes."""
    several = translations.ngettext
    if seconds < 1.5 * _HOUR and round(seconds) != _HOUR:
        minutes = max(1, round(seconds / _MINUTE))
        return several("%(minutes)s minute", "%(minutes)s minutes", minutes) % {"minutes": minutes}
    hours = round(seconds / _HOUR)
    days, rest = divmod(hours, 24)
    in_hours = several("%(hours)s hour", "%(hours)s hours", rest if days > 1 else hours)
    if days < 2 and rest:
        return in_hours % {"hours": hours}
    in_days = several("%(days)s day", "%(days)s days", days) % {"days": days}
    return listed([in_days, in_hours % {"hours": rest}], translations) if rest else in_days
