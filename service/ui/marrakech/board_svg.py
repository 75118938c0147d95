"""The board of a view as one self-contained SVG picture: rugs, payment, Assam's path, Assam and numbered places."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from service.engine.json_reader import Json
from service.engine.marrakech.board import FACINGS, TRACKS, TURNED, Direction, Facing, Square, read_square, step
from service.i18n import Gettext
from service.ui.lettering import PEN, draw_label
from service.ui.marrakech.alt_text import in_short, in_words
from service.ui.marrakech.empty_board import DOORS, GROUND, SQUARES, TILES, TRACK_LINES, draw_track
from service.ui.marrakech.geometry import AHEAD, ANGLES, MARGIN, SIDE, SIZE, Path, Point, door, last_path, middle
from service.ui.marrakech.palette import AUBERGINE, CREAM, DYES, INK, SAFFRON
from service.ui.marrakech.rugs import Rug, define_rugs, draw_rugs, place_rug, visible_rugs

_DOTS_APART: Final = 7
"""The distance between the dots of a path."""
_CORDS: Final = ((INK, 5.0), (SAFFRON, 2.6))
"""The lines around the squares that were paid for: colour and width, the lowest first."""
_ARROW_AWAY: Final = 36
"""The distance from the middle of Assam to the middle of an arrow beside him."""
_ARROW: Final = "M-11-4.5h10v-7.5L12 0-1 12V4.5h-10z"
_WINNERS_CORDS: Final = ((INK, 8.0), (SAFFRON, 5.0))
"""The lines around the winners' squares."""
_ROBE: Final = "M20 0 7-13A15 15 0 1 0 7 13z"
ASSAM: Final = (
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
"""Assam from above, in robe and turban, facing east; the tip of the robe points ahead."""


def board_svg(
    view: Json,
    places: Sequence[Sequence[str]] = (),
    say: Gettext = str,
    *,
    paid_squares: Collection[str] = (),
    directions: Sequence[Direction] = (),
) -> str:
    """Draw the board of a view, with the numbers 1, 2, 3, … of these places for a rug and the last payment on it.

    Arrows around Assam show these directions.

    docs/drawing.md lists the ids, classes and attributes that stylesheets and scripts can rely on.
    """
    rugs, offered = visible_rugs(view["board"]), number_places(places)
    colour = _next_colour(view) if offered else None
    ghosts = [_rug_on(offered[0], colour)] if colour else []
    path = (view["last_roll"] or {}).get("path", ())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-{MARGIN} -{MARGIN} {SIZE} {SIZE}" role="img"'
        ' aria-labelledby="board-title board-words">'
        f'<title id="board-title">{escape(in_short(view, say))}</title>'
        f'<desc id="board-words">{escape(in_words(view, say, paid_squares))}</desc>'
        f"<defs>{TILES}{define_rugs([*rugs, *ghosts])}</defs>{GROUND}{TRACK_LINES}{draw_rugs(rugs)}"
        f"{draw_cords(view, paid_squares)}{draw_path(last_path(view))}{DOORS}{draw_assam(view['assam'], path)}{SQUARES}"
        f"{''.join(_draw_arrow(view['assam'], direction) for direction in directions)}"
        f"{''.join(_draw_place(place, colour) for place in offered)}</svg>\n"
    )


def draw_assam(assam: Json, path: Sequence[str] = ()) -> str:
    """Draw Assam on his square; scripts that animate his walk find the path in `data-way`."""
    walked = f' data-way="{" ".join(path)}"' if path else ""
    return (
        f'<g id="assam" class="assam" data-at="{assam["at"]}" data-facing="{assam["facing"]}"{walked} stroke="{INK}"'
        f' stroke-linejoin="round" transform="translate({middle(read_square(assam["at"]))})'
        f'rotate({ANGLES[assam["facing"]]})">{ASSAM}</g>'
    )


def _draw_arrow(assam: Json, direction: Direction) -> str:
    """Draw the arrow for a direction beside Assam, with an area around it that is large enough for a finger."""
    facing = TURNED[assam["facing"]][direction]
    at, ahead = middle(read_square(assam["at"])), AHEAD[facing]
    beside = Point(at.x + ahead.x * _ARROW_AWAY, at.y + ahead.y * _ARROW_AWAY)
    return (
        f'<g class="turn" data-way="{direction}" transform="translate({beside})rotate({ANGLES[facing]})">'
        f'<path class="reach" d="M-24-24h48v48h-48z" fill-opacity="0"/><path class="arrow" d="{_ARROW}" fill="{CREAM}"'
        f' stroke="{INK}" stroke-width="1.5" stroke-linejoin="round"/></g>'
    )


# The path of the last roll


def draw_path(path: Path) -> str:
    """Draw the path as a dotted line, along the tracks it took, with a larger dot on each square."""
    if not path.squares:
        return ""
    line = _dotted(_line(*path.start, len(path.squares))) if path.start else ""
    dots = [(path.start[0], 6)] if path.start else []
    dots += [(square, 4) for square in path.squares]
    return f'<g class="way">{line}{"".join(_dot(middle(square), radius) for square, radius in dots)}</g>'


