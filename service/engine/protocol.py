"""What every game offers to the layers above, which know no game by name.

`decide` judges and `evolve` folds: what is stored is what happened, so a later correction of the rules never changes
a game that is under way. Nothing here assumes that one seat acts at a time or that everybody sees the same.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from service.engine.dice import Chance, Dice
from service.engine.json_reader import Json

S = TypeVar("S")
A = TypeVar("A")
E = TypeVar("E")
T = TypeVar("T")


class Bot(Protocol):
    """A player of the game's own; it knows what its seat knows and no more."""

    def __call__(self, view: Json, chance: Chance) -> Json:
        """The action to take, as JSON; asked only when the view's seat is to act."""
        ...


class Codec(Protocol[T]):
    """JSON both ways for one kind of value."""

    def read(self, value: object) -> T:
        """The value; raises `Malformed` with a sentence that names the field."""
        ...

    def write(self, value: T) -> Json:
        """The same as JSON, nothing left out."""
        ...


class EventCodec(Protocol[E]):
    """JSON and the words of the text record, both ways, for the events of a game with so many seats."""

    def read(self, value: object, seats: int) -> E:
        """The event; raises `Malformed` with a sentence that names the field."""
        ...

    def write(self, event: E) -> Json:
        """The same as JSON, nothing left out."""
        ...

    def read_text(self, words: str, seats: int) -> E:
        """The event that these words tell of; raises `Malformed`."""
        ...

    def write_text(self, event: E) -> str:
        """The event as people would read it aloud, on one line."""
        ...


class Result(Protocol):
    """How a game ended, as far as every game says it."""

    @property
    def winners(self) -> Sequence[int]:
        """The seats that won; several where they share the win."""
        ...

    @property
    def ranking(self) -> Sequence[int]:
        """All seats, the best first."""
        ...

    @property
    def reason(self) -> str:
        """Why it ended."""
        ...


class Rules(Protocol[S, A, E]):
    """One game. S is its state, A an action, E an event; all three are immutable values."""

    @property
    def name(self) -> str:
        """The game's name in the API and in records."""
        ...

    @property
    def seats(self) -> range:
        """How many may play."""
        ...

    @property
    def bots(self) -> Mapping[str, Bot]:
        """The computer players, by level."""
        ...

    @property
    def stand_in(self) -> str:
        """The level of the bot that plays for a player whose time is up."""
        ...

    @property
    def actions(self) -> Codec[A]: ...

    @property
    def events(self) -> EventCodec[E]: ...

    @property
    def states(self) -> Codec[S]: ...

    def read_options(self, options: object, seats: int) -> Json:
        """The options with every default filled in; raises `Malformed`."""
        ...

    def seat_assets(self, seats: int, seat: int) -> Json:
        """What a seat plays with from the first to the last turn, such as its colours."""
        ...

    def seat_label(self, seat: int) -> str:
        """What the text record calls the seat: one word, so that no player's name can be mistaken for a sentence."""
        ...

    def seat_assets_in_words(self, seats: int, seat: int) -> str:
        """What the seat plays with, for the text record."""
        ...

    def set_up(self, options: Json, seats: int) -> S:
        """The empty table into which the first event is folded."""
        ...

    def new_game(self, options: Json, seats: int, dice: Dice) -> Sequence[E]:
        """The events that open a game."""
        ...

    def to_act(self, state: S) -> frozenset[int]:
        """The seats that the game waits for; several at once where people choose together."""
        ...

    def is_active(self, state: S, seat: int) -> bool:
        """Whether the seat is still in the game: not resigned, not eliminated."""
        ...

    def is_stale(self, since: Sequence[E], seat: int) -> bool:
        """Whether an action that the seat chose before these events happened comes too late.

        Where one seat acts at a time, any event makes it stale. Where several act at once, only a new turn or an
        event of the seat's own does.
        """
        ...

    def legal_actions(self, state: S, seat: int) -> Sequence[A]:
        """Every move the seat can make now, also one it may make while the game waits for others.

        Resigning is never listed: it is open at any time to every seat that is still in the game.
        """
        ...

    def decide(self, state: S, seat: int, action: A, dice: Dice) -> Sequence[E]:
        """What comes of the action; raises `IllegalAction` where the rules forbid it."""
        ...

    def evolve(self, state: S, event: E) -> S:
        """The state after the event; it never refuses and never rolls."""
        ...

    def view(self, state: S, seat: int | None) -> Json:
        """What this seat may know; None is an onlooker."""
        ...

    def event_view(self, state: S, event: E, seat: int | None) -> Json:
        """What this seat may know of the event as the game now stands."""
        ...

    def result(self, state: S) -> Result | None:
        """How the game ended, or None while it is going on; the view has the same as JSON."""
        ...

    def turn(self, state: S) -> int:
        """The number of the turn, from 1; a turn link plays one of these."""
        ...
