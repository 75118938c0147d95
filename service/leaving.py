"""What this server knows of somebody, to take along, and how it forgets them."""

import json
import secrets
from typing import Any, Final

from service import lobby, play
from service.clock import written
from service.engine.reading import Json
from service.errors import Forbidden, Stale
from service.models import AwayYear, Game, Letter, Message, Player, Seat, SignInCode
from service.office import Office
from service.store import StoredGame, load

_TRIES: Final = 5
"""So often a game may move on while somebody resigns from it."""
GONE: Final = "The player has left this server."
_BLANK: Final[dict[str, Any]] = {
    "name": "",
    "language": "en",
    "time_zone": "UTC",
    "mail": "{}",
    "away_until": None,
    "away_from": None,
    "quiet": None,
    "days_off": "",
    # Who is gone is written to no more, as with an address that was refused.
    "mail_trouble": GONE,
}


def everything_about(office: Office, player: Player) -> Json:
    """All that is kept of a player, as JSON that can be taken along."""
    return {
        "format": "marrakech-player/1",
        "email": player.email,
        "name": player.name,
        "language": player.language,
        "time_zone": player.time_zone,
        "mail": json.loads(player.mail),
        "mail_trouble": player.mail_trouble,
        "quiet": player.quiet,
        "days_off": [day for day in player.days_off.split(",") if day],
        "away_from": _time(player.away_from),
        "away_until": _time(player.away_until),
        "away": _rows(office, AwayYear.select(AwayYear.year, AwayYear.seconds).where(AwayYear.player == player.id)),
        "created": _time(player.created),
        "games": _games(office, player.id),
        "said": _said(office, player.id),
        "letters": _letters(office, str(player.email)),
    }


def _rows(office: Office, chosen: Any) -> list[Json]:
    return list(chosen.dicts().execute(office.database))


def _games(office: Office, player: int) -> list[Json]:
    columns = (Game.id, Game.game, Game.name, Game.status, Seat.seat, Seat.name.alias("called"), Game.created)
    chosen = Seat.select(*columns).join(Game).where(Seat.player == player).order_by(Game.created, Game.id)
    return [{**row, "created": _time(row["created"])} for row in _rows(office, chosen)]


def _said(office: Office, player: int) -> list[Json]:
    return [
        {"game": row["game"], "at": _time(row["at"]), "text": row["text"]}
        for row in _rows(office, Message.select().where(_own_messages(player)).order_by(Message.id))
    ]


def _own_messages(player: int) -> Any:
    """What the player has said; a seat that changed hands before the start keeps what was said there."""
    return Message.id.in_(
        Message.select(Message.id)
        .join(Seat, on=(Seat.game == Message.game) & (Seat.seat == Message.seat))
        .where(Seat.player == player)
    )


def _letters(office: Office, address: str) -> list[Json]:
    columns = (Letter.kind, Letter.game, Letter.status, Letter.created, Letter.sent, Letter.trouble)
    return [
        {**row, "created": _time(row["created"]), "sent": _time(row["sent"])}
        for row in _rows(office, Letter.select(*columns).where(Letter.address == address).order_by(Letter.id))
    ]


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else written(seconds)


def running_games(office: Office, player: int) -> list[StoredGame]:
    """The games in which others still play with the player."""
    chosen = Seat.select(Seat.game).join(Game).where((Seat.player == player) & (Game.status == "playing"))
    rows = list(chosen.order_by(Seat.game).tuples().execute(office.database))
    return [game for (game_id,) in rows if _is_in(game := load(office.database, game_id), player)]


def _is_in(game: StoredGame, player: int) -> bool:
    seat = game.seat_of(player)
    return seat is not None and not game.rules.view(game.state, None)["seats"][seat]["out"]


def forget(office: Office, player: Player, *, resign: bool) -> None:
    """Remove all that says who the player is; what was played stays, by nobody in particular.

    Others wait for whoever is in a running game, so that is refused unless the player resigns from all of them.
    """
    running = running_games(office, player.id)
    if running and not resign:
        raise Forbidden("You are still in running games; tick that you resign from all of them, or play them first.")
    for game in running:
        _resign(office, game, player.id)
    _leave_tables(office, player.id)
    _erase(office, player)


def _resign(office: Office, game: StoredGame, player: int) -> None:
    for _ in range(_TRIES):
        seat = game.seat_of(player)
        if game.status != "playing" or seat is None or not _is_in(game, player):
            return
        try:
            play.act_in(office, game, seat, game.head, {"type": "resign"}, secrets.token_hex(8))
        except Stale:
            game = load(office.database, game.id)
        else:
            return
    raise Stale


def _leave_tables(office: Office, player: int) -> None:
    """Call off what the player hosts, and give back other seats, at tables that have not started."""
    chosen = Seat.select(Seat.game, Seat.seat).join(Game).where((Seat.player == player) & (Game.status == "waiting"))
    for game_id, seat in list(chosen.tuples().execute(office.database)):
        if seat == 0:
            lobby.cancel(office, game_id, player)
        else:
            lobby.decline(office, game_id, seat, player)


def _erase(office: Office, player: Player) -> None:
    database, address = office.database, str(player.email)
    nobody = f"gone-{player.id}-{secrets.token_hex(6)}@gone.invalid"
    with database.atomic():
        for game_id, name in _own_tables(office, player.id):
            Game.update(name=name).where(Game.id == game_id).execute(database)
        Message.delete().where(_own_messages(player.id)).execute(database)
        Letter.delete().where(Letter.address == address).execute(database)
        SignInCode.delete().where(SignInCode.email == address).execute(database)
        AwayYear.delete().where(AwayYear.player == player.id).execute(database)
        Seat.update(name="", link_version=Seat.link_version + 1).where(Seat.player == player.id).execute(database)
        anew = Player.token_version + 1
        Player.update(email=nobody, token_version=anew, **_BLANK).where(Player.id == player.id).execute(database)


def _own_tables(office: Office, player: int) -> list[tuple[str, str]]:
    """The tables that were called after the player, each with a name that says nothing of whom."""
    columns = (Game.id, Game.game, Game.name, Seat.name)
    rows = Seat.select(*columns).join(Game).where(Seat.player == player).tuples().execute(office.database)
    return [(id_, game.capitalize()) for id_, game, table, name in rows if name and name.lower() in table.lower()]
