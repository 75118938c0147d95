"""Before the start: create a game, invite players, accept, decline, join, cancel, expire."""

import json
import secrets
import string
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from peewee import SQL

from service.auth.addresses import check_allowed, read_address
from service.auth.login import find_or_create_player
from service.auth.rate_limits import check_invitation
from service.auth.tokens import Invitation
from service.context import AppContext
from service.db.connection import Database, transaction
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Game, Letter, Player, Seat
from service.engine.json_reader import Json
from service.engine.records import read_level
from service.engine.registry import GAMES, AnyRules
from service.errors import BadRequest, Forbidden, NotFound, Stale
from service.games.play import start_game
from service.games.presence import record_presence
from service.games.store import StoredGame, StoredSeat, insert_game, load, lock_game
from service.games.views import closed_table_error
from service.i18n import marked

EXPIRES_AFTER: Final = 14 * 24 * 3600
OWN_ADDRESS: Final = marked("That's your own address, and you already have the first seat. Enter somebody else's.")
_ID_LETTERS: Final = string.ascii_letters + string.digits
_ID_LENGTH: Final = 12


class SeatRequest(NamedTuple):
    """A seat as the host wants it: for an address, for a bot, or open if neither is given."""

    email: str | None = None
    name: str = ""
    bot: str | None = None


class NewGameRequest(NamedTuple):
    """A game to be created; the host takes the first seat, before these."""

    game: str
    name: str
    seats: Sequence[SeatRequest]
    options: Json
    pace: int | None
    time_up: str = "stand-in"
    message: str = ""
    """For the people who are invited."""


def create_game(ctx: AppContext, host: Player, request: NewGameRequest) -> StoredGame:
    """Create a game and invite its players; it starts at once if every seat is taken."""
    rules = GAMES.get(request.game)
    if rules is None:
        raise BadRequest(f"game must be {' or '.join(GAMES)}.")
    # Each with its name in the request, for error messages.
    others = [(f"seats[{index}]", seat) for index, seat in enumerate(request.seats)]
    if others and _is_host(others[0][1], host):
        del others[0]
    options = rules.read_options(request.options, len(others) + 1)
    game_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
    now = ctx.clock()
    with transaction(ctx.database):
        seats = [StoredSeat(0, host.id, host.name or default_name(host.email), None, True, 0, host.email)]
        for where, seat in others:
            seats.append(_new_seat(ctx, rules, len(seats), seat, where))
        _check_distinct_players(seats)
        game = StoredGame(
            game_id,
            rules.name,
            request.name,
            options,
            request.pace,
            "waiting",
            host.id,
            secrets.token_hex(32),
            0,
            0,
            None,
            0,
            None,
            request.time_up,
            request.message,
            tuple(seats),
        )
        insert_game(ctx.database, game, now)
        enqueue_letters(ctx.database, _invitations(game), now)
        started = start_if_full(ctx, game_id)
        if started.status == "playing":
            # Only bots take part, and the host is about to open the game: a letter would come too early.
            record_presence(ctx, game_id, 0)
        return started


def _is_host(seat: SeatRequest, host: Player) -> bool:
    """Whether the first seat is the host's own: a host may list themselves or not."""
    return seat.email is not None and read_address(seat.email, "seats[0].email") == host.email


def default_name(address: str) -> str:
    """The seat's name of a player who hasn't given one: the local part of the address."""
    return address.partition("@")[0][:40]


def _new_seat(ctx: AppContext, rules: AnyRules, number: int, seat: SeatRequest, where: str) -> StoredSeat:
    if seat.bot is not None:
        level = read_level(rules)(seat.bot, f"{where}.bot")
        return StoredSeat(number, None, seat.name, level, True, 0, None)
    if seat.email is None:
        return StoredSeat(number, None, "", None, False, 0, None)
    address = read_address(seat.email, f"{where}.email")
    check_allowed(address, ctx.settings.allowed_emails)
    player = find_or_create_player(ctx, address)
    # Not the player's own name: an invitation must not reveal who an address belongs to.
    return StoredSeat(number, player.id, seat.name or default_name(address), None, False, 0, address)


def _check_distinct_players(seats: Sequence[StoredSeat]) -> None:
    people = [seat.player for seat in seats if seat.player is not None]
    if len(set(people)) != len(people):
        raise BadRequest("An address is listed twice. Use each address for one seat only.")


def _invitations(game: StoredGame) -> Iterator[NewLetter]:
    for seat in game.seats[1:]:
        if seat.address:
            yield invitation_letter(game, seat.seat, seat.address, seat.link_version)


def invitation_letter(game: StoredGame, seat: int, address: str, version: int) -> NewLetter:
    """The letter that offers a seat."""
    # Declining a seat increases its version, so the next player invited to it gets a letter of their own.
    about = f"{game.id}/{seat}/invitation" + (f"/{version}" if version else "")
    return NewLetter("invitation", address, about, game.id, seat)


