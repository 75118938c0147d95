"""The market square as one self-contained SVG picture, from a phone's width up to print."""

from collections.abc import Collection, Sequence
from xml.sax.saxutils import escape

from service.engine.json_reader import Json
from service.ui.marrakech.alt_text import Say, in_short, in_words
from service.ui.marrakech.assam import drawn_assam
from service.ui.marrakech.geometry import MARGIN
from service.ui.marrakech.ground import GROUND, SIZE, SQUARES_DRAWN, TILES
from service.ui.marrakech.payment import drawn_payment
from service.ui.marrakech.places import drawn_places, next_colour, numbered, rug_on
from service.ui.marrakech.rugs import drawn_rugs, rugs_of, woven
from service.ui.marrakech.tracks import DOORS_DRAWN, TRACKS_DRAWN, drawn_way, way_of


def board_svg(
    view: Json,
    places: Sequence[Sequence[str]] | None = None,
    say: Say = str,
    *,
    paid_squares: Collection[str] = (),
    link: str | None = None,
) -> str:
    """The board of a view, and on it the numbers 1, 2, 3, … of these places for a rug.

    `paid_squares` are those of the last payment. With a `link`, such as `?do=`, each place is a link that ends in its
    name. docs/drawing.md says what a page's stylesheet and scripts find in the picture.
    """
    rugs, offered = rugs_of(view["board"]), numbered(places or ())
    colour = next_colour(view) if offered else None
    ghosts = [rug_on(offered[0], colour)] if colour else []
    path = (view["last_roll"] or {}).get("path", ())
    return (
        f"{_opened(view, say, paid_squares, 'img' if link is None else 'group')}<defs>{TILES}{woven([*rugs, *ghosts])}"
        f"</defs>{GROUND}{TRACKS_DRAWN}{drawn_rugs(rugs)}{drawn_payment(paid_squares)}{drawn_way(way_of(view))}"
        f"{DOORS_DRAWN}{drawn_assam(view['assam'], path)}{SQUARES_DRAWN}"
        f"{drawn_places(offered, colour, link, say)}</svg>\n"
    )


def _opened(view: Json, say: Say, paid: Collection[str], role: str) -> str:
    """The opening tag, and the position in words."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-{MARGIN} -{MARGIN} {SIZE} {SIZE}" role="{role}"'
        ' aria-labelledby="board-title board-words">'
        f'<title id="board-title">{escape(in_short(view, say))}</title>'
        f'<desc id="board-words">{escape(in_words(view, say, paid))}</desc>'
    )
