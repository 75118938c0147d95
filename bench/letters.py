"""How long a worker needs for a letter before it can send it: words, board and picture."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.table import Row
from service.auth.identity import player_with
from service.config import load_settings
from service.context import AppContext, create_context
from service.db.models import Letter
from service.engine.dice import Chance
from service.games.lobby import SeatRequest, Wish, accept, create
from service.games.play import act
from service.games.stored import StoredGame
from service.mail.letters import compose

GAMES: Final = 8
WANTED: Final = 12.0
"""Milliseconds: sixty letters a second leave 16 for one, and sending it takes some of them."""


def letter_rows() -> list[Row]:
    """The time for one turn's letter, every one of another position, once the rugs are drawn."""
    with tempfile.TemporaryDirectory(prefix="marrakech-") as folder:
        ctx = create_context(load_settings({"MARRAKECH_DATA_DIR": folder}, Path(folder)), time.time)
        try:
            spent = [seconds for game in range(GAMES) for seconds in _composing(ctx, game)]
        finally:
            ctx.database.close()
    warm = sorted(spent[len(spent) // 2 :])
    figure = 1000 * warm[len(warm) // 2]
    return [Row("letter: a turn's letter, composed", f"{figure:.1f} ms", f"{WANTED:.0f} ms", figure <= WANTED)]


def _composing(ctx: AppContext, number: int) -> Iterator[float]:
    """Play a game, and compose the letter for each of its turns."""
    game, composed = _started(ctx, number), 0
    while game.status == "playing":
        if game.turn > composed:
            composed = game.turn
            letter = Letter.select().where(Letter.game == game.id).order_by(Letter.id.desc()).get(ctx.database)
            begin = time.perf_counter()
            compose(ctx, letter)
            yield time.perf_counter() - begin
        seat = min(game.rules.to_act(game.state))
        action = game.rules.bots["greedy"](game.rules.view(game.state, seat), Chance(b"letters", str(game.head)))
        game = act(ctx, game.id, seat, game.head, action, str(number)).game


def _started(ctx: AppContext, number: int) -> StoredGame:
    host, *others = (player_with(ctx, f"{name}@example.org") for name in ("ann", "bo", "cy"))
    chairs = [SeatRequest(email=str(player.email), name=str(player.email)[:2]) for player in others]
    game = create(ctx, host, Wish("marrakech", f"Game {number}", chairs, {}, 86_400))
    for seat, player in enumerate(others, 1):
        game = accept(ctx, game.id, seat, player.id)
    return game
