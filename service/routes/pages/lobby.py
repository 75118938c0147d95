"""Games before they start: the page where the seats fill up, and the link to share."""

from collections.abc import Callable
from gettext import NullTranslations
from typing import NamedTuple

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue

from service.auth.access import Principal, principal_with_token
from service.auth.tokens import Invitation, SeatLink
from service.context import AppContext
from service.db.models import Player
from service.engine.registry import GAMES
from service.errors import BadRequest, Forbidden, Problem
from service.games import empty_seats, lobby
from service.games.names import display_level, player_names, suggest_name, table_name, with_display_names
from service.games.store import StoredGame, StoredSeat
from service.games.views import game_view, get_open_game
from service.routes.current import current_context, current_player, current_reader
from service.routes.pages.catalogue import present_game
from service.routes.pages.forms import NOT_COMPLETE, read_message, read_typed_address
from service.routes.pages.responses import create_page_blueprint
from service.routes.pages.session import authenticate_form
from service.text import format_duration, join_names
from service.ui.tables import Chip

pages = create_page_blueprint("tables")


@pages.post("/s/<token>/invite")
def submit_invitation(token: str) -> ResponseReturnValue:
    """Invite somebody to an open seat, or to one whose invitation nobody has accepted."""

    def invite(ctx: AppContext, game: StoredGame, host: int) -> None:
        message, seat = _read_message(), request.form.get("seat", type=int)
        lobby.invite(ctx, game.id, host, read_typed_address(request.form.get("email", "")), seat, message)

    return _change_seats(token, invite)


@pages.post("/s/<token>/resend")
def resend_invitation(token: str) -> ResponseReturnValue:
    """Send an invitation again."""

    def resend(ctx: AppContext, game: StoredGame, host: int) -> None:
        empty_seats.resend_invitation(ctx, game.id, host, _read_seat(), _read_message())

    return _change_seats(token, resend)


@pages.post("/s/<token>/bot")
def replace_with_bot(token: str) -> ResponseReturnValue:
    """Give a seat that nobody has accepted to a bot."""

    def replace(ctx: AppContext, game: StoredGame, host: int) -> None:
        seat, level = _read_seat(), request.form.get("bot", "")
        if level not in game.rules.bots:
            raise BadRequest(NOT_COMPLETE)
        empty_seats.replace_with_bot(ctx, game.id, host, seat, level)

    return _change_seats(token, replace)


@pages.post("/s/<token>/start")
def start_now(token: str) -> ResponseReturnValue:
    """Start without the seats that nobody has accepted."""
    return _change_seats(token, lambda ctx, game, host: empty_seats.start_now(ctx, game.id, host))


def _change_seats(token: str, change: Callable[[AppContext, StoredGame, int], object]) -> ResponseReturnValue:
    """Apply the host's change and show the page again; a refusal is shown on the page, and nothing has changed."""
    ctx, (principal, game) = current_context(), _require_host(token)
    try:
        change(ctx, game, principal.require_player_in(game.id))
    except Problem as problem:
        game = get_open_game(ctx, game.id)
        if game.status != "waiting":
            raise
        return waiting_page(ctx, game, principal, problem), problem.status
    return redirect(f"/s/{token}", 303)


def _read_seat() -> int:
    seat = request.form.get("seat", type=int)
    if seat is None:
        raise BadRequest(NOT_COMPLETE)
    return seat


