"""The API's analysis: only once the game is over, and with words in the caller's language."""

from typing import Any

import pytest

from service.context import AppContext
from service.db.models import GameAnalysis, Player
from service.engine.analysis import Analysis
from service.games.analysis import analyse, compute_next
from service.games.play import act
from service.games.store import StoredGame
from service.routes.api.analysis import AnalysisView
from tests.support.people import Cast
from tests.support.tables import play_one_action, play_to_end, start_bids, start_game


@pytest.fixture
def running(ctx: AppContext, ann: Player, bo: Player, analysed_bids: object) -> StoredGame:
    return play_one_action(ctx, start_bids(ctx, ann, bo)).game


def test_there_is_none_for_anyone_while_the_game_is_going_on(cast: Cast, running: StoredGame) -> None:
    for person in (cast.ann, cast.bo, cast.eve, cast.nobody):
        problem = person.get(f"/games/{running.id}/analysis", 404)
        assert problem["code"] == "not_found"
        assert "while a game is going on" in problem["detail"]


def test_until_it_is_computed_the_client_is_told_to_come_back(cast: Cast, ctx: AppContext, running: StoredGame) -> None:
    over = play_to_end(ctx, running)
    answer = cast.nobody.call("GET", f"/games/{over.id}/analysis")
    assert (answer.status_code, answer.headers["Retry-After"]) == (202, "2")
    assert "being analysed" in (answer.json or {})["detail"]
    compute_next(ctx)
    shown = cast.nobody.get(f"/games/{over.id}/analysis")
    AnalysisView.model_validate(shown)
    assert Analysis.from_json(_without_words(shown)) == analyse(ctx, over)


def _without_words(shown: Any) -> Any:
    words = {"name", "label", "best_label", "text", "last"}
    parts = {name: shown[name] for name in ("seats", "curve", "decisions", "rolls")}
    bare = {
        name: [{key: value for key, value in each.items() if key not in words} for each in part]
        for name, part in parts.items()
    }
    for each in bare["decisions"]:
        each["best"] = each["best"] or {}
    return {"version": shown["version"], **bare}


def test_choices_and_rolls_are_told_in_words(cast: Cast, ctx: AppContext, running: StoredGame) -> None:
    after = act(ctx, running.id, 0, running.head, {"type": "resign"}, "")
    compute_next(ctx)
    shown = cast.eve.get(f"/games/{after.game.id}/analysis")
    assert [each["name"] for each in shown["seats"]] == ["ann", "bo"]
    bid, resigned = shown["decisions"]
    assert (bid["label"], bid["best_label"]) == ("Bid 1", "Bid 4")
    assert (resigned["label"], resigned["best"], resigned["best_label"]) == ("Resign", None, "Stay in the game")


def test_a_game_of_marrakech_is_analysed_in_the_language_of_the_caller(
    cast: Cast, ctx: AppContext, ann: Player, bo: Player, cy: Player
) -> None:
    game = start_game(ctx, [ann, bo, cy])
    for _ in range(12):
        game = play_one_action(ctx, game).game
    for seat in (1, 2):
        game = act(ctx, game.id, seat, game.head, {"type": "resign"}, "").game
    compute_next(ctx)
    shown = cast.nobody.get(f"/games/{game.id}/analysis")
    assert {each["label"] for each in shown["decisions"]} >= {"Resign"}
    assert {each["text"].split()[1] for each in shown["rolls"]} == {"rolled"}
    labels = [each["label"] for each in shown["decisions"]]
    assert all(labels)
    assert all(each["best_label"] for each in shown["decisions"])
    french = cast.nobody.call("GET", f"/games/{game.id}/analysis", **{"Accept-Language": "fr"}).json or {}
    assert [each["label"] for each in french["decisions"]] != labels
    assert french["curve"] == shown["curve"]


def test_a_game_without_analysis_says_so(cast: Cast, ctx: AppContext, running: StoredGame) -> None:
    kilim = cast.ann.post("/games", {"game": "kilim", "seats": [{"bot": "easy"}]}, 201)
    cast.ann.act(kilim, {"type": "resign"})
    assert "no analysis for this game" in cast.eve.get(f"/games/{kilim['id']}/analysis", 404)["detail"]
    over = play_to_end(ctx, running)
    GameAnalysis.update(due=None).execute(ctx.database)
    assert "couldn't be analysed" in cast.ann.get(f"/games/{over.id}/analysis", 404)["detail"]
