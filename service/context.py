"""The application context: settings, database, token signer and clock. Passed explicitly, never global."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from service.auth.tokens import TokenSigner
from service.config import Settings
from service.db.connection import Database

Clock: TypeAlias = Callable[[], float]
"""Returns the time in seconds since 1970: `time.time`, or a clock that a test sets."""
AdvanceClock: TypeAlias = Callable[[Database, Any, Any, float], Any]
"""Takes the stored game before and after an action and the time; returns the game with its new deadline."""

Notify: TypeAlias = Callable[[Any, Any, Any], None]
"""Takes the context, a channel and a `Notification`, and sends it."""


class AppContext(NamedTuple):
    """Built once by `service.app.create_context` and passed to everything that needs it."""

    settings: Settings
    database: Database
    tokens: TokenSigner
    clock: Clock
    advance_clock: AdvanceClock
    """`clocks.turn_clock.advance_clock`. Clocks build on games, so `games.play` can't import it."""
    notify: Notify
    """`notify.sender.send`. Mail and the other channels don't import each other, and share the outbox."""
