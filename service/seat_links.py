"""Links that were lost, or that somebody else may have: mailed again, or made worthless and replaced."""

from typing import Final

from service.addresses import read_address
from service.errors import Forbidden, NotFound
from service.models import Game, Player, Seat
from service.office import Office
from service.store import LetterDue, load, post

MOST_GAMES: Final = 20
_AN_HOUR: Final = 3600


def mail_again(office: Office, email: str) -> None:
    """Mail the links of every game of this address, the newest first; an unknown address gets nothing.

    Asking again within the hour sends nothing more: the letters are on their way.
    """
    address = read_address(email)
    now = office.clock()
    rows = (
        Seat.select(Seat.game, Seat.seat)
        .join(Player)
        .switch(Seat)
        .join(Game)
        .where((Player.email == address) & Game.status.in_(["waiting", "playing"]))
        .order_by(Game.changed.desc(), Game.id.desc(), Seat.seat)
        .limit(MOST_GAMES)
        .tuples()
        .execute(office.database)
    )
    letters = [
        LetterDue("links", address, f"{game}/{seat}/links/asked-{int(now // _AN_HOUR)}", game, seat)
        for game, seat in rows
    ]
    with office.database.atomic():
        post(office.database, letters, now)


def revoke(office: Office, game_id: str, seat: int, player: int) -> None:
    """Make every link of a seat worthless and mail a new one to whoever sits there."""
    with office.database.atomic():
        game = load(office.database, game_id)
        if seat not in range(len(game.seats)):
            raise NotFound("This table has no seat %(seat)s.", seat=seat)
        if game.seats[seat].player != player:
            raise Forbidden("Only who sits there can replace the links of a seat.")
        about = f"{game_id}/{seat}/links/{renew(office, game_id, seat)}"
        post(office.database, [LetterDue("links", str(game.seats[seat].address), about, game_id, seat)], office.clock())


def renew(office: Office, game_id: str, seat: int) -> int:
    """Make every link of a seat worthless and say the version of those that are made from now on."""
    chosen = (Seat.game == game_id) & (Seat.seat == seat)
    Seat.update(link_version=Seat.link_version + 1).where(chosen).execute(office.database)
    version: int = Seat.select(Seat.link_version).where(chosen).scalar(office.database)
    return version
