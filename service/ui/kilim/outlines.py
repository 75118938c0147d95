"""The outline of any set of square cells as a path: for motifs, which are made of knots, and for groups of squares."""

from collections.abc import Collection
from typing import TypeAlias

Corner: TypeAlias = tuple[int, int]
Cell: TypeAlias = tuple[int, int]
"""Column and row, counted to the right and down; also the name of its first corner."""


def outline(cells: Collection[Cell], side: float, inset: float = 0) -> str:
    """The edges around these cells, each `side` long, as a path that runs inside them by `inset`."""
    edges, path = _outer_edges(cells), ""
    while edges:
        path += _draw_loop(_take_loop(edges), side, inset)
    return path


def _outer_edges(cells: Collection[Cell]) -> dict[Corner, list[Corner]]:
    """The edges between these cells and others, clockwise: for each corner, where edges lead from there."""
    edges: dict[Corner, list[Corner]] = {}
    for x, y in sorted(cells):
        if (x, y - 1) not in cells:
            edges.setdefault((x, y), []).append((x + 1, y))
        if (x + 1, y) not in cells:
            edges.setdefault((x + 1, y), []).append((x + 1, y + 1))
        if (x, y + 1) not in cells:
            edges.setdefault((x + 1, y + 1), []).append((x, y + 1))
        if (x - 1, y) not in cells:
            edges.setdefault((x, y + 1), []).append((x, y))
    return edges


def _take_loop(edges: dict[Corner, list[Corner]]) -> list[Corner]:
    """Take the edges of one loop out; where two cells meet at a corner only, it turns right and keeps them apart."""
    start = at = next(iter(edges))
    loop: list[Corner] = []
    ahead = 0, 0
    while not loop or at != start:
        right = at[0] - ahead[1], at[1] + ahead[0]
        ways = edges[at]
        way = right if right in ways else ways[0]
        ways.remove(way)
        if not ways:
            del edges[at]
        if (way[0] - at[0], way[1] - at[1]) != ahead:
            loop.append(at)
        ahead = way[0] - at[0], way[1] - at[1]
        at = way
    return loop


def _draw_loop(corners: list[Corner], side: float, inset: float) -> str:
    points = []
    for place, (x, y) in enumerate(corners):
        before, after = corners[place - 1], corners[(place + 1) % len(corners)]
        # Inside is to the right of each of the two edges that meet here.
        across = _sign(before[1] - y) + _sign(y - after[1])
        down = _sign(x - before[0]) + _sign(after[0] - x)
        points.append((x * side + across * inset, y * side + down * inset))
    return f"M{'L'.join(f'{x:g} {y:g}' for x, y in points)}z"


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
