"""`/new`: the form for a new game. What is wrong with a field is shown next to it, and what was typed is kept."""

from typing import Final

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from service.auth.addresses import check_allowed, read_address
from service.auth.rate_limits import check_new_table
from service.db.models import Player
from service.engine.errors import Malformed
from service.engine.registry import GAMES, default_game
from service.errors import BadRequest, Forbidden, Problem
from service.games import lobby
from service.games.names import display_table_name
from service.games.store import StoredGame
from service.i18n import marked
from service.routes.current import current_context, current_player, current_reader
from service.routes.pages.forms import NOT_COMPLETE, read_message, read_name
from service.routes.pages.lobby import describe_bots, seat_page
from service.routes.pages.responses import create_page_blueprint
from service.routes.pages.session import authenticate_form
from service.text import format_duration
from service.ui.registry import game_ui

PACES: Final = (12 * 3600, 24 * 3600, 2 * 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600, 14 * 24 * 3600)
_DEFAULTS: Final = MultiDict({"kind2": "invited", "pace": str(2 * 24 * 3600), "time_up": "stand-in"})
_NO_ADDRESS: Final = marked("Enter an e-mail address such as ann@example.org, or choose something else for this seat.")
_NOT_INVITED: Final = marked("There is an address for this seat. Choose “Invite by e-mail”, or delete the address.")
_NOBODY_ELSE: Final = marked("A game needs at least two players. Invite somebody, leave a seat open or add a bot.")

pages = create_page_blueprint("new_game")


@pages.get("/new")
def show_new_game() -> ResponseReturnValue:
    """The form for a new game."""
    host, game = current_player(), request.args.get("game", "")
    if host is None:
        return redirect(f"/login?next=/new?game={game}" if game in GAMES else "/login?next=/new", 303)
    return _form(host, _DEFAULTS, game)


@pages.post("/new")
def submit_new_game() -> ResponseReturnValue:
    """Create the game that the form describes."""
    host, game, errors = authenticate_form(), request.form.get("game", default_game()), dict[str, Problem]()
    if "choose" in request.form:  # another game is chosen, and the form isn't finished
        return _form(host, request.form, request.form["choose"])
    try:
        wanted = _read_form(request.form, game, host, errors)
        if errors:
            return _form(host, request.form, game, errors=errors), BadRequest.status
        created = _create_game(host, wanted)
    except Problem as problem:
        return _form(host, request.form, game, problem), problem.status
    except Malformed:  # its sentence names a field of the API, which the page does not have
        return _form(host, request.form, game, NOT_COMPLETE), BadRequest.status
    return redirect(seat_page(created, 0), 303)


def _form(
    host: Player,
    filled: MultiDict[str, str],
    game: str,
    refusal: Problem | str | None = None,
    errors: dict[str, Problem] | None = None,
) -> str:
    translations = current_reader().translations
    game = game if game in GAMES else default_game()
    return render_template(
        "new.html",
        filled=filled,
        refusal=refusal,
        errors=errors or {},
        game=game,
        default_name=_default_name(game, host),
        options=game_ui(game).options_form(translations),
        rows=_rows(game),
        bots=describe_bots(game, translations),
        paces=[(seconds, format_duration(seconds, translations)) for seconds in PACES],
    )


def _default_name(game: str, host: Player) -> str:
    """The name that the game gets if the host enters none."""
    return display_table_name(
        game, "", host.name or lobby.default_name(host.email), current_reader().translations.gettext
    )


def _rows(game: str) -> range:
    """The seats that the form asks about; the host has the first one."""
    return range(2, GAMES[game].seats.stop)


def _create_game(host: Player, wanted: lobby.NewGameRequest) -> StoredGame:
    ctx = current_context()
    check_new_table(ctx, host.id, sum(seat.email is not None for seat in wanted.seats))
    return lobby.create_game(ctx, host, wanted)


def _read_form(form: MultiDict[str, str], game: str, host: Player, errors: dict[str, Problem]) -> lobby.NewGameRequest:
    """The game that the form describes; what is wrong with a field is added to `errors`.

    Raises `BadRequest` for a form that our page can't have sent.
    """
    pace, time_up = form.get("pace", ""), form.get("time_up", "stand-in")
    if game not in GAMES or (pace and pace not in map(str, PACES)) or time_up not in {"stand-in", "wait"}:
        raise BadRequest(NOT_COMPLETE)
    seats = _read_seats(form, game, host, errors)
    if not seats and not errors:
        errors["kind2"] = BadRequest(_NOBODY_ELSE)
    texts = {"message": "", "name": ""}
    for field, read in (("message", read_message), ("name", read_name)):
        try:
            texts[field] = read(form.get(field, ""))
        except BadRequest as problem:
            errors[field] = problem
    fields = game_ui(game).options_form(current_reader().translations)
    options = {field.name: form.get(field.name, field.values[0][0]) for field in fields}
    return lobby.NewGameRequest(
        game, texts["name"], seats, options, int(pace) if pace else None, time_up, texts["message"]
    )


def _read_seats(
    form: MultiDict[str, str], game: str, host: Player, errors: dict[str, Problem]
) -> list[lobby.SeatRequest]:
    seats, listed = [], {host.email: 1}
    for row in _rows(game):
        kind, field = form.get(f"kind{row}", "nobody"), f"email{row}"
        if kind == "invited":
            try:
                seats.append(lobby.SeatRequest(email=_read_invited(form.get(field, ""), row, listed)))
            except Problem as problem:
                errors[field] = problem
        elif form.get(field):  # a page without JavaScript shows the field for every kind of seat
            errors[f"kind{row}"] = BadRequest(_NOT_INVITED)
        elif kind == "open":
            seats.append(lobby.SeatRequest())
        elif kind in GAMES[game].bots:
            seats.append(lobby.SeatRequest(bot=kind))
        elif kind != "nobody":
            raise BadRequest(NOT_COMPLETE)
    return seats


def _read_invited(text: str, row: int, listed: dict[str, int]) -> str:
    """The address for a seat, which is added to those that are listed already."""
    try:
        address = read_address(text)
    except BadRequest:
        raise BadRequest(_NO_ADDRESS) from None
    other = listed.setdefault(address, row)
    if other == 1:
        raise BadRequest(lobby.OWN_ADDRESS)
    if other != row:
        words = marked(
            "%(address)s is listed twice, in seats %(first)s and %(second)s. Use another address for one of them."
        )
        raise BadRequest(words, address=address, first=other, second=row)
    try:
        check_allowed(address, current_context().settings.allowed_emails)
    except Forbidden:
        words = marked("%(address)s can't play on this server. Ask the person who runs it to allow this address.")
        raise BadRequest(words, address=address) from None
    return address
