"""What the forms on the page of a table do: play, take a seat or give it back, talk, and ask about the clock."""

from typing import Any, Final

from flask import redirect, render_template, request
from pydantic import ValidationError

from service import lobby, play, talk
from service.engine import errors as engine
from service.engine.reading import Json
from service.errors import BadRequest, NotYourTurn, Problem, problem_of
from service.languages import marked
from service.limits import check_message
from service.mail.wording import table_name
from service.office import Office
from service.routes.bodies import NewMessage
from service.routes.clock_forms import do_about_clock, is_about_clock
from service.routes.settling import has_said_nothing, settle_in
from service.routes.table_page import Visit, show_refusal
from service.stored import StoredGame

_NOT_COMPLETE: Final = marked("The form was not complete; open the page again and choose.")
_LONGEST_HEAD: Final = 9
"""More digits than any head has; Python refuses to read thousands of them."""


def do_and_show(office: Office, visit: Visit) -> Any:
    """Do what the form says and show the page again; a refusal is said on the page, and nothing has changed."""
    form = request.form.to_dict()
    try:
        _do(office, visit, form)
    except (Problem, engine.IllegalAction) as problem:
        status = problem.status if isinstance(problem, Problem) else 409
        # At a table people know each other by name, and not by the number of a seat.
        refusal = NotYourTurn() if isinstance(problem, engine.NotYourTurn) else problem_of(problem)
        return show_refusal(office, visit, refusal, form.get("text", "")), status
    except engine.Malformed:  # its sentence names a field of the API, which the page does not have
        return show_refusal(office, visit, BadRequest(_NOT_COMPLETE), form.get("text", "")), BadRequest.status
    if form.get("do") == "decline":
        return render_template("given_back.html", table=table_name(visit.game))  # the link is worthless now
    return redirect(visit.here, 303)


def _do(office: Office, visit: Visit, form: dict[str, str]) -> None:
    game, seat = visit.game, visit.caller.own_seat_in(visit.game)
    match form.get("do", ""):
        case "accept":
            _accept(office, visit, seat)
        case "decline":
            lobby.decline(office, game.id, seat, visit.caller.player_at(game.id))
        case "say":
            _say(office, visit, seat, form.get("text", ""))
        case do if is_about_clock(do):
            do_about_clock(office, game.id, seat, do)
        case do:
            head = form.get("head", "")
            if not head.isdecimal() or len(head) > _LONGEST_HEAD:
                raise BadRequest(_NOT_COMPLETE)
            if do == "resign" and form.get("sure") != "yes":
                raise BadRequest("You are still in the game; to leave it, tick first that you want to resign.")
            salt = form.get("salt", "")[:64]
            play.act_in(office, game, seat, int(head), _action(game, do), salt, visit.caller.turn)


def _accept(office: Office, visit: Visit, seat: int) -> None:
    """Take the seat; who has come by a letter only has never said by which clock to be told the time."""
    player = visit.caller.known()
    lobby.accept(office, visit.game.id, seat, visit.caller.player_at(visit.game.id))
    if has_said_nothing(player):
        settle_in(office, player)


def _say(office: Office, visit: Visit, seat: int, text: str) -> None:
    try:
        line = NewMessage(text=text.replace("\r\n", "\n"))
    except ValidationError:
        raise BadRequest("Write something first, and no more than 1,000 characters at once.") from None
    check_message(office, visit.caller.known().id)
    talk.say(office, visit.game.id, seat, line.text)


def _action(game: StoredGame, do: str) -> Json:
    """The action that a choice on the page or in a letter names."""
    if do in {"left", "ahead", "right"}:
        kind = "turn" if game.state is not None and game.state.phase == "rotation" else "face"
        return {"type": kind, "direction": do}
    if do == "resign":
        return {"type": "resign"}
    return {"type": "lay", "squares": do.split("-")}
