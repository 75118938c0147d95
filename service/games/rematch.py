"""A rematch: a new game with the players and the options of a finished one, which has at most one."""

from collections.abc import Iterator

from service.auth.rate_limits import check_new_table
from service.auth.tokens import Invitation
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Game, Player
from service.errors import Forbidden, Stale
from service.games.lobby import NewGameRequest, SeatRequest, create_game, join
from service.games.players import is_deleted_address
from service.games.store import StoredGame, StoredSeat, load, lock_game
from service.games.views import CLOSED_STATUSES, closed_table_error


def request_rematch(ctx: AppContext, game_id: str, player: Player, *, mail_link: bool = False) -> StoredGame:
    """Create the rematch of a finished game and invite its players; if there is one already, take a seat in it.

    With `mail_link`, the host gets a letter with the link to their seat unless the rematch starts at once.
    """
    with lock_game(ctx.database, game_id) as game:
        if game.status in CLOSED_STATUSES:
            raise closed_table_error(game.status)
        seat = game.seat_of(player.id)
        if seat is None:
            raise Forbidden("Only the players of this game can start a rematch.")
        if game.status != "finished":
            raise Stale("This game isn't over yet. You can start a rematch when it is.")
        existing = find_rematch(ctx, game_id)
        if existing is not None:
            return join(ctx, Invitation(existing.id, existing.invitation_version), player)
        rematch = _create_rematch(ctx, game, seat, player)
        if mail_link and rematch.status == "waiting":
            letter = NewLetter("links", player.email, f"{rematch.id}/0/links/0", rematch.id, 0)
            enqueue_letters(ctx.database, [letter], ctx.clock())
        return rematch


def find_rematch(ctx: AppContext, game_id: str) -> StoredGame | None:
    """The rematch of a game; None if there is none, or if it was cancelled or has expired."""
    rematch_id: str | None = Game.select(Game.rematch).where(Game.id == game_id).scalar(ctx.database)
    rematch = None if rematch_id is None else load(ctx.database, rematch_id)
    return None if rematch is None or rematch.status in CLOSED_STATUSES else rematch


def _create_rematch(ctx: AppContext, game: StoredGame, seat: int, host: Player) -> StoredGame:
    # The host has the first seat; the others keep their order.
    seats = list(_request_seats([*game.seats[seat + 1 :], *game.seats[:seat]]))
    if all(each == SeatRequest() for each in seats):
        raise Stale("Nobody else from this game plays here any more. Start a new game instead.")
    check_new_table(ctx, host.id, sum(each.email is not None for each in seats))
    options = game.rules.rematch_options(game.options)
    request = NewGameRequest(game.game, game.name, seats, options, game.pace, game.time_up)
    rematch = create_game(ctx, host, request)
    Game.update(rematch=rematch.id).where(Game.id == game.id).execute(ctx.database)
    return rematch


def _request_seats(seats: list[StoredSeat]) -> Iterator[SeatRequest]:
    """The same players and bots, and an open seat for each player who was deleted."""
    for seat in seats:
        if seat.bot is not None:
            yield SeatRequest(bot=seat.bot, name=seat.name)
        elif seat.player is None or seat.address is None or is_deleted_address(seat.player, seat.address):
            yield SeatRequest()
        else:
            yield SeatRequest(seat.address, seat.name)
