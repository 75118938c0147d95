"""The standings of a game as a table in plain characters."""

from collections.abc import Sequence
from typing import Final

from service.engine.json_reader import Json
from service.ui.marrakech.alt_text import Say
from service.ui.marrakech.names import fitted, seat_name

_NAME: Final = 20
_COLOURS: Final = 11
_WIDTHS: Final = (7, 7, 5, 4, 6, 3)
"""Of the columns behind them, where a language has no headings that are as short together."""
_LEAST: Final = (3, 2, 3, 2, 6, 3)
"""What the columns need for what stands in them."""


def standings(view: Json, say: Say = str) -> list[str]:
    """A line for each seat below a line of headings; `>` marks those who are to act."""
    heads = [say("Dirhams"), say("Visible"), say("Total"), say("Left"), say("Next"), say("Out")]
    widths = _widths(heads)
    lines = (_line(seat, seat["seat"] in view["to_act"], widths, say) for seat in view["seats"])
    return [_head(heads, widths, say), *lines]


def _widths(heads: Sequence[str]) -> Sequence[int]:
    """Columns as wide as their headings, as long as the line stays as wide as the board."""
    wanted = [max(len(head), least) for head, least in zip(heads, _LEAST, strict=True)]
    return wanted if sum(wanted) <= sum(_WIDTHS) else _WIDTHS


def _head(heads: Sequence[str], widths: Sequence[int], say: Say) -> str:
    rest = " ".join(map(fitted, heads, widths))
    return f"  {fitted(say('Name'), _NAME)} {fitted(say('Colours'), _COLOURS)} {rest}".rstrip()


def _line(seat: Json, acts: bool, widths: Sequence[int], say: Say) -> str:
    colours = fitted(" ".join(say(colour) for colour in seat["colours"]), _COLOURS)
    numbers = (seat["dirhams"], seat["visible"], seat["total"], seat["rugs_left"])
    counted = " ".join(str(number).rjust(width) for number, width in zip(numbers, widths, strict=False))
    next_rug = fitted(say(seat["next_rug"]) if seat["next_rug"] else "-", widths[4])
    out = fitted(say("Out").lower(), widths[5]) if seat["out"] else ""
    return f"{'>' if acts else ' '} {fitted(seat_name(seat), _NAME)} {colours} {counted} {next_rug} {out}"
