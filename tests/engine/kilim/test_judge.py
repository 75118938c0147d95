"""The engine and the judge agree: on every event, on whom the game waits for, on what is legal, and on every view."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.engine.kilim.game import KILIM
from tests.engine.kilim.judge import Judge, Refused
from tests.engine.kilim.walks import Walk

GAMES = max(8, settings().max_examples // 5)
weavings = st.sampled_from(["relaxed", "strict"])
seeds = st.integers(0, 10**9)


def spelled(actions: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(action, sort_keys=True) for action in actions)


@settings(max_examples=GAMES)
@given(weavings, st.integers(2, 5), seeds)
def test_the_judge_sees_in_every_game_what_the_engine_sees(weaving: str, seats: int, seed: int) -> None:
    for walk in Walk(weaving, seats, seed).steps():
        judge = walk.judge
        assert judge.by_itself() is None
        assert sorted(KILIM.to_act(walk.state)) == judge.waits_for()
        assert len(walk.events) <= 600
        for seat in (None, *walk.seats) if walk.now_and_then() else ():
            view = KILIM.view(walk.state, seat)
            legal = view.pop("legal")
            assert view == judge.view(seat)
            required = [] if seat is None else judge.required(seat)
            assert spelled(legal[: len(required)]) == spelled(required)
            assert spelled(legal[len(required) :]) == spelled([] if seat is None else judge.possible(seat))


@pytest.fixture(scope="module")
def finished() -> list[dict[str, Any]]:
    """The events of a strict game in which much happens."""
    (*_, last) = Walk("strict", 3, 5).steps()
    return last.events


def judged(events: list[dict[str, Any]]) -> Judge:
    judge = Judge(3, "strict")
    for event in events:
        judge.follow(event)
    return judge


def test_the_judge_accepts_the_whole_game(finished: list[dict[str, Any]]) -> None:
    assert judged(finished).phase == "over"


@pytest.mark.parametrize("kind", ["revealed", "shown", "auctioned", "settled", "woven", "evening"])
def test_the_judge_refuses_a_game_without_one_of_its_events(finished: list[dict[str, Any]], kind: str) -> None:
    place = [event["type"] for event in finished].index(kind)
    with pytest.raises(Refused):
        judged([*finished[:place], *finished[place + 1 :]])


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("revealed", "domino", "OO1"),
        ("played", "card", 16),
        ("shown", "cards", [1, 1, 1]),
        ("auctioned", "winner", 9),
        ("settled", "short", [0, 1, 2]),
        ("woven", "squares", ["a1", "a2"]),
        ("finished", "result", {}),
    ],
)
def test_the_judge_refuses_a_game_with_another_event(
    finished: list[dict[str, Any]], kind: str, field: str, value: Any
) -> None:
    place = [event["type"] for event in finished].index(kind)
    with pytest.raises(Refused):
        judged([*finished[:place], {**finished[place], field: value}])
