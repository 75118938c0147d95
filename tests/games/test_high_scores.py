"""The worker computes the high scores of finished games once: their largest payments, carpets and so on."""

import json
from typing import Any

import pytest

from service.context import AppContext
from service.db.models import Game, Player
from service.games.high_scores import store_high_scores
from service.ui.registry import game_ui
from service.worker import tick
from tests.support.finished_games import add_game, read_game
from tests.support.tables import start_game

pytestmark = pytest.mark.databases("sqlite", "postgresql")


def stored(ctx: AppContext) -> dict[str, Any]:
    rows = Game.select(Game.id, Game.high_scores).tuples().execute(ctx.database)
    return {game_id: scores and json.loads(scores) for game_id, scores in rows}


def test_the_high_scores_of_whole_games_are_found() -> None:
    """Out of the records of tests/fixtures/games, which people can read."""

    def scores(name: str) -> dict[str, list[int]]:
        record = read_game(name)
        found = game_ui(record.heading.game).high_scores(record)
        return {title: list(numbers) for title, numbers in found.items()}

    assert scores("rugs-laid-2p-standard-shuffled") == {
        "payment": [2, 7],
        "dirhams": [2, 58],
        "squares": [18, 23],
        "total": [20, 81],
    }
    assert scores("kilim-days-over-3p-strict") == {
        "points": [25, 15, 19],
        "rectangle": [0, 0, 0],
        "squares": [34, 30, 28],
        "dominoes": [16, 16, 13],
    }


def test_a_player_who_is_out_ended_with_nothing() -> None:
    record = read_game("last-rugs-gone-by-resignation-4p-standard")
    found = game_ui(record.heading.game).high_scores(record)
    assert record.entries[-1].event.result.scores[3].dirhams == 23
    assert [numbers[3] for numbers in found.values()] == [4, 0, 0, 0]


def test_the_worker_stores_them_for_every_finished_game_also_for_those_from_before(
    ctx: AppContext, ann: Player, bo: Player
) -> None:
    running = start_game(ctx, [ann, bo])
    older = [add_game(ctx, "last-standing-resignation-2p-rotate-after-shuffled", [ann, bo], 1e9) for _ in range(3)]
    tick(ctx)
    found = stored(ctx)
    assert found.pop(running.id) is None
    assert set(found) == set(older)
    assert all(scores["total"] == [0, 36] for scores in found.values())


def test_a_game_is_computed_once(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = add_game(ctx, "shared-win-2p-rotate-after-shuffled", [ann, bo], 1e9, high_scores='{"total": [1, 2]}')
    store_high_scores(ctx)
    assert stored(ctx) == {game: {"total": [1, 2]}}
