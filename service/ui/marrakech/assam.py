"""Assam from above, in his robe and his turban; the robe runs out into an arrow the way he faces."""

from collections.abc import Sequence
from typing import Final

from service.engine.json_reader import Json
from service.engine.marrakech.board import read_square
from service.ui.marrakech.geometry import ANGLES, middle
from service.ui.marrakech.palette import AUBERGINE, CREAM, DYES, INK, SAFFRON

_ROBE: Final = "M20 0 7-13A15 15 0 1 0 7 13z"
FIGURE: Final = (
    f'<path d="{_ROBE}" fill="{INK}" stroke="{CREAM}" stroke-width="5"/>'
    f'<path d="{_ROBE}" fill="{AUBERGINE}" stroke-width="1.5"/>'
    f'<path d="M15.5-2.6 5.8-11A13 13 0 1 0 5.8 11L15.5 2.6" fill="none" stroke="{SAFFRON}"'
    ' stroke-dasharray="1.5 1.2"/>'
    f'<path d="M19 0 9.5-8.5V8.5z" fill="{SAFFRON}"/>'
    f'<circle cx="-3" r="9" fill="{CREAM}" stroke-width="1.4"/>'
    '<path d="M-12 0C-9-6-2-8 3-6M-11.5 3C-8-3-1-5 5.5-3M-9.5 6C-6 1 0-1 6 0M-6.5 8C-3 4 2 2.5 5.5 3" fill="none"'
    ' stroke-opacity=".6" stroke-width=".9"/>'
    f'<path d="M9 0 5-3 1.5 0 5 3z" fill="{DYES["red"].fill}" stroke-width=".9"/>'
)


def drawn_assam(assam: Json, way: Sequence[str] = ()) -> str:
    """Assam where he stands; the squares by which he came are named for scripts that let him walk."""
    came = f' data-way="{" ".join(way)}"' if way else ""
    return (
        f'<g id="assam" class="assam" data-at="{assam["at"]}" data-facing="{assam["facing"]}"{came} stroke="{INK}"'
        f' stroke-linejoin="round" transform="translate({middle(read_square(assam["at"]))})'
        f'rotate({ANGLES[assam["facing"]]})">{FIGURE}</g>'
    )
