"""What the service works with: settings, database, token signer and clock. Passed explicitly, never global."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

from service.auth.tokens import TokenSigner
from service.config import Settings
from service.db.connection import Database
from service.times import Clock

if TYPE_CHECKING:
    from service.games.stored import StoredGame


class AdvanceClock(Protocol):
    """Starts, keeps or stops the turn clock of a game, in the transaction that stored its events."""

    def __call__(self, database: Database, before: "StoredGame", after: "StoredGame", now: float) -> "StoredGame":
        """Give the game after the action with its deadline."""
        ...


class AppContext(NamedTuple):
    """Built once by `service.app.create_context` and passed to everything that needs it."""

    settings: Settings
    database: Database
    links: TokenSigner
    clock: Clock
    advance_clock: AdvanceClock
    """`service.clocks` builds on `service.games`, so `games.play` gets this function from outside."""
