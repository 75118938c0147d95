"""Games without signing in: a visitor plays against bots, gets no letters, and the game is deleted after a while."""

import secrets
from typing import Any, Final

from service.auth.rate_limits import check_guest_game
from service.context import AppContext
from service.db.connection import transaction
from service.db.models import Game, Player
from service.engine.registry import GAMES
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.store import GUEST_DOMAIN, StoredGame

KEPT_SECONDS: Final = 14 * 24 * 3600.0
"""A guest's game is deleted after this time without an action."""
_PLAYERS: Final = 3
"""Enough for a lively board, and a game that is over soon."""
_IS_GUEST: Final[Any] = Player.email.endswith(f"@{GUEST_DOMAIN}")


def start_guest_game(ctx: AppContext, game: str, title: str, name: str, language: str, ip: str | None) -> StoredGame:
    """Start a game of a new guest against bots that are easy to beat; old games of guests are deleted."""
    check_guest_game(ctx, ip)
    rules = GAMES[game]
    bots = [SeatRequest(bot=next(iter(rules.bots)))] * (min(_PLAYERS, rules.seats.stop - 1) - 1)
    with transaction(ctx.database):
        delete_old_guest_games(ctx)
        address = f"guest-{secrets.token_hex(12)}@{GUEST_DOMAIN}"
        row = {"email": address, "name": name, "language": language, "created": ctx.clock()}
        guest: int = Player.insert(row).execute(ctx.database)
        host = Player.select().where(Player.id == guest).get(ctx.database)
        return create_game(ctx, host, NewGameRequest(game, title, bots, {}, None))


def is_guest(player: Player) -> bool:
    """Whether this is a visitor who plays without signing in."""
    return bool(player.email.endswith(f"@{GUEST_DOMAIN}"))


def delete_old_guest_games(ctx: AppContext) -> None:
    """Delete the games of guests in which nothing has happened for a while, and guests without a game."""
    guests = Player.select(Player.id).where(_IS_GUEST)
    old = Game.host.in_(guests) & (Game.changed < ctx.clock() - KEPT_SECONDS)
    Game.delete().where(old).execute(ctx.database)
    Player.delete().where(_IS_GUEST & Player.id.not_in(Game.select(Game.host))).execute(ctx.database)
