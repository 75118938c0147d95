"""The five motifs, torn and blank halves, as SVG fragments around the origin of a square cell of 40 by 40.

Motifs are woven in small steps, so each is written as a map of 15 by 15 knots: `#` dark, `o` light, `+` accent wool.
"""

from typing import Final

from service.ui.kilim.outlines import outline
from service.ui.kilim.palette import DYES, Dyes

SIDE: Final = 40
_KNOT: Final = 2
_WOOLS: Final = {"#": "dark", "o": "light", "+": "accent"}

_MAPS: Final = {
    "bird": """
        ...............
        ..####.........
        .##oo##......##
        +##o###.....###
        ++######...####
        ..####.##.#####
        ..###+++##.####
        ..##+++++##.###
        ..##o+++++##.##
        ..###ooo++###..
        ...###oooo###..
        ....########...
        ......#..#.....
        ......+..+.....
        .....++.++.....
    """,
    "eye": """
        .#...#.#.#...#.
        ..#..#.#.#..#..
        ...............
        .....#####.....
        ...###ooo###...
        ..##oo+++oo##..
        .##oo+++++oo##.
        ##ooo++#++ooo##
        .##oo+++++oo##.
        ..##oo+++oo##..
        ...###ooo###...
        .....#####.....
        ...............
        ..#..#.#.#..#..
        .#...#.#.#...#.
    """,
    "horn": """
        ..oooo...oooo..
        .oooooo.oooooo.
        ooo..ooooo..ooo
        oo....ooo....oo
        oo.oo.ooo.oo.oo
        oo..o.ooo.o..oo
        ooooo.ooo.ooooo
        .ooo..ooo..ooo.
        ......ooo......
        .+....ooo....+.
        +++..ooooo..+++
        .+..ooo#ooo..+.
        ...ooo###ooo...
        ....ooo#ooo....
        .....ooooo.....
    """,
    "star": """
        .......o.......
        ......ooo......
        ..o...ooo...o..
        ...oo.ooo.oo...
        ...ooooooooo...
        ....ooo+ooo....
        .ooooo+++ooooo.
        ooooo++#++ooooo
        .ooooo+++ooooo.
        ....ooo+ooo....
        ...ooooooooo...
        ...oo.ooo.oo...
        ..o...ooo...o..
        ......ooo......
        .......o.......
    """,
    "tree": """
        .......o.......
        ......ooo......
        .....ooooo.....
        ....oo.o.oo....
        ...oo..o..oo...
        ..+...ooo...+..
        ....ooooooo....
        ...oo..o..oo...
        ..oo...o...oo..
        .+...ooooo...+.
        ...ooo.o.ooo...
        ..oo...o...oo..
        .+....ooo....+.
        .....ooooo.....
        ....ooooooo....
    """,
}


_TEAR: Final = "M-17-3-14-6-12-4-7-9-3-5 2-10 6-5 11-8 14-4 17-6V5L15 8 12 4 7 9 3 5-2 10-6 5-10 9-14 5-17 7z"
"""The hole in a torn half, from one side to the other."""
_THREADS: Final = "M-11-4v6M-6-8v10M-1-7v5M4-7v11M9-7v5M13-4v6M-9 8V3M-3 9V4M1 7V2M7 8V1M11 5V2"
"""Warp threads that hang in it."""
_CROSSES: Final = "M-10-10l4 4m0-4-4 4M6-10l4 4m0-4-4 4M-10 6l4 4m0-4-4 4M6 6l4 4m0-4-4 4M-2-2 2 2M2-2-2 2"


def draw_motif(shows: str) -> str:
    """Draw what a half shows, without its ground: a motif, a tear, or the few stitches of a blank half."""
    dyes = DYES[shows]
    if shows == "torn":
        return _draw_tear(dyes)
    if shows == "blank":
        return f'<path d="{_CROSSES}" fill="none" stroke="{dyes.dark}" stroke-width="1.4"/>'
    rows = _MAPS[shows].split()
    paths = (
        f'<path d="{outline(_cells(rows, sign), _KNOT)}" fill="{getattr(dyes, wool)}"/>'
        for sign, wool in _WOOLS.items()
        if any(sign in row for row in rows)
    )
    corner = -_KNOT * len(rows) // 2
    return f'<g transform="translate({corner} {corner})">{"".join(paths)}</g>'


def _draw_tear(dyes: Dyes) -> str:
    return (
        f'<path d="{_TEAR}" fill="{dyes.accent}" stroke="{dyes.light}" stroke-width="1.2" stroke-linejoin="round"/>'
        f'<path d="{_THREADS}" fill="none" stroke="{dyes.light}" stroke-width="1.1" stroke-linecap="round"/>'
    )


def _cells(rows: list[str], sign: str) -> set[tuple[int, int]]:
    return {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter == sign}
