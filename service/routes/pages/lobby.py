"""Tables before they start: the form for a new one, and the page on which its seats fill up."""

from typing import Any, Final, NamedTuple

from flask import Blueprint, redirect, render_template, request
from werkzeug.datastructures import MultiDict

from service.auth.access import Principal, principal_with_token
from service.auth.addresses import read_address
from service.auth.rate_limits import check_new_table
from service.auth.tokens import SeatLink
from service.context import AppContext
from service.db.models import Player
from service.engine.errors import Malformed
from service.errors import BadRequest, Forbidden, Problem
from service.games import lobby
from service.games.names import player_names, table_name, with_display_names
from service.games.stored import StoredGame, StoredSeat
from service.games.views import game_view, get_open_game
from service.i18n import Reader, marked
from service.routes.api.schemas import NewGame
from service.routes.pages.login import NO_ADDRESS
from service.routes.pages.page_language import reader_here
from service.routes.pages.security_headers import sealed_pages
from service.routes.pages.sessions import check_form, visitor
from service.text import clean, format_duration

ROWS: Final = range(2, 5)
"""The seats of the form; the host sits in the first."""
PACES: Final = (12 * 3600, 24 * 3600, 2 * 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600, 14 * 24 * 3600)
BOTS: Final = {
    "greedy": marked("One of the house's players, a shrewd one"),
    "random": marked("One of the house's players, a careless one"),
}
HOUSE_PLAYERS: Final = {2: "Idris", 3: "Salma", 4: "Zahra"}
"""What the house's players are called, each by the seat: two of one kind must not be taken for each other."""
_USUAL: Final = MultiDict(
    {
        "kind2": "invited",
        "kind3": "nobody",
        "kind4": "nobody",
        "variant": "standard",
        "pile": "shuffled",
        "pace": str(2 * 24 * 3600),
        "time_up": "stand-in",
    }
)
_NO_ADDRESS: Final = marked("Seat %(seat)s: write an e-mail address such as ann@example.org, or choose another kind.")
_NOBODY_ELSE: Final = marked("A table needs at least two; invite somebody, leave a seat open or take a player of ours.")
_WRONG_FORM: Final = marked("The form was not complete; open the page again and choose.")
_WRONG_NAME: Final = marked("The name of the table is too long or has invisible characters in it; write another.")


def table_pages(ctx: AppContext) -> Blueprint:
    """`/new`, and what the host does on the page of a table that waits."""
    pages = sealed_pages("tables")

    @pages.get("/new")
    def ask() -> Any:
        if visitor(ctx) is None:
            return redirect("/login?next=/new", 303)
        return _form(ctx, _USUAL)

    @pages.post("/new")
    def set_up() -> Any:
        host = check_form(ctx)
        try:
            game = _created(ctx, host, _wish(request.form, reader_here(ctx)))
        except Problem as problem:
            return _form(ctx, request.form, problem), problem.status
        except Malformed:  # its sentence names a field of the API, which the page does not have
            return _form(ctx, request.form, _WRONG_FORM), BadRequest.status
        return redirect(_seat_page(ctx, game, 0), 303)

    @pages.post("/s/<token>/invite")
    def invite(token: str) -> Any:
        caller, game = _host_at(ctx, token)
        try:
            address = _address(request.form, "email", 0, reader_here(ctx))
            lobby.invite(ctx, game.id, caller.player_at(game.id), address)
        except Problem as problem:
            return waiting_page(ctx, get_open_game(ctx, game.id), caller, problem), problem.status
        return redirect(f"/s/{token}", 303)

    @pages.post("/s/<token>/cancel")
    def call_off(token: str) -> Any:
        caller, game = _host_at(ctx, token)
        lobby.cancel(ctx, game.id, caller.player_at(game.id))
        return render_template(
            "called_off.html", table=table_name(with_display_names(game, reader_here(ctx).translations))
        )

    return pages


def _form(ctx: AppContext, filled: MultiDict[str, str], refusal: Problem | str | None = None) -> str:
    translations = reader_here(ctx).translations
    return render_template(
        "new.html",
        filled=filled,
        refusal=refusal,
        rows=ROWS,
        bots=[(level, translations.gettext(words)) for level, words in BOTS.items()],
        paces=[(seconds, format_duration(seconds, translations)) for seconds in PACES],
    )


