"""Games of Kilim on a server of the browser's tests, played until a position that a test needs."""

from collections.abc import Callable

from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.kilim.state import State
from service.games.play import act
from service.games.store import StoredGame
from tests.browser.server import GameServer

NAMES = ("ann", "bo", "cleo")


def start(server: GameServer, names: tuple[str, ...] = NAMES, **options: object) -> StoredGame:
    return server.start("kilim", names, "Weaving day", options)


def play_until(server: GameServer, is_reached: Callable[[State], bool], *, wanted: str = "") -> StoredGame:
    """A game in the position that is needed. Players weave well and bid at random; Ann tries to get a wanted token."""
    chance = Chance(b"browser".ljust(32), "moves")
    game = start(server)
    while not is_reached(game.state):
        if game.status != "playing":
            game = start(server)
        seat = max(game.rules.to_act(game.state))
        view = game.rules.view(game.state, seat)
        action = _pursue(view, wanted) if seat == 0 and wanted else None
        level = "easy" if view["legal"][0]["type"] in {"play", "bid"} else "medium"
        game = play(server, game, seat, action or game.rules.bots[level](view, chance))
    return game


def _pursue(view: Json, token: str) -> Json | None:
    """What leads to the token: the artisan, a low bid, and the token itself."""
    legal = view["legal"]
    for action in ({"type": "take", "token": token}, {"type": "play", "card": "artisan"}):
        if action in legal:
            return action
    return legal[0] if legal[0]["type"] == "bid" and view["phase"] == "pay" else None


def play(server: GameServer, game: StoredGame, seat: int, action: Json) -> StoredGame:
    return act(server.ctx, game.id, seat, game.head, action, "").game
