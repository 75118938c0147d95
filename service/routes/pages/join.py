"""`/join/TOKEN`: the link to share for a table's open seats. Looking takes no seat; the button does."""

from typing import Any

from flask import Blueprint, redirect, render_template

from service.context import AppContext
from service.db.models import Player
from service.errors import NotFound
from service.games import lobby
from service.games.names import player_names, table_name, with_display_names
from service.games.stored import StoredGame
from service.games.views import get_open_game
from service.i18n import marked
from service.routes.pages.page_language import reader_here
from service.routes.pages.security_headers import sealed_pages
from service.routes.pages.sessions import check_form, visitor


def join_pages(ctx: AppContext) -> Blueprint:
    """The page, and the button on it."""
    pages = sealed_pages("join")

    @pages.get("/join/<token>")
    def look(token: str) -> str:
        game, player = with_display_names(_table(token), reader_here(ctx).translations), visitor(ctx)
        names = player_names(game)
        return render_template(
            "join.html",
            table=table_name(game),
            host=names[0],
            sitting=[names[seat.seat] for seat in game.seats if seat.player or seat.bot],
            free=sum(seat.player is None and seat.bot is None for seat in game.seats),
            started=game.status != "waiting",
            own=_seat_page(game, player),
            here=f"/join/{token}",
            game=game,
        )

    @pages.post("/join/<token>")
    def join(token: str) -> Any:
        player = check_form(ctx)
        game = lobby.join(ctx, _table(token).id, player)
        return redirect(_seat_page(game, player), 303)

    def _seat_page(game: StoredGame, player: Player | None) -> str:
        seat = game.seat_of(player.id) if player is not None else None
        return "" if seat is None else f"/s/{ctx.links.seat(game.id, seat, game.seats[seat].link_version)}"

    def _table(token: str) -> StoredGame:
        invitation = ctx.links.read_invitation(token)
        game = get_open_game(ctx, invitation.game)
        if game.invitation_version != invitation.version:
            words = marked("This invitation was replaced by a newer one; ask who sent it to you for the new link.")
            raise NotFound(words, gone=True)
        return game

    return pages
