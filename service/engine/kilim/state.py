"""The state of a game of Kilim, as immutable values."""

from typing import Final, Literal, NamedTuple

from service.engine.kilim.actions import Auctioned, Result, Settled
from service.engine.kilim.carpet import EMPTY, Carpet
from service.engine.kilim.pieces import (
    DAYS,
    MOTIFS,
    SPECIALS,
    TOKENS,
    Card,
    Motif,
    Piles,
    Special,
    Token,
    rounds_per_day,
)

Weaving = Literal["relaxed", "strict"]
Phase = Literal["choose", "spy", "pay", "weave", "evening", "over"]
WEAVINGS: Final[tuple[Weaving, ...]] = ("relaxed", "strict")
PHASES: Final[tuple[Phase, ...]] = ("choose", "spy", "pay", "weave", "evening", "over")
UNKNOWN: Final = "?"
"""Stands for a sealed card or a scrap in the public record of a game that isn't over."""


class HeldToken(NamedTuple):
    """The token that a seat has taken."""

    token: Token
    used: bool
    day: int


class SeatState(NamedTuple):
    """One seat."""

    gold: tuple[int, ...]
    """The gold cards that are not publicly spent, in ascending order."""
    specials: tuple[Special, ...]
    card: Card | str | None = None
    """The card sealed in this round."""
    bid: int | str | None = None
    """The gold sealed in this round."""
    owes_weave: tuple[str, ...] = ()
    owes_keep: bool = False
    owes_take: int = 0
    """The day of the token that the seat has won and must take; 0 if it owes none."""
    scraps: tuple[Motif | str, ...] = ()
    perfect: tuple[str, ...] = ()
    token: HeldToken | None = None
    carpet: Carpet = EMPTY
    passed: bool = False
    """Whether the seat has passed this evening."""

    @property
    def owes(self) -> bool:
        """Whether the seat has to weave, keep or take something."""
        return bool(self.owes_weave or self.owes_keep or self.owes_take)


class State(NamedTuple):
    """One position."""

    weaving: Weaving
    seats: tuple[SeatState, ...]
    piles: Piles | None = None
    """None if unknown, as in the record of a game that isn't over."""
    aside: Piles | None = None
    phase: Phase = "choose"
    turn: int = 1
    round: int = 0
    day: int = 0
    offer: tuple[str, ...] = ()
    bag: tuple[Motif, ...] = MOTIFS
    """The scraps left, as far as they are known."""
    bag_left: int = len(MOTIFS)
    patched: tuple[Motif, ...] = ()
    """The scraps that have been used, so that everybody knows who kept them."""
    tokens: tuple[Token, ...] = TOKENS
    """The tokens that nobody has taken today."""
    late_tokens: tuple[Token, ...] = ()
    """Yesterday's tokens that are left, while a seat still has to take one of them."""
    perfect_taken: int = 0
    shown: tuple[Card | None, ...] | None = None
    """The cards of this round once they are shown."""
    auctioned: Auctioned | None = None
    """The last auction."""
    settled: Settled | None = None
    """What was paid after it."""
    last: tuple[tuple[Card | None, ...], Auctioned, Settled | None] | None = None
    """The last round whose bids are all settled: its cards, its auction and what was paid."""
    out: tuple[int, ...] = ()
    """The seats that have resigned, in that order."""
    result: Result | None = None

    @property
    def rounds_per_day(self) -> int:
        """The rounds of a day."""
        return rounds_per_day(len(self.seats))

    @property
    def rounds(self) -> int:
        """The rounds of the whole game."""
        return DAYS * self.rounds_per_day

    @property
    def is_last_of_day(self) -> bool:
        """Whether this is the last round of a day."""
        return self.round % self.rounds_per_day == 0

    def is_active(self, seat: int) -> bool:
        """Whether the seat is in a game that goes on."""
        return self.result is None and seat in range(len(self.seats)) and seat not in self.out

    def active_seats(self) -> list[int]:
        """The seats that have not resigned."""
        seats, out = range(len(self.seats)), self.out
        return [seat for seat in seats if seat not in out] if out else list(seats)


def full_hand(seats: int) -> tuple[int, ...]:
    """The gold cards at the beginning of a day."""
    return tuple(range(1, rounds_per_day(seats) + 1))


def set_up(weaving: Weaving, seats: int) -> State:
    """Make the state before the first event."""
    return State(weaving, (SeatState(full_hand(seats), SPECIALS),) * seats)
