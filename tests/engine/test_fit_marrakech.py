"""`tools.fit_marrakech` finds the weights of the evaluation; here on very few games."""

import random
from math import isclose, isfinite

from service.engine.marrakech.evaluation import FEATURES, predict, rugs_share, soften, temperature
from service.engine.marrakech.weights import FITS, Fit
from tools.fit_marrakech import MODULE, fit_kind, fit_temperatures, fit_weights, solve, write_weights
from tools.marrakech_games import Player, bot, play_tables


def test_a_few_games_show_that_dirhams_count_fully_near_the_end() -> None:
    medium = Player(bot("medium"), 0.0)
    samples = play_tables(20, [medium] * 3, "rotate-after", random.Random(4))  # noqa: S311
    a, b, c, d = fit_weights(samples)[FEATURES.index("dirhams")]
    share = 1 / 15
    assert isclose(a + share * (b + share * (c + share * d)), 1, abs_tol=0.25)


def test_temperatures_are_found_again_from_results_that_they_made() -> None:
    """Winners are drawn with the chances that the true temperatures give."""
    rng, weights, true = random.Random(5), FITS["rotate-after", 3].weights, (4.0, 6.0, 12.0, 24.0, 24.0)  # noqa: S311
    samples = []
    for sample in play_tables(12, [Player(bot("medium"), 0.0)] * 3, "rotate-after", rng):
        share = rugs_share(sample.position)
        chances = soften(predict(sample.position, weights, share), temperature(Fit((), true), share))
        for winner in rng.choices(range(3), chances, k=3):
            samples.append(sample._replace(shares=tuple(float(seat == winner) for seat in range(3))))
    found = fit_temperatures(samples, weights)
    for share in (0.1, 0.25, 0.5):
        assert isclose(temperature(Fit((), found), share), temperature(Fit((), true), share), rel_tol=0.35)


def test_the_same_seed_gives_the_same_weights() -> None:
    fit = fit_kind(("rotate-after", 3), 3, seed=1)
    assert fit == fit_kind(("rotate-after", 3), 3, seed=1)
    assert all(isfinite(number) for weights in fit.weights for number in (*weights, *fit.temperatures))
    assert len(fit.weights) == len(FEATURES)


def test_the_data_module_is_what_the_program_writes() -> None:
    found: dict[str, object] = {"__name__": "weights"}
    exec(write_weights(FITS), found)  # noqa: S102
    assert found["FITS"] == FITS
    assert MODULE.read_text().split() == write_weights(FITS).split()


def test_linear_equations_are_solved() -> None:
    found = solve([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [3.0, 0.0, 1.0]], [7.0, 3.0, 6.0])
    assert all(isclose(one, other) for one, other in zip(found, [1.0, 2.0, 3.0], strict=True))
