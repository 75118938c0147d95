"""What is due about clocks: reminders, and what happens when a turn's time is up."""

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from service.clocks.calendars import Calendar
from service.clocks.company import present, waited_for
from service.clocks.keeping import calendars_of, clock_of, set_clock, wind
from service.clocks.running import REMINDERS, TIME_UP, Running
from service.engine.reading import Json
from service.models import TurnClock
from service.office import Office
from service.play import stand_in
from service.store import LetterDue, alone_with, post
from service.stored import StoredGame, StoredSeat

MOST_AT_ONCE: Final = 500
"""More wait for the next tick, so that letters are not kept waiting."""
SNOOZE: Final = 600.0
"""After so many seconds a game that failed is tried again; without that it would be first in every tick."""


def ring(office: Office) -> None:
    """Do what is due; a game that fails is noted and does not stop the others."""
    for game_id in _due(office):
        try:
            ring_one(office, game_id)
        except Exception:
            logging.getLogger("service").exception("the clock of game %s failed", game_id)
            later = TurnClock.update(alarm=office.clock() + SNOOZE).where(TurnClock.game == game_id)
            later.execute(office.database)


def _due(office: Office) -> list[str]:
    chosen = TurnClock.select(TurnClock.game).where(TurnClock.alarm <= office.clock())
    rows = chosen.order_by(TurnClock.alarm).limit(MOST_AT_ONCE).tuples().execute(office.database)
    return [game_id for (game_id,) in rows]


def ring_one(office: Office, game_id: str) -> None:
    """Do what is due about one game's clock; another worker may have got there first, and then nothing is."""
    now = office.clock()
    with alone_with(office.database, game_id) as game:
        found = clock_of(office.database, game_id)
        if game.status != "playing" or found is None or found[1] is None or found[1] > now:
            return
        running, waiting = found[0], waited_for(game)
        if waiting and all(seat.kept for seat in waiting) and present(game, game.state):
            # Somebody has come back while the game waited for a seat that a stand-in keeps.
            stand_in(office, game, [seat.seat for seat in waiting])
            return
        calendars = calendars_of(office.database, game)
        # Looked at again: a calendar may have changed in the very moment in which the turn began.
        deadline = max(game.deadline or 0.0, running.ends(calendars))
        if deadline > now:
            _remind(office, game, running, calendars, deadline)
        elif game.time_up == "wait":
            _tell_everybody(office, game, running)
        else:
            time_up(office, game)


def _remind(office: Office, game: StoredGame, running: Running, calendars: Sequence[Calendar], deadline: float) -> None:
    """Post the reminder that is due: only the later one where the earlier was missed."""
    told = running.part_spent(calendars, office.clock())
    wind(office.database, game, running._replace(told=max(told, running.told)), calendars, deadline)
    if told > running.told:
        post(office.database, _reminders(game, REMINDERS[told - 1][1]), office.clock())


def _tell_everybody(office: Office, game: StoredGame, running: Running) -> None:
    """Tell everybody that the table waits, once for each time that the time is up."""
    set_clock(office.database, game.id, running._replace(told=TIME_UP), None)
    about = f"time-up-{int(game.deadline or 0)}"
    post(office.database, _time_up_letters(game, game.seats, about, {"waiting": True}), office.clock())


def time_up(office: Office, game: StoredGame) -> StoredGame:
    """Have the stand-in play this turn of a locked game, and tell whom it has played for."""
    waiting = waited_for(game)
    done = stand_in(office, game, [seat.seat for seat in waiting])
    for seat in waiting:
        details = {"first": done.first, "last": done.last, "kept": done.game.seats[seat.seat].kept}
        if not seat.kept:  # who has left the seat to the stand-in is not told each time
            post(office.database, _time_up_letters(game, [seat], "time-up", details), office.clock())
    return done.game


def _reminders(game: StoredGame, part: str) -> Iterator[LetterDue]:
    details = json.dumps({"part": part})
    for seat in waited_for(game):
        if seat.address and not seat.kept:
            about = f"{game.id}/{seat.seat}/{game.turn}/reminder-{part}"
            yield LetterDue("reminder", seat.address, about, game.id, seat.seat, game.turn, details)


def _time_up_letters(game: StoredGame, seats: Iterable[StoredSeat], about: str, details: Json) -> Iterator[LetterDue]:
    for seat in seats:
        if seat.address:
            name = f"{game.id}/{seat.seat}/{game.turn}/{about}"
            yield LetterDue("time-up", seat.address, name, game.id, seat.seat, game.turn, json.dumps(details))
