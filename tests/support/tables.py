"""Games, actions and database contents for the tests of the service."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from service.auth.tokens import Invitation
from service.context import AppContext
from service.db.connection import Database
from service.db.models import MODELS, Game, Letter, Player, Seat, ServerKey
from service.engine.json_reader import Json
from service.games import lobby
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.play import ActionResult, act
from service.games.store import StoredGame, load, replay_state

BOT = SeatRequest(bot="easy")
OPEN = SeatRequest()


def new_game(
    *seats: SeatRequest, options: Json | None = None, pace: int | None = None, name: str = ""
) -> NewGameRequest:
    """A request for a Marrakech game with the host and these seats; by default the host begins."""
    return NewGameRequest("marrakech", name, seats, {"first": 0} if options is None else options, pace)


def start_game(
    ctx: AppContext, people: Sequence[Player], bots: int = 0, options: Json | None = None, pace: int | None = None
) -> StoredGame:
    """Create and start a game of these people, in this order, followed by bots."""
    host, *others = people
    seats = [OPEN] * len(others) + [BOT] * bots
    game = create_game(ctx, host, new_game(*seats, options=options, pace=pace))
    for player in others:
        game = join(ctx, game.id, player)
    assert game.status != "waiting"
    return game


def start_bids(ctx: AppContext, host: Player, *others: Player) -> StoredGame:
    """Start the miniature game, which the fixture `analysed_bids` registers."""
    game = create_game(ctx, host, NewGameRequest("sealed-bids", "Friday", [OPEN] * len(others), {}, None))
    for player in others:
        game = join(ctx, game.id, player)
    return game


def join(ctx: AppContext, game_id: str, player: Player) -> StoredGame:
    """Take an open seat with the link that the table's players share."""
    return lobby.join(ctx, Invitation(game_id, 0), player)


def seat_to_act(game: StoredGame) -> int:
    """The first seat to act."""
    return min(game.rules.to_act(game.state))


def legal_actions(game: StoredGame) -> list[Json]:
    """The legal actions of the seat to act."""
    return [game.rules.actions.write(action) for action in game.rules.legal_actions(game.state, seat_to_act(game))]


def play_one_action(ctx: AppContext, game: StoredGame, salt: str = "") -> ActionResult:
    """Play the first legal action of the seat to act."""
    return act(ctx, game.id, seat_to_act(game), game.head, legal_actions(game)[0], salt)


def play_to_end(ctx: AppContext, game: StoredGame) -> StoredGame:
    """Play the game to its end."""
    while game.status == "playing":
        game = play_one_action(ctx, game).game
    return game


class QueuedLetter(NamedTuple):
    """A letter in the outbox, reduced to what most tests check."""

    kind: str
    address: str
    turn: int | None = None


def queued_letters(ctx: AppContext) -> list[QueuedLetter]:
    """The letters in the outbox, the oldest first."""
    columns = (Letter.kind, Letter.address, Letter.turn)
    return [QueuedLetter(*row) for row in Letter.select(*columns).order_by(Letter.id).tuples().execute(ctx.database)]


def database_contents(ctx: AppContext) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, to check that nothing has changed; server keys are created when first needed."""
    models = [model for model in MODELS if model is not ServerKey]
    return {model._meta.table_name: sorted(model.select().tuples().execute(ctx.database), key=repr) for model in models}


def take_back_link_versions(database: Database) -> None:
    """Undo what restoring a backup did to links and tokens: with the old versions, they would work again."""
    for column in (Seat.link_version, Game.invitation_version, Player.token_version):
        assert all(value >= 1000 for (value,) in column.model.select(column).tuples().execute(database))
        column.model.update({column: column - 1000}).execute(database)


def snapshot_matches(ctx: AppContext, game_id: str) -> bool:
    """Whether the stored state is the result of the events."""
    game = load(ctx.database, game_id)
    return bool(replay_state(ctx.database, game) == game.state)