def _read_message() -> str | None:
    """The message in the form; None if it has no field for one."""
    message = request.form.get("message")
    return None if message is None else read_message(message)


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
    """The page of the shared link. Opening it takes no seat; the button does."""
    (_, invited), translations = _invited_game(token), current_reader().translations
    game, player = with_display_names(invited, translations), current_player()
    names = player_names(game)
    return render_template(
        "join.html",
        table=table_name(game),
        host=names[0],
        sitting=join_names([names[seat.seat] for seat in game.seats if seat.player or seat.bot], translations),
        free=sum(seat.player is None and seat.bot is None for seat in game.seats),
        started=game.status != "waiting",
        message=game.message,
        own=_own_seat_page(game, player),
        game=game,
        **_present(game, translations),
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
    return "" if seat is None else seat_page(game, seat)


def _invited_game(token: str) -> tuple[Invitation, StoredGame]:
    """The shared link and its game, unless the host has replaced the link."""
    ctx = current_context()
    invitation = ctx.tokens.read_invitation(token)
    game = get_open_game(ctx, invitation.game)
    lobby.check_invitation_is_current(game, invitation)
    return invitation, game


def describe_bots(game: str, translations: NullTranslations) -> list[tuple[str, str]]:
    """The levels of a game's bots, each in words."""
    return [(level, display_level(level, translations.gettext)) for level in GAMES[game].bots]


def seat_page(game: StoredGame, seat: int) -> str:
    """The path of a seat's page."""
    return f"/s/{current_context().tokens.seat(game.id, seat, game.seats[seat].link_version)}"


def _require_host(token: str) -> tuple[Principal, StoredGame]:
    """The host, identified by the link to the first seat, which only the host has."""
    ctx = current_context()
    caller = principal_with_token(ctx, token)
    if not isinstance(caller.link, SeatLink) or caller.link.seat != 0:
        raise Forbidden("Only the host of this game can do that. Ask them to do it.")
    return caller, get_open_game(ctx, caller.link.game)


class ShownSeat(NamedTuple):
    """A seat of a game that hasn't started."""

    number: int
    name: str
    state: str
    """host, accepted, asked, open or bot."""
    yours: bool
    chips: tuple[Chip, ...]
    """What the seat plays with, such as its colours."""
    address: str
    """Where the invitation went, for the host; empty if the host didn't write it."""
    undelivered: bool
    """Whether the invitation couldn't be delivered."""
    resent: bool
    """Whether the invitation was sent again today."""
    bot: str | None
    """The level, if a bot has the seat."""


def waiting_page(ctx: AppContext, game: StoredGame, caller: Principal, refusal: Problem | str | None = None) -> str:
    """The page of a game that hasn't started: its players, and how to fill the open seats."""
    reader = current_reader()
    game, seat = with_display_names(game, reader.translations), caller.find_seat_in(game)
    view, names = game_view(ctx, game, seat), player_names(game)
    addresses = lobby.invited_addresses(ctx, game) if seat == 0 else {}
    undelivered = lobby.undelivered_invitations(ctx, game) if seat == 0 else set()
    resent = empty_seats.seats_invited_again(ctx, game) if seat == 0 else set()
    errors = _field_errors(game, refusal)
    return render_template(
        "waiting.html",
        table=table_name(game),
        host=names[0],
        seats=[
            ShownSeat(
                each.seat,
                _display_name(each, names[each.seat], caller),
                _state(each),
                each.seat == seat,
                row.chips,
                addresses.get(each.seat, ""),
                each.seat in undelivered,
                each.seat in resent,
                each.bot,
            )
            for each, row in zip(game.seats, game.ui.standings(view, names, reader.translations).rows, strict=True)
        ],
        templates=game.ui.templates,
        missing=_describe_missing_players(game, seat, reader.translations),
        message=game.message,
        bots=describe_bots(game.game, reader.translations),
        can_start=seat == 0 and empty_seats.can_start_now(game),
        present=join_names([names[each.seat] for each in game.seats if each.accepted], reader.translations),
        suggested=suggest_name(caller.player.email) if caller.player and not caller.player.name else "",
        offered=seat is not None and not game.seats[seat].accepted,
        seated=seat is not None and game.seats[seat].accepted,
        hosting=seat == 0,
        here=seat_page(game, seat) if seat is not None else "",
        share=view.get("invitation", ""),
        **_present(game, reader.translations),
        options=game.ui.describe_options(game.options, len(game.seats), reader.translations),
        pace=format_duration(game.pace, reader.translations) if game.pace else "",
        time_up=game.time_up,
        expires=format_duration(lobby.EXPIRES_AFTER, reader.translations),
        chosen=request.args.get("do", ""),
        refusal=None if errors else refusal,
        errors=errors,
        refused_seat=request.form.get("seat", type=int) if refusal else None,
    )


def _present(game: StoredGame, translations: NullTranslations) -> dict[str, object]:
    """Which game it is, for people who may not know it, and how long it takes."""
    length = game.ui.describe_length(len(game.seats), translations)
    return {"presented": present_game(game.game, translations), "length": length}


def _display_name(seat: StoredSeat, name: str, caller: Principal) -> str:
    """The name of a seat. An invitation doesn't reveal who an address belongs to, except to its reader."""
    player = caller.player
    return player.name or name if player is not None and seat.player == player.id else name


def _field_errors(game: StoredGame, refusal: Problem | str | None) -> dict[str, Problem | str]:
    """The refusal by the name of its field, if it is about an address that was typed for a seat."""
    seat = request.form.get("seat", type=int)
    has_field = "email" in request.form and any(each.seat == seat and not each.accepted for each in game.seats)
    return {f"email{seat}": refusal} if refusal and has_field and not _is_message_refused() else {}


def _is_message_refused() -> bool:
    try:
        _read_message()
    except BadRequest:
        return True
    return False


def _describe_missing_players(game: StoredGame, reader: int | None, translations: NullTranslations) -> list[str]:
    """Who hasn't accepted and which seats are open, in sentences for the player of a seat."""
    names, asked = player_names(game), [seat.seat for seat in game.seats if _state(seat) == "asked"]
    free = sum(_state(seat) == "open" for seat in game.seats)
    missing = [translations.gettext("you") if seat == reader else names[seat] for seat in asked]
    sentences = []
    if missing:
        words = translations.gettext("Waiting for %(names)s to accept.")
        sentences.append(words % {"names": join_names(missing, translations)})
    if free:
        words = translations.ngettext("One seat is still open.", "%(number)s seats are still open.", free)
        sentences.append(words % {"number": free})
    return sentences


def _state(seat: StoredSeat) -> str:
    if seat.bot:
        return "bot"
    if seat.player is None:
        return "open"
    if seat.seat == 0:
        return "host"
    return "accepted" if seat.accepted else "asked"
