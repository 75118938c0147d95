"""Games with a clock, and what the tests of clocks check."""

import json
from typing import Any, NamedTuple

from service.context import AppContext
from service.db.models import ClockRow, Letter, Player
from service.engine.json_reader import Json
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.store import StoredGame, load
from service.worker import tick
from tests.support.clock import Clock
from tests.support.tables import OPEN, join

HOUR = 3600.0
DAY = 24 * HOUR
PACE = int(2 * DAY)


def start_timed_game(
    ctx: AppContext, *people: Player, bots: int = 0, time_up: str = "stand-in", options: Json | None = None
) -> StoredGame:
    """Start a game with two days per turn; the first player hosts and begins."""
    host, *others = people
    seats = [OPEN] * len(others) + [SeatRequest(bot="medium")] * bots
    game = create_game(ctx, host, NewGameRequest("marrakech", "Souk", seats, options or {"first": 0}, PACE, time_up))
    for player in others:
        game = join(ctx, game.id, player)
    assert game.status == "playing"
    return game


def reload(ctx: AppContext, game: StoredGame) -> StoredGame:
    """Load the game again."""
    return load(ctx.database, game.id)


def tick_at(ctx: AppContext, clock: Clock, moment: float) -> None:
    """Run a tick of the worker at this time."""
    clock.now = moment
    tick(ctx)


class ClockLetter(NamedTuple):
    """A letter about a clock."""

    kind: str
    seat: int
    turn: int
    details: Any


def clock_letters(ctx: AppContext, *kinds: str) -> list[ClockLetter]:
    """The letters of these kinds, the oldest first."""
    columns = (Letter.kind, Letter.seat, Letter.turn, Letter.details)
    rows = Letter.select(*columns).where(Letter.kind.in_(kinds)).order_by(Letter.id).tuples().execute(ctx.database)
    return [ClockLetter(kind, seat, turn, json.loads(details)) for kind, seat, turn, details in rows]


def next_alarm(ctx: AppContext, game: StoredGame) -> float | None:
    """When the clock is next due."""
    found: float | None = ClockRow.select(ClockRow.alarm).where(ClockRow.game == game.id).scalar(ctx.database)
    return found
