"""The figures of the rules page (pieces, an auction, carpets) and the game's picture, drawn by the code of a game."""

from collections.abc import Iterable
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.engine.kilim.carpet import NAMES, SQUARES, Carpet, Laid, Place
from service.engine.kilim.pieces import DOMINOES, MOTIFS, Motif
from service.engine.kilim.view import carpet_view
from service.ui.kilim.alt_text import describe_rows
from service.ui.kilim.auction_svg import auction_svg
from service.ui.kilim.board_svg import carpet_svg, frame_carpet, piece_svg, square_svg

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
AUCTION: Final = (15, 15, 5)
"""The gold that three players have played: the first two cancel each other."""
OFFER: Final = "BE1"


def example_carpet(points: int) -> Json:
    """The carpet of an example, in the form of a view."""
    return carpet_view(_lay(_EXAMPLES[points]))


def draw_example(points: int, title: str, words: str = "") -> str:
    """Draw an example as SVG; pages that show both need different ids."""
    return carpet_svg(example_carpet(points), title, words, ids=f"example-{points}")


def draw_picture(words: str) -> str:
    """Draw the picture of the game: a carpet that is nearly finished."""
    return square_svg(carpet_view(_lay(_PICTURED).patch("star", SQUARES["o11"])), words)


def lay_carpet(dominoes: Iterable[Iterable[str]], scraps: Iterable[tuple[Motif, str]] = ()) -> Json:
    """A carpet in the form of a view, from dominoes such as `BE1`, `m13-n13` and scraps such as `star`, `m13`."""
    laid = tuple(Laid(domino, *_place(place)) for domino, place in dominoes)
    return carpet_view(Carpet(laid, tuple((motif, SQUARES[square]) for motif, square in scraps)))


def _lay(dominoes: str) -> Carpet:
    laid = (domino.split() for domino in dominoes.split(", "))
    return Carpet(tuple(Laid(domino, *_place(place)) for domino, place in laid))


def _place(squares: str) -> Place:
    first, second = squares.split("-")
    return SQUARES[first], SQUARES[second]


_WITH_HOLE: Final = _lay("SX m13-n13, SS1 m14-m15, ST1 n15-o15, TT1 o13-o14")
_BEFORE: Final = _lay("BS1 m14-m13, BE1 n14-n13, EH1 o13-p13")
"""Each token can make a rectangle of this carpet."""
CARPETS: Final = {
    "weaving": _lay("BE1 m13-n13, HS1 n14-o14"),
    "hole": _WITH_HOLE,
    "scraps": _WITH_HOLE.patch("star", SQUARES["n13"]).patch("tree", SQUARES["n14"]),
    "before": _BEFORE,
    "turn": _BEFORE.rework("EH1", _place("o13-o14")),
    "move": _BEFORE.rework("EH1", _place("m15-n15")),
    "remove": _BEFORE.rework("EH1", ()),
    "perfect": _BEFORE.weave("OO1", _place("o14-p14")),
}
"""The carpets by the names of their figures, except the two examples of the score."""
_TOKEN_FIGURES: Final = ("before", "turn", "move", "remove", "perfect")
_TOKENS_CROP: Final = frame_carpet({square: {} for name in _TOKEN_FIGURES for square in CARPETS[name].cells}, 1)
"""The same part of the loom in all figures of tokens, so that they can be compared."""


def draw_figure(name: str, translations: NullTranslations) -> str | None:
    """The figure as SVG; None if there is none of this name. A domino or a motif shows this piece."""
    gettext = translations.gettext
    if name in MOTIFS:
        return piece_svg(name, gettext(name))
    if name in DOMINOES:
        return piece_svg(name, name)
    if name == "auction":
        return auction_svg(AUCTION, OFFER, gettext("An auction in Kilim"))
    title = gettext("A carpet of Kilim")
    for points in EXAMPLES:
        if name == f"carpet-{points}":
            return draw_example(points, title, _describe(example_carpet(points), translations))
    if name not in CARPETS:
        return None
    carpet = carpet_view(CARPETS[name])
    words = _describe(carpet, translations)
    if name == "weaving":
        places = [(NAMES[one], NAMES[other]) for one, other in CARPETS[name].places]
        return carpet_svg(carpet, title, words, groups=False, places=places, crop=frame_carpet(carpet, 2))
    return carpet_svg(carpet, title, words, groups=False, crop=_TOKENS_CROP if name in _TOKEN_FIGURES else None)


def _describe(carpet: Json, translations: NullTranslations) -> str:
    return " ".join(describe_rows(carpet, translations))
