"""What those at a table can do about its clock: more time, a pause, a stand-in, and coming back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from service.clocks.deadlines import play_overdue_turn
from service.clocks.turn_clock import (
    TIME_UP,
    TurnClock,
    calendars_of,
    insert_clock,
    load_clock,
    save_clock,
    start_clock,
)
from service.context import AppContext
from service.db.letters import enqueue_letters
from service.db.models import Consent
from service.errors import BadRequest, Forbidden, GameOver, Stale
from service.games.play import turn_letter
from service.games.store import StoredGame, StoredSeat, load, lock_game, set_stood_in

HOUR: Final = 3600
FURTHEST: Final = 30 * 24 * HOUR
"""No deadline is put off further than this from now by giving time."""
GIVE: Final = "give"
STAND_IN: Final = "stand-in"
PAUSE: Final = "pause"


class RequestResult(NamedTuple):
    """What came of asking: the game after it, and whose consent is missing; nobody's where it was granted."""

    game: StoredGame
    missing: list[int]


class _Case(NamedTuple):
    """A game with a clock, and who asks for something there."""

    ctx: AppContext
    game: StoredGame
    clock: TurnClock
    seat: StoredSeat
    now: float

    @property
    def waits(self) -> bool:
        """Whether the time is up and the table waits for a decision."""
        return self.clock.told >= TIME_UP


@contextmanager
def _case(ctx: AppContext, game_id: str, seat: int) -> Iterator[_Case]:
    """The case, its game locked; refuses where there is no clock, and who has no say."""
    with lock_game(ctx.database, game_id) as game:
        if game.pace is None:
            raise BadRequest("This table has no clock, so there is nothing to ask for.")
        if game.status == "finished":
            raise GameOver
        found = load_clock(ctx.database, game_id)
        if game.state is None or found is None:
            raise Stale("The game has not started yet; its clock starts when every seat is taken.")
        if game.seats[seat].played_by_stand_in:
            raise Forbidden("A stand-in plays for you; come back first, then you have a say again.")
        yield _Case(ctx, game, found[0], game.seats[seat], ctx.clock())


def give_time(ctx: AppContext, game_id: str, seat: int, hours: int | None) -> RequestResult:
    """Give more time to whoever is to act: the host at once, the others when all of them want it.

    Without a number of hours it is a vote for a whole turn's time once more.
    """
    with _case(ctx, game_id, seat) as case:
        seconds = (case.game.pace or 0) if hours is None else hours * HOUR
        if hours is None:
            _check_vote(case)
        _check_not_to_act(case)
        if case.seat.player == case.game.host:
            return RequestResult(_more(case, seconds), [])
        missing = _consent(case, GIVE, seconds)
        if missing:
            return RequestResult(case.game, missing)
        agreed = min(consent.seconds or 0 for consent in _consents(ctx, case.game, GIVE))
        return RequestResult(_more(case, agreed), [])


def request_stand_in(ctx: AppContext, game_id: str, seat: int) -> RequestResult:
    """Have this turn played for whoever does not play it, at a table that waits, when all the others want it."""
    with _case(ctx, game_id, seat) as case:
        _check_vote(case)
        _check_not_to_act(case)
        missing = _consent(case, STAND_IN)
        if missing:
            return RequestResult(case.game, missing)
        _forget(case, STAND_IN)
        return RequestResult(play_overdue_turn(ctx, case.game), [])


def _check_vote(case: _Case) -> None:
    """Refuse a vote where the table has not chosen to vote, or has nothing to decide yet."""
    if case.game.time_up != "wait":
        raise BadRequest("There is no vote at this table: when the time is up, the stand-in plays.")
    if not case.waits:
        raise Stale("The time of this turn is not up yet; nothing is to be decided before.")


def pause(ctx: AppContext, game_id: str, seat: int) -> RequestResult:
    """Stop the table's clocks, when everybody who is there wants it."""
    with _case(ctx, game_id, seat) as case:
        if case.waits:
            raise Stale("The time of this turn is up; decide about that first.")
        if case.game.paused:
            return RequestResult(case.game, [])
        missing = _consent(case, PAUSE)
        if missing:
            return RequestResult(case.game, missing)
        _forget(case, PAUSE)
        calendars = calendars_of(ctx.database, case.game)
        clock = case.clock.settled(calendars, case.now)
        return RequestResult(save_clock(ctx.database, case.game, clock, calendars, None), [])


