"""The standings of a game of Kilim: the points of each carpet, as if the game ended now, and its squares."""

from collections.abc import Sequence
from typing import Final

from service.engine.json_reader import Json
from service.i18n import Gettext, marked
from service.ui.kilim.palette import SEAT_COLOURS
from service.ui.tables import Chip, Column, Row, Standings

TITLES: Final = {
    "rectangle": (marked("Rectangle"), marked("Rect.")),
    "motifs": (marked("Motifs"), marked("Motifs")),
    "groups": (marked("Groups"), marked("Groups")),
    "largest": (marked("Largest groups"), marked("Largest")),
    "torn": (marked("Torn"), marked("Torn")),
    "total": (marked("Total"), marked("Total")),
    "squares": (marked("Squares"), marked("Squares")),
}
"""The fields of a seat's points: their titles, and short ones for plain text."""


def build_standings(view: Json, names: Sequence[str], say: Gettext) -> Standings:
    """The standings, seat by seat."""
    columns = tuple(
        Column(say(title), say(short), decides=field == "total") for field, (title, short) in TITLES.items()
    )
    return Standings(columns, tuple(_row(seat, names[seat["seat"]], say) for seat in view["seats"]))


def _row(seat: Json, name: str, say: Gettext) -> Row:
    cells = tuple(str(seat["points"][field]) for field in TITLES)
    return Row(seat["seat"], name, cells, colour_chips(seat["colours"], say), active=not seat["out"])


def colour_chips(colours: Sequence[str], say: Gettext) -> tuple[Chip, ...]:
    """The colour of a seat as a label."""
    return tuple(Chip(colour, say(colour), *SEAT_COLOURS[colour]) for colour in colours)
