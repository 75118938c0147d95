"""What a carpet is worth to a bot: its points, and the chances of those that depend on the rest of the game."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import exp, tanh
from typing import Final, NamedTuple, TypeAlias

from service.engine.kilim.carpet import (
    NEIGHBOURS,
    SIZE,
    Place,
    Square,
    bounds,
    find_edges,
    find_places,
    group_squares,
)
from service.engine.kilim.pieces import MOTIF_OF, TORN

Shown: TypeAlias = Mapping[Square, str]
"""What shows on the covered squares, as letters."""

_RECTANGLE: Final = 10.0
_LARGEST: Final = 5.0
_TORN: Final = 3.0
_MOTIFS_AT_THE_END: Final = (0.0, 0.0, 0.0, 10.0, 0.0, 5.0)
"""The points for the number of motifs that show."""
_MOTIFS_BEFORE: Final = (0.0, 7.0, 8.5, 10.0, 1.5, 5.0)
"""The same while dominoes are still to come: who bids low for other motifs can stay at three, and four are a risk."""
_COMPACT: Final = 0.25
"""What an edge between two covered squares is worth while the carpet grows: such carpets can be filled in more ways."""
_NOTHING: Final[dict[str, float]] = {}
_MOST_HOLES: Final = 24
"""A rectangle with more holes is out of reach."""
_MOST_WINS: Final = _MOST_HOLES + 1
_NO_SCRAP: Final = 2
"""A hole that no domino fits counts as so many dominoes if there is no scrap for it."""


class Prospects(NamedTuple):
    """What a seat can still expect."""

    wins: float
    """How many more dominoes it is likely to win."""
    rivals: Mapping[str, int]
    """The size of the others' largest group of each motif, by its letter."""
    scraps: int = 0
    perfect: int = 0


def largest_groups(shown: Shown) -> dict[str, int]:
    """The size of the largest group of two or more squares of each motif, otherwise 0."""
    found = dict.fromkeys(MOTIF_OF, 0)
    for letter, squares in group_squares(shown):
        if len(squares) > max(1, found[letter]):
            found[letter] = len(squares)
    return found


