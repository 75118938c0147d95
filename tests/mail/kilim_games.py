"""Games of Kilim at the moments that letters and replies are about."""

from collections.abc import Callable
from typing import Any

from service.context import AppContext
from service.db.models import Player
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.records import build_view
from service.games.lobby import SeatRequest
from service.games.play import act
from service.games.store import StoredGame, load
from tests.mail.tables import BO, started
from tests.support import kilim_games

PEOPLE = ("Ann", "Bo", "Cy", "Dee", "Eli")


def start_kilim(ctx: AppContext, *others: SeatRequest, **options: Any) -> StoredGame:
    """A game of Ann's and Bo's, or of Ann's with these players, in its first round."""
    return started(ctx, *(others or (person("Bo"),)), name="Friday", game="kilim", **options)


def person(name: str) -> SeatRequest:
    return SeatRequest(email=f"{name.lower()}@example.org", name=name)


def speak_french(ctx: AppContext) -> None:
    """Ann and Bo read French."""
    Player.update(language="fr").where(Player.email.in_(["ann@example.org", BO])).execute(ctx.database)


def view_of(game: StoredGame, seat: int) -> Json:
    return build_view(game.heading, game.state, game.head, seat)


def say(ctx: AppContext, game: StoredGame, seat: int, words: str) -> StoredGame:
    """The game after a player has played what the words mean."""
    return kilim_games.say(ctx, load(ctx.database, game.id), seat, words).game


def play_round(ctx: AppContext, game: StoredGame, *cards: int | str) -> StoredGame:
    """The game after each player has played a card, the first seat first."""
    for seat, card in enumerate(cards):
        game = say(ctx, game, seat, str(card))
    return game


def play_on(ctx: AppContext, game: StoredGame, until: Callable[[StoredGame], bool]) -> StoredGame:
    """The game after everyone has done the first thing that is legal, again and again."""
    while not until(game):
        seat = min(game.rules.to_act(game.state))
        game = act(ctx, game.id, seat, game.head, view_of(game, seat)["legal"][0], "").game
    return game


def act_at_random(ctx: AppContext, game: StoredGame, chance: Chance) -> StoredGame:
    """The game after one of the players it waits for has done something that is legal."""
    seat = chance.pick(sorted(game.rules.to_act(game.state)))
    action = game.rules.bots["easy"](view_of(game, seat), chance)
    return act(ctx, game.id, seat, game.head, action, "").game


def with_domino(ctx: AppContext, **options: Any) -> StoredGame:
    """Ann has won two rounds: her first domino lies on m13-n13, and she owes the second one."""
    game = play_round(ctx, start_kilim(ctx, **options), 10, 1)
    return play_round(ctx, game, 9, 2)


def with_carpet(ctx: AppContext, **options: Any) -> StoredGame:
    """Ann's dominoes lie on m13-n13 and on m14-n14, in the third round."""
    return say(ctx, with_domino(ctx, **options), 0, "weave m14-n14")


def with_scrap_won(ctx: AppContext) -> StoredGame:
    """Ann has the same carpet and owes a scrap; Bo's domino lies on m13-n13."""
    return say(ctx, play_round(ctx, with_carpet(ctx), "bag", 5), 0, "8")


def with_token_won(ctx: AppContext, **options: Any) -> StoredGame:
    """Ann has the same carpet and owes a token; Bo's domino lies on m13-n13."""
    return say(ctx, play_round(ctx, with_carpet(ctx, **options), "artisan", 5), 0, "2")


def domino_on(game: StoredGame, square: str) -> str:
    """The domino that covers a square of Ann's carpet."""
    return str(view_of(game, 0)["seats"][0]["carpet"][square]["domino"])
