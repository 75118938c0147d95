"""Before a game starts: tables are made, seats are offered, accepted, declined, taken and left, and the game begins."""

import secrets
import string
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from peewee import SQL

from service.auth.addresses import check_allowed, read_address
from service.auth.login import find_or_create_player
from service.auth.rate_limits import check_invitation
from service.context import AppContext
from service.db.connection import Database, transaction
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Game, Player, Seat
from service.engine.json_reader import Json, one_of
from service.engine.registry import GAMES
from service.errors import BadRequest, Forbidden, NotFound, Stale
from service.games.play import start_game
from service.games.store import StoredGame, StoredSeat, insert_game, load, lock_game
from service.games.views import closed_table_error

EXPIRES_AFTER: Final = 14 * 24 * 3600
_ID_LETTERS: Final = string.ascii_letters + string.digits
_ID_LENGTH: Final = 12


class SeatRequest(NamedTuple):
    """A seat as the host asks for it: exactly one of an address, a bot's level or open."""

    email: str | None = None
    name: str = ""
    bot: str | None = None


class NewGameRequest(NamedTuple):
    """The table that somebody wants to set up; the host sits in the first seat, before these chairs."""

    game: str
    name: str
    seats: Sequence[SeatRequest]
    options: Json
    pace: int | None
    time_up: str = "stand-in"


def create_game(ctx: AppContext, host: Player, wish: NewGameRequest) -> StoredGame:
    """Set a table up, invite whoever is named, and start at once where nobody is missing."""
    rules = GAMES.get(wish.game)
    if rules is None:
        raise BadRequest(f"game must be {' or '.join(GAMES)}.")
    chairs = list(wish.seats)
    named = [f"seats[{place}]" for place in range(len(chairs))]
    if chairs and _is_own(chairs[0], host):
        del chairs[0], named[0]
    options = rules.read_options(wish.options, len(chairs) + 1)
    game_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
    now = ctx.clock()
    with transaction(ctx.database):
        seats = [StoredSeat(0, host.id, host.name or _plain_name(host.email), None, True, 0, host.email)]
        for where, chair in zip(named, chairs, strict=True):
            seats.append(_seat(ctx, tuple(rules.bots), len(seats), chair, where))
        _check_everybody_once(seats)
        game = StoredGame(
            game_id,
            rules.name,
            wish.name,
            options,
            wish.pace,
            "waiting",
            host.id,
            secrets.token_hex(32),
            0,
            0,
            None,
            0,
            None,
            wish.time_up,
            tuple(seats),
        )
        insert_game(ctx.database, game, now)
        enqueue_letters(ctx.database, _invitations(game), now)
        return _started_if_full(ctx, game_id)


def _is_own(chair: SeatRequest, host: Player) -> bool:
    """Whether the host has named himself first, as he may."""
    return chair.email is not None and read_address(chair.email, "seats[0].email") == host.email


def _plain_name(address: str) -> str:
    """What somebody is called who has not said a name: the address up to the @, and no more of it."""
    return address.partition("@")[0][:40]


def _seat(ctx: AppContext, levels: Sequence[str], place: int, chair: SeatRequest, where: str) -> StoredSeat:
    if chair.bot is not None:
        level = one_of(levels)(chair.bot, f"{where}.bot")
        return StoredSeat(place, None, chair.name, level, True, 0, None)
    if chair.email is None:
        return StoredSeat(place, None, "", None, False, 0, None)
    address = read_address(chair.email, f"{where}.email")
    check_allowed(address, ctx.settings.allowed_emails)
    player = find_or_create_player(ctx, address)
    return StoredSeat(place, player.id, chair.name or player.name or _plain_name(address), None, False, 0, address)


def _check_everybody_once(seats: Sequence[StoredSeat]) -> None:
    people = [seat.player for seat in seats if seat.player is not None]
    if len(set(people)) != len(people):
        raise BadRequest("Nobody can sit at a table twice; name each address once.")


def _invitations(game: StoredGame) -> Iterator[NewLetter]:
    for seat in game.seats[1:]:
        if seat.address:
            yield _invitation(game, seat.seat, seat.address, seat.link_version)


def _invitation(game: StoredGame, seat: int, address: str, version: int) -> NewLetter:
    # Whoever gave a seat back has made its version go up: the next one is asked by a letter of their own.
    about = f"{game.id}/{seat}/invitation" + (f"/{version}" if version else "")
    return NewLetter("invitation", address, about, game.id, seat)


def invite(ctx: AppContext, game_id: str, host: int, email: str) -> StoredGame:
    """Offer an open seat of a table that waits to an address."""
    address = read_address(email)
    check_allowed(address, ctx.settings.allowed_emails)
    with _waiting_table(ctx, game_id) as game:
        if host != game.host:
            raise Forbidden("Only the host can invite to this table.")
        _check_not_started(game)
        player = find_or_create_player(ctx, address)
        if game.seat_of(player.id) is not None:
            raise BadRequest("Nobody can sit at a table twice; name each address once.")
        free = _free_seat(game)
        check_invitation(ctx, host)
        name = player.name or _plain_name(address)
        _update_seat(ctx, game_id, free.seat, player=player.id, accepted=False, name=name)
        enqueue_letters(ctx.database, [_invitation(game, free.seat, address, free.link_version)], ctx.clock())
        return load(ctx.database, game_id)


