"""A position as every seat sees it, and what a turn makes of it; for bots and the analysis.

It leaves out what a seat must not know, the order of the piles, and what doesn't matter to the rest of the game.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from service.engine.json_reader import Json
from service.engine.marrakech.board import (
    PLACES,
    RUG_PLACES,
    TURNED,
    TURNS,
    WALKS,
    Facing,
    Square,
    read_square,
    region,
    squares_of,
)
from service.engine.marrakech.state import COLOURS, State, colours_of, owner_of, rug_of

Place: TypeAlias = tuple[Square, Square]


class Position(NamedTuple):
    """A position. Tuples are indexed by seat, except `shown`."""

    seats: int
    rotate_after: bool
    mover: int
    assam: Square
    facing: Facing
    dirhams: tuple[int, ...]
    rugs_left: tuple[int, ...]
    next_rugs: tuple[int | None, ...]
    """The colour on top of each pile; None if the pile is empty or the colour isn't known yet."""
    shown: tuple[int, ...]
    """For each colour the mask of its visible squares; 0 if its owner is out."""
    whole: frozenset[int]
    """The masks of the rugs of which both halves are visible, neutral ones included."""
    out: tuple[int, ...]

    @property
    def over(self) -> bool:
        """Whether no rug or only one player is left."""
        return len(self.out) == self.seats - 1 or not any(self.rugs_left)


def position_of(state: State) -> Position:
    """Leave out what nobody can see."""
    rugs = {square: rug_of(top) for square, top in enumerate(state.top) if top}
    return Position(
        seats=state.seats,
        rotate_after=state.options.variant == "rotate-after",
        mover=state.mover,
        assam=state.assam,
        facing=state.facing,
        dirhams=state.dirhams,
        rugs_left=state.rugs_left,
        next_rugs=tuple(state.next_rug(seat) for seat in range(state.seats)),
        shown=tuple(
            0 if owner_of(colour, state.seats) in state.out else mask for colour, mask in enumerate(state.shown)
        ),
        whole=_find_whole(rugs),
        out=state.out,
    )


def read_position(view: Json) -> Position:
    """Read the position from a seat's view."""
    seats = view["seats"]
    shown = [0] * len(COLOURS)
    for name, rug in view["board"].items():
        if not rug["neutral"]:
            shown[COLOURS.index(rug["colour"])] |= 1 << read_square(name)
    return Position(
        seats=len(seats),
        rotate_after=view["options"]["variant"] == "rotate-after",
        mover=view["to_act"][0],
        assam=read_square(view["assam"]["at"]),
        facing=view["assam"]["facing"],
        dirhams=tuple(seat["dirhams"] for seat in seats),
        rugs_left=tuple(seat["rugs_left"] for seat in seats),
        next_rugs=tuple(COLOURS.index(seat["next_rug"]) if seat["next_rug"] else None for seat in seats),
        shown=tuple(shown),
        whole=_find_whole({read_square(name): rug["rug"] for name, rug in view["board"].items()}),
        out=tuple(seat["seat"] for seat in seats if seat["out"]),
    )


def _find_whole(rugs: dict[Square, int]) -> frozenset[int]:
    """Find the rugs of which both halves are visible."""
    halves = Counter(rugs.values())
    masks: Counter[int] = Counter()
    for square, rug in rugs.items():
        if halves[rug] > 1:
            masks[rug] |= 1 << square
    return frozenset(masks.values())


class Tolls(NamedTuple):
    """What it costs to stop on the visible squares of one colour: the size of the group that the square belongs to."""

    by_square: Mapping[Square, int]
    groups: int
    """How many groups there are."""
    total: int
    """The tolls of all squares added up, which is the sum of the squared sizes of the groups."""


# A lookahead asks for the same few masks again and again.
@lru_cache(1 << 13)
def measure_tolls(mask: int) -> Tolls:
    """Measure what the squares of a colour cost."""
    by_square: dict[Square, int] = {}
    groups = 0
    while mask:
        group = region((mask & -mask).bit_length() - 1, mask)
        by_square |= dict.fromkeys(squares_of(group), group.bit_count())
        mask ^= group
        groups += 1
    return Tolls(by_square, groups, sum(by_square.values()))


