"""The API's calls of a game that is being played: actions, events, record and chat."""

from flask import Response
from flask.typing import ResponseReturnValue

from service.auth.rate_limits import check_message
from service.context import AppContext
from service.engine.json_reader import Json
from service.engine.record_text import write_text
from service.engine.records import Entry, write_record
from service.games import chat, play
from service.games.names import display_seat_name, with_display_names
from service.games.store import StoredGame, entries
from service.games.story import Story
from service.games.turns import PlayedLines, play_lines, split_line
from service.games.views import game_after, game_view, get_open_game, parse_words, visible_events, visible_record
from service.routes.api import schemas
from service.routes.api.blueprint import api, call, current_principal, get_played_game
from service.routes.current import current_context, current_reader
from service.text import format_utc


# The endpoint is a label in the metrics that hosts watch, see docs/hosting.md.
@api.post("/games/<id>/actions", endpoint="post_act")
@call(schemas.Acted, body=schemas.NewAction, also=(403, 404, 409, 422))
def post_action(game_id: str, body: schemas.NewAction) -> ResponseReturnValue:
    """Take an action at the head you have seen; sent again, it returns the events from the first time."""
    ctx, principal = current_context(), current_principal()
    game = get_played_game(game_id)
    seat = principal.require_seat_in(game)
    played = _play(ctx, game, seat, body, principal.turn)
    results, last = played.results, played.results[-1]
    # A repeated response has the events as they were seen the first time, before later ones made more public.
    then = game_after(ctx, last.game, last.first - 1 + len(last.entries))
    response: Json = {
        "events": [event for each in results for event in visible_events(then, each.first, each.entries, seat)],
        "view": game_view(ctx, last.game, seat, current_reader().translations),
        "story": [told for each in results for told in _tell_story(then, each.first, each.entries, seat)],
    }
    if all(each.repeated for each in results):
        response["repeated"] = True
    if played.problem is not None:
        detail = played.problem.translate(current_reader().translations)
        response["refused"] = {"do": played.refused, "code": played.problem.code, "detail": detail}
    return response


def _play(ctx: AppContext, game: StoredGame, seat: int, body: schemas.NewAction, turn: int | None) -> PlayedLines:
    """Play the action, or those that `do` names."""
    action, language, lines = body.action, current_reader().language, body.lines
    if len(lines) == 1:
        lines = split_line(ctx, game, seat, body.head, lines[0], language)
    if len(lines) > 1:
        return play_lines(ctx, game, seat, body.head, lines, body.salt, language, turn)
    if action is None:
        action = parse_words(ctx, game, seat, body.head, body.do or "", language)
    return PlayedLines([play.apply_action(ctx, game, seat, body.head, action, body.salt, turn)])


def _tell_story(game: StoredGame, first: int, happened: list[Entry], seat: int | None) -> list[Json]:
    """A sentence for each turn, in the caller's language."""
    translations = current_reader().translations
    story = Story(with_display_names(game, translations), translations, seat)
    return [sentence._asdict() for sentence in story.sentences(happened, first)]


@api.get("/games/<id>/events")
@call(schemas.Events, query=schemas.AfterQuery, also=(404,), signed_in=False)
def get_events(game_id: str, query: schemas.AfterQuery) -> ResponseReturnValue:
    """The events after the first N."""
    ctx, after = current_context(), query.after or 0
    game = get_open_game(ctx, game_id)
    happened = entries(ctx.database, game, after)
    return {"events": visible_events(game, after + 1, happened, current_principal().find_seat_in(game))}


@api.get("/games/<id>/story")
@call(schemas.Story, query=schemas.AfterQuery, also=(404,), signed_in=False)
def get_story(game_id: str, query: schemas.AfterQuery) -> ResponseReturnValue:
    """The same in sentences, one for each turn, in your language; `seq` is the last event that a sentence tells."""
    ctx, after = current_context(), query.after or 0
    game = get_open_game(ctx, game_id)
    happened = entries(ctx.database, game, after)
    return {"sentences": _tell_story(game, after + 1, happened, current_principal().find_seat_in(game))}


@api.get("/games/<id>/record")
@call(schemas.Record, also=(404,), signed_in=False)
def get_record(game_id: str) -> ResponseReturnValue:
    """The record; it contains the seed and the piles once the game is over."""
    ctx = current_context()
    return write_record(visible_record(ctx, get_open_game(ctx, game_id)))


@api.get("/games/<id>/record.txt")
@call(also=(404,), signed_in=False)
def get_record_text(game_id: str) -> ResponseReturnValue:
    """The record as text."""
    ctx = current_context()
    return Response(write_text(visible_record(ctx, get_open_game(ctx, game_id))), mimetype="text/plain")


@api.get("/games/<id>/messages")
@call(schemas.Messages, query=schemas.MessagesQuery, also=(403, 404))
def get_messages(game_id: str, query: schemas.MessagesQuery) -> ResponseReturnValue:
    """The game's chat, oldest first, 100 messages at a time; only for its players."""
    ctx = current_context()
    game = get_open_game(ctx, game_id)
    current_principal().require_seat_in(game)
    messages = chat.list_messages(ctx, game_id, query.cursor or 0)
    more = messages[-1].id if len(messages) == chat.PAGE else None
    return {"messages": [_show_message(game, message) for message in messages], "cursor": more}


@api.post("/games/<id>/messages")
@call(schemas.MessageView, body=schemas.NewMessage, status=201, also=(403, 404))
def post_message(game_id: str, body: schemas.NewMessage) -> ResponseReturnValue:
    """Post a message to the chat."""
    ctx, principal = current_context(), current_principal()
    game = get_open_game(ctx, game_id)
    seat = principal.require_seat_in(game)
    check_message(ctx, principal.require_player().id)
    return _show_message(game, chat.post_message(ctx, game_id, seat, body.text)), 201


def _show_message(game: StoredGame, message: chat.ChatMessage) -> Json:
    name = display_seat_name(game.seats[message.seat])
    return {"id": message.id, "seat": message.seat, "name": name, "at": format_utc(message.at), "text": message.text}
