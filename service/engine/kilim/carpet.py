"""A player's carpet: the dominoes and scraps on a loom, where pieces can go, and what shows."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from service.engine.json_reader import Json
from service.engine.kilim.pieces import LETTERS, MOTIFS, SHOWS, TORN, Motif, Token

Square: TypeAlias = int
Place: TypeAlias = tuple[Square, Square]
"""The squares of a domino's first and second half."""

SIZE: Final = 25
COLUMNS: Final = "abcdefghijklmnopqrstuvwxy"
NAMES: Final = tuple(f"{column}{row}" for row in range(1, SIZE + 1) for column in COLUMNS)
SQUARES: Final = {name: square for square, name in enumerate(NAMES)}
NEIGHBOURS: Final = tuple(
    tuple(
        row * SIZE + column
        for row, column in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
        if 0 <= row < SIZE and 0 <= column < SIZE
    )
    for y in range(SIZE)
    for x in range(SIZE)
)
"""The squares beside each square."""
FIRST_PLACE: Final[Place] = (SQUARES["m13"], SQUARES["n13"])
"""Where every carpet begins."""


def place_name(place: Iterable[Square]) -> str:
    """Write squares as in the notation: m14-m13."""
    return "-".join(NAMES[square] for square in place)


Rework: TypeAlias = tuple[str, tuple[Square, ...]]
"""A domino or a scrap's motif, and the squares where it would be; no squares if it is removed."""
Reworks: TypeAlias = tuple[Rework, ...]


class Laid(NamedTuple):
    """A domino on the loom."""

    domino: str
    first: Square
    second: Square


class Points(NamedTuple):
    """The points of a carpet that don't depend on the other carpets."""

    rectangle: int
    motifs: int
    groups: int
    torn: int
    squares: int
    largest_groups: tuple[int, ...]
    """For each motif the size of the largest group of two or more squares, otherwise 0."""


@dataclass(frozen=True)
class Carpet:
    """Dominoes and scraps in the order they were laid. What follows from them is computed once and kept."""

    dominoes: tuple[Laid, ...] = ()
    scraps: tuple[tuple[Motif, Square], ...] = ()

    @cached_property
    def halves(self) -> dict[Square, tuple[str, str]]:
        """For each square that a domino covers: the letter of the half there and the domino."""
        found = {}
        for domino, first, second in self.dominoes:
            found[first] = domino[0], domino
            found[second] = domino[1], domino
        return found

    @cached_property
    def patched(self) -> dict[Square, Motif]:
        """The scraps by square."""
        return {square: motif for motif, square in self.scraps}

    @cached_property
    def shown(self) -> dict[Square, str]:
        """What shows on each covered square, as a letter."""
        letters = {square: letter for square, (letter, _) in self.halves.items()}
        return letters | {square: LETTERS[motif] for motif, square in self.scraps}

    @cached_property
    def cells(self) -> Json:
        """The squares by name, each with what it shows, as in the view; the cells must not be changed."""
        halves, patched = self.halves, self.patched
        return {
            NAMES[square]: {
                "shows": SHOWS[letter],
                "domino": halves[square][1] if square in halves else None,
                "scrap": square in patched,
            }
            for square, letter in self.shown.items()
        }

    @cached_property
    def _edges(self) -> set[Square]:
        return find_edges(self.shown)

    # Where pieces can go

    def weave_places(self, domino: str) -> tuple[Place, ...]:
        """Where the domino can be woven; a double only with the smaller square first."""
        return self._double_places if domino[0] == domino[1] else self.places

    @cached_property
    def _double_places(self) -> tuple[Place, ...]:
        return find_places(self.shown, self._edges)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where a domino with two different halves can be woven."""
        if not self.shown:
            return (FIRST_PLACE,)
        return tuple(place for low, high in self._double_places for place in ((low, high), (high, low)))

    @cached_property
    def patch_squares(self) -> tuple[Square, ...]:
        """Where a scrap can go: on a half without one, or into a hole."""
        if not self.shown:
            return ()
        halves = [square for square in self.halves if square not in self.patched]
        west, east, south, north = bounds(self.shown)
        holes = [s for s in self._edges if west <= s % SIZE <= east and south <= s // SIZE <= north]
        return tuple(sorted([*halves, *holes]))

    def reworks(self, token: Token) -> Reworks:
        """What a token can do: pieces and the squares where each would be then."""
        match token:
            case "turn":
                return self._turns
            case "move":
                return self._moves
            case "remove":
                return self._removals
        return ()

    @cached_property
    def _removals(self) -> Reworks:
        pieces = [laid.domino for laid in self.dominoes] + [motif for motif, _ in self.scraps]
        return tuple((piece, ()) for piece in pieces)

    @cached_property
    def _turns(self) -> Reworks:
        found = []
        for domino, first, second in self.dominoes:
            rest = self.without_domino(domino)
            places = [(first, to) for to in NEIGHBOURS[first] if to != second]
            places += [(to, second) for to in NEIGHBOURS[second] if to != first]
            found += [(domino, place) for place in (*places, (second, first)) if rest.can_lie_on(place)]
        return tuple(found)

    @cached_property
    def _moves(self) -> Reworks:
        found: list[Rework] = []
        for domino, first, second in self.dominoes:
            rest, step = self.without_domino(domino), second - first
            if rest.shown:
                places = [place for place in rest.places if place[1] - place[0] == step]
                found += [(domino, place) for place in places if place[0] != first]
        for motif, square in self.scraps:
            found += [(motif, (to,)) for to in self.without_scrap(motif).patch_squares if to != square]
        return tuple(found)

    def can_lie_on(self, place: Place) -> bool:
        """Whether a domino could lie there: on free squares, at least one of them beside a covered one."""
        shown, edges = self.shown, self._edges
        return not (place[0] in shown or place[1] in shown) and (place[0] in edges or place[1] in edges)

    # Changes

    def weave(self, domino: str, place: Place) -> "Carpet":
        """The carpet with one more domino."""
        return Carpet((*self.dominoes, Laid(domino, *place)), self.scraps)

    def patch(self, motif: Motif, square: Square) -> "Carpet":
        """The carpet with one more scrap."""
        return Carpet(self.dominoes, (*self.scraps, (motif, square)))

    def without_scrap(self, motif: str) -> "Carpet":
        """The carpet without a scrap."""
        return Carpet(self.dominoes, tuple(scrap for scrap in self.scraps if scrap[0] != motif))

    def without_domino(self, domino: str) -> "Carpet":
        """The carpet without a domino and the scraps on it."""
        under = {square for laid in self.dominoes if laid.domino == domino for square in laid[1:]}
        kept = tuple(laid for laid in self.dominoes if laid.domino != domino)
        return Carpet(kept, tuple(scrap for scrap in self.scraps if scrap[1] not in under))

    def rework(self, piece: str, squares: tuple[Square, ...]) -> "Carpet":
        """The carpet with a piece on other squares, or without it if there are none."""
        if piece in MOTIFS:
            rest = self.without_scrap(piece)
            return rest.patch(piece, squares[0]) if squares else rest
        if not squares:
            return self.without_domino(piece)
        moved: dict[Square, Square] = {}
        for laid in self.dominoes:
            if laid.domino == piece:
                moved = {laid.first: squares[0], laid.second: squares[1]}
        dominoes = tuple(Laid(piece, *squares) if laid.domino == piece else laid for laid in self.dominoes)
        return Carpet(dominoes, tuple((motif, moved.get(square, square)) for motif, square in self.scraps))

    # Points

    @cached_property
    def points(self) -> Points:
        """The points of this carpet alone."""
        return score_shown(self.shown)

    def groups(self) -> list[tuple[str, list[Square]]]:
        """The groups of two or more squares with one motif, each with the motif's letter."""
        return [(letter, squares) for letter, squares in group_squares(self.shown) if len(squares) > 1]


