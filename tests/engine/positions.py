"""Positions drawn in the test, dice with chosen rolls, and one action played on them."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeVar

from service.engine.dice import SEED_BYTES, Dice
from service.engine.marrakech.actions import LAY, Action, Event, Lay
from service.engine.marrakech.board import FACES, FACINGS, NAMES, NEIGHBOURS, Facing, Square, read_square
from service.engine.marrakech.evolve import evolve
from service.engine.marrakech.rules import decide
from service.engine.marrakech.state import (
    BARE,
    COLOURS,
    RUGS_EACH,
    Options,
    Phase,
    Piles,
    State,
    colour_of,
    colours_of,
    one_colour_piles,
    rug_of,
    rug_top,
)
from tests.engine import naive

E = TypeVar("E")

STANDARD: Final = Options()
ROTATE_AFTER: Final = Options(variant="rotate-after")

_LETTERS: Final = "".join(colour[0].upper() for colour in COLOURS)
_CELL: Final = re.compile(rf"(?P<letter>[{_LETTERS}])(?P<rug>[1-9]\d?)")
_BARE: Final = ".."


def position(
    drawing: str = "",
    *,
    seats: int = 4,
    assam: str = "d4 north",
    phase: Phase = "direction",
    mover: int = 0,
    dirhams: tuple[int, ...] | None = None,
    rugs_left: tuple[int, ...] | None = None,
    out: tuple[int, ...] = (),
    options: Options = STANDARD,
    piles: Piles | None = None,
    turn: int = 1,
    rolls: int = 0,
) -> State:
    """Make a state from a drawing: seven ranks, rank 7 on top; a cell is a colour and a rug (`R1`) or bare (`..`).

    By default nobody has paid or laid anything; a seat that is out has no rugs left.
    """
    top = _top(drawing, seats)
    square, facing = assam.split()
    in_full = tuple(0 if seat in out else RUGS_EACH[seats] for seat in range(seats))
    return State(
        options=options,
        seats=seats,
        piles=piles or one_colour_piles(seats) or tuple(colours_of(2, seat) * 12 for seat in range(2)),
        turn=turn,
        mover=mover,
        phase=phase,
        assam=read_square(square),
        facing=_facing(facing),
        dirhams=dirhams or (30,) * seats,
        rugs_left=rugs_left or in_full,
        laid=max(rug_of(cell) for cell in top),
        top=top,
        shown=tuple(_mask(at for at in NAMES if top[at] and colour_of(top[at]) == place) for place in range(4)),
        out=out,
        rolls=rolls,
        die=None,
        path=(),
        result=None,
    )


def draw(cells: Mapping[str, str]) -> str:
    """Draw a board with these cells."""
    return "\n".join(" ".join(cells.get(file + rank, _BARE) for file in "abcdefg") for rank in "7654321")


def draw_state(state: State) -> str:
    """Draw the board of a state."""
    return draw({NAMES[at]: _LETTERS[colour_of(top)] + str(rug_of(top)) for at in NAMES if (top := state.top[at])})


def to_naive(state: State) -> naive.Position:
    """Convert the state for the naive rules."""
    cells = zip((file + rank for rank in "7654321" for file in "abcdefg"), draw_state(state).split(), strict=True)
    piles = state.piles or ()
    return naive.Position(
        rugs={square: cell for square, cell in cells if cell != ".."},
        stand=(NAMES[state.assam], state.facing),
        phase=state.phase,
        mover=_LETTERS[state.mover],
        dirhams=dict(zip(_LETTERS, state.dirhams, strict=False)),
        piles={
            _LETTERS[seat]: "".join(_LETTERS[colour] for colour in pile[len(pile) - state.rugs_left[seat] :])
            for seat, pile in enumerate(piles)
            if seat not in state.out
        },
        rotate_after=state.options.variant == "rotate-after",
    )


def _top(drawing: str, seats: int) -> bytes:
    rows = [line.split() for line in drawing.split("\n") if line.strip()]
    if rows and [len(row) for row in rows] != [7] * 7:
        raise ValueError(f"A board has seven ranks of seven squares, not {[len(row) for row in rows]}.")
    top = bytearray(BARE)
    for rank, row in zip("7654321", rows, strict=False):
        for file, cell in zip("abcdefg", row, strict=True):
            top[read_square(file + rank)] = _cell(cell, seats)
    _check_rugs(top)
    return bytes(top)


def _cell(cell: str, seats: int) -> int:
    if cell == _BARE:
        return 0
    match = _CELL.fullmatch(cell)
    if match is None or match["letter"] not in _LETTERS[: 3 if seats == 3 else 4]:
        raise ValueError(f"{cell!r} is not a rug of a game for {seats} players.")
    return rug_top(int(match["rug"]), _LETTERS.index(match["letter"]))


def _check_rugs(top: bytearray) -> None:
    """Refuse an impossible drawing: a rug with two colours, on three squares or on squares that don't touch."""
    shows: dict[int, list[Square]] = {}
    for at in NAMES:
        if top[at]:
            shows.setdefault(rug_of(top[at]), []).append(at)
    for rug, squares in shows.items():
        one_colour = len({top[at] for at in squares}) == 1
        whole = len(squares) == 1 or (len(squares) == 2 and squares[1] in NEIGHBOURS[squares[0]])
        if not (one_colour and whole):
            raise ValueError(f"Rug {rug} cannot lie on {', '.join(NAMES[at] for at in squares)} like this.")


def _facing(word: str) -> Facing:
    return next(facing for facing in FACINGS if facing == word)


def _mask(squares: Iterable[Square]) -> int:
    return sum(1 << square for square in squares)


class NotLoaded(LookupError):
    """The rules rolled more often than the test expected."""


class LoadedDice(Dice):
    """Dice that show the given faces (0 to 5) one after the other, and then refuse to roll."""

    __slots__ = ("asked", "places")

    def __init__(self, *places: int, salt: str = "") -> None:
        super().__init__("loaded", bytes(SEED_BYTES), salt)
        self.places = list(places)
        self.asked: list[int] = []

    @classmethod
    def showing(cls, *faces: int, salt: str = "") -> "LoadedDice":
        """Dice that show these numbers of squares."""
        return cls(*(FACES.index(face) for face in faces), salt=salt)

    def roll(self, number: int) -> int:
        if not self.places:
            raise NotLoaded(f"roll {number}")
        self.asked.append(number)
        return self.places.pop(0)


class Played(NamedTuple):
    """The events of an action and the state after them."""

    events: tuple[Event, ...]
    after: State

    @property
    def story(self) -> str:
        """The types of the events, in order."""
        return " ".join(event.type for event in self.events)

    def only(self, kind: type[E]) -> E:
        """The only event of this class."""
        (event,) = (event for event in self.events if isinstance(event, kind))
        return event


def play(state: State, action: Action, *rolls: int, seat: int | None = None) -> Played:
    """Play an action with exactly these rolls; the mover acts unless a seat is given."""
    dice = LoadedDice.showing(*rolls)
    events = tuple(decide(state, state.mover if seat is None else seat, action, dice))
    assert not dice.places, "the die was rolled less often than the test expected"
    return Played(events, evolve_all(state, events))


def evolve_all(state: State, events: Iterable[Event]) -> State:
    """Apply all events."""
    for event in events:
        state = evolve(state, event)
    return state


def lay(place: str) -> Lay:
    """The action that lays a rug here: `d5-e5`."""
    one, other = sorted(read_square(name) for name in place.split("-"))
    return LAY[one, other]
