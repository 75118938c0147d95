"""The standings of a game of Kilim: the points of each carpet, as if the game ended now, and its squares."""

from collections.abc import Sequence

from service.engine.json_reader import Json
from service.i18n import Gettext
from service.ui.kilim.palette import SEAT_COLOURS
from service.ui.protocol import Chip, Column, Row, Standings

_FIELDS = ("rectangle", "motifs", "groups", "largest", "torn", "total", "squares")


def build_standings(view: Json, names: Sequence[str], say: Gettext) -> Standings:
    """The standings, seat by seat."""
    columns = (
        Column(say("Rectangle"), say("Rect.")),
        Column(say("Motifs"), say("Motifs")),
        Column(say("Groups"), say("Groups")),
        Column(say("Largest groups"), say("Largest")),
        Column(say("Torn"), say("Torn")),
        Column(say("Total"), say("Total"), decides=True),
        Column(say("Squares"), say("Squares")),
    )
    return Standings(columns, tuple(_row(seat, names[seat["seat"]], say) for seat in view["seats"]))


def _row(seat: Json, name: str, say: Gettext) -> Row:
    cells = tuple(str(seat["points"][field]) for field in _FIELDS)
    return Row(seat["seat"], name, cells, colour_chips(seat["colours"], say), active=not seat["out"])


def colour_chips(colours: Sequence[str], say: Gettext) -> tuple[Chip, ...]:
    """The colour of a seat as a label."""
    return tuple(Chip(colour, say(colour), *SEAT_COLOURS[colour]) for colour in colours)
