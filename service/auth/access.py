"""Who asks: the player, or the holder of a link out of a letter, behind a bearer token."""

from typing import NamedTuple

from service.auth.tokens import ApiToken, SeatLink, Session, TurnLink
from service.context import AppContext
from service.db.models import Player
from service.db.statements import FIND_PLAYER, FIND_SITTER, run
from service.errors import Forbidden, NotFound, Unauthorised
from service.games.stored import StoredGame
from service.games.views import get_open_game
from service.i18n import marked


class Principal(NamedTuple):
    """Somebody who asks; nobody in particular where both are None."""

    player: Player | None = None
    link: TurnLink | SeatLink | None = None

    def known(self) -> Player:
        """The player; refuses who has shown no token at all."""
        if self.player is None:
            raise Unauthorised
        return self.player

    def signed_in(self) -> Player:
        """The player, where he has signed in himself; a link out of a letter is not enough."""
        if self.link is not None:
            raise Forbidden("A link out of a letter is good for its game only; sign in for this.")
        return self.known()

    def player_at(self, game_id: str) -> int:
        """The player, as far as this game goes: a link out of a letter is good for its own game only."""
        if self.link is not None and self.link.game != game_id:
            raise Forbidden("This link belongs to another game; open the letter of this one, or sign in.")
        player: int = self.known().id
        return player

    def seat_in(self, game: StoredGame) -> int | None:
        """Where the caller sits or is asked to sit; None for an onlooker."""
        if self.link is not None:
            return self.link.seat if self.link.game == game.id else None
        return game.seat_of(self.player.id) if self.player is not None else None

    def own_seat_in(self, game: StoredGame) -> int:
        """The same, refusing an onlooker."""
        seat = self.seat_in(game)
        if seat is None:
            raise Forbidden("You have no seat in this game; you can look on, and ask its host for another table.")
        return seat

    @property
    def turn(self) -> int | None:
        """The one turn that the caller's link plays; None where it is not bound to one."""
        return self.link.turn if isinstance(self.link, TurnLink) else None


class SeatAccess(NamedTuple):
    """Somebody who asks to do something in a game, as far as that game goes."""

    game: StoredGame
    seat: int
    turn: int | None
    """The one turn that he can play, see `Principal.turn`."""


def identify_principal(ctx: AppContext, authorization: str | None) -> Principal:
    """Who stands behind the header; raises `Unauthorised` where it is there and no good."""
    return Principal() if authorization is None else principal_with_token(ctx, _bearer(authorization))


def find_seat_access(
    ctx: AppContext, authorization: str | None, game_id: str, remembered: StoredGame | None = None
) -> SeatAccess:
    """The game, and where in it the one behind the header sits; most often the database is asked no more than once.

    Not even that where the game is remembered and, as far as that goes, the token is good.
    """
    if authorization is None:
        raise Unauthorised
    token = _bearer(authorization)
    meaning = ctx.links.identify(token)
    if remembered is not None and (seat := _seat_behind(remembered, meaning)) is not None:
        return SeatAccess(remembered, seat, _turn_of(meaning))
    try:
        game = get_open_game(ctx, game_id)
    except NotFound:
        principal_with_token(ctx, token)  # whoever may not ask at all is told so first
        raise
    seat = _seat_behind(game, meaning)
    return SeatAccess(
        game, principal_with_token(ctx, token).own_seat_in(game) if seat is None else seat, _turn_of(meaning)
    )


def _turn_of(token: ApiToken | TurnLink | SeatLink) -> int | None:
    return token.turn if isinstance(token, TurnLink) else None


def _seat_behind(game: StoredGame, token: ApiToken | TurnLink | SeatLink) -> int | None:
    """The seat of whoever holds a token that is still good, as far as the game itself can tell."""
    if isinstance(token, ApiToken):
        found = (seat for seat in game.seats if (seat.player, seat.token_version) == token)
    else:
        named = (token.game, token.seat, token.version)
        found = (seat for seat in game.seats if (game.id, seat.seat, seat.link_version) == named and seat.player)
    return next((seat.seat for seat in found), None)


def _bearer(authorization: str) -> str:
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorised("Send the header as Authorization: Bearer TOKEN.")
    return token.strip()


def principal_with_token(ctx: AppContext, token: str) -> Principal:
    """Who holds this token."""
    meaning = ctx.links.identify(token)
    if isinstance(meaning, ApiToken):
        return Principal(player_behind(ctx, meaning))
    player = _player(ctx, FIND_SITTER, [meaning.game, meaning.seat, meaning.version])
    if player is None:
        words = marked("This link was replaced by a newer one; open the newest letter of the game, or sign in.")
        raise Unauthorised(words, gone=True)
    return Principal(player, meaning)


def player_behind(ctx: AppContext, token: ApiToken | Session) -> Player:
    """The player who holds it, unless he has signed out everywhere since."""
    player = _player(ctx, FIND_PLAYER, [token.player])
    if player is None or player.token_version != token.version:
        raise Unauthorised("You were signed out; sign in again.")
    return player


def _player(ctx: AppContext, statement: str, values: list[int | str]) -> Player | None:
    found = run(ctx.database, statement, values)
    row = found.fetchone()
    return (
        None
        if row is None
        else Player(**{column[0]: value for column, value in zip(found.description, row, strict=True)})
    )