@dataclass(frozen=True)
class Evaluation:
    """One carpet. What follows from it is computed once and kept, because dominoes are tried everywhere."""

    shown: Shown
    prospects: Prospects

    @cached_property
    def value(self) -> float:
        """The points to expect."""
        groups = sum(len(squares) - 1 for _, squares in self._groups)
        largest = sum(self._largest_value(letter, size) for letter, size in self._largest.items())
        torn = _TORN * list(self.shown.values()).count(TORN)
        inner = sum(other in self.shown for square in self.shown for other in NEIGHBOURS[square]) / 2
        return groups + largest - torn + self._motifs_value(len(self._motifs)) + self._shape + self._compact * inner

    def gain(self, domino: str, place: Place) -> float:
        """What a domino adds to the value there."""
        one, two = domino[0], domino[1]
        if one == two and one in MOTIF_OF:
            halves = self._double_gain(one, *place)
        else:
            halves = self._halves_on(place[0]).get(one, 0.0) + self._halves_on(place[1]).get(two, 0.0)
        return halves + self._shape_gain(place) + self._domino_gain(domino)

    def best_gain(self, domino: str) -> float:
        """The most that a domino can add."""
        one, two = domino[0], domino[1]
        if one == two:
            return max(self.gain(domino, place) for place in self._places)
        best = max(
            shape + max(low.get(one, 0.0) + high.get(two, 0.0), low.get(two, 0.0) + high.get(one, 0.0))
            for shape, low, high in self._options
        )
        return best + self._domino_gain(domino)

    def best_place(self, domino: str) -> Place:
        """Where a domino adds the most."""
        both = [place for low, high in self._places for place in ((low, high), (high, low))]
        return max(both, key=lambda place: self.gain(domino, place))

    def with_domino(self, domino: str, place: Place) -> "Evaluation":
        """The carpet with one more domino."""
        return Evaluation({**self.shown, place[0]: domino[0], place[1]: domino[1]}, self.prospects)

    @cached_property
    def _edges(self) -> set[Square]:
        return find_edges(self.shown)

    @cached_property
    def _places(self) -> tuple[Place, ...]:
        return find_places(self.shown, self._edges)

    @cached_property
    def _options(self) -> list[tuple[float, dict[str, float], dict[str, float]]]:
        """For each place: what its shape adds, and what motifs add on its squares."""
        return [
            (self._shape_gain((low, high)), self._halves_on(low), self._halves_on(high)) for low, high in self._places
        ]

    def _domino_gain(self, domino: str) -> float:
        """What a domino adds wherever it lies: its motifs, and what it loses if it is torn."""
        gain = -_TORN if domino[1] == TORN else 0.0
        new = {half for half in domino[:2] if half in MOTIF_OF and half not in self._motifs}
        if new:
            gain += self._motifs_value(len(self._motifs) + len(new)) - self._motifs_value(len(self._motifs))
        return gain

    # Motifs and groups

    @cached_property
    def _motifs(self) -> frozenset[str]:
        return frozenset(MOTIF_OF.keys() & self.shown.values())

    def _motifs_value(self, motifs: int) -> float:
        before = min(1.0, self.prospects.wins / 1.5)
        return before * _MOTIFS_BEFORE[motifs] + (1.0 - before) * _MOTIFS_AT_THE_END[motifs]

    @cached_property
    def _groups(self) -> list[tuple[str, list[Square]]]:
        return list(group_squares(self.shown))

    @cached_property
    def _group_of(self) -> dict[Square, int]:
        """The number of the group of each square that shows a motif."""
        return {square: number for number, (_, squares) in enumerate(self._groups) for square in squares}

    @cached_property
    def _largest(self) -> dict[str, int]:
        return largest_groups(self.shown)

    def _largest_value(self, letter: str, size: int) -> float:
        """The chance that this group is the largest of all carpets in the end, times the points."""
        lead = (size if size > 1 else 0) - self.prospects.rivals[letter] - 0.5
        return _LARGEST * (0.5 + 0.5 * tanh(lead / (0.2 + 0.7 * self.prospects.wins)))

    def _growth_value(self, letter: str, size: int) -> float:
        """What a group of this size adds to the chance to have the largest."""
        largest = self._largest[letter]
        return self._largest_value(letter, size) - self._largest_value(letter, largest) if size > largest else 0.0

    @cached_property
    def _groups_beside(self) -> dict[Square, dict[str, set[int]]]:
        """The numbers of the groups beside each free square, by letter."""
        found: dict[Square, dict[str, set[int]]] = {square: {} for square in self._edges}
        for square, letters in found.items():
            for other in NEIGHBOURS[square]:
                if other in self._group_of:
                    letters.setdefault(self.shown[other], set()).add(self._group_of[other])
        return found

    def _join_gain(self, letter: str, squares: int, groups: set[int]) -> float:
        """What new squares add that join these groups."""
        size = squares + sum(len(self._groups[number][1]) for number in groups)
        return squares - 1 + len(groups) + self._growth_value(letter, size)

    def _double_gain(self, letter: str, first: Square, second: Square) -> float:
        """What a double adds: a group that joins those beside it. A group beside both halves counts once."""
        beside = [self._groups_beside.get(square, {}).get(letter, set()) for square in (first, second)]
        return self._join_gain(letter, 2, beside[0] | beside[1])

    @cached_property
    def _half_gains(self) -> dict[Square, dict[str, float]]:
        """What halves add on each free square, by letter; other letters add nothing."""
        return {
            square: {letter: self._join_gain(letter, 1, groups) for letter, groups in beside.items()}
            for square, beside in self._groups_beside.items()
        }

    def _halves_on(self, square: Square) -> dict[str, float]:
        return self._half_gains.get(square, _NOTHING)

    # Shape

    @cached_property
    def _compact(self) -> float:
        return _COMPACT * min(1.0, self.prospects.wins / 2)

    @cached_property
    def _shape(self) -> float:
        return self._rectangle_value(()) if self.shown else 0.0

    @cached_property
    def _known_shapes(self) -> dict[Place, float]:
        return {}

    def _shape_gain(self, place: Place) -> float:
        """What covering two squares adds to the chance of a rectangle, and for a compact shape."""
        low, high = min(place), max(place)
        found = self._known_shapes.get((low, high))
        if found is None:
            touching = 1 + sum(other in self.shown for square in place for other in NEIGHBOURS[square])
            found = self._rectangle_value(place) - self._shape + self._compact * touching
            self._known_shapes[low, high] = found
        return found

    def _rectangle_value(self, added: tuple[Square, ...]) -> float:
        """The points for a rectangle times the chance to win enough dominoes for its holes, with some squares added."""
        west, east, south, north = bounds((*self.shown, *added))
        holes = (east - west + 1) * (north - south + 1) - len(self.shown) - len(added)
        if not holes or holes > _MOST_HOLES:
            return 0.0 if holes else _RECTANGLE
        free = {row * SIZE + column for row in range(south, north + 1) for column in range(west, east + 1)}
        free.difference_update(self.shown, added)
        pairs = odd = 0
        for size in _sizes_of_holes(free):
            pairs, odd = pairs + size // 2, odd + size % 2
        scraps, perfect = self.prospects.scraps, self.prospects.perfect
        needed = max(0, pairs - perfect - max(0, scraps - odd) // 2) + _NO_SCRAP * max(0, odd - scraps)
        return _RECTANGLE * self._chances[min(needed, _MOST_WINS)]

    @cached_property
    def _chances(self) -> list[float]:
        """The chance of at least so many more wins, by their number: a Poisson distribution."""
        wins = self.prospects.wins
        found, just = [1.0], exp(-wins)
        for number in range(1, _MOST_WINS + 1):
            found.append(found[-1] - just)
            just *= wins / number
        return found


def _sizes_of_holes(free: set[Square]) -> Iterator[int]:
    """The sizes of the groups of free squares; the set is used up."""
    while free:
        size, open_ = 1, [free.pop()]
        while open_:
            for other in NEIGHBOURS[open_.pop()]:
                if other in free:
                    free.discard(other)
                    open_.append(other)
                    size += 1
        yield size
