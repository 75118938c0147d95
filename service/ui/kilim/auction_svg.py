"""An auction as an SVG picture: the gold cards of all players, which of them cancel, and the domino that is won."""

from collections.abc import Sequence
from typing import Final

from service.engine.kilim.pieces import COLOURS
from service.ui.kilim.board_svg import COIN, IDS, Drawing, wrap_drawing
from service.ui.kilim.carpets import Point, define_pieces, draw_domino, name_domino
from service.ui.kilim.motifs import SIDE
from service.ui.kilim.palette import CREAM, INK, SAFFRON, SEAT_COLOURS, WALL
from service.ui.lettering import PEN, draw_label

_CARD: Final = Point(66, 96)
_GAP: Final = 18
_ARROW: Final = 30


def auction_svg(gold: Sequence[int], domino: str, title: str, *, ids: str = IDS) -> str:
    """Draw the gold that each seat has played for a domino: equal cards are crossed out, and the best one left wins."""
    winner = max(card for card in gold if gold.count(card) == 1)
    cards = "".join(
        f'<g class="gold" data-gold="{card}" transform="translate({_GAP + seat * (_CARD.x + _GAP):g} {_GAP})">'
        f"{_draw_card(card, COLOURS[seat], cancels=gold.count(card) > 1, wins=card == winner)}</g>"
        for seat, card in enumerate(gold)
    )
    right, height = _GAP + len(gold) * (_CARD.x + _GAP), _CARD.y + 2 * _GAP
    width = right + _ARROW + 2 * SIDE + 2 * _GAP
    arrow = (
        f'<path d="M{right} {height / 2:g}h{_ARROW}m-9-9 9 9-9 9" fill="none" stroke="{SAFFRON}" stroke-width="4.5"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )
    shown = name_domino(domino)
    drawn = draw_domino(shown, Point(right + _ARROW + _GAP + SIDE / 2, height / 2), ids)
    wall = f'<rect width="{width:g}" height="{height:g}" rx="12" fill="{WALL}"/>'
    drawing = Drawing(width, height, define_pieces(shown.shows, (), ids), f"{wall}{cards}{arrow}{drawn}")
    return wrap_drawing(drawing, title, "", ids)


def _draw_card(gold: int, colour: str, *, cancels: bool, wins: bool) -> str:
    """Draw a gold card in a player's colour: crossed out if it cancels, with a bright edge if it wins."""
    fill, edge = SEAT_COLOURS[colour].fill, f'stroke="{SAFFRON}" stroke-width="5"' if wins else f'stroke="{INK}"'
    faded, x = ' opacity=".4"' if cancels else "", _CARD.x - 8
    cross = (
        f'<circle cx="{x:g}" cy="8" r="13" fill="{INK}" stroke="{CREAM}" stroke-width="2"/>'
        f'<path d="M{x - 5:g} 3l10 10m0-10-10 10" stroke="{CREAM}" stroke-width="3.5" stroke-linecap="round"/>'
    )
    return (
        f'<rect width="{_CARD.x:g}" height="{_CARD.y:g}" rx="8" fill="{fill}" {edge}/>'
        f'<rect x="6" y="6" width="{_CARD.x - 12:g}" height="{_CARD.y - 12:g}" rx="4" fill="{CREAM}"/>'
        f'<g transform="translate({_CARD.x / 2:g} 25)"{faded}>{COIN}</g>'
        f"<g {PEN}{faded}>{draw_label(str(gold), _CARD.x / 2, 62, 30)}</g>{cross if cancels else ''}"
    )
