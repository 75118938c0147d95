"""What a carpet is worth to a bot: its gains add up, and at the end of a game it is worth its points."""

from math import isclose

import pytest

from service.admin.simulate import simulated_games
from service.engine.kilim.evaluation import Evaluation, Prospects, largest_groups
from service.engine.kilim.game import KILIM
from service.engine.kilim.pieces import MOTIF_OF
from tests.engine.kilim.tables import carpet_of

NO_RIVALS = dict.fromkeys(MOTIF_OF, 0)
CARPET = carpet_of("BB1 m13-n13", "EE1 m14-n14", "TX o13-o14", "TT1 m12-n12")

every_domino = pytest.mark.parametrize("domino", ["BE1", "TT3", "HX", "OO1"])
any_number_of_wins = pytest.mark.parametrize("wins", [0, 0.7, 3, 9])


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_at_the_end_of_a_game_a_carpet_is_worth_its_points(seats: int) -> None:
    for record in simulated_games(KILIM, 2, seats, {}, ["medium"], "worth"):
        state = record.states()[-1]
        sizes = [largest_groups(own.carpet.shown) for own in state.seats]
        for score in state.result.scores:
            others = [each for seat, each in enumerate(sizes) if seat != score.seat]
            rivals = {letter: max(each[letter] for each in others) for letter in MOTIF_OF}
            value = Evaluation(state.seats[score.seat].carpet.shown, Prospects(0, rivals)).value
            # Each chance to have the largest group is close to 0 or 1, but no more than that.
            assert value == pytest.approx(score.total, abs=0.4)


@any_number_of_wins
@every_domino
def test_what_a_domino_adds_is_the_difference_it_makes(domino: str, wins: float) -> None:
    before = Evaluation(CARPET.shown, Prospects(wins, NO_RIVALS | {"B": 3, "T": 2}))
    for low, high in CARPET.weave_places(domino):
        for place in ((low, high), (high, low)):
            added = before.with_domino(domino, place).value - before.value
            assert isclose(before.gain(domino, place), added, abs_tol=1e-9)


@any_number_of_wins
@every_domino
def test_the_best_place_has_the_best_gain(domino: str, wins: float) -> None:
    carpet = Evaluation(CARPET.shown, Prospects(wins, NO_RIVALS))
    best = max(carpet.gain(domino, place) for place in CARPET.weave_places(domino))
    assert isclose(carpet.best_gain(domino), best)
    assert isclose(carpet.gain(domino, carpet.best_place(domino)), best)


def test_an_unfinished_rectangle_is_worth_more_the_more_wins_are_to_come() -> None:
    """One domino is missing in the corner."""
    shown = carpet_of("BE1 m13-n13", "HS1 m14-n14", "ET1 m15-m16").shown
    none, few, many = (Evaluation(shown, Prospects(wins, NO_RIVALS)).value for wins in (0, 0.5, 5))
    assert none + 3 < few < many - 3


def test_a_scrap_or_a_perfect_domino_fills_a_hole_without_a_win() -> None:
    shown = carpet_of("BE1 m13-n13", "HS1 m14-m15", "ET1 n15-o15").shown
    none, scrap = (Evaluation(shown, Prospects(0.5, NO_RIVALS, scraps=scraps)).value for scraps in (0, 1))
    assert scrap > none
