"""Games before they start: the form for a new one, the page where its seats fill up, and the link to share."""

from typing import Final, NamedTuple

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue
from pydantic import TypeAdapter, ValidationError
from werkzeug.datastructures import MultiDict

from service.auth.access import Principal, principal_with_token
from service.auth.addresses import read_address
from service.auth.rate_limits import check_new_table
from service.auth.tokens import Invitation, SeatLink
from service.context import AppContext
from service.db.models import Player
from service.engine.errors import Malformed
from service.engine.registry import GAMES, default_game
from service.errors import BadRequest, Forbidden, Problem
from service.games import lobby
from service.games.names import player_names, table_name, with_display_names
from service.games.store import StoredGame, StoredSeat
from service.games.views import game_view, get_open_game
from service.i18n import Reader, marked
from service.routes.api.schemas import Name
from service.routes.current import current_context, current_player, current_reader
from service.routes.pages.login import NO_ADDRESS
from service.routes.pages.responses import create_page_blueprint
from service.routes.pages.session import authenticate_form
from service.text import format_duration
from service.ui.registry import game_ui

PACES: Final = (12 * 3600, 24 * 3600, 2 * 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600, 14 * 24 * 3600)
BOTS: Final = {
    "greedy": marked("One of the house's players, a shrewd one"),
    "random": marked("One of the house's players, a careless one"),
}
BOT_NAMES: Final = ("Idris", "Salma", "Zahra", "Tarik", "Noura", "Yusuf", "Hanan")
"""The names of bots from the second seat on, so that two of the same level can be told apart."""
_DEFAULTS: Final = MultiDict({"kind2": "invited", "pace": str(2 * 24 * 3600), "time_up": "stand-in"})
_NAME: Final[TypeAdapter[str]] = TypeAdapter(Name)
_NO_ADDRESS: Final = marked("Seat %(seat)s: write an e-mail address such as ann@example.org, or choose another kind.")
_NOBODY_ELSE: Final = marked("A table needs at least two; invite somebody, leave a seat open or take a player of ours.")
_WRONG_FORM: Final = marked("The form was not complete; open the page again and choose.")
_WRONG_NAME: Final = marked("The name of the table is too long or has invisible characters in it; write another.")


pages = create_page_blueprint("tables")


@pages.get("/new")
def show_new_game() -> ResponseReturnValue:
    """The form for a new game."""
    if current_player() is None:
        return redirect("/login?next=/new", 303)
    return _form(_DEFAULTS, request.args.get("game", ""))


@pages.post("/new")
def submit_new_game() -> ResponseReturnValue:
    """Create the game that the form describes."""
    host = authenticate_form()
    try:
        game = _create_game(host, _read_form(request.form, current_reader()))
    except Problem as problem:
        return _form(request.form, request.form.get("game", ""), problem), problem.status
    except Malformed:  # its sentence names a field of the API, which the page does not have
        return _form(request.form, request.form.get("game", ""), _WRONG_FORM), BadRequest.status
    return redirect(_seat_page(game, 0), 303)


@pages.post("/s/<token>/invite")
def submit_invitation(token: str) -> ResponseReturnValue:
    """Invite somebody to an open seat, or to one whose invitation nobody has accepted."""
    ctx, (principal, game) = current_context(), _require_host(token)
    seat = request.form.get("seat", type=int)
    try:
        address = _read_address(request.form, "email", 0, current_reader())
        lobby.invite(ctx, game.id, principal.require_player_in(game.id), address, seat)
    except Problem as problem:
        return waiting_page(ctx, get_open_game(ctx, game.id), principal, problem), problem.status
    return redirect(f"/s/{token}", 303)


@pages.post("/s/<token>/new-link")
def replace_shared_link(token: str) -> ResponseReturnValue:
    """Replace the link to the open seats."""
    principal, game = _require_host(token)
    lobby.replace_invitation(current_context(), game.id, principal.require_player_in(game.id))
    return redirect(f"/s/{token}#share", 303)


@pages.post("/s/<token>/cancel")
def cancel_game(token: str) -> str:
    """Cancel a game that hasn't started."""
    principal, game = _require_host(token)
    lobby.cancel(current_context(), game.id, principal.require_player_in(game.id))
    name = table_name(with_display_names(game, current_reader().translations))
    return render_template("called_off.html", table=name)


@pages.get("/join/<token>")
def show_invitation(token: str) -> str:
    """The page of the link to share for open seats. Looking takes no seat; the button does."""
    _, invited = _invited_game(token)
    game, player = with_display_names(invited, current_reader().translations), current_player()
    names = player_names(game)
    return render_template(
        "join.html",
        table=table_name(game),
        host=names[0],
        sitting=[names[seat.seat] for seat in game.seats if seat.player or seat.bot],
        free=sum(seat.player is None and seat.bot is None for seat in game.seats),
        started=game.status != "waiting",
        own=_own_seat_page(game, player),
        here=f"/join/{token}",
        game=game,
    )


@pages.post("/join/<token>")
def join_game(token: str) -> ResponseReturnValue:
    """Take an open seat."""
    player = authenticate_form()
    invitation, _ = _invited_game(token)
    game = lobby.join(current_context(), invitation, player)
    return redirect(_own_seat_page(game, player), 303)


def _own_seat_page(game: StoredGame, player: Player | None) -> str:
    seat = game.seat_of(player.id) if player is not None else None
    return "" if seat is None else _seat_page(game, seat)


def _invited_game(token: str) -> tuple[Invitation, StoredGame]:
    """The shared link and its game, unless the host has replaced the link."""
    ctx = current_context()
    invitation = ctx.tokens.read_invitation(token)
    game = get_open_game(ctx, invitation.game)
    lobby.check_invitation_is_current(game, invitation)
    return invitation, game


