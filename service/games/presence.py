"""Whether a player has a game open: the page's script and `marrakech-cli play` say so in each request."""

from typing import Final

from service.context import AppContext
from service.db.models import Seat

HELD_SECONDS: Final = 5 * 60.0
"""For how long a turn letter waits while its reader has the game open."""
OPEN_SECONDS: Final = 90.0
"""An idle page polls once a minute."""
_SECONDS_BETWEEN_WRITES: Final = 30.0


def record_presence(ctx: AppContext, game_id: str, seat: int | None) -> None:
    """Store that the seat's player has the game open now, unless that was stored a moment ago."""
    now = ctx.clock()
    here = (Seat.game == game_id) & (Seat.seat == seat)
    here &= Seat.seen.is_null() | (Seat.seen <= now - _SECONDS_BETWEEN_WRITES)
    # Reading first: most requests then take no write lock.
    if seat is not None and Seat.select().where(here).exists(ctx.database):
        Seat.update(seen=now).where(here).execute(ctx.database)


def is_open(seen: float | None, now: float) -> bool:
    """Whether a player who was last seen then has the game open."""
    return seen is not None and now - seen <= OPEN_SECONDS
