"""The loom once more, as slow and as plain as the rules: squares are (column, row), and everything is tried out.

A carpet is a list of pieces: `(name, squares)`, where a scrap has one square and a domino two.
"""

from collections.abc import Iterator
from typing import TypeAlias

from service.engine.kilim.carpet import NAMES, Carpet, place_name

At: TypeAlias = tuple[int, int]
Piece: TypeAlias = tuple[str, tuple[At, ...]]
LOOM = [(column, row) for row in range(25) for column in range(25)]
"""All squares, in the order of their names."""


def pieces_of(carpet: Carpet) -> list[Piece]:
    """The pieces of a carpet of the engine."""
    laid = [(domino, (at(first), at(second))) for domino, first, second in carpet.dominoes]
    return laid + [(str(scrap), (at(square),)) for scrap, square in carpet.scraps]


def at(square: int) -> At:
    return ord(NAMES[square][0]) - ord("a"), int(NAMES[square][1:]) - 1


def name_of(squares: tuple[At, ...]) -> str:
    """Squares as in the notation."""
    return place_name(row * 25 + column for column, row in squares)


def covered(pieces: list[Piece]) -> set[At]:
    return {square for _, squares in pieces for square in squares}


def touch(one: At, other: At) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def beside(square: At) -> list[At]:
    column, row = square
    near = ((column, row - 1), (column - 1, row), (column + 1, row), (column, row + 1))
    return [(x, y) for x, y in near if 0 <= x < 25 and 0 <= y < 25]


def fits(squares: tuple[At, At], others: set[At]) -> bool:
    """Whether a domino can lie on these squares, beside what else is covered."""
    free = touch(*squares) and not set(squares) & others
    return free and any(near in others for square in squares for near in beside(square))


def weaves(pieces: list[Piece], domino: str) -> Iterator[str]:
    """Where a domino can be woven."""
    if not pieces:
        yield "m13-n13"
        return
    others = covered(pieces)
    for first in LOOM:
        for second in beside(first):
            ordered = (first[1], first[0]) < (second[1], second[0])
            if (ordered or domino[0] != domino[1]) and fits((first, second), others):
                yield name_of((first, second))


def patches(pieces: list[Piece]) -> Iterator[str]:
    """Where a scrap can go."""
    others = covered(pieces)
    halves = {square for _, squares in pieces if len(squares) == 2 for square in squares}
    scraps = {squares[0] for _, squares in pieces if len(squares) == 1}
    for square in LOOM:
        if square in halves and square not in scraps:
            yield name_of((square,))
        if others and square not in others:
            column, row = square
            inside = min(c for c, _ in others) <= column <= max(c for c, _ in others)
            inside = inside and min(r for _, r in others) <= row <= max(r for _, r in others)
            if inside and any(near in others for near in beside(square)):
                yield name_of((square,))


def without(pieces: list[Piece], piece: Piece) -> list[Piece]:
    """The carpet without a piece; scraps on a domino go with it."""
    return [each for each in pieces if each != piece and not (len(piece[1]) == 2 and each[1][0] in piece[1])]


def reworks(pieces: list[Piece], token: str) -> Iterator[str]:
    """What a token can do: a piece, and where it goes."""
    for piece in pieces:
        name, squares = piece
        rest = without(pieces, piece)
        if token == "remove":  # noqa: S105 - an artisan's token
            yield name
        elif len(squares) == 1:
            if token == "move":  # noqa: S105 - an artisan's token
                yield from (f"{name} {to}" for to in patches(rest) if to != name_of(squares))
        else:
            for first in LOOM:
                for second in beside(first):
                    if _is_change(token, (squares[0], squares[1]), (first, second)) and fits(
                        (first, second), covered(rest)
                    ):
                        yield f"{name} {name_of((first, second))}"


def _is_change(token: str, old: tuple[At, At], new: tuple[At, At]) -> bool:
    if old == new:
        return False
    if token == "turn":  # noqa: S105 - an artisan's token
        return new[0] == old[0] or new[1] == old[1] or new == (old[1], old[0])
    return (new[1][0] - new[0][0], new[1][1] - new[0][1]) == (old[1][0] - old[0][0], old[1][1] - old[0][1])
