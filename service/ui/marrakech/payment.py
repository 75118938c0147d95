"""The last payment: a cord of gold round the squares that were paid for."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from service.engine.json_reader import Json
from service.engine.marrakech.board import FACINGS, TRACKS, Facing, Square, read_square, step
from service.ui.marrakech.geometry import AHEAD, SIDE, Point, middle
from service.ui.marrakech.palette import INK, SAFFRON

CORDS: Final = ((INK, 5.0), (SAFFRON, 2.6))
"""What the cord is laid of, the lowest first."""


class Edge(NamedTuple):
    """One side of a square: its middle, and whether it lies along a rank."""

    at: Point
    level: bool

    @property
    def line(self) -> str:
        """The edge from end to end."""
        across, down = (SIDE // 2, 0) if self.level else (0, SIDE // 2)
        start, end = Point(self.at.x - across, self.at.y - down), Point(self.at.x + across, self.at.y + down)
        return f"M{start}L{end}"


def squares_paid(view: Json, events: Iterable[Json]) -> list[str]:
    """The squares that were paid for after the roll which the view shows as the last, as these events tell."""
    last, roll, squares = (view["last_roll"] or {}).get("roll"), None, []
    for event in events:
        if event["type"] == "rolled":
            roll = event["roll"]
        elif event["type"] == "paid" and roll is not None and roll == last:
            squares = event["squares"]
    return list(squares)


def hems(paid: Collection[str]) -> list[Edge]:
    """The sides on which one paid square borders on another that was not paid for, or on the wall."""
    squares = {read_square(name) for name in paid}
    return [edge for square in sorted(squares) for edge in _open_sides(square, squares)]


def _open_sides(square: Square, squares: Collection[Square]) -> Iterator[Edge]:
    for facing in FACINGS:
        if (square, facing) in TRACKS or step(square, facing)[0] not in squares:
            yield _side(square, facing)


def _side(square: Square, facing: Facing) -> Edge:
    at, ahead = middle(square), AHEAD[facing]
    return Edge(Point(at.x + ahead.x * SIDE // 2, at.y + ahead.y * SIDE // 2), ahead.x == 0)


def drawn_cord(line: str, ink: str, width: float) -> str:
    """One strand of the cord."""
    return f'<path d="{line}" stroke="{ink}" stroke-width="{width:g}" stroke-linecap="round"/>'


def drawn_payment(paid: Collection[str]) -> str:
    """The cord round these squares; nothing where nothing was paid."""
    line = "".join(edge.line for edge in hems(paid))
    strands = "".join(drawn_cord(line, *cord) for cord in CORDS)
    return line and f'<g class="payment" data-squares="{" ".join(sorted(paid))}">{strands}</g>'
