"""The market square as one self-contained SVG picture, from a phone's width up to print."""

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

from service.engine.marrakech.board import read_square
from service.engine.reading import Json
from service.render.geometry import ANGLES, BOARD, MARGIN, middle
from service.render.lettering import written
from service.render.palette import (
    AUBERGINE,
    CLAY,
    CREAM,
    DUNE,
    GROUT,
    INK,
    SAFFRON,
    SAND,
    TERRACOTTA,
)
from service.render.rugs import drawn_rugs, rugs_of, woven
from service.render.sentences import in_short, in_words
from service.render.tracks import DOORS_DRAWN, TRACKS_DRAWN, drawn_way, way_of

_SIZE: Final = BOARD + 2 * MARGIN
_STAR: Final = "M12 12H28V28H12zM20 8.7 31.3 20 20 31.3 8.7 20z"
TILES: Final = (
    '<pattern id="market-tiles" width="80" height="80" patternUnits="userSpaceOnUse">'
    f'<path d="M0 0h80v80H0z" fill="{SAND}"/><path d="M40 0h40v40H40zM0 40h40v40H0z" fill="{DUNE}"/>'
    f'<g fill="none" stroke="{GROUT}"><path d="M0 0H80M0 40H80M0 0V80M40 0V80"/><g id="market-stars" stroke-width=".8">'
    f'<path d="{_STAR}"/><path d="{_STAR}" transform="translate(40)"/></g>'
    '<use href="#market-stars" y="40"/></g></pattern>'
)
GROUND: Final = (
    f'<rect x="-{MARGIN}" y="-{MARGIN}" width="{_SIZE}" height="{_SIZE}" rx="14" fill="{TERRACOTTA}"/>'
    f'<rect x="-37" y="-37" width="{_SIZE - 6}" height="{_SIZE - 6}" rx="11" fill="none" stroke="{CLAY}"'
    ' stroke-width="2"/>'
    f'<rect x="-2" y="-2" width="{BOARD + 4}" height="{BOARD + 4}" fill="{INK}"/>'
    f'<rect width="{BOARD}" height="{BOARD}" fill="url(#market-tiles)"/>'
)


def board_svg(view: Json, places: Sequence[Sequence[str]] | None = None) -> str:
    """The board of a view, and on it the numbers 1, 2, 3, … of these places for a rug."""
    rugs = rugs_of(view["board"])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-{MARGIN} -{MARGIN} {_SIZE} {_SIZE}" role="img">'
        f"<title>{escape(in_short(view))}</title><desc>{escape(in_words(view))}</desc>"
        f"<defs>{TILES}{woven(rugs)}</defs>{GROUND}{TRACKS_DRAWN}{drawn_rugs(rugs)}{drawn_way(way_of(view))}"
        f"{DOORS_DRAWN}{drawn_assam(view['assam'])}{_drawn_places(places or ())}</svg>\n"
    )


def drawn_assam(assam: Json) -> str:
    """Assam from above, in his robe and his turban; the robe runs out into an arrow the way he faces."""
    return (
        f'<g class="assam" data-facing="{assam["facing"]}" stroke="{INK}" stroke-linejoin="round"'
        f' transform="translate({middle(read_square(assam["at"]))})rotate({ANGLES[assam["facing"]]})">'
        f'<path d="M20 0 7-13A15 15 0 1 0 7 13z" fill="{AUBERGINE}" stroke="{CREAM}" stroke-width="5"/>'
        f'<path d="M20 0 7-13A15 15 0 1 0 7 13z" fill="{AUBERGINE}" stroke-width="1.5"/>'
        f'<path d="M18.5 0 8-9.5V9.5z" fill="{SAFFRON}"/>'
        f'<circle cx="-3" r="9" fill="{CREAM}" stroke-width="1.5"/>'
        '<path d="M-11-4C-5-3 1-5 3-6M-12 0C-5 1-2-1 5-3M-11 4C-4 5 2 3 5.5 1" fill="none" stroke-opacity=".6"/>'
        "</g>"
    )


def _drawn_places(places: Sequence[Sequence[str]]) -> str:
    return "".join(drawn_place(number, place) for number, place in enumerate(places, 1))


def drawn_place(number: int, place: Sequence[str]) -> str:
    """A badge that lies the way the rug would lie, over the edge between its two squares."""
    one, other = (middle(read_square(name)) for name in place)
    x, y = (one.x + other.x) // 2, (one.y + other.y) // 2
    width, height = (24, 17) if one.y == other.y else (17, 24)
    return (
        f'<g class="place" data-number="{number}"><rect x="{x - width / 2:g}" y="{y - height / 2:g}" width="{width}"'
        f' height="{height}" rx="8.5" fill="{CREAM}" stroke="{INK}" stroke-width="1.5"/>'
        f"{written(str(number), x, y, 9, INK)}</g>"
    )