def find_edges(shown: Collection[Square]) -> set[Square]:
    """The free squares that share an edge with a covered one."""
    return {other for square in shown for other in NEIGHBOURS[square] if other not in shown}


def find_places(shown: Collection[Square], edges: Collection[Square]) -> tuple[Place, ...]:
    """Where a domino can be woven, each place once: with the smaller square first."""
    if not shown:
        return (FIRST_PLACE,)
    found = set()
    for square in edges:
        for other in NEIGHBOURS[square]:
            if other not in shown:
                found.add((square, other) if square < other else (other, square))
    return tuple(sorted(found))


_MOTIF_PLACES: Final = {letter: place for place, letter in enumerate(LETTERS.values())}


def score_shown(shown: dict[Square, str]) -> Points:
    """The points of a carpet that shows these letters."""
    letters = list(shown.values())
    largest, groups = [0] * len(MOTIFS), 0
    for letter, squares in group_squares(shown):
        if len(squares) > 1:
            groups += len(squares) - 1
            place = _MOTIF_PLACES[letter]
            largest[place] = max(largest[place], len(squares))
    kinds = len(_MOTIF_PLACES.keys() & letters)
    return Points(
        rectangle=10 if is_rectangle(shown) else 0,
        motifs={3: 10, 5: 5}.get(kinds, 0),
        groups=groups,
        torn=-3 * letters.count(TORN),
        squares=len(shown),
        largest_groups=tuple(largest),
    )


def is_rectangle(shown: dict[Square, str]) -> bool:
    """Whether these squares fill a rectangle."""
    if not shown:
        return False
    west, east, south, north = bounds(shown)
    return (east - west + 1) * (north - south + 1) == len(shown)


def bounds(squares: Iterable[Square]) -> tuple[int, int, int, int]:
    """The lowest and highest column, and the lowest and highest row."""
    columns = [square % SIZE for square in squares]
    rows = [square // SIZE for square in squares]
    return min(columns), max(columns), min(rows), max(rows)


def group_squares(shown: Mapping[Square, str]) -> Iterator[tuple[str, list[Square]]]:
    """The squares of each motif that are joined by edges."""
    left = {square for square, letter in shown.items() if letter in _MOTIF_PLACES}
    for start, letter in shown.items():
        if start not in left:
            continue
        left.discard(start)
        group, open_ = [start], [start]
        while open_:
            for other in NEIGHBOURS[open_.pop()]:
                if other in left and shown[other] == letter:
                    left.discard(other)
                    group.append(other)
                    open_.append(other)
        yield letter, group


EMPTY: Final = Carpet()
