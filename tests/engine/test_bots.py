"""The bots: `easy` is fair, `easy` doesn't ruin itself, `medium` plays well and `strong` better."""

from collections import Counter
from typing import Any

import pytest

from service.admin.simulate import simulated_games
from service.engine.dice import Chance
from service.engine.marrakech.bots import BOTS, play_easy
from service.engine.marrakech.game import MARRAKECH
from service.engine.marrakech.state import Options, State
from service.engine.match import new_heading, start_match
from service.engine.records import RecordPlayer, write_record
from tests.engine.positions import position
from tests.support import pace


def wins(level: str, other: str, games: int, players: int, variant: str) -> int:
    """How many games one bot wins alone against others of one level; it changes seats after each game."""
    bots = [level, *[other] * (players - 1)]
    won = 0
    for record in simulated_games(MARRAKECH, games, players, {"variant": variant}, bots, "strength"):
        value = write_record(record)
        won += [value["seats"][seat]["bot"] for seat in value["result"]["winners"]] == [level]
    return won


@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
@pytest.mark.parametrize(("players", "least"), [(2, 97), (3, 85), (4, 80)])
def test_medium_beats_easy(players: int, least: int, variant: str) -> None:
    assert wins("medium", "easy", 100, players, variant) >= least


@pytest.mark.parametrize(
    ("variant", "players", "games", "least"), [("standard", 4, 16, 6), ("rotate-after", 2, 20, 14)]
)
def test_strong_beats_medium(variant: str, players: int, games: int, least: int) -> None:
    """`tools.rate_marrakech` measures it in more games."""
    assert wins("strong", "medium", games, players, variant) >= least


def test_easy_lays_on_every_legal_place_equally_often() -> None:
    table = start_match(
        new_heading(MARRAKECH, "easy", "", {"first": 0}, [RecordPlayer("A"), RecordPlayer("B")], bytes(32)), ""
    )
    view = table.act(0, {"type": "face", "direction": "ahead"}, "", "").view(0)
    chance, expected = Chance(b"fair", "moves"), 3_000 / len(view["legal"])
    found = Counter(str(BOTS["easy"](view, chance)["squares"]) for _ in range(3_000))
    assert len(found) == len(view["legal"]) > 5
    assert all(abs(count - expected) < 6 * expected**0.5 for count in found.values())


def test_the_same_seed_gives_the_same_games() -> None:
    once, again, other = (
        [write_record(record) for record in simulated_games(MARRAKECH, 2, 3, {}, ["medium", "easy"], seed)]
        for seed in ("a", "a", "b")
    )
    assert once == again
    assert once != other


def medium(drawing: str, **facts: Any) -> Any:
    """What medium does in the position."""
    state = position(drawing, **facts)
    action = BOTS["medium"](MARRAKECH.view(state, state.mover), Chance(b"", "moves"))
    return action.get("direction") or "-".join(action["squares"])


def test_medium_goes_where_it_pays_least() -> None:
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. B1 .. .. ..
        .. .. .. B1 .. .. ..
        B2 B2 B3 .. .. .. ..
        .. .. B3 .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    assert medium(drawing, assam="d4 north", mover=0) == "right"


def test_medium_prefers_paying_to_elimination() -> None:
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
    assert medium(drawing, assam="d4 north", mover=0, dirhams=(1, 50, 35, 34)) == "right"


def test_medium_covers_valuable_rugs_of_others_and_not_its_own() -> None:
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. R1 R2 .. ..
        .. .. .. .. .. .. ..
        .. .. B3 B4 B5 .. ..
        .. .. .. B6 .. .. ..
        .. .. .. .. .. .. ..
    """
    laid = medium(drawing, assam="d4 north", mover=0, phase="placement", rugs_left=(8, 8, 8, 8))
    assert set(laid.split("-")) & {"c3", "d3", "e3", "d2"}


def test_medium_turns_assam_towards_its_own_rugs() -> None:
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
    assert medium(drawing, **facts) == "left"


def middle_of_a_game(players: int, variant: str) -> State:
    """A position in which half of the rugs lie and a direction or a place is to be chosen."""
    (record,) = simulated_games(MARRAKECH, 1, players, {"variant": variant}, ["medium"], "middle")
    phase = "direction" if variant == "standard" else "placement"
    states = [state for state in record.states() if state.phase == phase]
    return states[len(states) // 2]  # type: ignore[no-any-return]


def test_strong_knows_only_what_its_view_shows() -> None:
    """The rugs under the top one may come in any order: neither view nor choice depends on it."""
    state = middle_of_a_game(2, "standard")
    piles = tuple(
        (*pile[: -left + 1], *reversed(pile[-left + 1 :]))
        for pile, left in zip(state.piles or (), state.rugs_left, strict=True)
    )
    other = state._replace(piles=piles)
    assert other != state
    view = MARRAKECH.view(state, state.mover)
    assert view == MARRAKECH.view(other, state.mover)
    assert BOTS["strong"](view, Chance(b"", "moves")) == BOTS["strong"](view, Chance(b"", "moves"))


@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
@pytest.mark.parametrize("players", [2, 4])
def test_strong_decides_quickly(players: int, variant: str) -> None:
    state = middle_of_a_game(players, variant)
    view = MARRAKECH.view(state, state.mover)
    assert pace.seconds(lambda: BOTS["strong"](view, Chance(b"", "moves")), 0.1) < 0.1


def test_strong_takes_the_win() -> None:
    """Red wins alone only if its last rug covers a blue square."""
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. B1 B1 .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    last = position(drawing, seats=3, phase="placement", rugs_left=(1, 0, 0))
    laid = BOTS["strong"](MARRAKECH.view(last, 0), Chance(b"", "moves"))
    assert set(laid["squares"]) & {"d5", "e5"}


def test_easy_does_not_risk_its_last_dirhams_but_plays_anything_else() -> None:
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. B5 .. .. ..
        .. .. .. B5 .. .. ..
        B6 B6 .. .. B1 Y2 B3
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    for dirhams, ways in (((1, 50, 35, 34), {"right"}), ((30, 30, 30, 30), {"left", "ahead", "right"})):
        state = position(drawing, assam="d4 north", mover=0, dirhams=dirhams)
        chance = Chance(b"", "moves")
        assert {play_easy(MARRAKECH.view(state, 0), chance)["direction"] for _ in range(30)} == ways
