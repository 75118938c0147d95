"""The start page, with the games of the player who is signed in, and the web app manifest."""

import json
from typing import Any, Final, NamedTuple

from flask import Response, render_template, request, url_for

from service.context import AppContext
from service.db.models import IS_TO_ACT, Game, Seat
from service.engine.registry import default_game
from service.games.store import STAND_IN_AFTER
from service.games.views import list_games
from service.i18n import Reader, locale_for, translations_for
from service.routes.current import current_context, current_player, current_reader, query_language
from service.routes.pages.guest import find_guest_game
from service.routes.pages.mailbox import mailbox_link
from service.routes.pages.responses import CACHE_FOR_A_DAY, create_page_blueprint
from service.text import format_duration, join_names, sanitize

_LONGEST: Final = 60
_ORDER: Final = ("my-turn", "waiting", "playing", "finished")
_ICONS: Final = (
    ("icon.svg", "any", "image/svg+xml", "any"),
    ("icon-192.png", "192x192", "image/png", "any"),
    ("icon-512.png", "512x512", "image/png", "any maskable"),
)

pages = create_page_blueprint("pages")


class ListedGame(NamedTuple):
    """One of the player's games, as the list shows it."""

    name: str
    where: str
    """The page of the player's seat."""
    kind: str
    """What the player can do: my-turn, waiting, playing or finished."""
    offered: bool
    waiting_for: str
    left: str
    until: str


@pages.get("/")
def show_home() -> str:
    """The start page."""
    player = current_player()
    games, cursor = ([], None) if player is None else _my_games(player.id, request.args.get("cursor"))
    return render_template(
        "home.html",
        mailbox=mailbox_link(),
        default_game=default_game(),
        games=games,
        cursor=cursor,
        later="cursor" in request.args,
        trial=find_guest_game(),
    )


@pages.get("/manifest.webmanifest")
def show_manifest() -> Response:
    """The web app manifest, in the language that its URL names: browsers fetch it without cookies."""
    language = query_language()
    say = translations_for(language).gettext
    manifest = {
        "lang": language,
        "dir": str(locale_for(language).text_direction),
        "name": say("Marrakech by Mail"),
        "short_name": "Marrakech",
        "description": say("A board game for friends, played by e-mail."),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#fff6e6",
        "theme_color": "#8f4521",
        "icons": [
            {"src": url_for("static", filename=name), "sizes": sizes, "type": kind, "purpose": purpose}
            for name, sizes, kind, purpose in _ICONS
        ],
    }
    return Response(json.dumps(manifest), mimetype="application/manifest+json", headers=CACHE_FOR_A_DAY)


def _my_games(player: int, cursor: str | None) -> tuple[list[ListedGame], str | None]:
    """A page of games, those first that wait for the player."""
    ctx, reader = current_context(), current_reader()
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
    mine_now = game["your_turn"] and game["status"] == "playing" and mine.stood_in < STAND_IN_AFTER
    missing = [seat for seat in seats if (not seat.accepted if game["status"] == "waiting" else seat.to_act)]
    deadline = mine.deadline if game["status"] == "playing" else None
    return ListedGame(
        name=sanitize(game["name"], _LONGEST),
        where=f"/s/{ctx.tokens.seat(game['id'], mine.seat, mine.link_version)}",
        kind="my-turn" if mine_now else game["status"],
        offered=game["status"] == "waiting" and not mine.accepted,
        waiting_for=join_names([sanitize(seat.name, _LONGEST) or "…" for seat in missing], reader.translations),
        left=format_duration(max(0.0, deadline - ctx.clock()), reader.translations) if deadline else "",
        until=reader.format_short_time(deadline) if deadline else "",
    )
