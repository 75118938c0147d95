"""The front door: what this is and how to begin, and for who is signed in their games."""

from typing import Any, Final, NamedTuple

from flask import Blueprint, render_template, request

from service.context import AppContext
from service.db.models import IS_TO_ACT, Game, Seat
from service.games.stored import KEPT_AFTER
from service.games.views import list_games
from service.i18n import Reader
from service.routes.pages.page_language import reader_here
from service.routes.pages.security_headers import sealed_pages
from service.routes.pages.sessions import visitor
from service.text import format_duration, join_names, sanitize

_LONGEST: Final = 60
_ORDER: Final = ("my-turn", "waiting", "playing", "finished")


class ListedGame(NamedTuple):
    """One of the visitor's games, as the list shows it."""

    name: str
    where: str
    """The page of the visitor's seat."""
    kind: str
    """What the visitor can do: my-turn, waiting, playing or finished."""
    offered: bool
    waiting_for: str
    left: str
    until: str


def pages(ctx: AppContext, *, mailbox: bool) -> Blueprint:
    """The front door; it shows the way to the mailbox where there is one."""
    blueprint = sealed_pages("pages")

    @blueprint.get("/")
    def home() -> str:
        player = visitor(ctx)
        games, cursor = ([], None) if player is None else _my_games(ctx, player.id, request.args.get("cursor"))
        return render_template("home.html", mailbox=mailbox, games=games, cursor=cursor, later="cursor" in request.args)

    return blueprint


def _my_games(ctx: AppContext, player: int, cursor: str | None) -> tuple[list[ListedGame], str | None]:
    """A page of games, those first that wait for the player."""
    reader = reader_here(ctx)
    page = list_games(ctx, player, None, cursor or None, reader.translations.gettext)
    seats = _seats(ctx, [game["id"] for game in page.games])
    games = [_listed(ctx, reader, game, seats[game["id"]]) for game in page.games]
    return sorted(games, key=lambda game: _ORDER.index(game.kind)), page.cursor


def _seats(ctx: AppContext, games: list[str]) -> dict[str, list[Any]]:
    seats: dict[str, list[Any]] = {game: [] for game in games}
    to_act = IS_TO_ACT.alias("to_act")
    columns = (Seat.game, Seat.seat, Seat.name, Seat.accepted, to_act, Seat.link_version, Seat.stood_in)
    chosen = Seat.select(*columns, Game.deadline).join(Game).where(Seat.game.in_(games)).order_by(Seat.seat)
    for seat in chosen.namedtuples().execute(ctx.database):
        seats[seat.game].append(seat)
    return seats


def _listed(ctx: AppContext, reader: Reader, game: dict[str, Any], seats: list[Any]) -> ListedGame:
    mine = seats[game["you"]]
    mine_now = game["your_turn"] and game["status"] == "playing" and mine.stood_in < KEPT_AFTER
    missing = [seat for seat in seats if (not seat.accepted if game["status"] == "waiting" else seat.to_act)]
    deadline = mine.deadline if game["status"] == "playing" else None
    return ListedGame(
        name=sanitize(game["name"], _LONGEST),
        where=f"/s/{ctx.links.seat(game['id'], mine.seat, mine.link_version)}",
        kind="my-turn" if mine_now else game["status"],
        offered=game["status"] == "waiting" and not mine.accepted,
        waiting_for=join_names([sanitize(seat.name, _LONGEST) or "…" for seat in missing], reader.translations),
        left=format_duration(max(0.0, deadline - ctx.clock()), reader.translations) if deadline else "",
        until=reader.format_short_time(deadline) if deadline else "",
    )
