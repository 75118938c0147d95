"""A game and its seats as the database knows them."""

from typing import Any, Final, NamedTuple

from service.commits_on_postgres import Promised
from service.engine.dice import Dice, commitment
from service.engine.json_reader import Json
from service.engine.records import Heading, RecordPlayer
from service.engine.registry import GAMES, AnyRules
from service.games.names import display_seat_name, display_table_name

KEPT_AFTER: Final = 2
"""After so many turns in a row a stand-in keeps the seat."""


class StoredSeat(NamedTuple):
    """One seat as the database knows it."""

    seat: int
    player: int | None
    name: str
    """Empty where nobody has given one, see `service.games.names`."""
    bot: str | None
    accepted: bool
    link_version: int
    address: str | None
    """Where a letter for this seat goes; None for bots and open seats."""
    stood_in: int = 0
    away_until: float | None = None
    token_version: int | None = None
    """Which of the player's tokens are good."""

    @property
    def played_by_stand_in(self) -> bool:
        """Whether a stand-in keeps the seat until the player comes back."""
        return self.stood_in >= KEPT_AFTER


class Versions(NamedTuple):
    """Which versions of its rows a game was made of."""

    game: str | Promised
    seats: str
    """Of its seats, each with its player."""


class StoredGame(NamedTuple):
    """One game as the database knows it, at its head."""

    id: str
    game: str
    name: str
    options: Json
    pace: int | None
    status: str
    host: int
    seed: str
    head: int
    turn: int
    state: Any
    """None before the start."""
    invitation_version: int
    deadline: float | None
    time_up: str
    seats: tuple[StoredSeat, ...]
    versions: Versions | None = None
    """None where the database does not tell, as SQLite."""
    remembered: bool = False
    """Whether it was not read just now: then only what is written at once can tell whether it is still so."""

    @property
    def rules(self) -> AnyRules:
        """The rules of the game that is played."""
        return GAMES[self.game]

    @property
    def paused(self) -> bool:
        """Whether the table's clocks stand still: otherwise a game with a pace that goes on has a deadline."""
        return self.status == "playing" and self.pace is not None and self.deadline is None

    @property
    def heading(self) -> Heading:
        """What the record begins with, seed and all."""
        sitters = tuple(RecordPlayer(seat.name or display_seat_name(seat), seat.bot) for seat in self.seats)
        name = display_table_name(self.game, self.name, self.seats[0].name)
        return Heading(self.id, self.game, name, self.options, sitters, commitment(bytes.fromhex(self.seed)), self.seed)

    def dice(self, salt: str) -> Dice:
        """The game's dice with the salt of one action."""
        return Dice(self.id, bytes.fromhex(self.seed), salt)

    def seat_of(self, player: int | None) -> int | None:
        """Where the player sits or is asked to sit."""
        return next((seat.seat for seat in self.seats if player is not None and seat.player == player), None)
