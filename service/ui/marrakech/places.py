"""The places where a rug may be laid: a number on each and, where a page wants it, the rug itself under the pointer."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from service.engine.json_reader import Json
from service.engine.marrakech.board import read_square
from service.ui.marrakech.alt_text import Say
from service.ui.marrakech.geometry import SIDE, Point, middle
from service.ui.marrakech.lettering import PEN, written
from service.ui.marrakech.palette import CREAM
from service.ui.marrakech.rugs import Rug, placed

_HALF: Final = SIDE // 2


class Place(NamedTuple):
    """Two squares side by side and the number under which they are offered."""

    number: int
    squares: tuple[str, str]

    @property
    def name(self) -> str:
        """How a player writes the place: d5-e5."""
        return "-".join(self.squares)

    @property
    def between(self) -> Point:
        """The middle of the edge between the two."""
        one, other = (middle(read_square(name)) for name in self.squares)
        return Point((one.x + other.x) // 2, (one.y + other.y) // 2)

    @property
    def level(self) -> bool:
        """Whether the squares lie in one rank."""
        return self.squares[0][1] == self.squares[1][1]


def numbered(places: Sequence[Sequence[str]]) -> list[Place]:
    """The places under their numbers 1, 2, 3, …"""
    return [Place(number, (place[0], place[1])) for number, place in enumerate(places, 1)]


def next_colour(view: Json) -> str | None:
    """The colour of the rug that is to be laid."""
    colours = [view["seats"][seat]["next_rug"] for seat in view["to_act"]]
    return colours[0] if colours else None


def rug_on(place: Place, colour: str) -> Rug:
    """The rug as it would lie there."""
    return placed(colour, [read_square(name) for name in place.squares])


def drawn_places(places: Sequence[Place], colour: str | None, link: str | None, say: Say) -> str:
    """A group for each place: where to point, the rug that would lie there, not seen at first, and the number."""
    return "".join(_drawn(place, colour, link, say) for place in places)


def _drawn(place: Place, colour: str | None, link: str | None, say: Say) -> str:
    hooks = f'class="place" data-place="{place.name}" data-number="{place.number}"'
    inside = f"{_pointed(place)}{_ghost(place, colour)}{drawn_number(place)}"
    if link is None:
        return f"<g {hooks}>{inside}</g>"
    label = say("Place %(number)s: %(place)s") % {"number": place.number, "place": place.name}
    return f"<a {hooks} href={quoteattr(link + quote(place.name))} aria-label={quoteattr(label)}>{inside}</a>"


def _pointed(place: Place) -> str:
    """The part of the board that is nearer to the edge between the two squares than to any other such edge."""
    x, y = place.between
    return f'<path class="reach" d="M{x - _HALF} {y}l20-20 20 20-20 20z" fill-opacity="0"/>'


def _ghost(place: Place, colour: str | None) -> str:
    if colour is None:
        return ""
    rug = rug_on(place, colour)
    return f'<use class="ghost" href="#{rug.kind}-whole" transform="{rug.move}" opacity="0" pointer-events="none"/>'


def drawn_number(place: Place) -> str:
    """A badge that lies the way the rug would lie, over the edge between its two squares."""
    x, y = place.between
    width, height = (24, 17) if place.level else (17, 24)
    return (
        f'<g class="badge" {PEN}><rect x="{x - width / 2:g}" y="{y - height / 2:g}" width="{width}" height="{height}"'
        f' rx="8.5" fill="{CREAM}" stroke-width="1.5"/>{written(str(place.number), x, y, 9)}</g>'
    )
