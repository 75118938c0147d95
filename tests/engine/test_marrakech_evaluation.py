"""The evaluation: its features on small positions, and chances that are chances."""

from math import isclose

import pytest

from service.engine.marrakech.evaluation import (
    FEATURES,
    TEMPERATURE_SHARES,
    estimate_chances,
    measure_features,
    rugs_share,
    temperature,
)
from service.engine.marrakech.position import Position, leave, position_of
from service.engine.marrakech.state import SEATS, VARIANTS, Options
from service.engine.marrakech.weights import FITS, Fit
from tests.engine.positions import position
from tests.engine.test_finished_games import ENDINGS, game

ROTATE_AFTER = Options("rotate-after")

NORTH_IS_BLUE = """
    .. .. .. .. .. .. ..
    .. .. .. B2 .. .. ..
    R3 .. .. B1 B1 .. ..
    R3 .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    R4 .. .. .. .. .. ..
    .. .. .. .. .. .. ..
"""


def features(drawing: str, seat: int, **facts: object) -> dict[str, float]:
    """The features of a seat, by name."""
    return named(position_of(position(drawing, **facts)), seat)  # type: ignore[arg-type]


def named(shown: Position, seat: int) -> dict[str, float]:
    return dict(zip(FEATURES, measure_features(shown)[seat], strict=True))


def test_features_count_what_lies_on_the_board() -> None:
    blue = features(NORTH_IS_BLUE, 1, dirhams=(30, 29, 31, 30))
    assert (blue["dirhams"], blue["visible"], blue["toll_area"], blue["groups"]) == (29, 3, 9, 1)
    assert (blue["rim"], blue["whole_rugs"]) == (0, 1)
    red = features(NORTH_IS_BLUE, 0)
    assert (red["visible"], red["toll_area"], red["groups"], red["rim"], red["whole_rugs"]) == (3, 5, 2, 3, 1)


def test_with_rotate_after_the_next_payment_is_known_up_to_the_die() -> None:
    """North of Assam, a 1 and both 2s stop on the three blue squares."""
    facts = {"assam": "d4 north", "options": ROTATE_AFTER, "mover": 0}
    payer, owner, other = (features(NORTH_IS_BLUE, seat, **facts)["payments_now"] for seat in range(3))
    assert isclose(payer, -3 * 3 / 6)
    assert isclose(owner, 3 * 3 / 6)
    assert other == 0


def test_in_the_standard_game_the_mover_takes_the_cheapest_way() -> None:
    """Ahead and to the right are free."""
    assert features(NORTH_IS_BLUE, 0, assam="d4 east", mover=0)["payments_now"] == 0
    assert features(NORTH_IS_BLUE, 1, assam="d4 east", mover=0)["payments_now"] == 0


def test_nobody_pays_for_their_own_rugs() -> None:
    facts = {"assam": "d4 north", "options": ROTATE_AFTER, "mover": 1}
    assert features(NORTH_IS_BLUE, 1, **facts)["payments_now"] == 0


def test_payments_only_change_hands() -> None:
    for seat in range(4):
        rows = measure_features(position_of(position(NORTH_IS_BLUE, mover=seat)))
        for name in ("payments_now", "payments_next", "payments_later"):
            assert isclose(sum(row[FEATURES.index(name)] for row in rows), 0, abs_tol=1e-12)


def test_ruin_is_the_chance_that_the_mover_cannot_pay() -> None:
    facts = {"assam": "d4 north", "options": ROTATE_AFTER, "mover": 0}
    assert isclose(features(NORTH_IS_BLUE, 0, dirhams=(2, 58, 30, 30), **facts)["ruin"], 3 / 6)
    assert features(NORTH_IS_BLUE, 0, dirhams=(3, 57, 30, 30), **facts)["ruin"] == 0
    assert features(NORTH_IS_BLUE, 1, dirhams=(2, 58, 30, 30), **facts)["ruin"] == 0


def test_squares_near_the_next_stops_may_be_covered_unless_their_owner_moves() -> None:
    facts = {"assam": "d4 north", "options": ROTATE_AFTER}
    assert features(NORTH_IS_BLUE, 1, mover=0, **facts)["covered_now"] > 0
    assert features(NORTH_IS_BLUE, 1, mover=1, **facts)["covered_now"] == 0


def test_neutral_rugs_are_worth_nothing_and_cost_nothing() -> None:
    shown = leave(position_of(position(NORTH_IS_BLUE, options=ROTATE_AFTER)), 1)
    assert measure_features(shown)[1] == []
    assert named(shown, 0)["payments_now"] == 0
    assert estimate_chances(shown)[1] == 0


def test_both_colours_of_a_seat_count_with_two_players() -> None:
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        R1 R1 Y2 Y2 .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    mine = features(drawing, 0, seats=2)
    assert (mine["visible"], mine["toll_area"], mine["groups"], mine["whole_rugs"]) == (4, 8, 2, 2)


def test_the_share_of_rugs_left_ignores_players_who_are_out() -> None:
    assert rugs_share(position_of(position())) == 1
    assert rugs_share(position_of(position(rugs_left=(6, 6, 0, 6), out=(2,)))) == 0.5


@pytest.mark.parametrize("name", ENDINGS)
def test_chances_add_up_to_one_and_those_who_are_out_have_none(name: str) -> None:
    for state in game(name).states():
        if state.phase == "direction":
            chances = estimate_chances(position_of(state))
            assert isclose(sum(chances), 1)
            assert all((chance == 0) == (seat in state.out) for seat, chance in enumerate(chances))


def test_more_dirhams_mean_a_better_chance() -> None:
    for variant in VARIANTS:
        rich = position(NORTH_IS_BLUE, options=Options(variant), dirhams=(40, 26, 27, 27), rugs_left=(6, 6, 6, 6))
        chances = estimate_chances(position_of(rich))
        assert max(chances) == chances[0] > 0.4


def test_every_kind_of_game_has_weights_for_every_feature() -> None:
    assert set(FITS) == {(variant, seats) for variant in VARIANTS for seats in SEATS}
    for fit in FITS.values():
        assert [len(weights) for weights in fit.weights] == [4] * len(FEATURES)
        assert len(fit.temperatures) == len(TEMPERATURE_SHARES)


def test_the_temperature_changes_evenly_from_one_share_of_rugs_to_the_next() -> None:
    fit = Fit((), (2.0, 4.0, 6.0, 10.0, 20.0))
    assert [temperature(fit, share) for share in TEMPERATURE_SHARES] == list(fit.temperatures)
    assert isclose(temperature(fit, 0.05), 3)
    assert isclose(temperature(fit, 0.75), 15)
