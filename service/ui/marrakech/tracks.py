"""The mosaic tracks round the market square, their doors, and the way that Assam last went."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from service.engine.json_reader import Json
from service.engine.marrakech.board import NAMES, TRACKS, WALKS, Facing, Square, read_square, step
from service.ui.marrakech.geometry import BOARD, Point, door, middle, opposite
from service.ui.marrakech.lettering import PEN, written
from service.ui.marrakech.palette import AUBERGINE, CREAM, INK, MOSAIC, TEAL

DOTS_APART: Final = 7
"""How far apart the dots of a way are."""
LOOP: Final = 20
"""The radius of a track that joins two neighbours: half of what lies between the middles of their doors."""
CORNER_LOOP: Final = 25


def loop(square: Square, edge: Facing) -> str:
    """The track from this door on to the one where Assam comes back, as an arc that goes on from the first door."""
    radius, large = (CORNER_LOOP, 1) if TRACKS[square, edge][0] == square else (LOOP, 0)
    return f"A{radius} {radius} 0 {large} {int(clockwise(square, edge))} {loop_end(square, edge)}"


def loop_end(square: Square, edge: Facing) -> Point:
    """The door where Assam comes back."""
    back, facing = TRACKS[square, edge]
    return door(back, opposite(facing))


def clockwise(square: Square, edge: Facing) -> bool:
    """Whether the track from this door turns to the right."""
    start, end, centre = door(square, edge), loop_end(square, edge), BOARD // 2
    return (start.x - centre) * (end.y - centre) > (start.y - centre) * (end.x - centre)


def _drawn_tracks() -> str:
    ways = "".join(f"M{door(square, edge)}{loop(square, edge)}" for square, edge in TRACKS if clockwise(square, edge))
    return (
        f'<g fill="none"><path d="{ways}" stroke="{INK}" stroke-width="9"/>'
        f'<path d="{ways}" stroke="{MOSAIC}" stroke-width="6.4" stroke-dasharray="4 1.2"/>'
        f'<path d="{ways}" stroke="{TEAL}" stroke-width="6.4" stroke-dasharray="4 6.4"/></g>'
    )


def _door(square: Square, edge: Facing) -> str:
    at = door(square, edge)
    label = NAMES[square][0 if edge in {"north", "south"} else 1]
    tile = f'<circle cx="{at.x}" cy="{at.y}" r="9" fill="{CREAM}"/>'
    return f'<g class="door" data-label="{label}">{tile}{written(label, *at, 8.5)}</g>'


TRACKS_DRAWN: Final = _drawn_tracks()
DOORS_DRAWN: Final = f'<g class="doors" {PEN}>{"".join(_door(square, edge) for square, edge in TRACKS)}</g>'
"""The ends of the tracks, with the letters and numbers of the squares behind them."""


class Way(NamedTuple):
    """The way that Assam went: the squares he came to and, where it can be told, where he set out facing which way."""

    path: tuple[Square, ...]
    start: tuple[Square, Facing] | None


def way_of(view: Json) -> Way:
    """The way of the last roll."""
    path = tuple(read_square(name) for name in (view["last_roll"] or {}).get("path", ()))
    return Way(path, _start(path, view["assam"]["facing"]) if path else None)


def drawn_way(way: Way) -> str:
    """The way as a dotted line, along the tracks where it took them, with a dot on each square."""
    if not way.path:
        return ""
    line = _dotted(_line(*way.start, len(way.path))) if way.start else ""
    return f'<g class="way">{line}{"".join(drawn_dot(*dot) for dot in dots(way))}</g>'


def dots(way: Way) -> list[tuple[Square, int]]:
    """The squares of a way and how large the dot on each is: a larger one where it began."""
    first = [(way.start[0], 6)] if way.start else []
    return [*first, *((square, 4) for square in way.path)]


def _start(path: Sequence[Square], facing: Facing) -> tuple[Square, Facing] | None:
    """Where Assam set out and facing which way: every walk can be walked back from where it ended.

    After a walk he faces the way it ended; where he has been turned since, the path may not fit and nothing is said.
    """
    back = WALKS[path[-1]][opposite(facing)][len(path)]
    if list(back.path[:-1]) != list(path[-2::-1]):
        return None
    return back.to, opposite(back.facing)


def _line(square: Square, facing: Facing, steps: int) -> str:
    line = f"M{middle(square)}"
    for _ in range(steps):
        if (square, facing) in TRACKS:
            line += f"L{door(square, facing)}{loop(square, facing)}"
        square, facing = step(square, facing)
        line += f"L{middle(square)}"
    return line


def _dotted(line: str) -> str:
    return (
        f'<g fill="none" stroke-linecap="round" stroke-linejoin="round"><path class="way-line" d="{line}"'
        f' stroke="{CREAM}" stroke-width="6" stroke-dasharray="0 {DOTS_APART}"/>'
        f'<path d="{line}" stroke="{AUBERGINE}" stroke-width="4" stroke-dasharray="0 {DOTS_APART}"/></g>'
    )


def drawn_dot(square: Square, radius: int) -> str:
    """A dot in the middle of a square."""
    at = middle(square)
    return f'<circle cx="{at.x}" cy="{at.y}" r="{radius}" fill="{AUBERGINE}" stroke="{CREAM}" stroke-width="1.5"/>'