def find_toll(position: Position, payer: int, square: Square) -> tuple[int, int]:
    """Return whom a player must pay for stopping on a square, and how much. It is nothing on their own rugs."""
    for colour, mask in enumerate(position.shown):
        if mask >> square & 1:
            owner = owner_of(colour, position.seats)
            return owner, 0 if owner == payer else measure_tolls(mask).by_square[square]
    return payer, 0


def walk(position: Position, facing: Facing, die: int) -> Position:
    """Walk and pay. A mover who can't pay is out, and it is the next player's turn."""
    _, to, facing = WALKS[position.assam][facing][die]
    mover, dirhams = position.mover, position.dirhams
    position = position._replace(assam=to, facing=facing)
    owner, due = find_toll(position, mover, to)
    if not due:
        return position
    paid, purse = list(dirhams), dirhams[mover]
    paid[mover] -= min(due, purse)
    paid[owner] += min(due, purse)
    position = position._replace(dirhams=tuple(paid))
    return leave(position, mover) if due > purse else position


def leave(position: Position, seat: int) -> Position:
    """Take a seat out of the game; if it was its turn, it is the next player's."""
    rugs_left, shown = list(position.rugs_left), list(position.shown)
    rugs_left[seat] = 0
    for colour in colours_of(position.seats, seat):
        shown[colour] = 0
    position = position._replace(rugs_left=tuple(rugs_left), shown=tuple(shown), out=(*position.out, seat))
    return end_turn(position) if seat == position.mover else position


def cover(position: Position, place: Place) -> Position:
    """Cover two squares with the colour of the mover's next rug, but leave the rug on the pile."""
    rug, colour = RUG_PLACES[place], position.next_rugs[position.mover]
    if colour is None:
        raise ValueError("Nobody knows yet what colour this rug has.")
    shown = [mask & ~rug for mask in position.shown]
    shown[colour] |= rug
    return position._replace(shown=tuple(shown))


def lay(position: Position, place: Place) -> Position:
    """Lay the mover's next rug."""
    mover, rug = position.mover, RUG_PLACES[place]
    rugs_left, next_rugs = list(position.rugs_left), list(position.next_rugs)
    rugs_left[mover] -= 1
    if position.seats == 2 or not rugs_left[mover]:
        next_rugs[mover] = None
    return cover(position, place)._replace(
        rugs_left=tuple(rugs_left),
        next_rugs=tuple(next_rugs),
        whole=frozenset([other for other in position.whole if not other & rug] + [rug]),
    )


def coming_mover(position: Position) -> int:
    """The next seat that has a rug left, which may be the mover again; the mover if no seat has one."""
    for step in range(1, position.seats + 1):
        seat = (position.mover + step) % position.seats
        if position.rugs_left[seat]:
            return seat
    return position.mover


def end_turn(position: Position) -> Position:
    """Give the turn to the next seat that has a rug left; if there is none, it stays where it is."""
    return position._replace(mover=coming_mover(position))


def places(position: Position) -> list[Place]:
    """List where the mover can lay a rug."""
    return [place for place in PLACES[position.assam] if RUG_PLACES[place] not in position.whole]


def turn_ends(position: Position) -> Iterator[Position]:
    """List how the turn can end after the mover has laid a rug: with `rotate-after`, Assam is turned either way."""
    ended = end_turn(position)
    if not position.rotate_after or position.over:
        yield ended
        return
    for turn in TURNS:
        yield ended._replace(facing=TURNED[position.facing][turn])


def final_shares(position: Position) -> tuple[float, ...]:
    """Share the win of a game that is over among its winners."""
    best: Final = max(_rank(position, seat) for seat in range(position.seats))
    winners = [seat for seat in range(position.seats) if _rank(position, seat) == best]
    return tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(position.seats))


def _rank(position: Position, seat: int) -> tuple[bool, int, int]:
    """Sort key: players who are out come last, then the total decides, then the dirhams."""
    visible = sum(position.shown[colour].bit_count() for colour in colours_of(position.seats, seat))
    return seat not in position.out, position.dirhams[seat] + visible, position.dirhams[seat]
