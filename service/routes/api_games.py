"""The calls about tables and games."""

import hashlib

from flask import Response, json, request

from service import lobby, play, talk
from service.callers import Caller, Sitting
from service.clock import written
from service.engine.reading import Json
from service.engine.record import write_record
from service.engine.record_text import write_text
from service.limits import check_message, check_new_table
from service.naming import seat_called
from service.routes import answers, bodies
from service.routes.operations import Api
from service.seat_links import revoke
from service.shown import events_shown, game_to_show, games_of, record_of, view_of
from service.store import entries
from service.stored import StoredGame


def game_calls(api: Api) -> None:
    """Add the calls that make, list, show and fill tables."""
    office = api.office

    @api.call("POST", "/games", body=bodies.NewGame, answer=answers.View, status=201, errors=(403,))
    def create(caller: Caller, body: bodies.NewGame) -> Json:
        """Set up a table; you sit in its first seat, and `seats` are the others."""
        host = caller.signed_in()
        chairs = [lobby.Chair(seat.email, seat.name, seat.bot) for seat in body.seats]
        check_new_table(office, host.id, sum(chair.email is not None for chair in chairs))
        wish = lobby.Wish(body.game, body.name, chairs, body.options, body.pace, body.time_up)
        return view_of(office, lobby.create(office, host, wish), 0)

    @api.call("GET", "/games", query=bodies.GamesQuery, answer=answers.Games, errors=(403,))
    def games(caller: Caller, query: bodies.GamesQuery) -> Json:
        """Your games, the one that changed last first, 50 at a time."""
        return games_of(office, caller.signed_in().id, query.status, query.cursor)._asdict()

    @api.call("GET", "/games/{id}", answer=answers.View, errors=(404,), signed_in=False)
    def game(caller: Caller, id_: str) -> Response:
        """The game as your seat sees it, or as an onlooker does; answers 304 to an ETag that still holds."""
        stored = game_to_show(office, id_)
        body = json.dumps(view_of(office, stored, caller.seat_in(stored)))
        response = Response(body, mimetype="application/json")
        response.set_etag(hashlib.sha256(body.encode()).hexdigest()[:32])
        response.headers["Cache-Control"] = "private, no-cache"
        response.headers["Vary"] = "Authorization"
        response.make_conditional(request)
        return response

    @api.call("POST", "/games/{id}/seats/{seat}/accept", answer=answers.View, errors=(403, 404, 409))
    def accept(caller: Caller, id_: str, seat: int) -> Json:
        """Take the seat that was offered to you; the game starts when every seat is taken."""
        return _seated(caller, lobby.accept(office, id_, seat, caller.player_at(id_)))

    @api.call("POST", "/games/{id}/seats/{seat}/decline", answer=answers.View, errors=(403, 404, 409))
    def decline(caller: Caller, id_: str, seat: int) -> Json:
        """Give your seat back before the game starts; it is open then."""
        return _seated(caller, lobby.decline(office, id_, seat, caller.player_at(id_)))

    @api.call("POST", "/games/{id}/join", answer=answers.View, errors=(403, 404, 409))
    def join(caller: Caller, id_: str) -> Json:
        """Take an open seat; joining twice seats you once."""
        return _seated(caller, lobby.join(office, id_, caller.signed_in()))

    @api.call("POST", "/games/{id}/seats/{seat}/links", answer=answers.Accepted, status=202, errors=(403, 404))
    def new_links(caller: Caller, id_: str, seat: int) -> Json:
        """Make the links that were mailed for your seat worthless, and have a new one mailed."""
        revoke(office, id_, seat, caller.signed_in().id)
        return {"detail": "The old links of this seat work no more; a letter with a new one is on its way."}

    @api.call("DELETE", "/games/{id}", answer=answers.Accepted, errors=(403, 404, 409))
    def cancel(caller: Caller, id_: str) -> Json:
        """Call your table off before it starts."""
        lobby.cancel(office, id_, caller.signed_in().id)
        return {"detail": "The table is called off; whoever was asked gets a letter."}

    def _seated(caller: Caller, stored: StoredGame) -> Json:
        return view_of(office, stored, caller.seat_in(stored))


def play_calls(api: Api) -> None:
    """Add the calls of a game that goes on, and what is kept of it."""
    office = api.office

    @api.call(
        "POST",
        "/games/{id}/actions",
        body=bodies.NewAction,
        answer=answers.Acted,
        errors=(403, 404, 409, 422),
        sitting=True,
    )
    def act(sitting: Sitting, body: bodies.NewAction) -> Json:
        """Take an action at the head you have seen; sent again, it answers with what it made the first time."""
        stored, seat, turn = sitting
        done = play.act_in(office, stored, seat, body.head, body.action, body.salt, turn)
        api.recall.keep(done.game)
        answer: Json = {
            "events": events_shown(done.game, done.first, done.entries, seat),
            "view": view_of(office, done.game, seat),
        }
        return answer | ({"repeated": True} if done.repeated else {})

    @api.call(
        "GET", "/games/{id}/events", query=bodies.AfterQuery, answer=answers.Events, errors=(404,), signed_in=False
    )
    def events(caller: Caller, id_: str, query: bodies.AfterQuery) -> Json:
        """What happened after the first so many events."""
        stored, after = game_to_show(office, id_), query.after or 0
        happened = entries(office.database, stored, after)
        return {"events": events_shown(stored, after + 1, happened, caller.seat_in(stored))}

    @api.call("GET", "/games/{id}/record", answer=answers.Record, errors=(404,), signed_in=False)
    def record(caller: Caller, id_: str) -> Json:
        """The record; seed and piles are in it once the game is over."""
        return write_record(record_of(office, game_to_show(office, id_)))

    @api.call("GET", "/games/{id}/record.txt", answer="text/plain", errors=(404,), signed_in=False)
    def record_txt(caller: Caller, id_: str) -> Response:
        """The record as text for reading aloud."""
        return Response(write_text(record_of(office, game_to_show(office, id_))), mimetype="text/plain")

    @api.call("GET", "/games/{id}/messages", query=bodies.MessagesQuery, answer=answers.Messages, errors=(403, 404))
    def messages(caller: Caller, id_: str, query: bodies.MessagesQuery) -> Json:
        """The table's talk, oldest first, 100 lines at a time; only for who sits there."""
        stored = game_to_show(office, id_)
        caller.own_seat_in(stored)
        lines = talk.lines(office, id_, query.cursor or 0)
        more = lines[-1].id if len(lines) == talk.PAGE else None
        return {"messages": [_line(stored, line) for line in lines], "cursor": more}

    @api.call(
        "POST",
        "/games/{id}/messages",
        body=bodies.NewMessage,
        answer=answers.MessageView,
        status=201,
        errors=(403, 404),
    )
    def say(caller: Caller, id_: str, body: bodies.NewMessage) -> Json:
        """Say something at the table."""
        stored = game_to_show(office, id_)
        seat = caller.own_seat_in(stored)
        check_message(office, caller.known().id)
        return _line(stored, talk.say(office, id_, seat, body.text))


def _line(game: StoredGame, line: talk.Line) -> Json:
    name = seat_called(game.seats[line.seat])
    return {"id": line.id, "seat": line.seat, "name": name, "at": written(line.at), "text": line.text}
