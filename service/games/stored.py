"""A game and its seats as they are stored."""

from typing import Any, Final, NamedTuple

from service.engine.dice import Dice, commitment
from service.engine.json_reader import Json
from service.engine.records import Heading, RecordPlayer
from service.engine.registry import GAMES, AnyRules
from service.games.names import display_seat_name, display_table_name
from service.ui.protocol import GameUi
from service.ui.registry import game_ui

KEPT_AFTER: Final = 2
"""After this many missed turns in a row, a stand-in plays until the player returns."""


class StoredSeat(NamedTuple):
    """One seat of a stored game."""

    seat: int
    player: int | None
    name: str
    """Empty if none was given, see `service.games.names`."""
    bot: str | None
    accepted: bool
    link_version: int
    address: str | None
    """The player's e-mail address; None for bots and open seats."""
    stood_in: int = 0
    away_until: float | None = None

    @property
    def played_by_stand_in(self) -> bool:
        """Whether a stand-in plays until the player returns."""
        return self.stood_in >= KEPT_AFTER


class StoredGame(NamedTuple):
    """A stored game at its head."""

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

    @property
    def rules(self) -> AnyRules:
        """The rules of the game that is played."""
        return GAMES[self.game]

    @property
    def ui(self) -> GameUi:
        """The presentation of the game that is played."""
        return game_ui(self.game)

    @property
    def paused(self) -> bool:
        """Whether the clock is stopped: a running game with a pace has a deadline otherwise."""
        return self.status == "playing" and self.pace is not None and self.deadline is None

    @property
    def heading(self) -> Heading:
        """The heading of the record, including the seed."""
        players = tuple(RecordPlayer(seat.name or display_seat_name(seat), seat.bot) for seat in self.seats)
        name = display_table_name(self.game, self.name, self.seats[0].name)
        return Heading(self.id, self.game, name, self.options, players, commitment(bytes.fromhex(self.seed)), self.seed)

    def dice(self, salt: str) -> Dice:
        """The game's dice with the salt of one action."""
        return Dice(self.id, bytes.fromhex(self.seed), salt)

    def seat_of(self, player: int | None) -> int | None:
        """The seat that the player has taken or is invited to."""
        return next((seat.seat for seat in self.seats if player is not None and seat.player == player), None)
