"""The carpets of the rules page, and the game's picture, drawn by the same code as those of a game."""

from collections.abc import Iterable
from typing import Final

from service.engine.json_reader import Json
from service.engine.kilim.carpet import SQUARES, Carpet, Laid
from service.engine.kilim.pieces import Motif
from service.engine.kilim.view import carpet_view
from service.ui.kilim.board_svg import carpet_svg, square_svg

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
_PICTURED: Final = (
    "EE1 m13-n13, BE1 n14-m14, BB1 m15-n15, ET1 l14-l15, TT1 l16-m16, BS1 n16-o16, SS1 p16-q16, HS1 q15-p15,"
    " SS2 o15-o14, HH1 p14-q14, TT2 o13-p13, HT1 q13-q12, EH1 l13-l12, HH2 m12-n12, HS2 l11-m11, TX o12-o11,"
    " BT1 p11-p12"
)


def example_carpet(points: int) -> Json:
    """The carpet of an example, in the form of a view."""
    return lay_carpet(domino.split() for domino in _EXAMPLES[points].split(", "))


def draw_example(points: int, title: str, words: str = "") -> str:
    """Draw an example as SVG; pages that show both need different ids."""
    return carpet_svg(example_carpet(points), title, words, ids=f"example-{points}")


def draw_picture(words: str) -> str:
    """Draw the picture of the game: a carpet that is nearly finished."""
    dominoes = (domino.split() for domino in _PICTURED.split(", "))
    return square_svg(lay_carpet(dominoes, [("star", "o11")]), words)


def lay_carpet(dominoes: Iterable[Iterable[str]], scraps: Iterable[tuple[Motif, str]] = ()) -> Json:
    """A carpet in the form of a view, from dominoes such as `BE1`, `m13-n13` and scraps such as `star`, `m13`."""
    laid = []
    for domino, place in dominoes:
        first, second = place.split("-")
        laid.append(Laid(domino, SQUARES[first], SQUARES[second]))
    return carpet_view(Carpet(tuple(laid), tuple((motif, SQUARES[square]) for motif, square in scraps)))
