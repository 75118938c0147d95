"""The standings of a game of Marrakech: dirhams, visible squares, their total, and the rugs that are left."""

from collections.abc import Sequence
from typing import Final

from service.engine.json_reader import Json
from service.i18n import Gettext
from service.ui.marrakech.palette import DYES
from service.ui.tables import Chip, Column, Row, Standings

_INK: Final = {"red": "#ffffff", "blue": "#ffffff", "yellow": "#3a1a0e", "green": "#0d0603"}
"""The text colour on a label of each colour."""


def build_standings(view: Json, names: Sequence[str], say: Gettext) -> Standings:
    """The standings, seat by seat."""
    columns = (
        Column(say("Dirhams"), say("Dirhams")),
        Column(say("Squares"), say("Squares")),
        Column(say("Total"), say("Total"), decides=True),
        Column(say("Rugs left"), say("Rugs")),
    )
    return Standings(columns, tuple(_row(seat, names[seat["seat"]], say) for seat in view["seats"]))


def _row(seat: Json, name: str, say: Gettext) -> Row:
    cells = (seat["dirhams"], seat["visible"], seat["total"], seat["rugs_left"])
    colours = seat["colours"]
    shows_next = seat["next_rug"] and len(colours) > 1
    note = say("next: %(colour)s") % {"colour": say(seat["next_rug"])} if shows_next else ""
    return Row(seat["seat"], name, tuple(map(str, cells)), colour_chips(colours, say), note, not seat["out"])


def colour_chips(colours: Sequence[str], say: Gettext) -> tuple[Chip, ...]:
    """The colours of a seat as labels."""
    return tuple(Chip(colour, say(colour), DYES[colour].fill, _INK[colour]) for colour in colours)