def invite(
    ctx: AppContext, game_id: str, host: int, email: str, seat: int | None = None, message: str | None = None
) -> StoredGame:
    """Invite an address to a seat of a game before its start: the first open one, or one that nobody has accepted yet.

    A player who was invited to that seat before can't take it any more. A message replaces the game's.
    """
    address = read_address(email)
    check_allowed(address, ctx.settings.allowed_emails)
    with waiting_table(ctx, game_id) as game:
        check_host(game, host)
        check_not_started(game)
        player = find_or_create_player(ctx, address)
        if player.id == host:
            raise BadRequest(OWN_ADDRESS)
        if game.seat_of(player.id) not in {None, seat}:
            raise BadRequest(
                "%(address)s already has a seat in this game, or an invitation to it. Use another address.",
                address=address,
            )
        free = _free_seat(game) if seat is None else unaccepted_seat(game, seat)
        check_invitation(ctx, host)
        name, version = default_name(address), free.link_version + (free.player is not None)
        update_seat(ctx, game_id, free.seat, player=player.id, accepted=False, name=name, link_version=version)
        set_message(ctx, game_id, message)
        enqueue_letters(ctx.database, [invitation_letter(game, free.seat, address, version)], ctx.clock())
        return load(ctx.database, game_id)


def unaccepted_seat(game: StoredGame, seat: int) -> StoredSeat:
    """The seat, which nobody has accepted yet; raises `Stale` if somebody has."""
    if seat not in range(len(game.seats)):
        raise NotFound("This game has no seat %(seat)s. Choose one from its view.", seat=seat)
    if game.seats[seat].accepted:
        raise Stale("That seat is already taken. You can only change seats that nobody has accepted yet.")
    return game.seats[seat]


def set_message(ctx: AppContext, game_id: str, message: str | None) -> None:
    """Replace the message of a locked game; None keeps it."""
    if message is not None:
        Game.update(message=message).where(Game.id == game_id).execute(ctx.database)


def report_undeliverable(ctx: AppContext, game_id: str, seat: int) -> None:
    """Tell the host that an invitation couldn't be delivered, unless the game has started or the seat is taken."""
    game = load(ctx.database, game_id)
    offered = game.seats[seat] if game.status == "waiting" else None
    if offered is None or offered.player is None or offered.accepted:
        return
    details = json.dumps({"seat": seat})
    letter = NewLetter(
        "undeliverable", str(game.seats[0].address), _report(game_id, offered), game_id, 0, details=details
    )
    enqueue_letters(ctx.database, [letter], ctx.clock())


def _report(game_id: str, seat: StoredSeat) -> str:
    """The `about` of the letter to the host when an invitation couldn't be delivered."""
    return f"{game_id}/{seat.seat}/undeliverable/{seat.link_version}"


def invited_addresses(ctx: AppContext, game: StoredGame) -> dict[int, str]:
    """The addresses that the host wrote, by seat, while nobody has accepted; none in a rematch, which copies them."""
    if Game.select().where(Game.rematch == game.id).exists(ctx.database):
        return {}
    return {seat.seat: seat.address for seat in game.seats if seat.address and not seat.accepted}


def undelivered_invitations(ctx: AppContext, game: StoredGame) -> set[int]:
    """The seats whose invitations couldn't be delivered."""
    offered = {_report(game.id, seat): seat for seat in game.seats if seat.player is not None and not seat.accepted}
    rows = Letter.select(Letter.about).where(Letter.about.in_(list(offered))).tuples().execute(ctx.database)
    return {offered[about].seat for (about,) in rows}


def _free_seat(game: StoredGame) -> StoredSeat:
    free = next((seat for seat in game.seats if seat.player is None and seat.bot is None), None)
    if free is None:
        raise Stale("Every seat in this game is taken. Ask the host to start another one.")
    return free


@contextmanager
def waiting_table(ctx: AppContext, game_id: str) -> Iterator[StoredGame]:
    """Lock and load a game; raises `NotFound` if it was cancelled or has expired."""
    with lock_game(ctx.database, game_id) as game:
        if game.status in {"cancelled", "expired"}:
            raise closed_table_error(game.status)
        yield game


def accept(ctx: AppContext, game_id: str, seat: int, player: int) -> StoredGame:
    """Accept an invitation; accepting twice changes nothing."""
    with waiting_table(ctx, game_id) as game:
        offered = _own_seat(game, seat, player)
        if offered.accepted:
            return game
        return _accept(ctx, game, offered)


def _accept(ctx: AppContext, game: StoredGame, seat: StoredSeat) -> StoredGame:
    """Take the seat for the player it was offered to, from now on under their own name."""
    own_name: str = Player.select(Player.name).where(Player.id == seat.player).scalar(ctx.database)
    update_seat(ctx, game.id, seat.seat, accepted=True, name=own_name or seat.name)
    return start_if_full(ctx, game.id)


