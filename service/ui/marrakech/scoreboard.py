"""The players below a board that moves: their colours, names, dirhams and squares, whose turn it is, and the die."""

from typing import Final
from xml.sax.saxutils import escape

from service.engine.json_reader import Json
from service.ui.marrakech.alt_text import Say
from service.ui.marrakech.geometry import BOARD, MARGIN
from service.ui.marrakech.ground import SIZE
from service.ui.marrakech.names import fitted, seat_name
from service.ui.marrakech.palette import AUBERGINE, CLAY, CREAM, DYES, INK

_TOP: Final = BOARD + MARGIN + 6
_HEAD: Final = 26
_LINE: Final = 20
_NAME: Final = 24
"""How many columns of a name are shown."""
_NUMBERS: Final = (196, 258, BOARD + 22)
"""Where the dirhams, the squares and the totals end."""
_STAR: Final = "l1.8 4 4.2.4-3.2 2.8 1 4.2-3.8-2.2-3.8 2.2 1-4.2-3.2-2.8 4.2-.4z"
_PIPS: Final = {1: "M0 0h0", 2: "M-4-4h0M4 4h0", 3: "M-4-4h0M0 0h0M4 4h0", 4: "M-4-4h0M4 4h0M4-4h0M-4 4h0"}


def board_height(seats: int) -> int:
    """How much room the players need below the board."""
    return 6 + 2 * _HEAD + _LINE * seats


def _text(x: float, y: float, words: str, anchor: str = "start", look: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{look}>{escape(words)}</text>'


def _baseline(seat: int) -> int:
    return _TOP + 2 * _HEAD + _LINE * seat + 6


def drawn_frame(name: str, view: Json, say: Say) -> str:
    """What does not change: the sheet, the name of the table, the players and what the numbers are."""
    height = board_height(len(view["seats"])) - 6
    title = fitted(name, 2 * _NAME).rstrip()
    heads = zip(_NUMBERS, (say("Dirhams"), say("Squares"), say("Total")), strict=True)
    return (
        f'<rect x="-{MARGIN}" y="{_TOP}" width="{SIZE}" height="{height}" rx="10" fill="{CREAM}" stroke="{CLAY}"/>'
        f'<g font-family="system-ui,sans-serif" font-size="12" fill="{INK}">'
        + _text(-28, _TOP + 18, title, look=' font-weight="bold"')
        + "".join(_text(x, _TOP + 38, head, "end", ' font-size="10"') for x, head in heads)
        + "".join(_text(-6, _baseline(seat["seat"]), _short(seat)) + _chips(seat) for seat in view["seats"])
        + "</g>"
    )


def _short(seat: Json) -> str:
    return fitted(seat_name(seat), _NAME).rstrip()


def _chips(seat: Json) -> str:
    """The colours of a seat: one beside the name, a second below it."""
    y, height = _baseline(seat["seat"]) - 10, 12 // len(seat["colours"])
    return "".join(
        f'<rect x="-22" y="{y + place * height}" width="11" height="{height}" fill="{DYES[colour].fill}"'
        f' stroke="{INK}" stroke-width=".8"/>'
        for place, colour in enumerate(seat["colours"])
    )


def drawn_seat(view: Json, seat: Json, say: Say) -> str:
    """What a player has now, with a mark for who is to act and a star for who has won."""
    y, numbers = _baseline(seat["seat"]), (seat["dirhams"], seat["visible"], seat["total"])
    shown = "".join(_text(x, y, str(number), "end") for x, number in zip(_NUMBERS, numbers, strict=True))
    if seat["out"]:
        shown = _text(_NUMBERS[0], y, say("out"), "end")
    return f'<g font-family="system-ui,sans-serif" font-size="12" fill="{INK}">{_mark(view, seat, y)}{shown}</g>'


def _mark(view: Json, seat: Json, y: int) -> str:
    if view["result"] and seat["seat"] in view["result"]["winners"]:
        return f'<path d="M-30 {y - 10}{_STAR}" fill="{AUBERGINE}"/>'
    if seat["seat"] in view["to_act"]:
        return f'<path d="M-34 {y - 9}l8 5-8 5z" fill="{AUBERGINE}"/>'
    return ""


def drawn_turn(view: Json, say: Say) -> str:
    """The number of the turn."""
    words = say("Turn %(turn)s") % {"turn": view["turn"]}
    look = f' font-family="system-ui,sans-serif" font-size="12" fill="{INK}"'
    return _text(BOARD + 2, _TOP + 18, words, "end", look)


def drawn_die(die: int) -> str:
    """The die as it fell."""
    return (
        f'<g transform="translate({BOARD + 20} {_TOP + 14})" stroke="{INK}"><rect x="-9" y="-9" width="18" height="18"'
        f' rx="4" fill="#fff"/><path d="{_PIPS[die]}" stroke-width="4" stroke-linecap="round"/></g>'
    )
