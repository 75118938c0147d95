"""Games of Kilim for the tests of the service, played in words."""

from service.context import AppContext
from service.db.models import Player
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.play import ActionResult, act
from service.games.store import StoredGame, load
from service.games.views import parse_words
from tests.support.tables import OPEN, join


def start_kilim(
    ctx: AppContext,
    host: Player,
    *others: Player,
    weaving: str = "relaxed",
    pace: int | None = None,
    time_up: str = "stand-in",
) -> StoredGame:
    """A game that has started."""
    seats: list[SeatRequest] = [OPEN] * len(others)
    game = create_game(ctx, host, NewGameRequest("kilim", "", seats, {"weaving": weaving}, pace, time_up))
    for player in others:
        game = join(ctx, game.id, player)
    return game


def say(ctx: AppContext, game: StoredGame, seat: int, words: str, head: int | None = None) -> ActionResult:
    """Play what the words mean at this head, or at that of the game."""
    now, head = load(ctx.database, game.id), game.head if head is None else head
    action = parse_words(ctx, now, seat, head, words, "en")
    return act(ctx, game.id, seat, head, action, "")


def say_all(ctx: AppContext, game: StoredGame, *words: str) -> StoredGame:
    """One choice of each seat at the head of the game; an empty text for a seat that does nothing."""
    for seat, each in enumerate(words):
        if each:
            say(ctx, game, seat, each)
    return load(ctx.database, game.id)
