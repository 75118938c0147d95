"""Analyses of finished games: computed once by some worker, stored, and computed again for a newer evaluation."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from service.context import AppContext
from service.db.models import Game, GameAnalysis, Player
from service.engine.analysis import Analysis
from service.engine.registry import AnyRules
from service.errors import NotFound
from service.games.analysis import (
    MOST_TRIES,
    SECONDS_TO_COMPUTE,
    analyse,
    compute_next,
    enqueue_outdated,
    get_analysis,
    has_analysis,
    is_enqueued,
)
from service.games.lobby import NewGameRequest, create_game
from service.games.play import act
from service.games.store import StoredGame, load
from service.worker import tick
from tests.engine.analysed_bids import BidsAnalyst
from tests.engine.sealed_bids import State
from tests.support.clock import Clock
from tests.support.tables import OPEN, join, play_to_end, start_bids

pytestmark = [
    pytest.mark.databases("sqlite", "postgresql"),
    pytest.mark.usefixtures("analysed_bids"),
]


@pytest.fixture
def over(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    return play_to_end(ctx, start_bids(ctx, ann, bo))


def stored(ctx: AppContext) -> list[tuple[Any, ...]]:
    columns = (GameAnalysis.game, GameAnalysis.version, GameAnalysis.tries, GameAnalysis.due)
    return list(GameAnalysis.select(*columns).order_by(GameAnalysis.game).tuples().execute(ctx.database))


def test_a_game_is_analysed_once_it_is_over(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_bids(ctx, ann, bo)
    assert not compute_next(ctx)
    game = play_to_end(ctx, game)
    assert is_enqueued(ctx.database, game.id)
    assert get_analysis(ctx, game) is None
    assert compute_next(ctx)
    assert stored(ctx) == [(game.id, BidsAnalyst.version, 1, None)]
    assert get_analysis(ctx, game) == analyse(ctx, game)
    assert not compute_next(ctx)


def test_what_is_stored_adds_up_and_is_what_was_computed(ctx: AppContext, over: StoredGame) -> None:
    compute_next(ctx)
    body = json.loads(str(GameAnalysis.select(GameAnalysis.body).scalar(ctx.database)))
    assert list(body) == ["version", "seats", "curve", "decisions", "rolls"]
    analysis = Analysis.from_json(body)
    for figures in analysis.seats:
        parts = (figures.start, figures.luck, figures.skill, figures.others, figures.rest)
        assert sum(parts) == pytest.approx(figures.end)
    assert [figures.end for figures in analysis.seats] == list(analysis.curve[-1].chances)
    assert all(decision.cost >= 0 for decision in analysis.decisions)


def test_the_worker_analyses_one_game_in_each_tick_and_the_newest_first(
    ctx: AppContext, clock: Clock, ann: Player, bo: Player
) -> None:
    games = []
    for _ in range(3):
        clock.now += 10
        games.append(play_to_end(ctx, start_bids(ctx, ann, bo)))
    for left in (2, 1, 0, 0):
        tick(ctx)
        assert [is_enqueued(ctx.database, game.id) for game in games].count(True) == left
        assert all(is_enqueued(ctx.database, game.id) for game in games[:left])


def test_another_worker_takes_another_game(ctx: AppContext, ann: Player, bo: Player, analysed_bids: Any) -> None:
    first, second = (play_to_end(ctx, start_bids(ctx, ann, bo)) for _ in range(2))
    seen: list[int] = []

    def while_computing(states: Sequence[State], events: Sequence[Any]) -> Analysis:
        seen.append(len(seen))
        if len(seen) == 1:
            assert compute_next(ctx), "the other worker takes the other game"
            assert not compute_next(ctx), "and then finds nothing to do"
        return BidsAnalyst()(states, events)

    analysed_bids.analyst = _Analyst(while_computing)
    assert compute_next(ctx)
    assert [get_analysis(ctx, game) is not None for game in (first, second)] == [True, True]
    assert len(seen) == 2


class _Analyst:
    """An analyst that does what a test wants."""

    def __init__(self, analyse: Any, version: int = 1) -> None:
        self._analyse, self.version = analyse, version

    def __call__(self, states: Sequence[State], events: Sequence[Any]) -> Analysis:
        result: Analysis = self._analyse(states, events)
        return result


def test_a_failing_analysis_is_logged_and_not_tried_again(
    ctx: AppContext, over: StoredGame, analysed_bids: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> Analysis:
        raise ArithmeticError("infinitely lucky")

    analysed_bids.analyst = _Analyst(fail)
    assert compute_next(ctx)
    assert "a game could not be analysed" in caplog.text
    assert not compute_next(ctx)
    enqueue_outdated(ctx)
    assert not compute_next(ctx), "the same evaluation would fail again"
    assert not has_analysis(ctx, over)
    with pytest.raises(NotFound, match="couldn't be analysed"):
        get_analysis(ctx, over)
    analysed_bids.analyst = _Analyst(BidsAnalyst(), version=2)
    enqueue_outdated(ctx)
    assert compute_next(ctx)
    assert get_analysis(ctx, over) is not None


def test_a_worker_that_dies_over_a_game_is_replaced_a_few_times(
    ctx: AppContext, clock: Clock, over: StoredGame, analysed_bids: Any
) -> None:
    def die(*_: object) -> Analysis:
        raise SystemExit

    analysed_bids.analyst = _Analyst(die)
    for _ in range(MOST_TRIES):
        with pytest.raises(SystemExit):
            compute_next(ctx)
        assert not compute_next(ctx), "it may still be at work"
        clock.now += SECONDS_TO_COMPUTE
    assert not compute_next(ctx)
    assert not has_analysis(ctx, over)


def test_a_newer_evaluation_analyses_every_game_again_and_the_old_analysis_stays_meanwhile(
    ctx: AppContext, over: StoredGame, analysed_bids: Any
) -> None:
    compute_next(ctx)
    enqueue_outdated(ctx)
    assert not compute_next(ctx), "nothing is outdated"
    analysed_bids.analyst = _Analyst(lambda *game: BidsAnalyst()(*game)._replace(version=2), version=2)
    enqueue_outdated(ctx)
    enqueue_outdated(ctx)
    before = get_analysis(ctx, over)
    assert before
    assert before.version == 1
    assert not is_enqueued(ctx.database, over.id)
    assert compute_next(ctx)
    after = get_analysis(ctx, over)
    assert after
    assert after.version == 2
    assert not compute_next(ctx)


def test_games_from_before_there_were_analyses_are_analysed(
    ctx: AppContext, over: StoredGame, ann: Player, bo: Player
) -> None:
    GameAnalysis.delete().execute(ctx.database)
    start_bids(ctx, ann, bo)
    assert get_analysis(ctx, over) is None
    assert has_analysis(ctx, over)
    enqueue_outdated(ctx)
    assert [row[0] for row in stored(ctx)] == [over.id]
    assert compute_next(ctx)
    assert get_analysis(ctx, over) is not None


def test_an_analysis_goes_with_its_game(ctx: AppContext, over: StoredGame) -> None:
    compute_next(ctx)
    Game.delete().where(Game.id == over.id).execute(ctx.database)
    assert stored(ctx) == []


def test_a_running_game_and_a_game_without_an_analyst_have_no_analysis(
    ctx: AppContext, ann: Player, bo: Player, analysed_bids: AnyRules
) -> None:
    running = start_bids(ctx, ann, bo)
    with pytest.raises(NotFound, match="while a game is going on"):
        get_analysis(ctx, running)
    assert not has_analysis(ctx, running)
    kilim = create_game(ctx, ann, NewGameRequest("kilim", "", [OPEN], {}, None))
    kilim = join(ctx, kilim.id, bo)
    act(ctx, kilim.id, 0, kilim.head, {"type": "resign"}, "")
    with pytest.raises(NotFound, match="no analysis for this game"):
        get_analysis(ctx, load(ctx.database, kilim.id))
    assert stored(ctx) == []
