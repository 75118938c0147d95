"""The calls about tables and games."""

import hashlib

from flask import Response, json, request

from service.auth.access import Principal, SeatAccess
from service.auth.rate_limits import check_message, check_new_table
from service.engine.json_reader import Json
from service.engine.record_text import write_text
from service.engine.records import write_record
from service.games import chat, lobby, play
from service.games.names import display_seat_name
from service.games.seat_links import replace_links
from service.games.store import entries
from service.games.stored import StoredGame
from service.games.views import game_view, get_open_game, list_games, visible_events, visible_record
from service.routes.api import responses, schemas
from service.routes.api.operations import Api
from service.times import written


def game_calls(api: Api) -> None:
    """Add the calls that make, list, show and fill tables."""
    ctx = api.ctx

    @api.call("POST", "/games", body=schemas.NewGame, answer=responses.View, status=201, errors=(403,))
    def create(caller: Principal, body: schemas.NewGame) -> Json:
        """Set up a table; you sit in its first seat, and `seats` are the others."""
        host = caller.signed_in()
        chairs = [lobby.SeatRequest(seat.email, seat.name, seat.bot) for seat in body.seats]
        check_new_table(ctx, host.id, sum(chair.email is not None for chair in chairs))
        wish = lobby.Wish(body.game, body.name, chairs, body.options, body.pace, body.time_up)
        return game_view(ctx, lobby.create(ctx, host, wish), 0)

    @api.call("GET", "/games", query=schemas.GamesQuery, answer=responses.Games, errors=(403,))
    def games(caller: Principal, query: schemas.GamesQuery) -> Json:
        """Your games, the one that changed last first, 50 at a time."""
        return list_games(ctx, caller.signed_in().id, query.status, query.cursor)._asdict()

    @api.call("GET", "/games/{id}", answer=responses.View, errors=(404,), signed_in=False)
    def game(caller: Principal, id_: str) -> Response:
        """The game as your seat sees it, or as an onlooker does; answers 304 to an ETag that still holds."""
        stored = get_open_game(ctx, id_)
        body = json.dumps(game_view(ctx, stored, caller.seat_in(stored)))
        response = Response(body, mimetype="application/json")
        response.set_etag(hashlib.sha256(body.encode()).hexdigest()[:32])
        response.headers["Cache-Control"] = "private, no-cache"
        response.headers["Vary"] = "Authorization"
        response.make_conditional(request)
        return response

    @api.call("POST", "/games/{id}/seats/{seat}/accept", answer=responses.View, errors=(403, 404, 409))
    def accept(caller: Principal, id_: str, seat: int) -> Json:
        """Take the seat that was offered to you; the game starts when every seat is taken."""
        return _seated(caller, lobby.accept(ctx, id_, seat, caller.player_at(id_)))

    @api.call("POST", "/games/{id}/seats/{seat}/decline", answer=responses.View, errors=(403, 404, 409))
    def decline(caller: Principal, id_: str, seat: int) -> Json:
        """Give your seat back before the game starts; it is open then."""
        return _seated(caller, lobby.decline(ctx, id_, seat, caller.player_at(id_)))

    @api.call("POST", "/games/{id}/join", answer=responses.View, errors=(403, 404, 409))
    def join(caller: Principal, id_: str) -> Json:
        """Take an open seat; joining twice seats you once."""
        return _seated(caller, lobby.join(ctx, id_, caller.signed_in()))

    @api.call("POST", "/games/{id}/seats/{seat}/links", answer=responses.Accepted, status=202, errors=(403, 404))
    def new_links(caller: Principal, id_: str, seat: int) -> Json:
        """Make the links that were mailed for your seat worthless, and have a new one mailed."""
        replace_links(ctx, id_, seat, caller.signed_in().id)
        return {"detail": "The old links of this seat work no more; a letter with a new one is on its way."}

    @api.call("DELETE", "/games/{id}", answer=responses.Accepted, errors=(403, 404, 409))
    def cancel(caller: Principal, id_: str) -> Json:
        """Call your table off before it starts."""
        lobby.cancel(ctx, id_, caller.signed_in().id)
        return {"detail": "The table is called off; whoever was asked gets a letter."}

    def _seated(caller: Principal, stored: StoredGame) -> Json:
        return game_view(ctx, stored, caller.seat_in(stored))


def play_calls(api: Api) -> None:
    """Add the calls of a game that goes on, and what is kept of it."""
    ctx = api.ctx

    @api.call(
        "POST",
        "/games/{id}/actions",
        body=schemas.NewAction,
        answer=responses.Acted,
        errors=(403, 404, 409, 422),
        sitting=True,
    )
    def act(sitting: SeatAccess, body: schemas.NewAction) -> Json:
        """Take an action at the head you have seen; sent again, it answers with what it made the first time."""
        stored, seat, turn = sitting
        done = play.apply_action(ctx, stored, seat, body.head, body.action, body.salt, turn)
        api.recall.keep(done.game)
        answer: Json = {
            "events": visible_events(done.game, done.first, done.entries, seat),
            "view": game_view(ctx, done.game, seat),
        }
        return answer | ({"repeated": True} if done.repeated else {})

    @api.call(
        "GET", "/games/{id}/events", query=schemas.AfterQuery, answer=responses.Events, errors=(404,), signed_in=False
    )
    def events(caller: Principal, id_: str, query: schemas.AfterQuery) -> Json:
        """What happened after the first so many events."""
        stored, after = get_open_game(ctx, id_), query.after or 0
        happened = entries(ctx.database, stored, after)
        return {"events": visible_events(stored, after + 1, happened, caller.seat_in(stored))}

    @api.call("GET", "/games/{id}/record", answer=responses.Record, errors=(404,), signed_in=False)
    def record(caller: Principal, id_: str) -> Json:
        """The record; seed and piles are in it once the game is over."""
        return write_record(visible_record(ctx, get_open_game(ctx, id_)))

    @api.call("GET", "/games/{id}/record.txt", answer="text/plain", errors=(404,), signed_in=False)
    def record_txt(caller: Principal, id_: str) -> Response:
        """The record as text for reading aloud."""
        return Response(write_text(visible_record(ctx, get_open_game(ctx, id_))), mimetype="text/plain")

    @api.call("GET", "/games/{id}/messages", query=schemas.MessagesQuery, answer=responses.Messages, errors=(403, 404))
    def messages(caller: Principal, id_: str, query: schemas.MessagesQuery) -> Json:
        """The table's talk, oldest first, 100 lines at a time; only for who sits there."""
        stored = get_open_game(ctx, id_)
        caller.own_seat_in(stored)
        lines = chat.lines(ctx, id_, query.cursor or 0)
        more = lines[-1].id if len(lines) == chat.PAGE else None
        return {"messages": [_line(stored, line) for line in lines], "cursor": more}

    @api.call(
        "POST",
        "/games/{id}/messages",
        body=schemas.NewMessage,
        answer=responses.MessageView,
        status=201,
        errors=(403, 404),
    )
    def say(caller: Principal, id_: str, body: schemas.NewMessage) -> Json:
        """Say something at the table."""
        stored = get_open_game(ctx, id_)
        seat = caller.own_seat_in(stored)
        check_message(ctx, caller.known().id)
        return _line(stored, chat.say(ctx, id_, seat, body.text))


def _line(game: StoredGame, line: chat.Line) -> Json:
    name = display_seat_name(game.seats[line.seat])
    return {"id": line.id, "seat": line.seat, "name": name, "at": written(line.at), "text": line.text}
