"""The names of games and players as they are displayed; unnamed ones get a name in the reader's language.

In the database such a name is empty. API clients and records get the English words.
"""

import re
from collections.abc import Iterator, Sequence
from gettext import NullTranslations
from typing import TYPE_CHECKING, Final, Protocol

from service.db.models import LONGEST_NAME
from service.i18n import Gettext, marked
from service.text import clean, sanitize
from service.ui.registry import game_ui

if TYPE_CHECKING:  # `store` needs this module for a game's record
    from service.games.store import StoredGame, StoredSeat

FORMER: Final = marked("A former player")
"""The name of a player who was deleted on request."""
_BOT_NAMES: Final = (
    marked("Idris"),
    marked("Salma"),
    marked("Zahra"),
    marked("Tarik"),
    marked("Noura"),
    marked("Yusuf"),
    marked("Hanan"),
)
"""The names of bots from the second seat on, so that two bots of one level have different names."""
_LEVELS: Final = {
    "easy": marked("Computer (easy)"),
    "medium": marked("Computer (medium)"),
    "strong": marked("Computer (strong)"),
}
"""The levels of bots, where no particular bot is meant."""
_BOTS: Final = {"easy": marked("easy bot"), "medium": marked("medium bot"), "strong": marked("strong bot")}
"""What stands after the name of a bot."""
_NAME_COLUMNS: Final = 32
"""A longer player name would push the rest of a sentence out of sight."""
_TITLE_COLUMNS: Final = 48


class Seated(Protocol):
    """What a seat needs for its name."""

    @property
    def seat(self) -> int: ...
    @property
    def player(self) -> int | None: ...
    @property
    def name(self) -> str: ...
    @property
    def bot(self) -> str | None: ...


def display_seat_name(seat: Seated, gettext: Gettext = str) -> str:
    """The name of the player or bot in the seat; an open seat has none."""
    if seat.name:
        return seat.name
    if seat.bot is not None:
        return gettext(_BOT_NAMES[(seat.seat - 1) % len(_BOT_NAMES)])
    return gettext(FORMER) if seat.player is not None else ""


def display_level(level: str, gettext: Gettext = str) -> str:
    """A level of bots, in words."""
    return gettext(_LEVELS.get(level, level))


def describe_bot(level: str, gettext: Gettext = str) -> str:
    """What stands after the name of a bot of this level."""
    return gettext(_BOTS.get(level, marked("bot")))


def suggest_name(address: str) -> str:
    """The name that an address suggests: Ben Miller for ben.miller@example.org."""
    words = re.split(r"[._+-]+|\d+", address.partition("@")[0])
    return " ".join(word.capitalize() for word in words if word)[:LONGEST_NAME]


def display_table_name(game: str, name: str, host: str, gettext: Gettext = str) -> str:
    """The name of a game: its own, or one made from the host's name, which is empty once they were deleted."""
    if name:
        return name
    sentence = gettext("%(game)s with %(host)s") if host else gettext("%(game)s with a former player")
    return (sentence % {"game": game_ui(game).title, "host": host})[:LONGEST_NAME]


def with_display_names(game: "StoredGame", translations: NullTranslations) -> "StoredGame":
    """The game with a name for itself and for every seat, in the reader's language."""
    gettext = translations.gettext
    title = display_table_name(game.game, game.name, game.seats[0].name, gettext)
    return game._replace(name=title, seats=tuple(_name_seats(game.seats, gettext)))


def _name_seats(seats: Sequence["StoredSeat"], gettext: Gettext) -> Iterator["StoredSeat"]:
    """The seats, each with a name; generated names that are equal are numbered."""
    used: list[str] = []
    for seat in seats:
        name = seat.name if clean(seat.name) else _generated_name(seat, gettext)
        used.append(name)
        count = 1 if name == seat.name else used.count(name)
        yield seat._replace(name=name if count == 1 else f"{name} {count}")


def _generated_name(seat: "StoredSeat", gettext: Gettext) -> str:
    """A name for a seat without one; a name of only invisible characters counts as none."""
    name = "" if seat.name else display_seat_name(seat, gettext)
    return name or gettext("Seat %(number)s") % {"number": seat.seat + 1}


def player_names(game: "StoredGame") -> list[str]:
    """The players' names for a sentence, seat by seat; call `with_display_names` first."""
    return [short_name(seat.name) for seat in game.seats]


def short_name(name: str) -> str:
    """A player's name for a sentence or a table."""
    return sanitize(name, _NAME_COLUMNS)


def table_name(game: "StoredGame") -> str:
    """The game's name for a sentence; call `with_display_names` first."""
    return sanitize(game.name, _TITLE_COLUMNS) or game.ui.title
