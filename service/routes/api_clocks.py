"""The calls about a table's clock: more time, a vote, a pause, and coming back."""

from service.callers import Caller
from service.clock import written
from service.clocks import asking
from service.engine.reading import Json
from service.errors import Forbidden, NotFound
from service.office import Office
from service.routes import answers, bodies
from service.routes.clock_forms import is_overdue
from service.routes.operations import Api
from service.shown import game_to_show, view_of
from service.stored import StoredGame


def clock_calls(api: Api) -> None:
    """Add the calls."""
    office = api.office

    @api.call("GET", "/games/{id}/clock", answer=answers.ClockView, errors=(403, 404))
    def clock(caller: Caller, id_: str) -> Json:
        """The clock of the turn that is on, and what is asked for at the table."""
        game = game_to_show(office, id_)
        caller.own_seat_in(game)
        return _clock(office, game)

    @api.call("POST", "/games/{id}/clock", body=bodies.ClockWish, answer=answers.ClockAnswer, errors=(403, 404, 409))
    def change_clock(caller: Caller, id_: str, body: bodies.ClockWish) -> Json:
        """Give more time, vote about a turn whose time is up, or pause; `missing` are those who must agree as well."""
        seat = caller.own_seat_in(game_to_show(office, id_))
        asked = _ask(office, id_, seat, body)
        return _clock(office, asked.game) | {"granted": not asked.missing, "missing": asked.missing}

    @api.call("POST", "/games/{id}/seats/{seat}/return", answer=answers.View, errors=(403, 404))
    def come_back(caller: Caller, id_: str, seat: int) -> Json:
        """Take your seat back from the stand-in."""
        game = game_to_show(office, id_)
        if seat not in range(len(game.seats)):
            raise NotFound("This table has no seat %(seat)s.", seat=seat)
        if caller.own_seat_in(game) != seat:
            raise Forbidden("Only who sits there can come back to a seat.")
        return view_of(office, asking.come_back(office, id_, seat), seat)


def _ask(office: Office, game_id: str, seat: int, wish: bodies.ClockWish) -> asking.Asked:
    if wish.give is not None:
        return asking.give(office, game_id, seat, wish.give)
    if wish.vote == "stand-in":
        return asking.let_stand_in(office, game_id, seat)
    if wish.vote == "more-time":
        return asking.give(office, game_id, seat, None)
    return asking.pause(office, game_id, seat) if wish.pause else asking.resume(office, game_id, seat)


def _clock(office: Office, game: StoredGame) -> Json:
    deadline = game.deadline
    return {
        "turn": game.turn,
        "deadline": None if deadline is None else written(deadline),
        "paused": game.paused,
        "overdue": is_overdue(office, game),
        "pace": game.pace,
        "time_up": game.time_up if game.pace else None,
        "asked": [
            {"seat": each.seat, "what": each.what, "hours": each.seconds and round(each.seconds / 3600, 2)}
            for each in asking.asked_for(office, game)
        ],
    }
