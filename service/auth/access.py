"""The caller of a request: a player who has signed in or has a link from a letter, and their seat."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from service.auth.tokens import ApiToken, SeatLink, Session, TurnLink
from service.context import AppContext
from service.db.models import Player, Seat
from service.errors import Forbidden, NotYourTurn, Unauthorised
from service.i18n import marked


class GameWithSeats(Protocol):
    """What this module needs of a game."""

    @property
    def id(self) -> str: ...
    @property
    def seats(self) -> Sequence[object]: ...
    @property
    def turn(self) -> int: ...
    def seat_of(self, player: int | None) -> int | None: ...


class Principal(NamedTuple):
    """The caller; anonymous if both are None."""

    player: Player | None = None
    link: TurnLink | SeatLink | None = None

    def require_player(self) -> Player:
        """Return the player; refuses an anonymous request."""
        if self.player is None:
            raise Unauthorised
        return self.player

    def require_login(self) -> Player:
        """Return the player if they have signed in; a link from a letter is not enough."""
        if self.link is not None:
            raise Forbidden("Links in e-mails only work for their own game. Sign in to do this.")
        return self.require_player()

    def require_player_in(self, game_id: str) -> int:
        """Return the player's id; refuses the link of another game."""
        if self.link is not None and self.link.game != game_id:
            raise Forbidden("This link is for another game. Open the newest e-mail about this one, or sign in.")
        player: int = self.require_player().id
        return player

    def find_seat_in(self, game: GameWithSeats) -> int | None:
        """Return the seat that the player has taken or is invited to; None for a spectator."""
        if self.link is not None:
            return self.link.seat if self.link.game == game.id else None
        return game.seat_of(self.player.id) if self.player is not None else None

    def require_seat_in(self, game: GameWithSeats) -> int:
        """Return the same seat; refuses a spectator."""
        seat = self.find_seat_in(game)
        if seat is None:
            raise Forbidden(
                "You don't have a seat in this game. You can watch it, or ask the host to invite you to another one."
            )
        return seat

    @property
    def subject(self) -> str | None:
        """The player or seat for which rate limits count a call; None if it is anonymous."""
        if self.link is not None:
            return f"seat/{self.link.game}/{self.link.seat}"
        return None if self.player is None else f"player/{self.player.id}"

    @property
    def turn(self) -> int | None:
        """The only turn that the link can play; None if the link isn't for a turn."""
        return self.link.turn if isinstance(self.link, TurnLink) else None

    def is_for_past_turn(self, game: GameWithSeats) -> bool:
        """Whether the request came with the link of a turn that is over."""
        return self.turn is not None and self.turn != game.turn

    def require_current_turn(self, game: GameWithSeats) -> None:
        """Refuse the link of a turn that is over."""
        if self.is_for_past_turn(game):
            raise NotYourTurn(
                "This link is for a turn that's over. Open the newest e-mail about this game, or sign in."
            )


def identify_principal(ctx: AppContext, authorization: str | None) -> Principal:
    """Find out who sent an Authorization header; raises `Unauthorised` if there is one and it isn't valid."""
    return Principal() if authorization is None else principal_with_token(ctx, _bearer(authorization))


def _bearer(authorization: str) -> str:
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorised("We can't read the Authorization header. Send it as Authorization: Bearer TOKEN.")
    return token.strip()


def principal_with_token(ctx: AppContext, token: str) -> Principal:
    """Find out who holds an API token or a link's token."""
    meaning = ctx.tokens.identify(token)
    if isinstance(meaning, ApiToken):
        return Principal(find_token_player(ctx, meaning))
    linked = (Seat.game == meaning.game) & (Seat.seat == meaning.seat) & (Seat.link_version == meaning.version)
    player = Player.select().join(Seat).where(linked).first(ctx.database)
    if player is None:
        words = marked("This link was replaced by a newer one. Open the newest e-mail about this game, or sign in.")
        raise Unauthorised(words, gone=True)
    return Principal(player, meaning)


def find_token_player(ctx: AppContext, token: ApiToken | Session) -> Player:
    """Return the token's player; refuses tokens from before they signed out everywhere."""
    player: Player | None = Player.select().where(Player.id == token.player).first(ctx.database)
    if player is None or player.token_version != token.version:
        raise Unauthorised("You've been signed out. Sign in again.")
    return player
