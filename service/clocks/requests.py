"""What players can do about a game's clock: give more time, pause, vote for a stand-in, return to a seat."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from service.clocks.deadlines import play_overdue_turn
from service.clocks.turn_clock import (
    TIME_UP,
    TurnClock,
    insert_clock,
    load_calendars,
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
"""Giving time never moves a deadline further than this from now."""
GIVE: Final = "give"
STAND_IN: Final = "stand-in"
PAUSE: Final = "pause"


class RequestResult(NamedTuple):
    """The game after a request, and the seats whose consent is missing; none if it was granted."""

    game: StoredGame
    missing: list[int]


class _Request(NamedTuple):
    """A request: the locked game, its clock, and the seat that sent it."""

    ctx: AppContext
    game: StoredGame
    clock: TurnClock
    seat: StoredSeat
    now: float

    @property
    def time_is_up(self) -> bool:
        """Whether the turn's time is up and the players must decide."""
        return self.clock.notified >= TIME_UP


@contextmanager
def _locked_request(ctx: AppContext, game_id: str, seat: int) -> Iterator[_Request]:
    """Lock the game; refuses games without a clock and seats that a stand-in plays."""
    with lock_game(ctx.database, game_id) as game:
        if game.pace is None:
            raise BadRequest("This game has no time limit, so there's nothing to change.")
        if game.status == "finished":
            raise GameOver
        found = load_clock(ctx.database, game_id)
        if game.state is None or found is None:
            raise Stale("The game hasn't started yet. The time starts when every seat is taken.")
        if game.seats[seat].played_by_stand_in:
            raise Forbidden("A stand-in is playing for you. Come back to the game first, then try again.")
        yield _Request(ctx, game, found[0], game.seats[seat], ctx.clock())


def give_time(ctx: AppContext, game_id: str, seat: int, hours: int | None) -> RequestResult:
    """Give the players to act more time: the host decides alone, others need everyone's consent.

    Without a number of hours, it is a vote for another full turn.
    """
    with _locked_request(ctx, game_id, seat) as request:
        seconds = (request.game.pace or 0) if hours is None else hours * HOUR
        if hours is None:
            _check_vote(request)
        _check_not_to_act(request)
        if request.seat.player == request.game.host:
            return RequestResult(_add_time(request, seconds), [])
        missing = _add_consent(request, GIVE, seconds)
        if missing:
            return RequestResult(request.game, missing)
        agreed = min(consent.seconds or 0 for consent in _consents(ctx, request.game, GIVE))
        return RequestResult(_add_time(request, agreed), [])


def request_stand_in(ctx: AppContext, game_id: str, seat: int) -> RequestResult:
    """Vote for a stand-in to play the overdue turn; it plays once all the others agree."""
    with _locked_request(ctx, game_id, seat) as request:
        _check_vote(request)
        _check_not_to_act(request)
        missing = _add_consent(request, STAND_IN)
        if missing:
            return RequestResult(request.game, missing)
        _delete_consents(request, STAND_IN)
        return RequestResult(play_overdue_turn(ctx, request.game), [])


def _check_vote(request: _Request) -> None:
    """Refuse a vote if the game has no votes, or if the turn's time is not up."""
    if request.game.time_up != "wait":
        raise BadRequest("There's no vote in this game. When the time is up, the stand-in plays.")
    if not request.time_is_up:
        raise Stale("There's still time left for this turn. You can decide this when it's up.")


def pause(ctx: AppContext, game_id: str, seat: int) -> RequestResult:
    """Vote for stopping the clock; it stops once everybody present agrees."""
    with _locked_request(ctx, game_id, seat) as request:
        if request.time_is_up:
            raise Stale("The time for this turn is up. First choose more time or the stand-in.")
        if request.game.paused:
            return RequestResult(request.game, [])
        missing = _add_consent(request, PAUSE)
        if missing:
            return RequestResult(request.game, missing)
        _delete_consents(request, PAUSE)
        calendars = load_calendars(ctx.database, request.game)
        clock = request.clock.settle(calendars, request.now)
        return RequestResult(save_clock(ctx.database, request.game, clock, calendars, None), [])


def resume(ctx: AppContext, game_id: str, seat: int) -> RequestResult:
    """Restart the clock, as any player may; before a pause is granted, withdraw the vote for it."""
    with _locked_request(ctx, game_id, seat) as request:
        _delete_consents(request, PAUSE, None if request.game.paused else seat)
        if not request.game.paused:
            return RequestResult(request.game, [])
        clock = request.clock._replace(since=request.now)
        calendars = load_calendars(ctx.database, request.game)
        return RequestResult(
            save_clock(ctx.database, request.game, clock, calendars, clock.find_deadline(calendars)), []
        )


