"""Changes to a player's settings, and what they mean for running clocks; absences are limited per year."""

from collections.abc import Iterator
from typing import Any, Final

from service.clocks.calendar import Calendar, year_begins, year_of
from service.clocks.turn_clock import load_calendars, load_clock, save_clock
from service.context import AppContext
from service.db.connection import Database
from service.db.models import IS_TO_ACT, AwayYear, Game, Player, Seat
from service.errors import BadRequest
from service.games.store import lock_game

DAY: Final = 24 * 3600
MOST_DAYS_AWAY: Final = 30


def change_player(ctx: AppContext, player_id: int, changes: dict[str, Any]) -> Player:
    """Store a player's changes; running clocks follow a changed calendar from now on."""
    database, now = ctx.database, ctx.clock()
    with database.atomic():
        # An UPDATE that changes nothing locks the row, so that two requests of one player run one after the other.
        Player.update(created=Player.created).where(Player.id == player_id).execute(database)
        before = _player(database, player_id)
        if "away_until" in changes:
            changes = changes | _absence(database, before, changes["away_until"], now)
        if changes:
            Player.update(**changes).where(Player.id == player_id).execute(database)
        after = _player(database, player_id)
        old, new = _calendar(before), _calendar(after)
        new.check()
        if new != old:
            # The database has the new calendar already, so the old one is passed along.
            for game_id in _running_games(database, player_id):
                _apply_calendar(ctx, game_id, old, new)
    return after


def _player(database: Database, player_id: int) -> Player:
    found: Player = Player.select().where(Player.id == player_id).get(database)
    return found


def _calendar(player: Player) -> Calendar:
    return Calendar.from_columns(player.time_zone, player.quiet, player.days_off, player.away_from, player.away_until)


def _running_games(database: Database, player_id: int) -> list[str]:
    """The games whose clock runs for the player; always in the same order, to avoid deadlocks."""
    chosen = (Seat.player == player_id) & IS_TO_ACT
    clocked = (Game.status == "playing") & Game.deadline.is_null(False)
    rows = Seat.select(Seat.game).join(Game).where(chosen & clocked).order_by(Seat.game).tuples().execute(database)
    return [game_id for (game_id,) in rows]


def _apply_calendar(ctx: AppContext, game_id: str, old: Calendar, new: Calendar) -> None:
    """Make a game's clock follow the new calendar from now on; the time spent so far stays spent."""
    with lock_game(ctx.database, game_id) as game:
        found, calendars = load_clock(ctx.database, game_id), load_calendars(ctx.database, game)
        if found is None or game.deadline is None or new not in calendars:
            return  # the game was played or paused in the meantime
        others = list(calendars)
        others.remove(new)
        clock = found[0].settle([*others, old], ctx.clock())
        deadline = game.deadline
        if clock.time_left() > 0:
            # Absences are limited by the year, so they move the deadline first; the leeway limits the rest.
            between = old._replace(away=new.away)
            if between != old:
                deadline = clock.find_deadline([*others, between])
            clock = clock.follow_calendars([*others, new], deadline)
            deadline = max(deadline, clock.find_deadline([*others, new]))
        save_clock(ctx.database, game, clock, calendars, deadline)


def _absence(database: Database, player: Player, until: float | None, now: float) -> dict[str, float | None]:
    """The columns of an absence from now until a time; None ends the current one."""
    _record_absence(database, player, now)
    if until is None:
        return {"away_from": None, "away_until": None}
    if until <= now:
        raise BadRequest("body.away_until: must be in the future. Send null if you are back.")
    for year, seconds in _by_year(now, until, player.time_zone):
        left = MOST_DAYS_AWAY * DAY - _seconds_away(database, player.id, year)
        if seconds > left:
            sentence = f"you can be away for {MOST_DAYS_AWAY} days in a year; left in {year}: {int(left // DAY)}."
            raise BadRequest(f"body.away_until: {sentence}")
    return {"away_from": now, "away_until": until}


def _record_absence(database: Database, player: Player, now: float) -> None:
    """Add the current absence up to now to the player's years; the rest of it is not counted."""
    if player.away_until is None or player.away_from is None:
        return
    for year, seconds in _by_year(player.away_from, min(player.away_until, now), player.time_zone):
        total = _seconds_away(database, player.id, year) + seconds
        added = AwayYear.insert(player=player.id, year=year, seconds=total)
        added.on_conflict(conflict_target=["player", "year"], update={"seconds": total}).execute(database)


def _seconds_away(database: Database, player_id: int, year: int) -> float:
    chosen = (AwayYear.player == player_id) & (AwayYear.year == year)
    return float(AwayYear.select(AwayYear.seconds).where(chosen).scalar(database) or 0)


def _by_year(begins: float, ends: float, zone: str) -> Iterator[tuple[int, float]]:
    """Split a time span by the years of the zone, in seconds."""
    while begins < ends:
        year = year_of(begins, zone)
        until = min(ends, float(year_begins(year + 1, zone)))
        yield year, until - begins
        begins = until
