"""The actions of Kilim and its events, as immutable values."""

from typing import Final, Literal, NamedTuple, TypeAlias

from service.engine.kilim.carpet import Place, Square
from service.engine.kilim.pieces import Card, Motif, Piles, Token

Fate = Literal["won", "carried", "lost"]


class Play(NamedTuple):
    """Seal a card in the phase `choose`."""

    card: Card
    type: Literal["play"] = "play"


class Bid(NamedTuple):
    """Seal gold: a spy's for the dominoes, or for bag and artisan."""

    gold: int
    type: Literal["bid"] = "bid"


class Weave(NamedTuple):
    """Lay a domino that was won, or a perfect one."""

    domino: str
    squares: Place
    type: Literal["weave"] = "weave"


class Keep(NamedTuple):
    """Keep a scrap from the bag."""

    scrap: Motif
    type: Literal["keep"] = "keep"


class Take(NamedTuple):
    """Take an artisan's token."""

    token: Token
    type: Literal["take"] = "take"


class Patch(NamedTuple):
    """Use a scrap."""

    scrap: Motif
    square: Square
    type: Literal["patch"] = "patch"


class Rework(NamedTuple):
    """Use a token on a domino or a scrap."""

    token: Token
    piece: str
    squares: tuple[Square, ...]
    type: Literal["rework"] = "rework"


class Pass(NamedTuple):
    """Do nothing more this evening."""

    type: Literal["pass"] = "pass"


class Resign(NamedTuple):
    """Leave the game."""

    type: Literal["resign"] = "resign"


Action: TypeAlias = Play | Bid | Weave | Keep | Take | Patch | Rework | Pass | Resign
PASS: Final = Pass()
RESIGN: Final = Resign()

BySeat: TypeAlias = tuple[int | None, ...]
"""Gold by seat; None for a seat that has no entry."""


class Started(NamedTuple):
    piles: Piles | None
    """None if hidden, as is `aside`."""
    aside: Piles | None
    type: Literal["started"] = "started"


class Revealed(NamedTuple):
    round: int
    day: int
    domino: str
    offer: tuple[str, ...]
    type: Literal["revealed"] = "revealed"


class Played(NamedTuple):
    seat: int
    round: int
    card: Card | None
    """None if hidden."""
    type: Literal["played"] = "played"


class Shown(NamedTuple):
    round: int
    cards: tuple[Card | None, ...]
    type: Literal["shown"] = "shown"


class Bade(NamedTuple):
    seat: int
    round: int
    gold: int | None
    """None if hidden."""
    type: Literal["bid"] = "bid"


class Auctioned(NamedTuple):
    round: int
    gold: BySeat
    winner: int | None
    dominoes: tuple[str, ...]
    fate: Fate
    type: Literal["auctioned"] = "auctioned"


class Settled(NamedTuple):
    round: int
    gold: BySeat
    short: tuple[int, ...]
    bag: int | None
    artisan: int | None
    type: Literal["settled"] = "settled"


class Kept(NamedTuple):
    seat: int
    scrap: Motif | None
    """None if hidden."""
    type: Literal["kept"] = "kept"


class Took(NamedTuple):
    seat: int
    token: Token
    domino: str | None
    type: Literal["took"] = "took"


class Woven(NamedTuple):
    seat: int
    domino: str
    squares: Place
    type: Literal["woven"] = "woven"


class Patched(NamedTuple):
    seat: int
    scrap: Motif
    square: Square
    type: Literal["patched"] = "patched"


class Reworked(NamedTuple):
    seat: int
    token: Token
    piece: str
    squares: tuple[Square, ...]
    type: Literal["reworked"] = "reworked"


class Evening(NamedTuple):
    day: int
    type: Literal["evening"] = "evening"


class Passed(NamedTuple):
    seat: int
    type: Literal["passed"] = "passed"


class Resigned(NamedTuple):
    seat: int
    type: Literal["resigned"] = "resigned"


class Score(NamedTuple):
    """The points of one seat."""

    seat: int
    rectangle: int
    motifs: int
    groups: int
    largest: int
    torn: int
    squares: int
    out: bool

    @property
    def total(self) -> int:
        """The sum of all points."""
        return self.rectangle + self.motifs + self.groups + self.largest + self.torn


Reason = Literal["days_over", "last_standing"]


class Result(NamedTuple):
    """How the game ended."""

    winners: tuple[int, ...]
    ranking: tuple[int, ...]
    scores: tuple[Score, ...]
    reason: Reason


class Finished(NamedTuple):
    result: Result
    type: Literal["finished"] = "finished"


Event: TypeAlias = (
    Started
    | Revealed
    | Played
    | Shown
    | Bade
    | Auctioned
    | Settled
    | Kept
    | Took
    | Woven
    | Patched
    | Reworked
    | Evening
    | Passed
    | Resigned
    | Finished
)
