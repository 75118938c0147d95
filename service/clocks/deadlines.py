"""Due clocks: send reminders, and act when a turn's time is up."""

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from service.clocks.calendar import Calendar
from service.clocks.turn_clock import (
    REMINDERS,
    TIME_UP,
    TurnClock,
    insert_clock,
    load_calendars,
    load_clock,
    save_clock,
)
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import ClockRow
from service.engine.json_reader import Json
from service.games.play import play_stand_in
from service.games.store import StoredGame, StoredSeat, lock_game

MOST_AT_ONCE: Final = 500
"""The rest waits for the next tick, so that letters are not delayed."""
RETRY_SECONDS: Final = 600.0
"""A game that failed is tried again after this; otherwise it would come first in every tick."""


def run_due_clocks(ctx: AppContext) -> None:
    """Run all due clocks; a failure in one game is logged and does not stop the others."""
    for game_id in _due(ctx):
        try:
            run_due_clock(ctx, game_id)
        except Exception:
            logging.getLogger("service").exception("the clock of game %s failed", game_id)
            later = ClockRow.update(alarm=ctx.clock() + RETRY_SECONDS).where(ClockRow.game == game_id)
            later.execute(ctx.database)


def _due(ctx: AppContext) -> list[str]:
    chosen = ClockRow.select(ClockRow.game).where(ClockRow.alarm <= ctx.clock())
    rows = chosen.order_by(ClockRow.alarm).limit(MOST_AT_ONCE).tuples().execute(ctx.database)
    return [game_id for (game_id,) in rows]


def run_due_clock(ctx: AppContext, game_id: str) -> None:
    """Run one game's clock if it is still due; another worker may have been faster."""
    now = ctx.clock()
    with lock_game(ctx.database, game_id) as game:
        found = load_clock(ctx.database, game_id)
        if game.status != "playing" or found is None or found[1] is None or found[1] > now:
            return
        clock, waiting = found[0], game.people_to_act()
        if waiting and all(seat.played_by_stand_in for seat in waiting) and game.present_people(game.state):
            # A player has returned while the game was waiting for a seat that a stand-in plays.
            play_stand_in(ctx, game, [seat.seat for seat in waiting])
            return
        calendars = load_calendars(ctx.database, game)
        # Computed again: a calendar may have changed at the moment the turn began.
        deadline = max(game.deadline or 0.0, clock.find_deadline(calendars))
        if deadline > now:
            _send_reminder(ctx, game, clock, calendars, deadline)
        elif game.time_up == "wait":
            _announce_time_up(ctx, game, clock)
        else:
            play_overdue_turn(ctx, game)


def _send_reminder(
    ctx: AppContext, game: StoredGame, clock: TurnClock, calendars: Sequence[Calendar], deadline: float
) -> None:
    """Enqueue the reminder that is due; if an earlier one was missed, only the later one."""
    due = clock.count_due_reminders(calendars, ctx.clock())
    save_clock(ctx.database, game, clock._replace(notified=max(due, clock.notified)), calendars, deadline)
    if due > clock.notified:
        enqueue_letters(ctx.database, _reminders(game, REMINDERS[due - 1][1]), ctx.clock())


def _announce_time_up(ctx: AppContext, game: StoredGame, clock: TurnClock) -> None:
    """Mail all players that they must decide; once per deadline."""
    insert_clock(ctx.database, game.id, clock._replace(notified=TIME_UP), None)
    about = f"time-up-{int(game.deadline or 0)}"
    enqueue_letters(ctx.database, _time_up_letters(game, game.seats, about, {"waiting": True}), ctx.clock())


def play_overdue_turn(ctx: AppContext, game: StoredGame) -> StoredGame:
    """Have a stand-in play this turn of a locked game, and mail the players it played for."""
    waiting = game.people_to_act()
    done = play_stand_in(ctx, game, [seat.seat for seat in waiting])
    for seat in waiting:
        details = {"first": done.first, "last": done.last, "kept": done.game.seats[seat.seat].played_by_stand_in}
        if not seat.played_by_stand_in:  # otherwise the player was mailed when the stand-in took over
            enqueue_letters(ctx.database, _time_up_letters(game, [seat], "time-up", details), ctx.clock())
    return done.game


def _reminders(game: StoredGame, part: str) -> Iterator[NewLetter]:
    details = json.dumps({"part": part})
    for seat in game.people_to_act():
        if seat.address and not seat.played_by_stand_in:
            about = f"{game.id}/{seat.seat}/{game.turn}/reminder-{part}"
            yield NewLetter("reminder", seat.address, about, game.id, seat.seat, game.turn, details)


def _time_up_letters(game: StoredGame, seats: Iterable[StoredSeat], about: str, details: Json) -> Iterator[NewLetter]:
    for seat in seats:
        if seat.address:
            name = f"{game.id}/{seat.seat}/{game.turn}/{about}"
            yield NewLetter("time-up", seat.address, name, game.id, seat.seat, game.turn, json.dumps(details))
