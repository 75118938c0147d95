"""The protocol that every game implements; the layers above know no game by name.

`decide` applies the rules and returns events, `evolve` applies events to the state. Only events are stored, so a later
fix of the rules never changes a running game. Several seats may act at once, and each may see something different.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from service.engine.analysis import Analysis
from service.engine.dice import Chance, Dice
from service.engine.json_reader import Json

S = TypeVar("S")
A = TypeVar("A")
E = TypeVar("E")
T = TypeVar("T")
S_contra = TypeVar("S_contra", contravariant=True)
E_contra = TypeVar("E_contra", contravariant=True)


class Bot(Protocol):
    """A computer player. It gets the view of its seat, so it knows no more than a person there."""

    def __call__(self, view: Json, chance: Chance) -> Json:
        """Choose an action, as JSON; called only if the view's seat is to act."""
        ...


class Codec(Protocol[T]):
    """Reads and writes one kind of value as JSON."""

    def read(self, value: object) -> T:
        """Read a value; raises `Malformed` with a sentence that names the field."""
        ...

    def write(self, value: T) -> Json:
        """Write a value with all its fields."""
        ...


class EventCodec(Protocol[E]):
    """Reads and writes events as JSON and as sentences of the text record."""

    def read(self, value: object, seats: int) -> E:
        """Read an event of a game with this many seats; raises `Malformed` with a sentence that names the field."""
        ...

    def write(self, event: E) -> Json:
        """Write an event with all its fields, secret ones included."""
        ...

    def read_text(self, sentence: str, seats: int) -> E:
        """Read an event from its sentence; raises `Malformed`."""
        ...

    def write_text(self, event: E) -> str:
        """Write an event as a sentence, on one line."""
        ...


class Result(Protocol):
    """The result of a game: what the results of all games have in common."""

    @property
    def winners(self) -> Sequence[int]:
        """The seats that won; several if they share the win."""
        ...

    @property
    def ranking(self) -> Sequence[int]:
        """All seats, the best first."""
        ...

    @property
    def reason(self) -> str:
        """Why the game ended."""
        ...


class Analyst(Protocol[S_contra, E_contra]):
    """Analyses finished games: winning chances, luck, skill and the best choices."""

    @property
    def version(self) -> int:
        """The version of the evaluation. It changes when the same game would be analysed differently."""
        ...

    def __call__(self, states: Sequence[S_contra], events: Sequence[E_contra]) -> Analysis:
        """Analyse a finished game; `states[i]` is the state before `events[i]`, and the last state is the final one."""
        ...


class Rules(Protocol[S, A, E]):
    """One game. S is its state, A an action, E an event; all three are immutable values."""

    @property
    def name(self) -> str:
        """The game's name in the API and in records."""
        ...

    @property
    def seats(self) -> range:
        """The possible numbers of seats."""
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
    def analyst(self) -> Analyst[S, E] | None:
        """Analyses finished games; None for a game without analysis."""
        ...

    @property
    def actions(self) -> Codec[A]:
        """Reads and writes actions."""
        ...

    @property
    def events(self) -> EventCodec[E]:
        """Reads and writes events."""
        ...

    @property
    def states(self) -> Codec[S]:
        """Reads and writes states, for snapshots."""
        ...

    def read_options(self, options: object, seats: int) -> Json:
        """Check the options and fill in the defaults; raises `Malformed`."""
        ...

    def rematch_options(self, options: Json) -> Json:
        """Return the options for a rematch: the same, without those that name a seat, because the seats change."""
        ...

    def seat_assets(self, seats: int, seat: int) -> Json:
        """Return what a seat has throughout the game, such as its colours."""
        ...

    def seat_label(self, seat: int) -> str:
        """Return the seat's name in the text record: one word that no player can choose, unlike a player's name."""
        ...

    def seat_assets_in_words(self, seats: int, seat: int) -> str:
        """Return what the seat has, for the text record; no commas."""
        ...

    def set_up(self, options: Json, seats: int) -> S:
        """Make the state before the first event."""
        ...

    def new_game(self, options: Json, seats: int, dice: Dice) -> Sequence[E]:
        """Return the events that start a game."""
        ...

    def to_act(self, state: S) -> frozenset[int]:
        """Return the seats that the game waits for; several if they act at once."""
        ...

    def is_active(self, state: S, seat: int) -> bool:
        """Whether the seat is still in a running game: it hasn't resigned or been eliminated."""
        ...

    def is_stale(self, since: Sequence[E]) -> bool:
        """Whether an action that was chosen before these events of others is too late.

        If one seat acts at a time, any event makes it stale. If several act at once, only a new turn does. The service
        itself refuses an action of a seat that has acted in the meantime.
        """
        ...

    def legal_actions(self, state: S, seat: int) -> Sequence[A]:
        """List every action the seat can take now, even while the game waits for others.

        Resigning is never listed: an active seat can always resign.
        """
        ...

    def decide(self, state: S, seat: int, action: A, dice: Dice) -> Sequence[E]:
        """Return the events that the action leads to; raises `IllegalAction` if the rules forbid it."""
        ...

    def evolve(self, state: S, event: E) -> S:
        """Return the state after the event, without checking rules or rolling dice."""
        ...

    def view(self, state: S, seat: int | None) -> Json:
        """Build what this seat may know; None is a spectator."""
        ...

    def event_view(self, state: S, event: E, seat: int | None) -> Json:
        """Write what this seat may know of an event in this state; hidden fields are left out."""
        ...

    def result(self, state: S) -> Result | None:
        """Return the result, or None while the game is going on; the view contains the same as JSON."""
        ...

    def turn(self, state: S) -> int:
        """Return the number of the turn, from 1; a turn link is valid for one turn."""
        ...

    def turn_of(self, before: S, after: S) -> int:
        """Return the turn that an event between two states belongs to.

        Where an event ends a turn it belongs to the turn before, and where it begins one to the turn after.
        """
        ...
