"""The benchmark judges by all rounds, and shows beside them those in which the machine was its own."""

import pytest

from bench.api import PACED_ROUNDS, Figures, Round

QUICK, SLOW = [0.002] * 99 + [0.004], [0.002] * 90 + [0.3] * 10


def figures(quiet: int, loud: int) -> Figures:
    return Figures([], [Round(SLOW, 1.0, disturbed=True)] * loud + [Round(QUICK, 1.0, disturbed=False)] * quiet)


def test_disturbed_rounds_count_like_all_others_and_the_rest_is_shown_beside_them() -> None:
    measured = figures(PACED_ROUNDS, 3)
    assert measured.is_enough()
    assert measured.p99 == pytest.approx(0.3)
    assert str(measured) == (
        f"300.0 ms over {PACED_ROUNDS + 3} rounds at 100 to 100 a second"
        f" (median 2.0 ms; of {PACED_ROUNDS} undisturbed ones p99 2.0 ms)"
    )


def test_more_rounds_are_wanted_where_too_few_are_undisturbed() -> None:
    assert not figures(PACED_ROUNDS - 1, 3).is_enough()
    assert "of 0 undisturbed ones none" in str(figures(0, 3))


def test_one_slow_request_in_a_hundred_is_what_counts() -> None:
    half = [0.002] * 98 + [0.06] * 2
    assert Figures([], [Round(half, 1.0, disturbed=False)] * PACED_ROUNDS).p99 == pytest.approx(0.06)