def _free_seat(game: StoredGame) -> StoredSeat:
    free = next((seat for seat in game.seats if seat.player is None and seat.bot is None), None)
    if free is None:
        raise Stale("Every seat at this table is taken; ask the host for another table.")
    return free


@contextmanager
def _waiting_table(ctx: AppContext, game_id: str) -> Iterator[StoredGame]:
    """The table, locked against everybody else who wants to change it, as long as it waits for players."""
    with lock_game(ctx.database, game_id) as game:
        if game.status in {"cancelled", "expired"}:
            raise closed_table_error(game.status)
        yield game


def accept(ctx: AppContext, game_id: str, seat: int, player: int) -> StoredGame:
    """Take the seat that was offered; accepting twice changes nothing."""
    with _waiting_table(ctx, game_id) as game:
        offered = _own_seat(game, seat, player)
        if offered.accepted:
            return game
        _update_seat(ctx, game_id, seat, accepted=True)
        return _started_if_full(ctx, game_id)


def decline(ctx: AppContext, game_id: str, seat: int, player: int) -> StoredGame:
    """Give the seat back, before or after accepting it: it is open then, and the host is told."""
    with _waiting_table(ctx, game_id) as game:
        _own_seat(game, seat, player)
        _check_not_started(game)
        if seat == 0:
            raise Forbidden("The host cannot leave the table; cancel it instead.")
        # The next to sit here must not share the seat with the links in this player's letters.
        anew = Seat.link_version + 1
        _update_seat(ctx, game_id, seat, player=None, accepted=False, name="", link_version=anew)
        host = game.seats[0]
        about = f"{game_id}/{seat}/{player}/declined"
        letter = NewLetter("declined", str(host.address), about, game_id, 0, details=f'{{"seat": {seat}}}')
        enqueue_letters(ctx.database, [letter], ctx.clock())
        return load(ctx.database, game_id)


def join(ctx: AppContext, game_id: str, player: Player) -> StoredGame:
    """Take an open seat; whoever sits there already, by a double click or an invitation, is seated once."""
    with _waiting_table(ctx, game_id) as game:
        mine = game.seat_of(player.id)
        if mine is not None:
            if not game.seats[mine].accepted:
                _update_seat(ctx, game_id, mine, accepted=True)
            return _started_if_full(ctx, game_id)
        _check_not_started(game)
        free = _free_seat(game)
        name = player.name or _plain_name(player.email)
        _update_seat(ctx, game_id, free.seat, player=player.id, accepted=True, name=name)
        return _started_if_full(ctx, game_id)


def cancel(ctx: AppContext, game_id: str, player: int) -> None:
    """Call the table off before it has started; everybody who was asked gets a letter."""
    with _waiting_table(ctx, game_id) as game:
        if player != game.host:
            raise Forbidden("Only the host can call the table off.")
        _check_not_started(game)
        _close(ctx, game, "cancelled", [seat for seat in game.seats if seat.player != game.host])


def expires_at(database: Database, game_id: str) -> float:
    """When the table is called off, should it not have filled up by then."""
    created: float = Game.select(Game.created).where(Game.id == game_id).scalar(database)
    return created + EXPIRES_AFTER


def expire(ctx: AppContext) -> list[str]:
    """Call off every table that has not filled up in time; the host gets a letter. Says which."""
    # The word stands in the statement itself: only so is the index of waiting tables used.
    late = SQL("status = 'waiting'") & (Game.created <= ctx.clock() - EXPIRES_AFTER)
    rows = Game.select(Game.id).where(late).order_by(Game.created, Game.id).tuples()
    expired = []
    for (game_id,) in list(rows.execute(ctx.database)):
        # Between the two looks it may have been called off, or expired by another worker.
        with suppress(NotFound), _waiting_table(ctx, game_id) as game:
            if game.status == "waiting":
                _close(ctx, game, "expired", game.seats[:1])
                expired.append(game_id)
    return expired


def _close(ctx: AppContext, game: StoredGame, status: str, told: Sequence[StoredSeat]) -> None:
    Game.update(status=status, changed=ctx.clock()).where(Game.id == game.id).execute(ctx.database)
    letters = [
        NewLetter(status, seat.address, f"{game.id}/{seat.seat}/{status}", game.id, seat.seat)
        for seat in told
        if seat.address
    ]
    enqueue_letters(ctx.database, letters, ctx.clock())


def _own_seat(game: StoredGame, seat: int, player: int) -> StoredSeat:
    if seat not in range(len(game.seats)):
        raise NotFound("This table has no seat %(seat)s.", seat=seat)
    if game.seats[seat].player != player:
        raise Forbidden("That seat was not offered to you.")
    return game.seats[seat]


def _check_not_started(game: StoredGame) -> None:
    if game.status != "waiting":
        raise Stale("The game has started already; whoever wants to leave it can resign.")


def _update_seat(ctx: AppContext, game_id: str, seat: int, **changes: object) -> None:
    Seat.update(**changes).where((Seat.game == game_id) & (Seat.seat == seat)).execute(ctx.database)
    Game.update(changed=ctx.clock()).where(Game.id == game_id).execute(ctx.database)


def _started_if_full(ctx: AppContext, game_id: str) -> StoredGame:
    """The game, started where this was the last seat."""
    game = load(ctx.database, game_id)
    if game.status == "waiting" and all(seat.accepted for seat in game.seats):
        return start_game(ctx, game)
    return game
