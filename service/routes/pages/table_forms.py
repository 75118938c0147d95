"""The forms on the page of a game: play, accept or decline a seat, chat, and requests about the clock."""

from typing import Any, Final

from flask import redirect, render_template, request
from pydantic import ValidationError

from service.auth.rate_limits import check_message
from service.context import AppContext
from service.engine import errors as engine
from service.errors import BadRequest, NotYourTurn, Problem, problem_of
from service.games import chat, lobby, play
from service.games.names import table_name
from service.games.players import set_name
from service.games.rematch import request_rematch
from service.games.views import parse_words
from service.routes.api.schemas import NewMessage
from service.routes.current import current_context
from service.routes.pages.clock_forms import do_about_clock, is_about_clock
from service.routes.pages.forms import NOT_COMPLETE, read_name
from service.routes.pages.session import adopt_browser_settings, has_default_settings
from service.routes.pages.table import JUST_PLAYED, TableRequest, show_refusal
from service.ui.words import is_resignation

_LONGEST_HEAD: Final = 9
"""A head never has more digits, and Python refuses to parse thousands of them."""


def submit_form(table: TableRequest) -> Any:
    """Apply the form and show the page again; a refusal is shown on the page, and nothing has changed."""
    ctx = current_context()
    form = request.form.to_dict()
    try:
        following = _run_command(ctx, table, form)
    except (Problem, engine.IllegalAction) as problem:
        status = problem.status if isinstance(problem, Problem) else 409
        # The engine's sentence names a seat by its number; a page shows names.
        refusal = NotYourTurn() if isinstance(problem, engine.NotYourTurn) else problem_of(problem)
        return show_refusal(ctx, table, refusal, form.get("text", "")), status
    except engine.Malformed:  # its sentence names a field of the API, which the page does not have
        return show_refusal(ctx, table, BadRequest(NOT_COMPLETE), form.get("text", "")), BadRequest.status
    if form.get("do") == "decline":
        return render_template("given_back.html", table=table_name(table.game))  # the link no longer works
    return redirect(following, 303)


def _run_command(ctx: AppContext, table: TableRequest, form: dict[str, str]) -> str:
    """Apply the form and return the path of the page to show next."""
    game, seat = table.game, table.caller.require_seat_in(table.game)
    match form.get("do", ""):
        case "accept":
            _accept(ctx, table, seat)
        case "decline":
            lobby.decline(ctx, game.id, seat, table.caller.require_player_in(game.id))
        case "say":
            _say(ctx, table, seat, form.get("text", ""))
        case "rematch":
            return _request_rematch(ctx, table)
        case do if is_about_clock(do):
            table.caller.require_current_turn(game)
            do_about_clock(ctx, game.id, seat, do)
        case do:
            head = form.get("head", "")
            if not head.isdecimal() or len(head) > _LONGEST_HEAD:
                raise BadRequest(NOT_COMPLETE)
            if is_resignation(do, table.reader.language) and form.get("sure") != "yes":
                raise BadRequest("You're still in the game. To leave it, tick the box that says you want to resign.")
            salt = form.get("salt", "")[:64]
            action = parse_words(ctx, game, seat, int(head), do, table.reader.language)
            play.apply_action(ctx, game, seat, int(head), action, salt, table.caller.turn)
            return table.here if table.caller.turn is None else f"{table.here}?{JUST_PLAYED}"
    return table.here


def _request_rematch(ctx: AppContext, table: TableRequest) -> str:
    """Start or join the rematch. A link opens only its own game, so the link to the new seat comes by mail."""
    rematch = request_rematch(ctx, table.game.id, table.caller.require_player(), mail_link=not table.is_signed_in)
    return f"/g/{rematch.id}" if table.is_signed_in else table.here


def _accept(ctx: AppContext, table: TableRequest, seat: int) -> None:
    """Accept the seat; a player who came by a letter gets a name, and the language and time zone of the browser."""
    player = table.caller.require_player()
    if not player.name:
        set_name(ctx, player, read_name(request.form.get("name", "")))
    lobby.accept(ctx, table.game.id, seat, table.caller.require_player_in(table.game.id))
    if has_default_settings(player):
        adopt_browser_settings(player)


def _say(ctx: AppContext, table: TableRequest, seat: int, text: str) -> None:
    try:
        line = NewMessage(text=text.replace("\r\n", "\n"))
    except ValidationError:
        raise BadRequest("Write a message of at most 1,000 characters.") from None
    check_message(ctx, table.caller.require_player().id)
    chat.post_message(ctx, table.game.id, seat, line.text)
