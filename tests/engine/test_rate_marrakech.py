"""`tools.rate_marrakech` rates bots and winning chances; here in very few games."""

from math import isclose

from service.engine.marrakech.state import Options
from tools.rate_marrakech import list_kinds, measure_calibration, measure_strength

KIND = Options("rotate-after"), 3


def test_every_kind_of_game_is_rated() -> None:
    assert [(seats, options.variant, options.pile) for options, seats in list_kinds()] == [
        (2, "standard", "shuffled"),
        (2, "standard", "alternating"),
        (2, "rotate-after", "shuffled"),
        (2, "rotate-after", "alternating"),
        (3, "standard", "shuffled"),
        (3, "rotate-after", "shuffled"),
        (4, "standard", "shuffled"),
        (4, "rotate-after", "shuffled"),
    ]


def test_the_better_bot_wins_more() -> None:
    rated = measure_strength(KIND, "medium", "easy", games=20, seed=1)
    assert rated.wins > 0.7
    assert 0 < rated.margin < 0.25
    assert 0 < rated.slowest < 1
    assert rated.wins == measure_strength(KIND, "medium", "easy", games=20, seed=1).wins
    assert measure_strength(KIND, "easy", "medium", games=20, seed=1).wins < 0.3


def test_every_chance_from_half_time_on_is_in_its_decile() -> None:
    deciles = measure_calibration(KIND, ["medium", "easy"], games=2, seed=1)
    for number, (cases, predicted, won) in enumerate(deciles):
        assert cases * number / 10 <= predicted <= cases * (number + 1) / 10
        assert 0 <= won <= cases
    cases, predicted, won = (sum(column) for column in zip(*deciles, strict=True))
    assert cases % 3 == 0
    assert 0 < cases <= 2 * 3 * 5
    assert isclose(predicted, cases / 3)
    assert isclose(won, cases / 3)
