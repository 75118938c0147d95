"""The front door: what this is and how to begin, and for who is signed in their games."""

from typing import Any, Final, NamedTuple

from flask import Blueprint, render_template, request

from service.mail.readers import Reader
from service.mail.wording import harmless, listed, span
from service.models import IS_TO_ACT, Game, Seat
from service.office import Office
from service.routes.sealing import sealed_pages
from service.routes.sessions import visitor
from service.routes.speaking import reader_here
from service.shown import games_of
from service.stored import KEPT_AFTER

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


def pages(office: Office, *, mailbox: bool) -> Blueprint:
    """The front door; it shows the way to the mailbox where there is one."""
    blueprint = sealed_pages("pages")

    @blueprint.get("/")
    def home() -> str:
        player = visitor(office)
        games, cursor = ([], None) if player is None else _my_games(office, player.id, request.args.get("cursor"))
        return render_template("home.html", mailbox=mailbox, games=games, cursor=cursor, later="cursor" in request.args)

    return blueprint


def _my_games(office: Office, player: int, cursor: str | None) -> tuple[list[ListedGame], str | None]:
    """A page of games, those first that wait for the player."""
    reader = reader_here(office)
    page = games_of(office, player, None, cursor or None, reader.translations.gettext)
    seats = _seats(office, [game["id"] for game in page.games])
    games = [_listed(office, reader, game, seats[game["id"]]) for game in page.games]
    return sorted(games, key=lambda game: _ORDER.index(game.kind)), page.cursor


def _seats(office: Office, games: list[str]) -> dict[str, list[Any]]:
    seats: dict[str, list[Any]] = {game: [] for game in games}
    to_act = IS_TO_ACT.alias("to_act")
    columns = (Seat.game, Seat.seat, Seat.name, Seat.accepted, to_act, Seat.link_version, Seat.stood_in)
    chosen = Seat.select(*columns, Game.deadline).join(Game).where(Seat.game.in_(games)).order_by(Seat.seat)
    for seat in chosen.namedtuples().execute(office.database):
        seats[seat.game].append(seat)
    return seats


def _listed(office: Office, reader: Reader, game: dict[str, Any], seats: list[Any]) -> ListedGame:
    mine = seats[game["you"]]
    mine_now = game["your_turn"] and game["status"] == "playing" and mine.stood_in < KEPT_AFTER
    missing = [seat for seat in seats if (not seat.accepted if game["status"] == "waiting" else seat.to_act)]
    deadline = mine.deadline if game["status"] == "playing" else None
    return ListedGame(
        name=harmless(game["name"], _LONGEST),
        where=f"/s/{office.links.seat(game['id'], mine.seat, mine.link_version)}",
        kind="my-turn" if mine_now else game["status"],
        offered=game["status"] == "waiting" and not mine.accepted,
        waiting_for=listed([harmless(seat.name, _LONGEST) or "…" for seat in missing], reader.translations),
        left=span(max(0.0, deadline - office.clock()), reader.translations) if deadline else "",
        until=reader.briefly(deadline) if deadline else "",
    )
