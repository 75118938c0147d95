"""Tables to play at, what a database holds, and actions to take: what the service's tests have in common."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from service.context import AppContext
from service.db.models import MODELS, Letter, Player
from service.engine.json_reader import Json
from service.games.lobby import NewGameRequest, SeatRequest, create_game, join
from service.games.play import ActionResult, act
from service.games.store import StoredGame, load, replay_state

BOT = SeatRequest(bot="random")
OPEN = SeatRequest()


def wish(*chairs: SeatRequest, options: Json | None = None, pace: int | None = None, name: str = "") -> NewGameRequest:
    """A table for these and the host, who begins where nothing else is said."""
    return NewGameRequest("marrakech", name, chairs, {"first": 0} if options is None else options, pace)


def started(
    ctx: AppContext, people: Sequence[Player], bots: int = 0, options: Json | None = None, pace: int | None = None
) -> StoredGame:
    """A game that has begun; the people sit in this order, and then the bots."""
    host, *others = people
    chairs = [OPEN] * len(others) + [BOT] * bots
    game = create_game(ctx, host, wish(*chairs, options=options, pace=pace))
    for player in others:
        game = join(ctx, game.id, player)
    assert game.status != "waiting"
    return game


def mover(game: StoredGame) -> int:
    """The seat that the game waits for."""
    return min(game.rules.to_act(game.state))


def legal(game: StoredGame) -> list[Json]:
    """What that seat may do."""
    return [game.rules.actions.write(action) for action in game.rules.legal_actions(game.state, mover(game))]


def step(ctx: AppContext, game: StoredGame, salt: str = "") -> ActionResult:
    """Whoever is to act takes the first action there is."""
    return act(ctx, game.id, mover(game), game.head, legal(game)[0], salt)


def rest_of(ctx: AppContext, game: StoredGame) -> StoredGame:
    """The game, played to its end."""
    while game.status == "playing":
        game = step(ctx, game).game
    return game


class Sent(NamedTuple):
    """A letter in the outbox, as far as most tests look at it."""

    kind: str
    address: str
    turn: int | None = None


def outbox(ctx: AppContext) -> list[Sent]:
    """The letters, the oldest first."""
    columns = (Letter.kind, Letter.address, Letter.turn)
    return [Sent(*row) for row in Letter.select(*columns).order_by(Letter.id).tuples().execute(ctx.database)]


def contents(ctx: AppContext) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table: two of these are equal only where nothing at all has changed."""
    return {model._meta.table_name: sorted(model.select().tuples().execute(ctx.database), key=repr) for model in MODELS}


def is_sound(ctx: AppContext, game_id: str) -> bool:
    """Whether the snapshot is what the events give, and the head their number."""
    game = load(ctx.database, game_id)
    return bool(replay_state(ctx.database, game) == game.state)
