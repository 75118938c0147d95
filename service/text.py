"""What tables and players are called that nobody has named: made when it is shown, in the language of whoever reads it.

In the database such a name is empty. Programs and records get the English words.
"""

from typing import Final, Protocol

from service.db.models import LONGEST_NAME
from service.i18n import marked
from service.ui.marrakech.alt_text import Say

FORMER: Final = marked("A former player")
"""Somebody who was deleted at their own wish."""
_HOUSE_PLAYERS: Final = {"greedy": marked("greedy"), "random": marked("random")}


class Seated(Protocol):
    """A seat as far as its name goes."""

    @property
    def player(self) -> int | None: ...
    @property
    def name(self) -> str: ...
    @property
    def bot(self) -> str | None: ...


def display_seat_name(seat: Seated, say: Say = str) -> str:
    """What whoever sits there is called; an open seat has no name."""
    if seat.name:
        return seat.name
    if seat.bot is not None:
        return house_player(seat.bot, say)
    return say(FORMER) if seat.player is not None else ""


def house_player(level: str, say: Say) -> str:
    """What a player of the house is called: after the way it plays."""
    return say(_HOUSE_PLAYERS.get(level, level))


def display_table_name(game: str, name: str, host: str, say: Say = str) -> str:
    """What a table is called: as somebody has named it, or after its host, whose name is empty once he has left."""
    if name:
        return name
    sentence = say("%(game)s with %(host)s") if host else say("%(game)s with a former player")
    return (sentence % {"game": game.capitalize(), "host": host})[:LONGEST_NAME]