def _form(filled: MultiDict[str, str], game: str, refusal: Problem | str | None = None) -> str:
    translations = current_reader().translations
    game = game if game in GAMES else default_game()
    return render_template(
        "new.html",
        filled=filled,
        refusal=refusal,
        game=game,
        games=list(GAMES),
        options=game_ui(game).options_form(translations),
        rows=_rows(game),
        bots=[(level, translations.gettext(BOTS.get(level, level))) for level in GAMES[game].bots],
        paces=[(seconds, format_duration(seconds, translations)) for seconds in PACES],
    )


def _rows(game: str) -> range:
    """The seats that the form asks about; the host has the first one."""
    return range(2, GAMES[game].seats.stop)


def _create_game(host: Player, wanted: lobby.NewGameRequest) -> StoredGame:
    ctx = current_context()
    check_new_table(ctx, host.id, sum(seat.email is not None for seat in wanted.seats))
    return lobby.create_game(ctx, host, wanted)


def _read_form(form: MultiDict[str, str], reader: Reader) -> lobby.NewGameRequest:
    """The game that the form describes; raises `BadRequest` in the reader's language."""
    say = reader.translations.gettext
    game = form.get("game", default_game())
    if game not in GAMES:
        raise BadRequest(say(_WRONG_FORM))
    seats = [seat for row in _rows(game) if (seat := _read_seat(form, game, row, reader)) is not None]
    if not seats:
        raise BadRequest(say(_NOBODY_ELSE))
    try:
        name, pace = _NAME.validate_python(form.get("name", "").strip()), form.get("pace", "")
    except ValidationError:
        raise BadRequest(say(_WRONG_NAME)) from None
    if (pace and pace not in map(str, PACES)) or form.get("time_up", "stand-in") not in {"stand-in", "wait"}:
        raise BadRequest(say(_WRONG_FORM))
    fields = game_ui(game).options_form(reader.translations)
    options = {field.name: form.get(field.name, field.values[0][0]) for field in fields}
    wanted = lobby.NewGameRequest(game, name, seats, options, int(pace) if pace else None)
    return wanted._replace(time_up=form.get("time_up", "stand-in"))


def _read_seat(form: MultiDict[str, str], game: str, row: int, reader: Reader) -> lobby.SeatRequest | None:
    match form.get(f"kind{row}", "nobody"):
        case "nobody":
            return None
        case "invited":
            return lobby.SeatRequest(email=_read_address(form, f"email{row}", row, reader))
        case "open":
            return lobby.SeatRequest()
        case level if level in GAMES[game].bots:
            return lobby.SeatRequest(bot=level, name=BOT_NAMES[row - 2])
    raise BadRequest(reader.translations.gettext(_WRONG_FORM))


def _read_address(form: MultiDict[str, str], field: str, seat: int, reader: Reader) -> str:
    try:
        return read_address(form.get(field, ""))
    except BadRequest:
        say = reader.translations.gettext
        words = say(_NO_ADDRESS) % {"seat": seat} if seat else say(NO_ADDRESS)
        raise BadRequest(words) from None


def _seat_page(game: StoredGame, seat: int) -> str:
    return f"/s/{current_context().tokens.seat(game.id, seat, game.seats[seat].link_version)}"


def _require_host(token: str) -> tuple[Principal, StoredGame]:
    """The host, identified by the link to the first seat, which only the host has."""
    ctx = current_context()
    caller = principal_with_token(ctx, token)
    if not isinstance(caller.link, SeatLink) or caller.link.seat != 0:
        raise Forbidden("Only the host of the table can do that.")
    return caller, get_open_game(ctx, caller.link.game)


class ShownSeat(NamedTuple):
    """A seat of a game that hasn't started."""

    number: int
    name: str
    state: str
    """host, accepted, asked, open or bot."""
    yours: bool
    assets: str
    """What the seat plays with, such as its colours."""
    undelivered: str
    """The address to which the invitation could not be delivered."""


def waiting_page(ctx: AppContext, game: StoredGame, caller: Principal, refusal: Problem | str | None = None) -> str:
    """The page of a game that hasn't started: its players, and how to fill the open seats."""
    reader = current_reader()
    game, seat = with_display_names(game, reader.translations), caller.find_seat_in(game)
    view, names = game_view(ctx, game, seat), player_names(game)
    undelivered = lobby.undelivered_invitations(ctx, game) if seat == 0 else {}
    return render_template(
        "waiting.html",
        table=table_name(game),
        host=names[0],
        seats=[
            ShownSeat(
                each.seat,
                names[each.seat],
                _state(each),
                each.seat == seat,
                ", ".join(chip.label for chip in row.chips),
                undelivered.get(each.seat, ""),
            )
            for each, row in zip(game.seats, game.ui.standings(view, names, reader.translations).rows, strict=True)
        ],
        offered=seat is not None and not game.seats[seat].accepted,
        seated=seat is not None and game.seats[seat].accepted,
        hosting=seat == 0,
        here=_seat_page(game, seat) if seat is not None else "",
        share=view.get("invitation", ""),
        game=game.game,
        options=game.ui.describe_options(game.options, len(game.seats), reader.translations),
        pace=format_duration(game.pace, reader.translations) if game.pace else "",
        time_up=game.time_up,
        expires=format_duration(lobby.EXPIRES_AFTER, reader.translations),
        chosen=request.args.get("do", ""),
        refusal=refusal,
    )


def _state(seat: StoredSeat) -> str:
    if seat.bot:
        return "bot"
    if seat.player is None:
        return "open"
    if seat.seat == 0:
        return "host"
    return "accepted" if seat.accepted else "asked"
