"""The pages behind the links in letters: a turn, a seat, and the game for who looks on.

GET never changes anything, whoever opens the link and however often: mail scanners do. Only the forms post.
"""

import secrets
from typing import Any, Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response as Redirection

from service import lobby, play
from service.callers import Caller, caller_with
from service.engine.errors import IllegalAction, Malformed
from service.engine.reading import Json
from service.errors import BadRequest, Problem, Unauthorised
from service.links import SeatLink, TurnLink
from service.mail.choices import choices_of, places_of
from service.mail.readers import Reader
from service.mail.story import Story
from service.mail.wording import player_names, table_name
from service.office import Office
from service.render.svg import board_svg
from service.routes.clock_forms import clock_choices, clock_wishes, do_about_clock, is_about_clock, is_overdue
from service.routes.sealing import sealed_pages
from service.routes.speaking import reader_here, speak_to
from service.routes.tables import waiting_page
from service.shown import game_to_show, view_of
from service.store import StoredGame, entries

_EVENTS_TOLD: Final = 40


def turn_pages(office: Office) -> Blueprint:
    """`/t/TOKEN`, `/s/TOKEN` and `/g/ID`."""
    pages = sealed_pages("turn")

    @pages.get("/t/<token>")
    def turn(token: str) -> str:
        return _page(office, _holder(office, token, TurnLink))

    @pages.post("/t/<token>")
    def play_turn(token: str) -> Any:
        return _play(office, _holder(office, token, TurnLink), url_for("turn.turn", token=token))

    @pages.get("/s/<token>")
    def seat(token: str) -> str:
        return _page(office, _holder(office, token, SeatLink))

    @pages.post("/s/<token>")
    def play_seat(token: str) -> Any:
        return _play(office, _holder(office, token, SeatLink), url_for("turn.seat", token=token))

    @pages.get("/g/<game>")
    def look_on(game: str) -> str:
        return _render(office, game_to_show(office, game), Caller())

    return pages


def _holder(office: Office, token: str, kind: type[TurnLink | SeatLink]) -> Caller:
    caller = caller_with(office, token)
    speak_to(caller.player)
    if not isinstance(caller.link, kind):
        raise Unauthorised("This link is not one of this kind; open the newest letter of the game.")
    return caller


def _page(office: Office, caller: Caller, refusal: str = "") -> str:
    """The page of a link: its choices while they are there, and the game in any case."""
    return _render(office, game_to_show(office, _link(caller).game), caller, refusal)


def _link(caller: Caller) -> TurnLink | SeatLink:
    if caller.link is None:
        raise Unauthorised
    return caller.link


def _render(office: Office, game: StoredGame, caller: Caller, refusal: str = "") -> str:
    if game.status == "waiting":
        return waiting_page(office, game, caller, refusal)
    seat = caller.seat_in(game)
    view = view_of(office, game, seat)
    if caller.turn is not None and caller.turn != game.turn:
        view["legal"] = []  # a turn's link plays that turn only
    names, reader = player_names(game), reader_here(office)
    return render_template(
        "turn.html",
        table=table_name(game),
        view=view,
        names=names,
        seat=seat,
        offered=_is_offered(game, seat),
        board=Markup(board_svg(view, places_of(view))),  # noqa: S704 - our own drawing, which escapes every name
        choices=choices_of(view, reader.translations),
        chosen=request.args.get("do", ""),
        salt=secrets.token_hex(8),
        story=_story(office, game, seat, reader),
        waiting=[names[each] for each in view["to_act"]],
        deadline=reader.moment(game.deadline) if game.deadline else "",
        overdue=is_overdue(office, game),
        clock=clock_choices(office, game, seat, reader.translations),
        wishes=clock_wishes(office, game, reader.translations) if seat is not None else [],
        refusal=refusal,
    )


def _is_offered(game: StoredGame, seat: int | None) -> bool:
    return game.status == "waiting" and seat is not None and not game.seats[seat].accepted


def _story(office: Office, game: StoredGame, seat: int | None, reader: Reader) -> list[str]:
    if game.state is None:
        return []
    happened = entries(office.database, game, max(0, game.head - _EVENTS_TOLD))
    return Story(game, reader.translations, seat).told([entry.event for entry in happened], seat)[-6:]


def _play(office: Office, caller: Caller, here: str) -> Redirection | tuple[str, int] | Response:
    """Do what the form says and show the page again; a refusal is said on the page, and nothing has changed."""
    table = table_name(game_to_show(office, _link(caller).game))
    try:
        _do(office, caller, request.form.to_dict())
    except (Problem, Malformed, IllegalAction) as problem:
        detail = problem.detail if isinstance(problem, Problem) else problem.sentence
        return _page(office, caller, detail), problem.status if isinstance(problem, Problem) else 409
    if request.form.get("do") == "decline":
        return render_template("given_back.html", table=table), 200  # the link is worthless now
    return redirect(here, 303)


def _do(office: Office, caller: Caller, form: dict[str, str]) -> None:
    link = _link(caller)
    game = game_to_show(office, link.game)
    match form.get("do", ""):
        case "accept":
            lobby.accept(office, game.id, link.seat, caller.player_at(game.id))
        case "decline":
            lobby.decline(office, game.id, link.seat, caller.player_at(game.id))
        case do if is_about_clock(do):
            do_about_clock(office, game.id, link.seat, do)
        case do:
            head = form.get("head", "")
            if not head.isdecimal():
                raise BadRequest("The form was not complete; open the page again and choose.")
            salt = form.get("salt", "")[:64]
            play.act_in(office, game, link.seat, int(head), _action(game, link.seat, do), salt, caller.turn)


def _action(game: StoredGame, seat: int, do: str) -> Json:
    """The action that a choice on the page or in a letter names."""
    if do in {"left", "ahead", "right"}:
        kind = "turn" if game.state is not None and game.state.phase == "rotation" else "face"
        return {"type": kind, "direction": do}
    if do == "resign":
        return {"type": "resign"}
    return {"type": "lay", "squares": do.split("-")}