def _created(ctx: AppContext, host: Player, wish: lobby.Wish) -> StoredGame:
    check_new_table(ctx, host.id, sum(chair.email is not None for chair in wish.chairs))
    return lobby.create(ctx, host, wish)


def _wish(form: MultiDict[str, str], reader: Reader) -> lobby.Wish:
    """The table that the form describes; raises `BadRequest` in the reader's language."""
    say = reader.translations.gettext
    chairs = [chair for row in ROWS if (chair := _chair(form, row, reader)) is not None]
    if not chairs:
        raise BadRequest(say(_NOBODY_ELSE))
    name, pace = form.get("name", "").strip(), form.get("pace", "")
    if len(name) > NewGame.model_fields["name"].metadata[0].max_length or clean(name) != name:
        raise BadRequest(say(_WRONG_NAME))
    if (pace and pace not in map(str, PACES)) or form.get("time_up", "stand-in") not in {"stand-in", "wait"}:
        raise BadRequest(say(_WRONG_FORM))
    options = {"variant": form.get("variant", "standard"), "pile": form.get("pile", "shuffled")}
    wish = lobby.Wish("marrakech", name, chairs, options, int(pace) if pace else None)
    return wish._replace(time_up=form.get("time_up", "stand-in"))


def _chair(form: MultiDict[str, str], row: int, reader: Reader) -> lobby.SeatRequest | None:
    match form.get(f"kind{row}", "nobody"):
        case "nobody":
            return None
        case "invited":
            return lobby.SeatRequest(email=_address(form, f"email{row}", row, reader))
        case "open":
            return lobby.SeatRequest()
        case level if level in BOTS:
            return lobby.SeatRequest(bot=level, name=HOUSE_PLAYERS[row])
    raise BadRequest(reader.translations.gettext(_WRONG_FORM))


def _address(form: MultiDict[str, str], field: str, seat: int, reader: Reader) -> str:
    try:
        return read_address(form.get(field, ""))
    except BadRequest:
        say = reader.translations.gettext
        words = say(_NO_ADDRESS) % {"seat": seat} if seat else say(NO_ADDRESS)
        raise BadRequest(words) from None


def _seat_page(ctx: AppContext, game: StoredGame, seat: int) -> str:
    return f"/s/{ctx.links.seat(game.id, seat, game.seats[seat].link_version)}"


def _host_at(ctx: AppContext, token: str) -> tuple[Principal, StoredGame]:
    """The host of a table by the link to the first seat, which only the host has."""
    caller = principal_with_token(ctx, token)
    if not isinstance(caller.link, SeatLink) or caller.link.seat != 0:
        raise Forbidden("Only the host of the table can do that.")
    return caller, get_open_game(ctx, caller.link.game)


class ShownSeat(NamedTuple):
    """A seat of a table that waits."""

    name: str
    state: str
    """host, accepted, asked, open or bot."""
    yours: bool
    colours: list[str]


def waiting_page(ctx: AppContext, game: StoredGame, caller: Principal, refusal: Problem | str | None = None) -> str:
    """The page of a table that has not started: who sits there, and how to fill the seats that are free."""
    reader = reader_here(ctx)
    game, seat, say = with_display_names(game, reader.translations), caller.seat_in(game), reader.translations.gettext
    view, names = game_view(ctx, game, seat), player_names(game)
    return render_template(
        "waiting.html",
        table=table_name(game),
        host=names[0],
        seats=[
            ShownSeat(names[each.seat], _state(each), each.seat == seat, [say(colour) for colour in shown["colours"]])
            for each, shown in zip(game.seats, view["seats"], strict=True)
        ],
        offered=seat is not None and not game.seats[seat].accepted,
        seated=seat is not None and game.seats[seat].accepted,
        hosting=seat == 0,
        here=_seat_page(ctx, game, seat) if seat is not None else "",
        share=view.get("invitation", ""),
        options=game.options,
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
