"""The state of a game of Marrakech, its options and its result, as immutable values."""

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
"""For each seat the colours of its rugs, from the top of the pile down."""

SEATS: Final = range(2, 5)
PURSE: Final = 30
RUGS_EACH: Final = {2: 24, 3: 15, 4: 12}
MOST_RUGS: Final = max(seats * each for seats, each in RUGS_EACH.items())

BARE: Final = bytes(64)
"""`State.top` of the board before the first rug."""
_RUG_BITS: Final = 6


def colours_of(seats: int, seat: int) -> tuple[int, ...]:
    """The colours of a seat, as indices into `COLOURS`: two each with two players, otherwise one."""
    return (seat, seat + 2) if seats == 2 else (seat,)


def owner_of(colour: int, seats: int) -> int:
    """The seat whose colour this is."""
    return colour % seats


def rug_top(rug: int, colour: int) -> int:
    """Pack a rug's number and colour into one byte of `State.top`."""
    return colour << _RUG_BITS | rug


def rug_of(top: int) -> int:
    """The rug's number in a byte of `State.top`."""
    return top & (1 << _RUG_BITS) - 1


def colour_of(top: int) -> int:
    """The rug's colour in a byte of `State.top`, as an index into `COLOURS`."""
    return top >> _RUG_BITS


class Options(NamedTuple):
    """The options of a game; they never change once it is created."""

    variant: Variant = "standard"
    pile: PileKind = "shuffled"
    first: int | None = None
    """The seat that begins; None: the dice decide."""


class Score(NamedTuple):
    """The final score of one seat."""

    seat: int
    dirhams: int
    rugs: int
    out: bool

    @property
    def total(self) -> int:
        """Dirhams plus visible squares."""
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
    """One position. Tuples are indexed by seat, except `shown`, which has a bit mask of visible squares per colour."""

    options: Options
    seats: int
    piles: Piles | None
    """None if unknown, as in the record of a two-player game that isn't over yet."""
    turn: int
    mover: int
    phase: Phase
    assam: Square
    facing: Facing
    dirhams: tuple[int, ...]
    rugs_left: tuple[int, ...]
    laid: int
    top: bytes
    """For each square the rug on top (see `rug_top`), 0 if it is bare."""
    shown: tuple[int, ...]
    out: tuple[int, ...]
    """The seats that are out, in the order they left."""
    rolls: int
    """How often the die has been rolled, which is also the number of the next roll."""
    die: int | None
    """The last roll."""
    path: tuple[Square, ...]
    """The squares Assam walked over with the last roll."""
    result: Result | None

    def visible(self, seat: int) -> int:
        """The number of squares that score for the seat: those where its colours are on top, none once it is out."""
        if seat in self.out:
            return 0
        return sum(self.shown[colour].bit_count() for colour in colours_of(self.seats, seat))

    def next_rug(self, seat: int) -> int | None:
        """The colour on top of the seat's pile; None if the pile is empty or unknown."""
        left = self.rugs_left[seat]
        return self.piles[seat][-left] if left and self.piles else None


def one_colour_piles(seats: int) -> Piles | None:
    """The piles with three or four players; None with two, whose piles are known only once the game has started."""
    return None if seats == 2 else tuple((seat,) * RUGS_EACH[seats] for seat in range(seats))


def set_up(options: Options, seats: int) -> State:
    """Make the state before the first event."""
    return State(
        options=options,
        seats=seats,
        piles=one_colour_piles(seats),
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