def return_to_seat(ctx: AppContext, game_id: str, seat: int) -> StoredGame:
    """Take the seat back from a stand-in; changes nothing if the player has it."""
    with lock_game(ctx.database, game_id) as game:
        if not game.seats[seat].stood_in or game.status != "playing":
            return game
        set_stood_in(ctx.database, game_id, seat, 0)
        after = load(ctx.database, game_id)
        return _restart_turn(ctx, after, seat) if game.seats[seat].played_by_stand_in else after


def _restart_turn(ctx: AppContext, game: StoredGame, seat: int) -> StoredGame:
    """Restart the turn clock if it is the returned player's turn; run the clock now if only stand-ins are to act."""
    now, found = ctx.clock(), load_clock(ctx.database, game.id)
    waiting = game.people_to_act()
    if found is not None and any(each.seat == seat for each in waiting):
        enqueue_letters(ctx.database, [turn_letter(game, game.seats[seat])], now)
        calendars = load_calendars(ctx.database, game)
        clock = start_clock(game, now)
        return save_clock(ctx.database, game, clock, calendars, None if game.paused else clock.find_deadline(calendars))
    if found is not None and all(each.played_by_stand_in for each in waiting):
        insert_clock(ctx.database, game.id, found[0], now)
    return game


def list_requests(ctx: AppContext, game: StoredGame) -> list[Consent]:
    """The open votes, the oldest first."""
    if game.status != "playing":
        return []
    return [each for what in (GIVE, STAND_IN, PAUSE) for each in _consents(ctx, game, what)]


def _consents(ctx: AppContext, game: StoredGame, what: str) -> list[Consent]:
    chosen = (Consent.game == game.id) & (Consent.what == what)
    if what != PAUSE:
        chosen &= Consent.turn == game.turn
    return list(Consent.select().where(chosen).order_by(Consent.at, Consent.seat).execute(ctx.database))


def _check_not_to_act(request: _Request) -> None:
    if request.seat.seat in request.game.rules.to_act(request.game.state):
        raise Forbidden("It's your turn, so the other players decide about your time. Ask them in the chat.")


def _add_consent(request: _Request, what: str, seconds: int | None = None) -> list[int]:
    """Store a consent and return the seats whose consent is missing.

    Players who are away and seats that a stand-in plays don't vote.
    """
    game = request.game
    if request.seat.seat not in {seat.seat for seat in game.active_people(game.state)}:
        raise Forbidden("You're out of this game. The players who are still in it decide about the time.")
    row = {"game": game.id, "seat": request.seat.seat, "what": what}
    values = {"turn": game.turn, "seconds": seconds, "at": request.now}
    added = Consent.insert(**row, **values)
    added.on_conflict(conflict_target=list(row), update=values).execute(request.ctx.database)
    agreed = {consent.seat for consent in _consents(request.ctx, game, what)}
    waiting = frozenset() if what == PAUSE else game.rules.to_act(game.state)
    voters = [
        seat for seat in game.present_people(game.state) if seat.seat not in waiting and not seat.is_away(request.now)
    ]
    return [seat.seat for seat in voters if seat.seat not in agreed]


def _delete_consents(request: _Request, what: str, seat: int | None = None) -> None:
    """Delete the consents to something, of one seat or of all."""
    chosen = (Consent.game == request.game.id) & (Consent.what == what)
    if seat is not None:
        chosen &= Consent.seat == seat
    Consent.delete().where(chosen).execute(request.ctx.database)


def _add_time(request: _Request, seconds: int) -> StoredGame:
    """Add time to the clock; raises `BadRequest` if it would be too much."""
    database, calendars = request.ctx.database, load_calendars(request.ctx.database, request.game)
    clock = request.clock if request.game.paused else request.clock.settle(calendars, request.now)
    clock = clock.add_time(seconds)
    # For a paused game, as if its clock were restarted now.
    deadline = clock._replace(since=request.now).find_deadline(calendars)
    if deadline > request.now + FURTHEST:
        raise BadRequest("The deadline can be at most 30 days from now. Give less time.")
    _delete_consents(request, GIVE)
    return save_clock(database, request.game, clock, calendars, None if request.game.paused else deadline)
