"""The clock of a turn: what it allows, what has counted, when to remind, and how it is stored beside the game."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from service.clocks.calendar import Calendar, add_counted, count_seconds
from service.db.connection import Database
from service.db.models import ClockRow, Game, Player
from service.games.store import StoredGame

REMINDERS: Final = ((0.5, "half"), (0.8, "last"))
"""After which share of the time a reminder is due, and its name."""
TIME_UP: Final = len(REMINDERS) + 1
LEEWAY: Final = 7 * 24 * 3600.0
"""How far a player's changes of quiet hours, days off and zone can postpone one turn's deadline."""


class TurnClock(NamedTuple):
    """A turn's clock. If several players are to act at once, the slowest of their calendars counts."""

    turn: int
    allowed: float
    spent: float
    since: float
    leeway: float = LEEWAY
    notified: int = 0

    def time_left(self) -> float:
        """The time left at `since`."""
        return self.allowed - self.spent

    def settle(self, calendars: Sequence[Calendar], now: float) -> "TurnClock":
        """The same clock, with what has counted until now added to `spent`."""
        passed = min(count_seconds(self.since, now, calendar) for calendar in calendars)
        return self._replace(spent=self.spent + passed, since=now)

    def find_deadline(self, calendars: Sequence[Calendar]) -> float:
        """Compute when the time is up."""
        return max(add_counted(self.since, self.time_left(), calendar) for calendar in calendars)

    def next_alarm(self, calendars: Sequence[Calendar], deadline: float) -> float | None:
        """Compute when the next reminder, or the deadline, is due."""
        if self.notified >= TIME_UP:
            return None
        if self.notified == len(REMINDERS):
            return deadline
        part = REMINDERS[self.notified][0] * self.allowed - self.spent
        return min(deadline, max(add_counted(self.since, part, calendar) for calendar in calendars))

    def count_due_reminders(self, calendars: Sequence[Calendar], now: float) -> int:
        """Count the reminders that are due or past."""
        # One second of tolerance: alarms are exact, sums of fractions are not.
        spent = self.settle(calendars, now).spent + 1
        return sum(spent >= part * self.allowed for part, _ in REMINDERS)

    def add_time(self, seconds: float) -> "TurnClock":
        """The same clock with more time; if its time is up, from now on."""
        notified = min(self.notified, len(REMINDERS))
        return self._replace(allowed=max(self.allowed, self.spent) + seconds, notified=notified)

    def follow_calendars(self, calendars: Sequence[Calendar], deadline: float) -> "TurnClock":
        """The same clock, counting by a changed calendar; call `settle` first.

        The deadline never gets earlier, and within one turn it is postponed by at most the leeway.
        """
        wanted = self.find_deadline(calendars)
        granted = min(max(wanted, deadline), deadline + self.leeway)
        leeway = self.leeway - (granted - deadline)
        if granted == wanted:
            return self._replace(leeway=leeway)
        left = min(count_seconds(self.since, granted, calendar) for calendar in calendars)
        return self._replace(allowed=self.spent + left, leeway=leeway)


def load_calendars(database: Database, game: StoredGame) -> list[Calendar]:
    """The calendars of the people the game is waiting for; one that never stops if it is waiting for none."""
    players = [seat.player for seat in game.people_to_act()]
    if not players:
        return [Calendar()]
    columns = (Player.time_zone, Player.quiet, Player.days_off, Player.away_from, Player.away_until)
    rows = Player.select(*columns).where(Player.id.in_(players)).tuples().execute(database)
    return [Calendar.from_columns(*row) for row in rows]


def load_clock(database: Database, game_id: str) -> tuple[TurnClock, float | None] | None:
    """Load the clock of the game's current turn, and its alarm."""
    rows = list(ClockRow.select().where(ClockRow.game == game_id).tuples().execute(database))
    return (TurnClock(*rows[0][1:-1]), rows[0][-1]) if rows else None


def insert_clock(database: Database, game_id: str, clock: TurnClock, alarm: float | None) -> None:
    """Store a clock in place of the one the game has."""
    row = {**clock._asdict(), "alarm": alarm}
    ClockRow.insert(game=game_id, **row).on_conflict(conflict_target=[ClockRow.game], update=row).execute(database)


def save_clock(
    database: Database, game: StoredGame, clock: TurnClock, calendars: Sequence[Calendar], deadline: float | None
) -> StoredGame:
    """Store the clock and the deadline of a locked game; without a deadline the clock is stopped."""
    insert_clock(database, game.id, clock, None if deadline is None else clock.next_alarm(calendars, deadline))
    if deadline != game.deadline:
        Game.update(deadline=deadline).where(Game.id == game.id).execute(database)
    return game._replace(deadline=deadline)


def advance_clock(database: Database, before: StoredGame, after: StoredGame, now: float) -> StoredGame:
    """Start, keep or stop the clock of a game whose events were just stored; returns it with its deadline."""
    if after.pace is None:
        return after
    # Read again in this transaction: since the game was loaded, time may have been given or the clock paused.
    deadline = Game.select(Game.deadline).where(Game.id == after.id).scalar(database)
    after = after._replace(deadline=deadline)
    if after.status == "finished":
        ClockRow.delete().where(ClockRow.game == after.id).execute(database)
        Game.update(deadline=None).where(Game.id == after.id).execute(database)
        return after._replace(deadline=None)
    if before.status == "playing" and before.turn == after.turn:
        return after
    clock, calendars = start_clock(after, now), load_calendars(database, after)
    paused = before.status == "playing" and after.paused
    return save_clock(database, after, clock, calendars, None if paused else clock.find_deadline(calendars))


def start_clock(game: StoredGame, now: float) -> TurnClock:
    """The clock of a turn that begins now."""
    return TurnClock(game.turn, float(game.pace or 0), 0.0, now)
