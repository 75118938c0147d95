"""What happens to clock clocks when a player changes what counts as his time; being away is limited."""

from collections.abc import Iterator
from typing import Any, Final

from service.clocks.calendar import Calendar, year_begins, year_of
from service.clocks.turn_clock import calendars_of, load_clock, save_clock
from service.context import AppContext
from service.db.connection import Database
from service.db.models import IS_TO_ACT, AwayYear, Game, Player, Seat
from service.errors import BadRequest
from service.games.store import lock_game

DAY: Final = 24 * 3600
MOST_DAYS_AWAY: Final = 30


def change_player(ctx: AppContext, player_id: int, changes: dict[str, Any]) -> Player:
    """Write down what a player has changed; clocks that run for him go by it from now on."""
    database, now = ctx.database, ctx.clock()
    with database.atomic():
        # Writing first makes two requests of the same player queue up.
        Player.update(created=Player.created).where(Player.id == player_id).execute(database)
        before = _player(database, player_id)
        if "away_until" in changes:
            changes = changes | _leave(database, before, changes["away_until"], now)
        if changes:
            Player.update(**changes).where(Player.id == player_id).execute(database)
        after = _player(database, player_id)
        old, new = _calendar(before), _calendar(after)
        new.check()
        if new != old:
            # Calendars are read where they are needed, so the old one is handed along.
            for game_id in _running_games(database, player_id):
                _move(ctx, game_id, old, new)
    return after


def _player(database: Database, player_id: int) -> Player:
    found: Player = Player.select().where(Player.id == player_id).get(database)
    return found


def _calendar(player: Player) -> Calendar:
    return Calendar.stored(player.time_zone, player.quiet, player.days_off, player.away_from, player.away_until)


def _running_games(database: Database, player_id: int) -> list[str]:
    """The games that wait for the player and have a clock; always in the same order, so that nobody blocks another."""
    chosen = (Seat.player == player_id) & IS_TO_ACT
    clocked = (Game.status == "playing") & Game.deadline.is_null(False)
    rows = Seat.select(Seat.game).join(Game).where(chosen & clocked).order_by(Seat.game).tuples().execute(database)
    return [game_id for (game_id,) in rows]


def _move(ctx: AppContext, game_id: str, old: Calendar, new: Calendar) -> None:
    """Go by the new calendar from now on; what has counted so far has counted."""
    with lock_game(ctx.database, game_id) as game:
        found, calendars = load_clock(ctx.database, game_id), calendars_of(ctx.database, game)
        if found is None or game.deadline is None or new not in calendars:
            return  # somebody has acted or paused in this very moment
        others = list(calendars)
        others.remove(new)
        clock = found[0].settled([*others, old], ctx.clock())
        deadline = game.deadline
        if clock.left() > 0:
            # First away and back, which the year limits; then the hours, which the leeway limits.
            between = old._replace(away=new.away)
            if between != old:
                deadline = clock.ends([*others, between])
            clock = clock.moved([*others, new], deadline)
            deadline = max(deadline, clock.ends([*others, new]))
        save_clock(ctx.database, game, clock, calendars, deadline)


def _leave(database: Database, player: Player, until: float | None, now: float) -> dict[str, float | None]:
    """What is to be written down of somebody who leaves now, or comes back where there is no end to it."""
    _book(database, player, now)
    if until is None:
        return {"away_from": None, "away_until": None}
    if until <= now:
        raise BadRequest("body.away_until: must lie ahead; send null to say that you are back.")
    for year, seconds in _by_year(now, until, player.time_zone):
        left = MOST_DAYS_AWAY * DAY - _booked(database, player.id, year)
        if seconds > left:
            sentence = f"you can be away for {MOST_DAYS_AWAY} days in a year; left in {year}: {int(left // DAY)}."
            raise BadRequest(f"body.away_until: {sentence}")
    return {"away_from": now, "away_until": until}


def _book(database: Database, player: Player, now: float) -> None:
    """Write down how long the player has been away up to now; what is left of the time is his again."""
    if player.away_until is None or player.away_from is None:
        return
    for year, seconds in _by_year(player.away_from, min(player.away_until, now), player.time_zone):
        total = _booked(database, player.id, year) + seconds
        added = AwayYear.insert(player=player.id, year=year, seconds=total)
        added.on_conflict(conflict_target=["player", "year"], update={"seconds": total}).execute(database)


def _booked(database: Database, player_id: int, year: int) -> float:
    chosen = (AwayYear.player == player_id) & (AwayYear.year == year)
    return float(AwayYear.select(AwayYear.seconds).where(chosen).scalar(database) or 0)


def _by_year(begins: float, ends: float, zone: str) -> Iterator[tuple[int, float]]:
    """How many seconds of a stretch of time fall into each year of the zone."""
    while begins < ends:
        year = year_of(begins, zone)
        until = min(ends, float(year_begins(year + 1, zone)))
        yield year, until - begins
        begins = until
