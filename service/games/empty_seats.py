"""What the host can do about seats that nobody has accepted: invite again, give one to a bot, start without them."""

import json
from collections.abc import Sequence
from typing import Final

from service.auth.rate_limits import check_invitation
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Game, Letter, Message, Seat
from service.engine.errors import Malformed
from service.engine.json_reader import Json
from service.engine.records import read_level
from service.errors import Stale
from service.games.lobby import (
    check_host,
    check_not_started,
    invitation_letter,
    set_message,
    start_if_full,
    unaccepted_seat,
    update_seat,
    waiting_table,
)
from service.games.play import start_game
from service.games.store import StoredGame, StoredSeat, load

_DAY: Final = 24 * 3600


def resend_invitation(ctx: AppContext, game_id: str, host: int, seat: int, message: str | None = None) -> StoredGame:
    """Send an invitation again, with a new message if there is one; a second one on the same day sends no more."""
    with waiting_table(ctx, game_id) as game:
        check_host(game, host)
        check_not_started(game)
        offered = unaccepted_seat(game, seat)
        if offered.player is None:
            raise Stale("Nobody has been invited to that seat yet. Enter an e-mail address to invite somebody.")
        letter = _repeated_invitation(ctx, game, offered)
        set_message(ctx, game_id, message)
        if not Letter.select().where(Letter.about == letter.about).exists(ctx.database):
            check_invitation(ctx, host)
            enqueue_letters(ctx.database, [letter], ctx.clock())
        return load(ctx.database, game_id)


def _repeated_invitation(ctx: AppContext, game: StoredGame, seat: StoredSeat) -> NewLetter:
    letter = invitation_letter(game, seat.seat, str(seat.address), seat.link_version)
    return letter._replace(about=f"{letter.about}/again/{int(ctx.clock() // _DAY)}")


def seats_invited_again(ctx: AppContext, game: StoredGame) -> set[int]:
    """The seats whose invitation was sent again today."""
    letters = {_repeated_invitation(ctx, game, seat).about: seat.seat for seat in game.seats if not seat.accepted}
    rows = Letter.select(Letter.about).where(Letter.about.in_(list(letters))).tuples().execute(ctx.database)
    return {letters[about] for (about,) in rows}


def replace_with_bot(ctx: AppContext, game_id: str, host: int, seat: int, level: str, name: str = "") -> StoredGame:
    """Give a seat that nobody has accepted to a bot; an invitation to it is void. Done twice, it changes nothing."""
    with waiting_table(ctx, game_id) as game:
        check_host(game, host)
        bot = read_level(game.rules)(level, "bot")
        if seat in range(len(game.seats)) and game.seats[seat].bot == bot:
            return game
        check_not_started(game)
        taken = {"accepted": True, "link_version": unaccepted_seat(game, seat).link_version + 1}
        update_seat(ctx, game_id, seat, player=None, bot=bot, name=name, **taken)
        return start_if_full(ctx, game_id)


def start_now(ctx: AppContext, game_id: str, host: int) -> StoredGame:
    """Start a game without the seats that nobody has accepted, whose invitations are void; it starts once.

    The others move up. Seats that get another number get new links, which are mailed to their players.
    """
    with waiting_table(ctx, game_id) as game:
        check_host(game, host)
        if game.status != "waiting":
            return game
        taken = [seat for seat in game.seats if seat.accepted]
        if len(taken) not in game.rules.seats:
            raise Stale(
                "This game needs at least %(number)s players. Fill another seat, then start it.",
                number=game.rules.seats.start,
            )
        options = _options_for(game, len(taken))
        if options is None:
            raise Stale(
                "This game's options don't allow %(number)s players. Fill another seat, then start it.",
                number=len(taken),
            )
        Game.update(options=json.dumps(options)).where(Game.id == game_id).execute(ctx.database)
        moved = _close_gaps(ctx, game, taken)
        started = start_game(ctx, load(ctx.database, game_id))
        enqueue_letters(ctx.database, _new_links(started, moved), ctx.clock())
        return started


def can_start_now(game: StoredGame) -> bool:
    """Whether enough seats are accepted to start without the others."""
    taken = sum(seat.accepted for seat in game.seats)
    return taken in game.rules.seats and _options_for(game, taken) is not None


def _options_for(game: StoredGame, seats: int) -> Json | None:
    """The game's options with so many seats; None if they don't allow it."""
    try:
        return game.rules.read_options(game.options, seats)
    except Malformed:
        return None


def _close_gaps(ctx: AppContext, game: StoredGame, taken: Sequence[StoredSeat]) -> list[int]:
    """Delete the other seats and renumber these; returns the numbers of those that have moved."""
    empty = [seat.seat for seat in game.seats if seat not in taken]
    for emptied in (Seat, Message):
        emptied.delete().where((emptied.game == game.id) & emptied.seat.in_(empty)).execute(ctx.database)
    # No link that was ever given for the new number may open the seat.
    version, moved = max(seat.link_version for seat in game.seats) + 1, []
    for number, seat in enumerate(taken):
        if number != seat.seat:
            moved.append(number)
            for model in (Seat, Message, Letter):
                here = (model.game == game.id) & (model.seat == seat.seat)
                model.update(seat=number).where(here).execute(ctx.database)
            update_seat(ctx, game.id, number, link_version=version)
    return moved


def _new_links(game: StoredGame, moved: Sequence[int]) -> list[NewLetter]:
    """Letters with the new links; players whose turn it is get them in their turn letter."""
    to_act = game.rules.to_act(game.state)
    return [
        NewLetter("links", seat.address, f"{game.id}/{seat.seat}/links/{seat.link_version}", game.id, seat.seat)
        for seat in game.seats
        if seat.seat in moved and seat.address and seat.seat not in to_act
    ]
