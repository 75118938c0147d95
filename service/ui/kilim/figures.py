"""The carpets of the rules page: two examples with their groups outlined, drawn by the same code as those of a game."""

from collections.abc import Iterable
from typing import Final

from service.engine.json_reader import Json
from service.engine.kilim.carpet import SQUARES, Carpet, Laid
from service.engine.kilim.pieces import Motif
from service.engine.kilim.view import carpet_view
from service.ui.kilim.board_svg import carpet_svg

_EXAMPLES: Final = {
    32: (
        "HS1 m13-n13, HX m14-m15, BB3 n14-n15, HH2 o14-o15, HH1 p15-q15, BH1 q13-q14, BB1 r13-s13, BX s15-s14,"
        " BB2 r14-r15, SS1 o13-p13"
    ),
    41: (
        "HH3 m13-n13, EH1 m15-m14, EE1 m16-n16, SS2 l15-l16, TT2 o13-p13, TT1 q13-q14, EE2 o15-o16, BH2 l14-l13,"
        " TT3 p16-q16, BS1 p14-o14, HS2 n15-n14, BT1 p15-q15"
    ),
}
"""By their points if they are the two carpets of one game."""
EXAMPLES: Final = tuple(_EXAMPLES)


def example_carpet(points: int) -> Json:
    """The carpet of an example, in the form of a view."""
    return lay_carpet(domino.split() for domino in _EXAMPLES[points].split(", "))


def draw_example(points: int, title: str, words: str = "") -> str:
    """Draw an example as SVG; pages that show both need different ids."""
    return carpet_svg(example_carpet(points), title, words, ids=f"example-{points}")


def lay_carpet(dominoes: Iterable[Iterable[str]], scraps: Iterable[tuple[Motif, str]] = ()) -> Json:
    """A carpet in the form of a view, from dominoes such as `BE1`, `m13-n13` and scraps such as `star`, `m13`."""
    laid = []
    for domino, place in dominoes:
        first, second = place.split("-")
        laid.append(Laid(domino, SQUARES[first], SQUARES[second]))
    return carpet_view(Carpet(tuple(laid), tuple((motif, SQUARES[square]) for motif, square in scraps)))
