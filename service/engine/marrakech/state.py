"""A game of Marrakech at one moment, as an immutable value, and what can be asked of it."""

from typing import Final, Literal, NamedTuple, TypeAlias, cast, get_args

from service.engine.marrakech.board import CENTRE, Facing, Square

Variant = Literal["standard", "rotate-after"]
PileKind = Literal["shuffled", "alternating"]
Phase = Literal["direction", "placement", "rotation", "over"]
Colour = Literal["red", "blue", "yellow", "green"]

VARIANTS: Final = cast("tuple[Variant, ...]", get_args(Variant))
PILE_KINDS: Final = cast("tuple[PileKind, ...]", get_args(PileKind))
PHASES: Final = cast("tuple[Phase, ...]", get_args(Phase))
COLOURS: Final = cast("tuple[Colour, ...]", get_args(Colour))

Piles: TypeAlias = tuple[tuple[int, ...], ...]
"""For each seat the colours of its rugs, in the order they come off the pile."""

SEATS: Final = range(2, 5)
PURSE: Final = 30
RUGS_EACH: Final = {2: 24, 3: 15, 4: 12}
MOST_RUGS: Final = max(seats * each for seats, each in RUGS_EACH.items())

NO_RUG: Final = 0
BARE: Final = bytes(64)
"""What shows on the board before the first rug: nothing."""
_RUG_BITS: Final = 6


def colours_of(seats: int, seat: int) -> tuple[int, ...]:
    """The colours of a seat, as places in `COLOURS`: two each for two players, else one."""
    return (seat, seat + 2) if seats == 2 else (seat,)


def owner_of(colour: int, seats: int) -> int:
    """The seat whose colour this is."""
    return colour % seats


def rug_top(rug: int, colour: int) -> int:
    """What `State.top` holds where this rug of this colour shows: both in one byte."""
    return colour << _RUG_BITS | rug


def rug_of(top: int) -> int:
    """The number of the rug that shows."""
    return top & (1 << _RUG_BITS) - 1


def colour_of(top: int) -> int:
    """The colour of the rug that shows, as a place in `COLOURS`."""
    return top >> _RUG_BITS


class Options(NamedTuple):
    """What the table agreed on; fixed with the game."""

    variant: Variant = "standard"
    pile: PileKind = "shuffled"
    first: int | None = None


class Score(NamedTuple):
    """What one seat has in the end."""

    seat: int
    dirhams: int
    rugs: int
    out: bool

    @property
    def total(self) -> int:
        """Dirhams and visible squares together."""
        return self.dirhams + self.rugs


Reason = Literal["rugs_laid", "last_standing"]
REASONS: Final = cast("tuple[Reason, ...]", get_args(Reason))


class Result(NamedTuple):
    """How the game ended."""

    winners: tuple[int, ...]
    ranking: tuple[int, ...]
    scores: tuple[Score, ...]
    reason: Reason


class State(NamedTuple):
    """One position. Tuples go by seat; `shown` goes by colour and holds the squares where it shows as bit masks."""

    options: Options
    seats: int
    piles: Piles | None
    """None: not known here, as in the record of a two-player game that is still going on."""
    turn: int
    mover: int
    phase: Phase
    assam: Square
    facing: Facing
    dirhams: tuple[int, ...]
    rugs_left: tuple[int, ...]
    laid: int
    top: bytes
    """For each square what shows there (see `rug_top`)."""
    shown: tuple[int, ...]
    out: tuple[int, ...]
    """The seats that are out, in the order they went."""
    rolls: int
    """How often the die has been rolled; the last roll has one less as its number."""
    die: int | None
    path: tuple[Square, ...]
    """What the die showed last, and the way Assam went on it."""
    result: Result | None

    def still_in(self, seat: int) -> bool:
        """Whether the seat is still in the game."""
        return seat not in self.out

    def owner(self, colour: int) -> int:
        """The seat whose colour this is, whether or not it is still in."""
        return owner_of(colour, self.seats)

    def visible(self, seat: int) -> int:
        """On how many squares the seat's colours show and count."""
        if seat in self.out:
            return 0
        return sum(self.shown[colour].bit_count() for colour in colours_of(self.seats, seat))

    def next_rug(self, seat: int) -> int | None:
        """The colour of the rug on top of the seat's pile; None where the pile is empty or not known."""
        left = self.rugs_left[seat]
        return self.piles[seat][-left] if left and self.piles else None


def plain_piles(seats: int) -> Piles | None:
    """The piles where each is of one colour; with two players nobody knows them before the game has started."""
    return None if seats == 2 else tuple((seat,) * RUGS_EACH[seats] for seat in range(seats))


def set_up(options: Options, seats: int) -> State:
    """The table with nothing on it yet."""
    return State(
        options=options,
        seats=seats,
        piles=plain_piles(seats),
        turn=1,
        mover=0,
        phase="direction",
        assam=CENTRE,
        facing="north",
        dirhams=(PURSE,) * seats,
        rugs_left=(RUGS_EACH[seats],) * seats,
        laid=0,
        top=BARE,
        shown=(0,) * len(COLOURS),
        out=(),
        rolls=0,
        die=None,
        path=(),
        result=None,
    )
