"""The API's calls about a game's clock: more time, a vote, a pause, and coming back."""

from flask.typing import ResponseReturnValue

from service.clocks import requests
from service.context import AppContext
from service.engine.json_reader import Json
from service.errors import Forbidden, NotFound
from service.games.store import StoredGame
from service.games.views import game_view, get_open_game
from service.routes.api import schemas
from service.routes.api.blueprint import api, call, current_principal
from service.routes.current import current_context, current_reader
from service.routes.pages.clock_forms import is_overdue
from service.text import format_optional_utc


@api.get("/games/<id>/clock")
@call(schemas.ClockView, also=(403, 404))
def get_clock(game_id: str) -> ResponseReturnValue:
    """The clock of the current turn, and what players have asked for."""
    ctx = current_context()
    game = get_open_game(ctx, game_id)
    current_principal().require_seat_in(game)
    return _show_clock(ctx, game)


@api.post("/games/<id>/clock")
@call(schemas.ClockAnswer, body=schemas.ClockRequest, also=(403, 404, 409))
def post_clock(game_id: str, body: schemas.ClockRequest) -> ResponseReturnValue:
    """Give more time, vote about a turn whose time is up, or pause; `missing` are the seats that must agree too."""
    ctx = current_context()
    game = get_open_game(ctx, game_id)
    seat = current_principal().require_seat_in(game)
    current_principal().require_current_turn(game)
    asked = _ask(ctx, game_id, seat, body)
    return _show_clock(ctx, asked.game) | {"granted": not asked.missing, "missing": asked.missing}


@api.post("/games/<id>/seats/<int:seat>/return")
@call(schemas.View, also=(403, 404, 409))
def post_return(game_id: str, seat: int) -> ResponseReturnValue:
    """Take your seat back from the stand-in."""
    ctx = current_context()
    game = get_open_game(ctx, game_id)
    if seat not in range(len(game.seats)):
        raise NotFound("This game has no seat %(seat)s. Choose one from its view.", seat=seat)
    if current_principal().require_seat_in(game) != seat:
        raise Forbidden("Only the player in that seat can come back to it. Use your own seat.")
    current_principal().require_current_turn(game)
    return game_view(ctx, requests.return_to_seat(ctx, game_id, seat), seat, current_reader().translations)


def _ask(ctx: AppContext, game_id: str, seat: int, request: schemas.ClockRequest) -> requests.RequestResult:
    if request.give is not None:
        return requests.give_time(ctx, game_id, seat, request.give)
    if request.vote == "stand-in":
        return requests.request_stand_in(ctx, game_id, seat)
    if request.vote == "more-time":
        return requests.give_time(ctx, game_id, seat, None)
    return requests.pause(ctx, game_id, seat) if request.pause else requests.resume(ctx, game_id, seat)


def _show_clock(ctx: AppContext, game: StoredGame) -> Json:
    deadline = game.deadline
    return {
        "turn": game.turn,
        "deadline": format_optional_utc(deadline),
        "paused": game.paused,
        "overdue": is_overdue(ctx, game),
        "pace": game.pace,
        "time_up": game.time_up if game.pace else None,
        "asked": [
            {"seat": each.seat, "what": each.what, "hours": each.seconds and round(each.seconds / 3600, 2)}
            for each in requests.list_requests(ctx, game)
        ],
    }
