"""Server statistics: numbers of games, letters and players, the age of the outbox, and the workers' health."""

from itertools import product
from typing import Any, Final, NamedTuple

from peewee import fn

from service.context import AppContext
from service.db.heartbeat import last_beat
from service.db.letters import IS_HELD, IS_WAITING, LONGEST_WAIT_FOR_SERVER, STATUSES
from service.db.models import Game, Letter, Player
from service.engine.registry import GAMES

LETTERS_WAIT_LONG: Final = 3600.0
WORKER_IS_SILENT: Final = 300.0
"""A batch of letters to a slow mail server takes minutes, and workers store no heartbeat meanwhile."""
_GAME_STATUSES: Final = ("waiting", "playing", "finished", "cancelled", "expired")


class ServerStats(NamedTuple):
    """The statistics; they come from the database, so all processes report the same."""

    games: dict[tuple[str, str], int]
    """By the name of the game and its status."""
    letters: dict[str, int]
    players: int
    events: int
    outbox_age: float
    worker_lag: float | None
    """Seconds since the last heartbeat of any worker; None if there was none for a day."""


def read_server_stats(ctx: AppContext) -> ServerStats:
    """Read the statistics from the database."""
    database = ctx.database
    kinds = (Game.game, Game.status)
    rows = Game.select(*kinds, fn.count(Game.id), fn.sum(Game.head)).group_by(*kinds).tuples()
    games = {(game, status): (number, events) for game, status, number, events in rows.execute(database)}
    letters = Letter.select(Letter.status, fn.count(Letter.id)).group_by(Letter.status).tuples().execute(database)
    return ServerStats(
        dict.fromkeys(product(GAMES, _GAME_STATUSES), 0) | {kind: number for kind, (number, _) in games.items()},
        dict.fromkeys(STATUSES, 0) | dict(letters),
        Player.select().count(database),
        sum(int(events) for _, events in games.values()),
        outbox_age(ctx),
        worker_lag(ctx),
    )


def outbox_age(ctx: AppContext) -> float:
    """The age in seconds of the oldest letter that is due now or soon; 0 if there is none.

    A letter that its recipient's mail server has postponed for hours doesn't count: the others are not affected.
    """
    now = ctx.clock()
    soon = IS_WAITING & (Letter.due <= now + LONGEST_WAIT_FOR_SERVER)
    oldest: Any = Letter.select(fn.min(Letter.created)).where(soon).scalar(ctx.database)
    return 0.0 if oldest is None else max(0.0, now - oldest)


def worker_lag(ctx: AppContext) -> float | None:
    """Seconds since the last heartbeat of any worker; None if there was none for a day."""
    last = last_beat(ctx.database)
    return None if last is None else max(0.0, ctx.clock() - last)


def find_health_problems(ctx: AppContext) -> dict[str, str]:
    """Problems with mail or the worker that the server host should fix, by subject; the pages still work."""
    found = {}
    age, lag = outbox_age(ctx), worker_lag(ctx)
    if age > LETTERS_WAIT_LONG:
        found["letters"] = (
            f"The oldest letter has waited for {int(age // 60)} minutes."
            " Run `marrakech-server letters` to see why, and `marrakech-server check` to test the mail server."
        )
    if lag is None or lag > WORKER_IS_SILENT:
        since = "for at least a day" if lag is None else f"for {int(lag // 60)} minutes"
        found["worker"] = f"No worker has run {since}. Start `marrakech-server worker`, or set WORKER to embedded."
    held: int = Letter.select().where(IS_HELD).count(ctx.database)
    if held:
        found["rejections"] = (
            f"Letters rejected as spam or by full mailboxes: {held}. Run `marrakech-server letters` to see why."
        )
    return found
