"""High scores: numbers of finished games that players may want to beat, computed once by the worker.

Most of them need all events of a game, and reading those of all games for each view of a page would be slow.
"""

import json
from typing import Final

from service.context import AppContext
from service.db.connection import transaction
from service.db.models import Game
from service.engine.records import Record
from service.games.store import entries, load

_GAMES_AT_ONCE: Final = 10
"""Letters wait meanwhile: after an upgrade, all games that were finished before are computed."""


def store_high_scores(ctx: AppContext) -> None:
    """Compute and store the high scores of some finished games that have none yet."""
    pending = Game.high_scores.is_null() & (Game.status == "finished")
    rows = Game.select(Game.id).where(pending).order_by(Game.id).limit(_GAMES_AT_ONCE).tuples()
    for (game_id,) in list(rows.execute(ctx.database)):
        game = load(ctx.database, game_id)
        scores = game.ui.high_scores(Record(game.heading, tuple(entries(ctx.database, game))))
        with transaction(ctx.database):
            Game.update(high_scores=json.dumps(scores)).where(Game.id == game_id).execute(ctx.database)
