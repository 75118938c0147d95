"""The calls about a table's clock: more time, a vote, a pause, and coming back."""

from service.auth.access import Principal
from service.clocks import requests
from service.context import AppContext
from service.engine.json_reader import Json
from service.errors import Forbidden, NotFound
from service.games.stored import StoredGame
from service.games.views import game_view, get_open_game
from service.routes.api import responses, schemas
from service.routes.api.operations import Api
from service.routes.pages.clock_forms import is_overdue
from service.times import written


def clock_calls(api: Api) -> None:
    """Add the calls."""
    ctx = api.ctx

    @api.call("GET", "/games/{id}/clock", answer=responses.ClockView, errors=(403, 404))
    def clock(caller: Principal, id_: str) -> Json:
        """The clock of the turn that is on, and what is asked for at the table."""
        game = get_open_game(ctx, id_)
        caller.own_seat_in(game)
        return _clock(ctx, game)

    @api.call("POST", "/games/{id}/clock", body=schemas.ClockWish, answer=responses.ClockAnswer, errors=(403, 404, 409))
    def change_clock(caller: Principal, id_: str, body: schemas.ClockWish) -> Json:
        """Give more time, vote about a turn whose time is up, or pause; `missing` are those who must agree as well."""
        seat = caller.own_seat_in(get_open_game(ctx, id_))
        asked = _ask(ctx, id_, seat, body)
        return _clock(ctx, asked.game) | {"granted": not asked.missing, "missing": asked.missing}

    @api.call("POST", "/games/{id}/seats/{seat}/return", answer=responses.View, errors=(403, 404))
    def come_back(caller: Principal, id_: str, seat: int) -> Json:
        """Take your seat back from the stand-in."""
        game = get_open_game(ctx, id_)
        if seat not in range(len(game.seats)):
            raise NotFound("This table has no seat %(seat)s.", seat=seat)
        if caller.own_seat_in(game) != seat:
            raise Forbidden("Only who sits there can come back to a seat.")
        return game_view(ctx, requests.come_back(ctx, id_, seat), seat)


def _ask(ctx: AppContext, game_id: str, seat: int, wish: schemas.ClockWish) -> requests.Asked:
    if wish.give is not None:
        return requests.give(ctx, game_id, seat, wish.give)
    if wish.vote == "stand-in":
        return requests.let_stand_in(ctx, game_id, seat)
    if wish.vote == "more-time":
        return requests.give(ctx, game_id, seat, None)
    return requests.pause(ctx, game_id, seat) if wish.pause else requests.resume(ctx, game_id, seat)


def _clock(ctx: AppContext, game: StoredGame) -> Json:
    deadline = game.deadline
    return {
        "turn": game.turn,
        "deadline": None if deadline is None else written(deadline),
        "paused": game.paused,
        "overdue": is_overdue(ctx, game),
        "pace": game.pace,
        "time_up": game.time_up if game.pace else None,
        "asked": [
            {"seat": each.seat, "what": each.what, "hours": each.seconds and round(each.seconds / 3600, 2)}
            for each in requests.asked_for(ctx, game)
        ],
    }
