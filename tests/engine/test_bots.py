"""The bots: `greedy` plays well, and `random` is fair."""

from collections import Counter
from typing import Any

import pytest

from service.admin.simulate import simulated_games
from service.engine.dice import Chance
from service.engine.marrakech.bots import BOTS
from service.engine.marrakech.game import MARRAKECH
from service.engine.marrakech.state import Options
from service.engine.records import write_record
from tests.engine.positions import position


def wins_of_greedy(players: int, variant: str) -> int:
    """How many of 100 games greedy wins alone against random bots; it changes seats after each game."""
    bots = ["greedy", *["random"] * (players - 1)]
    wins = 0
    for record in simulated_games(MARRAKECH, 100, players, {"variant": variant}, bots, "strength"):
        value = write_record(record)
        wins += [value["seats"][seat]["bot"] for seat in value["result"]["winners"]] == ["greedy"]
    return wins


@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
@pytest.mark.parametrize(("players", "least"), [(2, 97), (3, 85), (4, 80)])
def test_greedy_beats_random(players: int, least: int, variant: str) -> None:
    assert wins_of_greedy(players, variant) >= least


def test_random_chooses_every_legal_move_equally_often() -> None:
    legal = [{"type": "face", "direction": direction} for direction in ("left", "ahead", "right")]
    chance = Chance(b"fair", "moves")
    found = Counter(BOTS["random"]({"legal": legal}, chance)["direction"] for _ in range(3_000))
    assert sum((found[action["direction"]] - 1_000) ** 2 / 1_000 for action in legal) < 13.82


def test_the_same_seed_gives_the_same_games() -> None:
    once, again, other = (
        [write_record(record) for record in simulated_games(MARRAKECH, 2, 3, {}, ["greedy", "random"], seed)]
        for seed in ("a", "a", "b")
    )
    assert once == again
    assert once != other


def greedy(drawing: str, **facts: Any) -> Any:
    """What greedy does in the position."""
    state = position(drawing, **facts)
    action = BOTS["greedy"](MARRAKECH.view(state, state.mover), Chance(b"", "moves"))
    return action.get("direction") or "-".join(action["squares"])


def test_greedy_goes_where_it_pays_least() -> None:
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. B1 .. .. ..
        .. .. .. B1 .. .. ..
        B2 B2 B3 .. .. .. ..
        .. .. B3 .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    assert greedy(drawing, assam="d4 north", mover=0) == "right"


def test_greedy_prefers_paying_to_elimination() -> None:
    """Left costs 2 on most faces, which is all that is there and one more; right costs 1 on every face."""
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. B5 .. .. ..
        .. .. .. B5 .. .. ..
        B6 B6 .. .. B1 Y2 B3
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    assert greedy(drawing, assam="d4 north", mover=0, dirhams=(1, 50, 35, 34)) == "right"


def test_greedy_covers_valuable_rugs_of_others_and_not_its_own() -> None:
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. R1 R2 .. ..
        .. .. .. .. .. .. ..
        .. .. B3 B4 B5 .. ..
        .. .. .. B6 .. .. ..
        .. .. .. .. .. .. ..
    """
    laid = greedy(drawing, assam="d4 north", mover=0, phase="placement", rugs_left=(8, 8, 8, 8))
    assert set(laid.split("-")) & {"c3", "d3", "e3", "d2"}


def test_greedy_turns_assam_towards_its_own_rugs() -> None:
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. R1 R1 .. .. B2 B2
        .. R3 R3 .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    facts = {"assam": "d4 north", "mover": 0, "phase": "rotation", "options": Options("rotate-after")}
    assert greedy(drawing, **facts) == "left"
