"""Links that were lost, or that somebody else may have: mailed again, or made worthless and replaced."""

from typing import Final

from service.auth.addresses import read_address
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Game, Player, Seat
from service.errors import Forbidden, NotFound
from service.games.store import load

MOST_GAMES: Final = 20
_AN_HOUR: Final = 3600


def resend_links(ctx: AppContext, email: str) -> None:
    """Mail the links of every game of this address, the newest first; an unknown address gets nothing.

    Asking again within the hour sends nothing more: the letters are on their way.
    """
    address = read_address(email)
    now = ctx.clock()
    rows = (
        Seat.select(Seat.game, Seat.seat)
        .join(Player)
        .switch(Seat)
        .join(Game)
        .where((Player.email == address) & Game.status.in_(["waiting", "playing"]))
        .order_by(Game.changed.desc(), Game.id.desc(), Seat.seat)
        .limit(MOST_GAMES)
        .tuples()
        .execute(ctx.database)
    )
    letters = [
        NewLetter("links", address, f"{game}/{seat}/links/asked-{int(now // _AN_HOUR)}", game, seat)
        for game, seat in rows
    ]
    with ctx.database.atomic():
        enqueue_letters(ctx.database, letters, now)


def replace_links(ctx: AppContext, game_id: str, seat: int, player: int) -> None:
    """Make every link of a seat worthless and mail a new one to whoever sits there."""
    with ctx.database.atomic():
        game = load(ctx.database, game_id)
        if seat not in range(len(game.seats)):
            raise NotFound("This table has no seat %(seat)s.", seat=seat)
        if game.seats[seat].player != player:
            raise Forbidden("Only who sits there can replace the links of a seat.")
        about = f"{game_id}/{seat}/links/{bump_link_version(ctx, game_id, seat)}"
        enqueue_letters(
            ctx.database, [NewLetter("links", str(game.seats[seat].address), about, game_id, seat)], ctx.clock()
        )


def bump_link_version(ctx: AppContext, game_id: str, seat: int) -> int:
    """Make every link of a seat worthless and say the version of those that are made from now on."""
    chosen = (Seat.game == game_id) & (Seat.seat == seat)
    Seat.update(link_version=Seat.link_version + 1).where(chosen).execute(ctx.database)
    version: int = Seat.select(Seat.link_version).where(chosen).scalar(ctx.database)
    return version
