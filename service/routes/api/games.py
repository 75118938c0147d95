"""The API's calls that create, list, show and fill games."""

import hashlib

from flask import Response, json, request
from flask.typing import ResponseReturnValue

from service.auth.rate_limits import check_new_table
from service.engine.json_reader import Json
from service.errors import Forbidden
from service.games import empty_seats, lobby
from service.games.players import replace_links
from service.games.rematch import request_rematch
from service.games.store import StoredGame
from service.games.views import game_view, get_open_game, list_games, next_game_id
from service.routes.api import schemas
from service.routes.api.blueprint import api, call, current_principal, get_played_game
from service.routes.current import current_context, current_reader


@api.post("/games")
@call(schemas.View, body=schemas.NewGame, status=201, also=(403,))
def post_game(body: schemas.NewGame) -> ResponseReturnValue:
    """Create a game; you take the first seat, and `seats` are the others."""
    ctx, host = current_context(), current_principal().require_login()
    seats = [lobby.SeatRequest(seat.email, seat.name, seat.bot) for seat in body.seats]
    check_new_table(ctx, host.id, sum(seat.email is not None for seat in seats))
    wanted = lobby.NewGameRequest(body.game, body.name, seats, body.options, body.pace, body.time_up, body.message)
    return _show_game(lobby.create_game(ctx, host, wanted)), 201


@api.get("/games")
@call(schemas.Games, query=schemas.GamesQuery, also=(403,))
def get_games(query: schemas.GamesQuery) -> ResponseReturnValue:
    """Your games, 50 at a time, the one that changed last first."""
    player = current_principal().require_login()
    return list_games(current_context(), player.id, query.status, query.cursor)._asdict()


@api.get("/games/next")
@call(schemas.View, also=(204, 403))
def get_next_game() -> ResponseReturnValue:
    """The next game that waits for you, by its deadline; 204 if there is none."""
    ctx, player = current_context(), current_principal().require_login()
    game_id = next_game_id(ctx, player.id)
    return Response(status=204) if game_id is None else _show_game(get_open_game(ctx, game_id))


@api.get("/games/<id>")
@call(schemas.View, also=(304, 404), signed_in=False)
def get_game(game_id: str) -> ResponseReturnValue:
    """The game as your seat sees it, or as a spectator does; 304 if it matches the ETag that was sent."""
    body = json.dumps(_show_game(get_played_game(game_id)))
    headers = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept-Language, Cookie"}
    response = Response(body, mimetype="application/json", headers=headers)
    response.set_etag(hashlib.sha256(body.encode()).hexdigest()[:32])
    return response.make_conditional(request)


@api.post("/games/<id>/seats/<int:seat>/accept")
@call(schemas.View, also=(403, 404, 409))
def post_accept(game_id: str, seat: int) -> ResponseReturnValue:
    """Accept your invitation; the game starts when every seat is taken."""
    return _show_game(lobby.accept(current_context(), game_id, seat, current_principal().require_player_in(game_id)))


@api.post("/games/<id>/seats/<int:seat>/decline")
@call(schemas.View, also=(403, 404, 409))
def post_decline(game_id: str, seat: int) -> ResponseReturnValue:
    """Decline your invitation, or leave the game before it starts; the seat becomes open."""
    return _show_game(lobby.decline(current_context(), game_id, seat, current_principal().require_player_in(game_id)))


@api.post("/games/<id>/seats/<int:seat>/invite")
@call(schemas.View, body=schemas.Invite, also=(403, 404, 409))
def post_invite(game_id: str, seat: int, body: schemas.Invite) -> ResponseReturnValue:
    """Invite an address to a seat of your game that nobody has accepted; an earlier invitation stops working."""
    player = current_principal().require_player_in(game_id)
    return _show_game(lobby.invite(current_context(), game_id, player, body.email, seat, body.message))


@api.post("/games/<id>/seats/<int:seat>/resend")
@call(schemas.View, body=schemas.Resend, also=(403, 404, 409))
def post_resend(game_id: str, seat: int, body: schemas.Resend) -> ResponseReturnValue:
    """Send the invitation to a seat of your game again; at most once a day."""
    player = current_principal().require_player_in(game_id)
    return _show_game(empty_seats.resend_invitation(current_context(), game_id, player, seat, body.message))


@api.post("/games/<id>/seats/<int:seat>/bot")
@call(schemas.View, body=schemas.SeatBot, also=(403, 404, 409))
def post_seat_bot(game_id: str, seat: int, body: schemas.SeatBot) -> ResponseReturnValue:
    """Give a seat of your game that nobody has accepted to a bot; the game starts when every seat is taken."""
    ctx, player = current_context(), current_principal().require_player_in(game_id)
    return _show_game(empty_seats.replace_with_bot(ctx, game_id, player, seat, body.bot, body.name))


@api.post("/games/<id>/start")
@call(schemas.View, also=(403, 404, 409))
def post_start(game_id: str) -> ResponseReturnValue:
    """Start your game without the seats that nobody has accepted; seats after them move up and get new links."""
    player = current_principal().require_player_in(game_id)
    return _show_game(empty_seats.start_now(current_context(), game_id, player))


@api.post("/games/<id>/join")
@call(schemas.View, body=schemas.Join, also=(403, 404, 409))
def post_join(game_id: str, body: schemas.Join) -> ResponseReturnValue:
    """Take an open seat with the game's shared link or its token; joining twice takes one seat."""
    ctx, player = current_context(), current_principal().require_login()
    invitation = ctx.tokens.read_invitation(body.invitation.rpartition("/")[2])
    if invitation.game != game_id:
        raise Forbidden("This invitation is for another game. Open the link you were sent.")
    return _show_game(lobby.join(ctx, invitation, player))


@api.post("/games/<id>/invitation")
@call(schemas.View, also=(403, 404, 409))
def post_invitation(game_id: str) -> ResponseReturnValue:
    """Replace the link to your game's open seats: the old one stops working, and the view has the new one."""
    return _show_game(lobby.replace_invitation(current_context(), game_id, current_principal().require_login().id))


@api.post("/games/<id>/seats/<int:seat>/links")
@call(schemas.Accepted, status=202, also=(403, 404))
def post_seat_links(game_id: str, seat: int) -> ResponseReturnValue:
    """Replace the links of your seat, and send a new one."""
    replace_links(current_context(), game_id, seat, current_principal().require_login().id)
    return {"detail": "The old links of this seat no longer work. An e-mail with a new one is on its way."}, 202


@api.delete("/games/<id>")
@call(schemas.Accepted, also=(403, 404, 409))
def delete_game(game_id: str) -> ResponseReturnValue:
    """Cancel your game before it starts."""
    lobby.cancel(current_context(), game_id, current_principal().require_login().id)
    return {"detail": "The game is cancelled. Everyone you invited gets an e-mail."}


@api.post("/games/<id>/rematch")
@call(schemas.View, status=201, also=(403, 404, 409))
def post_rematch(game_id: str) -> ResponseReturnValue:
    """Start a rematch of your finished game with the same players and options, or join it if there is one."""
    player = current_principal().require_login()
    return _show_game(request_rematch(current_context(), game_id, player)), 201


def _show_game(game: StoredGame) -> Json:
    """The view for the caller's seat, in the caller's language."""
    translations = current_reader().translations
    return game_view(current_context(), game, current_principal().find_seat_in(game), translations)
