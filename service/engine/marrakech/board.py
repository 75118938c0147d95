"""The board: its squares, how Assam walks on it, and where a rug can lie."""

from typing import Final, Literal, NamedTuple, TypeAlias, cast, get_args

from service.engine.errors import Malformed

Square: TypeAlias = int
"""A square as a number: its file (a = 0) plus eight times its rank (1 = 0). The board has seven files; the unused
eighth one keeps a bit mask that is shifted sideways from spilling into the next rank."""

Facing = Literal["north", "east", "south", "west"]
Direction = Literal["left", "ahead", "right"]
Turn = Literal["left", "right"]

FACINGS: Final = cast("tuple[Facing, ...]", get_args(Facing))
DIRECTIONS: Final = cast("tuple[Direction, ...]", get_args(Direction))
TURNS: Final = cast("tuple[Turn, ...]", get_args(Turn))
FACES: Final = (1, 2, 2, 3, 3, 4)
"""The six faces of the die, in the order that docs/dice.md defines."""

FILES: Final = "abcdefg"
RANKS: Final = "1234567"
STRIDE: Final = 8
SQUARES: Final[tuple[Square, ...]] = tuple(
    file + STRIDE * rank for rank in range(len(RANKS)) for file in range(len(FILES))
)
NAMES: Final[dict[Square, str]] = {square: FILES[square % STRIDE] + RANKS[square // STRIDE] for square in SQUARES}
_NUMBERS: Final[dict[str, Square]] = {name: square for square, name in NAMES.items()}
_STEPS: Final[dict[Facing, int]] = {"north": STRIDE, "east": 1, "south": -STRIDE, "west": -1}


def read_square(name: str) -> Square:
    """Look up a square by its name."""
    try:
        return _NUMBERS[name]
    except KeyError:
        raise Malformed(f"{name!r} is not a square; squares are written a1 to g7") from None


CENTRE: Final[Square] = read_square("d4")


def _turn(facing: Facing, quarters: int) -> Facing:
    return FACINGS[(FACINGS.index(facing) + quarters) % len(FACINGS)]


TURNED: Final[dict[Facing, dict[Direction, Facing]]] = {
    facing: {"left": _turn(facing, -1), "ahead": facing, "right": _turn(facing, 1)} for facing in FACINGS
}

_TRACKS: Final = """
    a7 north b7 north    c7 north d7 north    e7 north f7 north
    g7 north g7 east
    g6 east  g5 east     g4 east  g3 east     g2 east  g1 east
    g1 south f1 south    e1 south d1 south    c1 south b1 south
    a1 south a1 west
    a2 west  a3 west     a4 west  a5 west     a6 west  a7 west
"""
"""The printed tracks, clockwise. Each joins two exits; an exit is a square and the edge by which Assam leaves."""


def _read_tracks() -> dict[tuple[Square, Facing], tuple[Square, Facing]]:
    words = _TRACKS.split()
    exits = [(_NUMBERS[name], cast("Facing", edge)) for name, edge in zip(words[::2], words[1::2], strict=True)]
    tracks: dict[tuple[Square, Facing], tuple[Square, Facing]] = {}
    for one, other in zip(exits[::2], exits[1::2], strict=True):
        tracks[one] = (other[0], _turn(other[1], 2))
        tracks[other] = (one[0], _turn(one[1], 2))
    return tracks


TRACKS: Final = _read_tracks()
"""Where Assam comes back, and which way he faces then, when he leaves a square over an edge."""


class Walk(NamedTuple):
    """One walk of Assam: the squares he steps on, the last of them, and the way he faces there."""

    path: tuple[Square, ...]
    to: Square
    facing: Facing


def step(square: Square, facing: Facing) -> tuple[Square, Facing]:
    """Take one step: the next square and the way Assam faces there."""
    if (square, facing) in TRACKS:
        return TRACKS[square, facing]
    return square + _STEPS[facing], facing


def _walk(square: Square, facing: Facing, steps: int) -> Walk:
    path = []
    for _ in range(steps):
        square, facing = step(square, facing)
        path.append(square)
    return Walk(tuple(path), square, facing)


WALKS: Final[dict[Square, dict[Facing, dict[int, Walk]]]] = {
    square: {facing: {die: _walk(square, facing, die) for die in sorted(set(FACES))} for facing in FACINGS}
    for square in SQUARES
}
"""Every possible walk, by Assam's square, his facing and the die."""

NEIGHBOURS: Final[dict[Square, tuple[Square, ...]]] = {
    square: tuple(square + _STEPS[facing] for facing in FACINGS if (square, facing) not in TRACKS) for square in SQUARES
}


def _find_places(assam: Square) -> tuple[tuple[Square, Square], ...]:
    beside = {
        (min(near, far), max(near, far)) for near in NEIGHBOURS[assam] for far in NEIGHBOURS[near] if far != assam
    }
    return tuple(sorted(beside))


PLACES: Final[dict[Square, tuple[tuple[Square, Square], ...]]] = {square: _find_places(square) for square in SQUARES}
"""Where a rug may lie beside Assam, by the square he stands on, if no other rug is in the way."""

RUG_PLACES: Final[dict[tuple[Square, Square], int]] = {
    place: 1 << place[0] | 1 << place[1] for places in PLACES.values() for place in places
}
"""The mask of a rug on each of the 84 pairs of neighbouring squares."""


def rug_name(squares: tuple[Square, Square]) -> str:
    """Write a rug's place as people do: `d5-e5`."""
    return f"{NAMES[squares[0]]}-{NAMES[squares[1]]}"


def region(square: Square, colour: int) -> int:
    """Find the part of a colour's mask that is connected with a square by edges, as a mask."""
    grown = 1 << square
    while True:
        known = grown
        grown = (known | known << 1 | known >> 1 | known << STRIDE | known >> STRIDE) & colour
        if grown == known:
            return known


def squares_of(mask: int) -> tuple[Square, ...]:
    """List the squares of a mask, from a1 along each rank to g7."""
    squares = []
    while mask:
        lowest = mask & -mask
        squares.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(squares)