def _line(square: Square, facing: Facing, steps: int) -> str:
    line = f"M{middle(square)}"
    for _ in range(steps):
        if (square, facing) in TRACKS:
            line += f"L{door(square, facing)}{draw_track(square, facing)}"
        square, facing = step(square, facing)
        line += f"L{middle(square)}"
    return line


def _dotted(line: str) -> str:
    return (
        f'<g fill="none" stroke-linecap="round" stroke-linejoin="round"><path class="way-line" d="{line}"'
        f' stroke="{CREAM}" stroke-width="6" stroke-dasharray="0 {_DOTS_APART}"/>'
        f'<path d="{line}" stroke="{AUBERGINE}" stroke-width="4" stroke-dasharray="0 {_DOTS_APART}"/></g>'
    )


def _dot(at: Point, radius: int) -> str:
    return f'<circle cx="{at.x}" cy="{at.y}" r="{radius}" fill="{AUBERGINE}" stroke="{CREAM}" stroke-width="1.5"/>'


# The last payment


def squares_paid(view: Json, events: Iterable[Json]) -> list[str]:
    """The squares that were paid for after the last roll of the view, according to these events."""
    last, roll, squares = (view["last_roll"] or {}).get("roll"), None, []
    for event in events:
        if event["type"] == "rolled":
            roll = event["roll"]
        elif event["type"] == "paid" and roll is not None and roll == last:
            squares = event["squares"]
    return list(squares)


def draw_payment(paid: Collection[str]) -> str:
    """Draw a golden cord around these squares; nothing if there are none."""
    return _draw_cord("payment", paid, _CORDS)


def draw_cords(view: Json, paid: Collection[str]) -> str:
    """Draw a cord around the winners' squares; before the end of the game, around those that were paid for last."""
    if not view["result"]:
        return draw_payment(paid)
    winners, board = view["result"]["winners"], view["board"]
    return _draw_cord("winners", [name for name, rug in board.items() if rug["seat"] in winners], _WINNERS_CORDS)


def _draw_cord(kind: str, names: Collection[str], lines: Sequence[tuple[str, float]]) -> str:
    squares = {read_square(name) for name in names}
    edges = "".join(edge for square in sorted(squares) for edge in _outer_edges(square, squares))
    cords = "".join(
        f'<path d="{edges}" stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round"/>'
        for colour, width in lines
    )
    return edges and f'<g class="{kind}" data-squares="{" ".join(sorted(names))}">{cords}</g>'


def _outer_edges(square: Square, squares: Collection[Square]) -> Iterator[str]:
    """The edges between a square and others that are not among these, or the wall."""
    at, half = middle(square), SIDE // 2
    for facing in FACINGS:
        if (square, facing) in TRACKS or step(square, facing)[0] not in squares:
            x, y = at.x + AHEAD[facing].x * half, at.y + AHEAD[facing].y * half
            yield f"M{x - half} {y}L{x + half} {y}" if x == at.x else f"M{x} {y - half}L{x} {y + half}"


# The places for a rug


class Place(NamedTuple):
    """Two neighbouring squares and the number under which they are offered."""

    number: int
    squares: tuple[str, str]

    @property
    def between(self) -> Point:
        """The middle of the edge between the squares."""
        one, other = (middle(read_square(name)) for name in self.squares)
        return Point((one.x + other.x) // 2, (one.y + other.y) // 2)


def number_places(places: Iterable[Sequence[str]]) -> list[Place]:
    """Number the places 1, 2, 3, …"""
    return [Place(number, (place[0], place[1])) for number, place in enumerate(places, 1)]


def _next_colour(view: Json) -> str | None:
    """The colour of the rug that is to be laid."""
    colours = [view["seats"][seat]["next_rug"] for seat in view["to_act"]]
    return colours[0] if colours else None


def _rug_on(place: Place, colour: str) -> Rug:
    return place_rug(colour, [read_square(name) for name in place.squares])


def _draw_place(place: Place, colour: str | None) -> str:
    """Draw a group with an area to point at, the rug that would lie there (invisible at first) and the number."""
    (x, y), half, ghost = place.between, SIDE // 2, ""
    # The diamond around an edge contains the points that are nearer to it than to the edge of any other place.
    area = f'<path class="reach" d="M{x - half} {y}l20-20 20 20-20 20z" fill-opacity="0"/>'
    if colour:
        rug = _rug_on(place, colour)
        look = f'transform="{rug.transform}" opacity="0" pointer-events="none"'
        ghost = f'<use class="ghost" href="#{rug.kind}-whole" {look}/>'
    hooks = f'class="place" data-place="{"-".join(place.squares)}" data-number="{place.number}"'
    return f"<g {hooks}>{area}{ghost}{draw_number(place)}</g>"


def draw_number(place: Place) -> str:
    """Draw the number of a place on a badge over the edge between its squares, turned as the rug would lie."""
    x, y = place.between
    same_rank = place.squares[0][1] == place.squares[1][1]
    width, height = (24, 17) if same_rank else (17, 24)
    return (
        f'<g class="badge" {PEN}><rect x="{x - width / 2:g}" y="{y - height / 2:g}" width="{width}" height="{height}"'
        f' rx="8.5" fill="{CREAM}" stroke-width="1.5"/>{draw_label(str(place.number), x, y, 9)}</g>'
    )
