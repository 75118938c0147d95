"""Tables with a clock, and what the tests of clocks look at."""

import json
from typing import Any, NamedTuple

from service.engine.reading import Json
from service.lobby import Chair, Wish, create, join
from service.models import Letter, Player, TurnClock
from service.office import Office
from service.store import load
from service.stored import StoredGame
from service.worker import tick
from tests.service.conftest import Clock
from tests.service.tables import OPEN

HOUR = 3600.0
DAY = 24 * HOUR
PACE = int(2 * DAY)


def timed(
    office: Office, *people: Player, bots: int = 0, time_up: str = "stand-in", options: Json | None = None
) -> StoredGame:
    """A game with two days for a turn; the first of the people hosts and begins."""
    host, *others = people
    chairs = [OPEN] * len(others) + [Chair(bot="greedy")] * bots
    game = create(office, host, Wish("marrakech", "Souk", chairs, options or {"first": 0}, PACE, time_up))
    for player in others:
        game = join(office, game.id, player)
    assert game.status == "playing"
    return game


def now(office: Office, game: StoredGame) -> StoredGame:
    """The game as it is now."""
    return load(office.database, game.id)


def ring_at(office: Office, clock: Clock, moment: float) -> None:
    """Let the worker tick at this moment."""
    clock.now = moment
    tick(office)


class Told(NamedTuple):
    """A letter about a clock."""

    kind: str
    seat: int
    turn: int
    details: Any


def told(office: Office, *kinds: str) -> list[Told]:
    """The letters of these kinds, the oldest first."""
    columns = (Letter.kind, Letter.seat, Letter.turn, Letter.details)
    rows = Letter.select(*columns).where(Letter.kind.in_(kinds)).order_by(Letter.id).tuples().execute(office.database)
    return [Told(kind, seat, turn, json.loads(details)) for kind, seat, turn, details in rows]


def alarm(office: Office, game: StoredGame) -> float | None:
    """When there is next something to do."""
    found: float | None = TurnClock.select(TurnClock.alarm).where(TurnClock.game == game.id).scalar(office.database)
    return found