def resume(ctx: AppContext, game_id: str, seat: int) -> RequestResult:
    """Let the clocks run again, as anybody may at any time; it also takes back that one asked for a pause."""
    with _case(ctx, game_id, seat) as case:
        _forget(case, PAUSE, None if case.game.paused else seat)
        if not case.game.paused:
            return RequestResult(case.game, [])
        clock = case.clock._replace(since=case.now)
        calendars = calendars_of(ctx.database, case.game)
        return RequestResult(save_clock(ctx.database, case.game, clock, calendars, clock.ends(calendars)), [])


def return_to_seat(ctx: AppContext, game_id: str, seat: int) -> StoredGame:
    """Take one's seat back from the stand-in; doing it twice, or without need, changes nothing."""
    with lock_game(ctx.database, game_id) as game:
        if not game.seats[seat].stood_in or game.status != "playing":
            return game
        set_stood_in(ctx.database, game_id, seat, 0)
        back = load(ctx.database, game_id)
        return _go_on(ctx, back, seat) if game.seats[seat].played_by_stand_in else back


def _go_on(ctx: AppContext, game: StoredGame, seat: int) -> StoredGame:
    """Go on with somebody who has come back while the game waited: for him, or for another who is not there."""
    now, found = ctx.clock(), load_clock(ctx.database, game.id)
    waiting = game.people_to_act()
    if found is not None and any(each.seat == seat for each in waiting):
        enqueue_letters(ctx.database, [turn_letter(game, game.seats[seat])], now)
        calendars = calendars_of(ctx.database, game)
        clock = start_clock(game, now)
        return save_clock(ctx.database, game, clock, calendars, None if game.paused else clock.ends(calendars))
    if found is not None and all(each.played_by_stand_in for each in waiting):
        insert_clock(ctx.database, game.id, found[0], now)
    return game


def list_requests(ctx: AppContext, game: StoredGame) -> list[Consent]:
    """What is asked for at the table and has not been granted yet, the oldest first."""
    if game.status != "playing":
        return []
    return [each for what in (GIVE, STAND_IN, PAUSE) for each in _consents(ctx, game, what)]


def _consents(ctx: AppContext, game: StoredGame, what: str) -> list[Consent]:
    chosen = (Consent.game == game.id) & (Consent.what == what)
    if what != PAUSE:
        chosen &= Consent.turn == game.turn
    return list(Consent.select().where(chosen).order_by(Consent.at, Consent.seat).execute(ctx.database))


def _check_not_to_act(case: _Case) -> None:
    if case.seat.seat in case.game.rules.to_act(case.game.state):
        raise Forbidden("The game waits for you; the others decide about your time, so ask them at the table.")


def _consent(case: _Case, what: str, seconds: int | None = None) -> list[int]:
    """Write a consent down, and say whose is missing: that of everybody who is there and whom it concerns.

    Who is away or has left the seat to a stand-in is not waited for.
    """
    game = case.game
    if case.seat.seat not in {seat.seat for seat in game.active_people(game.state)}:
        raise Forbidden("You are out of this game; those who still play decide about its clock.")
    row = {"game": game.id, "seat": case.seat.seat, "what": what}
    values = {"turn": game.turn, "seconds": seconds, "at": case.now}
    added = Consent.insert(**row, **values)
    added.on_conflict(conflict_target=list(row), update=values).execute(case.ctx.database)
    agreed = {consent.seat for consent in _consents(case.ctx, game, what)}
    waiting = frozenset() if what == PAUSE else game.rules.to_act(game.state)
    asked = [
        seat for seat in game.present_people(game.state) if seat.seat not in waiting and not seat.is_away(case.now)
    ]
    return [seat.seat for seat in asked if seat.seat not in agreed]


def _forget(case: _Case, what: str, seat: int | None = None) -> None:
    """What was granted is asked for no longer."""
    chosen = (Consent.game == case.game.id) & (Consent.what == what)
    if seat is not None:
        chosen &= Consent.seat == seat
    Consent.delete().where(chosen).execute(case.ctx.database)


def _more(case: _Case, seconds: int) -> StoredGame:
    """Give more time; raises `BadRequest` where it would be too much."""
    database, calendars = case.ctx.database, calendars_of(case.ctx.database, case.game)
    clock = case.clock if case.game.paused else case.clock.settled(calendars, case.now)
    clock = clock.more(seconds)
    # At a table that is paused it is as if the clocks ran on now.
    deadline = clock._replace(since=case.now).ends(calendars)
    if deadline > case.now + FURTHEST:
        raise BadRequest("That would put the deadline off to more than 30 days from now; give less time.")
    _forget(case, GIVE)
    return save_clock(database, case.game, clock, calendars, None if case.game.paused else deadline)
