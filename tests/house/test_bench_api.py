"""The benchmark judges by rounds in which the machine was its own, as long as there are enough, and shows all."""

import pytest

from bench.api import PACED_ROUNDS, Figures, Round

QUICK, SLOW = [0.002] * 99 + [0.004], [0.002] * 90 + [0.3] * 10


def figures(quiet: int, loud: int) -> Figures:
    return Figures([], [Round(SLOW, 1.0, disturbed=True)] * loud + [Round(QUICK, 1.0, disturbed=False)] * quiet)


def test_disturbed_rounds_are_shown_and_not_judged() -> None:
    measured = figures(PACED_ROUNDS, 3)
    assert measured.is_enough()
    assert measured.p99 == pytest.approx(0.002)
    assert str(measured) == (
        f"2.0 ms over {PACED_ROUNDS} undisturbed rounds at 100 to 100 a second"
        f" (median 2.0 ms; over all {PACED_ROUNDS + 3} rounds p99 300.0 ms)"
    )


def test_where_too_few_are_undisturbed_all_are_judged() -> None:
    measured = figures(PACED_ROUNDS - 1, 3)
    assert not measured.is_enough()
    assert measured.p99 == pytest.approx(0.3)
    assert f"300.0 ms over {PACED_ROUNDS + 2} rounds, too few of them undisturbed," in str(measured)


def test_one_slow_request_in_a_hundred_is_what_counts() -> None:
    half = [0.002] * 98 + [0.06] * 2
    assert Figures([], [Round(half, 1.0, disturbed=False)] * PACED_ROUNDS).p99 == pytest.approx(0.06)
