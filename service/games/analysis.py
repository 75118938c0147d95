"""Analyses of finished games: a worker computes each one, stores it, and computes it again for a newer evaluation.

A game that is still going on has none, so nobody gets a hint while playing.
"""

import json
import logging
from typing import Any, Final, NamedTuple

from peewee import PeeweeException, Value

from service.context import AppContext
from service.db.connection import Database, transaction
from service.db.models import Game, GameAnalysis
from service.engine.analysis import Analysis
from service.engine.errors import Malformed
from service.engine.json_reader import Json
from service.engine.records import Record
from service.engine.registry import GAMES
from service.errors import NotFound
from service.games.store import StoredGame, entries, load
from service.i18n import marked
from service.logs import LOGGER

SECONDS_TO_COMPUTE: Final = 120.0
"""A worker that takes longer is taken for dead, and another one tries."""
MOST_TRIES: Final = 3
"""A game whose analysis kills the worker must not do so forever."""
_NOT_OVER: Final = marked("There's no analysis while a game is going on. Look again when it's over.")
_NO_ANALYST: Final = marked("There's no analysis for this game. Watch the replay instead.")
_FAILED: Final = marked("This game couldn't be analysed. Tell the server host: the reason is in the server's log.")
_IS_DUE: Final[Any] = GameAnalysis.due.is_null(False)
"""As in the index, so that a worker with nothing to do reads nothing."""


def enqueue_analysis(database: Database, game: StoredGame, now: float) -> None:
    """Have a game that has just ended analysed, if there is an analyst for it."""
    if game.rules.analyst is not None:
        GameAnalysis.insert(game=game.id, due=now).execute(database)


def enqueue_outdated(ctx: AppContext) -> None:
    """Have all finished games analysed of which there's no analysis by the current version of the evaluation."""
    now = ctx.clock()
    for rules in GAMES.values():
        if rules.analyst is None:
            continue
        finished = (Game.game == rules.name) & (Game.status == "finished")
        older = GameAnalysis.game.in_(Game.select(Game.id).where(finished))
        older &= (GameAnalysis.version < rules.analyst.version) & GameAnalysis.due.is_null()
        missing = Game.id.not_in(GameAnalysis.select(GameAnalysis.game))
        new = Game.select(Game.id, Value(now)).where(finished & missing)
        with transaction(ctx.database):
            GameAnalysis.update(tries=0, due=now).where(older).execute(ctx.database)
            insert = GameAnalysis.insert_from(new, (GameAnalysis.game, GameAnalysis.due))
            insert.on_conflict("nothing", conflict_target=[GameAnalysis.game]).execute(ctx.database)


def compute_next(ctx: AppContext) -> bool:
    """Compute the analysis that has become due last, so that a new game comes before old ones; False if none is due."""
    game = _claim(ctx)
    if game is None:
        return False
    changes: dict[str, object] = {"due": None}
    try:
        made = analyse(ctx, game).to_json()
        changes |= {"body": _write(made), "seats": _write(made["seats"])}
    except PeeweeException:
        raise  # a problem of the database, not of this game: the claim runs out, and a worker tries again
    except Exception:
        logging.getLogger(LOGGER).exception("a game could not be analysed", extra={"game": game.id})
    GameAnalysis.update(**changes).where(GameAnalysis.game == game.id).execute(ctx.database)
    return True


def _claim(ctx: AppContext) -> StoredGame | None:
    """Claim a game that is to be analysed, so that no other worker takes it, too."""
    now = ctx.clock()
    due = GameAnalysis.select().where(_IS_DUE & (GameAnalysis.due <= now))
    row: Any = due.order_by(GameAnalysis.due.desc(), GameAnalysis.game).limit(1).first(ctx.database)
    if row is None:
        return None
    game = load(ctx.database, row.game_id)
    last_try = row.tries + 1 >= MOST_TRIES
    changes = {
        "version": 0 if game.rules.analyst is None else game.rules.analyst.version,
        "tries": row.tries + 1,
        "due": None if last_try or game.rules.analyst is None else now + SECONDS_TO_COMPUTE,
    }
    unclaimed = (GameAnalysis.game == game.id) & (GameAnalysis.due == row.due)
    claimed = GameAnalysis.update(**changes).where(unclaimed).execute(ctx.database) == 1
    return game if claimed and game.rules.analyst is not None else None


def analyse(ctx: AppContext, game: StoredGame) -> Analysis:
    """Analyse a finished game."""
    happened = entries(ctx.database, game)
    analyst: Any = game.rules.analyst
    states = Record(game.heading, tuple(happened)).states()
    analysis: Analysis = analyst(states, [entry.event for entry in happened])
    return analysis


class _Stored(NamedTuple):
    """What is stored about the analysis of a game."""

    body: str | None = None
    due: float | None = 0.0
    """A game that ended before there were analyses has no row until a worker starts, which is to be analysed then."""

    @property
    def has_failed(self) -> bool:
        """Whether there is no analysis, and no worker will try again."""
        return self.body is None and self.due is None


def _find(database: Database, game_id: str) -> _Stored:
    columns = GameAnalysis.select(GameAnalysis.body, GameAnalysis.due)
    row = columns.where(GameAnalysis.game == game_id).tuples().first(database)
    return _Stored(*row) if row else _Stored()


def is_enqueued(database: Database, game_id: str) -> bool:
    """Whether a worker will soon finish a game's first analysis."""
    waits = (GameAnalysis.game == game_id) & GameAnalysis.body.is_null() & _IS_DUE
    return bool(GameAnalysis.select().where(waits).exists(database))


def has_analysis(ctx: AppContext, game: StoredGame) -> bool:
    """Whether there is or will be an analysis of a game."""
    is_analysable = game.status == "finished" and game.rules.analyst is not None
    return is_analysable and not _find(ctx.database, game.id).has_failed


def get_analysis(ctx: AppContext, game: StoredGame) -> Analysis | None:
    """The analysis of a game; None while it's being computed. Raises `NotFound` if there is and will be none."""
    if game.status != "finished":
        raise NotFound(_NOT_OVER)
    if game.rules.analyst is None:
        raise NotFound(_NO_ANALYST)
    stored = _find(ctx.database, game.id)
    if stored.has_failed:
        raise NotFound(_FAILED)
    return None if stored.body is None else _read(stored.body)


def list_figures(database: Database) -> dict[str, list[Json]]:
    """Luck and skill by seat of all games that were analysed, by the games' ids."""
    rows = GameAnalysis.select(GameAnalysis.game, GameAnalysis.seats).where(GameAnalysis.seats.is_null(False))
    return {game: json.loads(seats) for game, seats in rows.tuples().execute(database)}


def _write(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _read(body: str) -> Analysis | None:
    try:
        return Analysis.from_json(json.loads(body))
    except Malformed:
        return None  # an older version wrote it; a worker is about to replace it
