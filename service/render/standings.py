"""The standings of a game as a table in plain characters."""

from typing import Final

from service.engine.reading import Json
from service.render.names import fitted, seat_name

_NAME: Final = 20
_HEAD: Final = f"  {'Name':{_NAME}} {'Colours':11} Dirhams Visible Total Left {'Next':6} Out"


def standings(view: Json) -> list[str]:
    """A line for each seat below a line of headings; `>` marks those who are to act."""
    return [_HEAD, *(_line(seat, seat["seat"] in view["to_act"]) for seat in view["seats"])]


def _line(seat: Json, acts: bool) -> str:
    return (
        f"{'>' if acts else ' '} {fitted(seat_name(seat), _NAME)} {' '.join(seat['colours']):11}"
        f" {seat['dirhams']:7} {seat['visible']:7} {seat['total']:5} {seat['rugs_left']:4}"
        f" {seat['next_rug'] or '-':6} {'out' if seat['out'] else ''}"
    )