def decline(ctx: AppContext, game_id: str, seat: int, player: int) -> StoredGame:
    """Decline an invitation, or leave an accepted seat: it becomes open, and the host gets a letter."""
    with waiting_table(ctx, game_id) as game:
        _own_seat(game, seat, player)
        check_not_started(game)
        if seat == 0:
            raise Forbidden("You're the host, so you can't leave the game. Cancel it instead.")
        # The links in this player's letters must not open the seat for its next player.
        version = Seat.link_version + 1
        update_seat(ctx, game_id, seat, player=None, accepted=False, name="", link_version=version)
        host = game.seats[0]
        about = f"{game_id}/{seat}/{player}/declined"
        letter = NewLetter("declined", str(host.address), about, game_id, 0, details=f'{{"seat": {seat}}}')
        enqueue_letters(ctx.database, [letter], ctx.clock())
        return load(ctx.database, game_id)


def join(ctx: AppContext, invitation: Invitation, player: Player) -> StoredGame:
    """Take an open seat with the shared link; a player who already has a seat or an invitation accepts that one."""
    with waiting_table(ctx, invitation.game) as game:
        mine = game.seat_of(player.id)
        if mine is not None:
            return game if game.seats[mine].accepted else _accept(ctx, game, game.seats[mine])
        check_invitation_is_current(game, invitation)
        check_not_started(game)
        free = _free_seat(game)
        name = player.name or default_name(player.email)
        update_seat(ctx, game.id, free.seat, player=player.id, accepted=True, name=name)
        return start_if_full(ctx, game.id)


def check_invitation_is_current(game: StoredGame, invitation: Invitation) -> None:
    """Refuse a shared link that the host has replaced."""
    if game.invitation_version != invitation.version:
        raise NotFound("This invitation link was replaced by a new one. Ask the host for it.", gone=True)


def replace_invitation(ctx: AppContext, game_id: str, host: int) -> StoredGame:
    """Replace the shared link of a game before its start; the view has the new one."""
    with waiting_table(ctx, game_id) as game:
        check_host(game, host)
        check_not_started(game)
        version = Game.invitation_version + 1
        Game.update(invitation_version=version, changed=ctx.clock()).where(Game.id == game_id).execute(ctx.database)
        return load(ctx.database, game_id)


def cancel(ctx: AppContext, game_id: str, player: int) -> None:
    """Cancel a game before it has started; everyone who was invited gets a letter."""
    with waiting_table(ctx, game_id) as game:
        check_host(game, player)
        check_not_started(game)
        _close(ctx, game, "cancelled", [seat for seat in game.seats if seat.player != game.host])


def expires_at(database: Database, game_id: str) -> float:
    """The time at which the game expires unless every seat is taken."""
    created: float = Game.select(Game.created).where(Game.id == game_id).scalar(database)
    return created + EXPIRES_AFTER


def expire(ctx: AppContext) -> list[str]:
    """Expire every game that has not started in time and return their ids; the host gets a letter."""
    # A literal: with a parameter, the partial index of waiting games would not be used.
    late = SQL("status = 'waiting'") & (Game.created <= ctx.clock() - EXPIRES_AFTER)
    rows = Game.select(Game.id).where(late).order_by(Game.created, Game.id).tuples()
    expired = []
    for (game_id,) in list(rows.execute(ctx.database)):
        # It may have been cancelled, or expired by another worker, in the meantime.
        with suppress(NotFound), waiting_table(ctx, game_id) as game:
            if game.status == "waiting":
                _close(ctx, game, "expired", game.seats[:1])
                expired.append(game_id)
    return expired


def _close(ctx: AppContext, game: StoredGame, status: str, recipients: Sequence[StoredSeat]) -> None:
    Game.update(status=status, changed=ctx.clock()).where(Game.id == game.id).execute(ctx.database)
    letters = [
        NewLetter(status, seat.address, f"{game.id}/{seat.seat}/{status}", game.id, seat.seat)
        for seat in recipients
        if seat.address
    ]
    enqueue_letters(ctx.database, letters, ctx.clock())


def _own_seat(game: StoredGame, seat: int, player: int) -> StoredSeat:
    if seat not in range(len(game.seats)):
        raise NotFound("This game has no seat %(seat)s. Choose one from its view.", seat=seat)
    if game.seats[seat].player != player:
        raise Forbidden("You weren't invited to that seat. Open the link in your invitation.")
    return game.seats[seat]


def check_host(game: StoredGame, player: int) -> None:
    """Refuse everyone but the host of the game."""
    if player != game.host:
        raise Forbidden("Only the host of this game can do that. Ask them to do it.")


def check_not_started(game: StoredGame) -> None:
    """Refuse what can be done only before the start."""
    if game.status != "waiting":
        raise Stale("The game has already started. To leave it, resign.")


def update_seat(ctx: AppContext, game_id: str, seat: int, **changes: object) -> None:
    """Change a seat of a locked game."""
    Seat.update(**changes).where((Seat.game == game_id) & (Seat.seat == seat)).execute(ctx.database)
    Game.update(changed=ctx.clock()).where(Game.id == game_id).execute(ctx.database)


def start_if_full(ctx: AppContext, game_id: str) -> StoredGame:
    """Start the game if every seat is taken, and return it."""
    game = load(ctx.database, game_id)
    if game.status == "waiting" and all(seat.accepted for seat in game.seats):
        return start_game(ctx, game)
    return game
