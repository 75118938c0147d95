"""Where the clocks are kept: beside each game, and written down in one transaction with what moves them."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from service.at_once import STILL_SO
from service.clocks.calendar import Calendar
from service.clocks.turn_clock import Running, fresh
from service.db.connection import Database
from service.db.models import Game, Seat, TurnClock
from service.db.statements import run
from service.errors import Stale
from service.games.participants import waited_for
from service.games.store import Batch, NewLetter, append, mark_stand_in, still_so
from service.games.stored import StoredGame

_CALENDARS: Final = """
select player.time_zone, player.quiet, player.days_off, player.away_from, player.away_until
from player where player.id in ({players})
"""
_FRESH_DEADLINE: Final = "update game set changed = changed where id = ? and head = ? {still_so} returning deadline"
_WIND: Final = """
insert into turn_clock (game, turn, allowed, spent, since, leeway, told, alarm) values (?, ?, ?, ?, ?, ?, ?, ?)
on conflict (game) do update set turn = excluded.turn, allowed = excluded.allowed, spent = excluded.spent,
    since = excluded.since, leeway = excluded.leeway, told = excluded.told, alarm = excluded.alarm
"""


def calendars_of(database: Database, game: StoredGame) -> list[Calendar]:
    """The calendars of those whom the game waits for; one that never stops where it waits for no person."""
    players = [seat.player for seat in waited_for(game)]
    if not players:
        return [Calendar()]
    rows = run(database, _CALENDARS.format(players=", ".join("?" * len(players))), players).fetchall()
    return [Calendar.stored(*row) for row in rows]


def clock_of(database: Database, game_id: str) -> tuple[Running, float | None] | None:
    """The clock of the game's turn, and its alarm."""
    rows = list(TurnClock.select().where(TurnClock.game == game_id).tuples().execute(database))
    return (Running(*rows[0][1:-1]), rows[0][-1]) if rows else None


def save_clock(
    database: Database, game: StoredGame, running: Running, calendars: Sequence[Calendar], deadline: float | None
) -> StoredGame:
    """Write down how the clock of a locked game runs; without a deadline it stands still."""
    set_clock(database, game.id, running, None if deadline is None else running.alarm(calendars, deadline))
    if deadline != game.deadline:
        Game.update(deadline=deadline).where(Game.id == game.id).execute(database)
    return game._replace(deadline=deadline)


def set_clock(database: Database, game_id: str, running: Running, alarm: float | None) -> None:
    """Write a clock down as it is."""
    run(database, _WIND, [game_id, *running, alarm])


def append_with_clock(
    database: Database,
    before: StoredGame,
    after: StoredGame,
    batch: Batch,
    letters: Iterable[NewLetter],
    now: float,
    stood_in: Sequence[int],
) -> StoredGame:
    """Append to a game at a table with a pace: its clock and its stand-ins move in the same transaction."""
    with database.atomic():
        after = after._replace(deadline=_fresh_deadline(database, before))
        if after.status == "finished":
            after = after._replace(deadline=None)
            TurnClock.delete().where(TurnClock.game == after.id).execute(database)
        elif before.status == "waiting" or before.turn != after.turn:
            after = _start(database, before, after, now)
        after = append(database, before._replace(remembered=False), after, batch, letters, now)
        if stood_in:
            mark_stand_in(database, after.id, stood_in)
        _seat(database, before, after)
    return after if before.seats == after.seats else after._replace(versions=None)


def _fresh_deadline(database: Database, before: StoredGame) -> float | None:
    """The deadline as it is now, the game locked: since it was loaded somebody may have given time or paused."""
    told = still_so(before)
    question = _FRESH_DEADLINE.format(still_so=f"and {STILL_SO}" if told else "")
    rows = run(database, question, [before.id, before.head, *told]).fetchall()
    if not rows:
        raise Stale
    deadline: float | None = rows[0][0]
    return deadline


def _start(database: Database, before: StoredGame, after: StoredGame, now: float) -> StoredGame:
    """Start the clock of a new turn; at a table that is paused it does not run yet."""
    running, calendars = fresh(after.turn, float(after.pace or 0), now), calendars_of(database, after)
    paused = before.status == "playing" and after.paused
    deadline = None if paused else running.ends(calendars)
    set_clock(database, after.id, running, None if deadline is None else running.alarm(calendars, deadline))
    return after._replace(deadline=deadline)


def _seat(database: Database, before: StoredGame, after: StoredGame) -> None:
    """Write down for whom somebody has stood in, and who has come back."""
    for old, new in zip(before.seats, after.seats, strict=True):
        if old.stood_in != new.stood_in:
            set_stood_in(database, after.id, new.seat, new.stood_in)


def set_stood_in(database: Database, game_id: str, seat: int, turns: Any) -> None:
    """Write down for how many turns in a row somebody has stood in."""
    Seat.update(stood_in=turns).where((Seat.game == game_id) & (Seat.seat == seat)).execute(database)
