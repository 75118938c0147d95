"""The weights of the evaluation, written by `python -m tools.fit_marrakech`. Don't edit them by hand."""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias


class Fit(NamedTuple):
    """The numbers of one kind of game."""

    weights: tuple[tuple[float, ...], ...]
    """For each feature the coefficients of a polynomial in the share of rugs left, the constant first."""
    temperature: tuple[float, ...]
    """The coefficients of another such polynomial."""


Fits: TypeAlias = Mapping[tuple[str, int], Fit]
"""By variant and number of seats."""

FITS: Final[Fits] = {
    ("rotate-after", 2): Fit(
        weights=(
            (1.0, 0.0, 0.0, 0.0),  # dirhams
            (1.0, 0.0, 0.0, 0.0),  # visible
            (0.0, 0.2, 0.0, 0.0),  # toll_area
            (0.0, 0.0, 0.0, 0.0),  # groups
            (0.0, 0.0, 0.0, 0.0),  # rim
            (0.0, 0.0, 0.0, 0.0),  # whole_rugs
            (1.0, 0.0, 0.0, 0.0),  # payments_now
            (0.0, 0.0, 0.0, 0.0),  # payments_next
            (0.0, 0.0, 0.0, 0.0),  # payments_later
            (0.0, 0.0, 0.0, 0.0),  # payments_far
            (0.0, 0.0, 0.0, 0.0),  # covered_now
            (0.0, 0.0, 0.0, 0.0),  # covered_next
            (0.0, 0.0, 0.0, 0.0),  # covered_later
            (0.0, 0.0, 0.0, 0.0),  # covered_far
            (0.0, 0.0, 0.0, 0.0),  # ruin
            (0.0, 0.0, 0.0, 0.0),  # broke
            (0.0, 0.0, 0.0, 0.0),  # wait
        ),
        temperature=(1.5, 10.0, -3.0),
    ),
    ("rotate-after", 3): Fit(
        weights=(
            (1.0, 0.0, 0.0, 0.0),  # dirhams
            (1.0, 0.0, 0.0, 0.0),  # visible
            (0.0, 0.2, 0.0, 0.0),  # toll_area
            (0.0, 0.0, 0.0, 0.0),  # groups
            (0.0, 0.0, 0.0, 0.0),  # rim
            (0.0, 0.0, 0.0, 0.0),  # whole_rugs
            (1.0, 0.0, 0.0, 0.0),  # payments_now
            (0.0, 0.0, 0.0, 0.0),  # payments_next
            (0.0, 0.0, 0.0, 0.0),  # payments_later
            (0.0, 0.0, 0.0, 0.0),  # payments_far
            (0.0, 0.0, 0.0, 0.0),  # covered_now
            (0.0, 0.0, 0.0, 0.0),  # covered_next
            (0.0, 0.0, 0.0, 0.0),  # covered_later
            (0.0, 0.0, 0.0, 0.0),  # covered_far
            (0.0, 0.0, 0.0, 0.0),  # ruin
            (0.0, 0.0, 0.0, 0.0),  # broke
            (0.0, 0.0, 0.0, 0.0),  # wait
        ),
        temperature=(1.5, 10.0, -3.0),
    ),
    ("rotate-after", 4): Fit(
        weights=(
            (1.0, 0.0, 0.0, 0.0),  # dirhams
            (1.0, 0.0, 0.0, 0.0),  # visible
            (0.0, 0.2, 0.0, 0.0),  # toll_area
            (0.0, 0.0, 0.0, 0.0),  # groups
            (0.0, 0.0, 0.0, 0.0),  # rim
            (0.0, 0.0, 0.0, 0.0),  # whole_rugs
            (1.0, 0.0, 0.0, 0.0),  # payments_now
            (0.0, 0.0, 0.0, 0.0),  # payments_next
            (0.0, 0.0, 0.0, 0.0),  # payments_later
            (0.0, 0.0, 0.0, 0.0),  # payments_far
            (0.0, 0.0, 0.0, 0.0),  # covered_now
            (0.0, 0.0, 0.0, 0.0),  # covered_next
            (0.0, 0.0, 0.0, 0.0),  # covered_later
            (0.0, 0.0, 0.0, 0.0),  # covered_far
            (0.0, 0.0, 0.0, 0.0),  # ruin
            (0.0, 0.0, 0.0, 0.0),  # broke
            (0.0, 0.0, 0.0, 0.0),  # wait
        ),
        temperature=(1.5, 10.0, -3.0),
    ),
    ("standard", 2): Fit(
        weights=(
            (1.0, 0.0, 0.0, 0.0),  # dirhams
            (1.0, 0.0, 0.0, 0.0),  # visible
            (0.0, 0.2, 0.0, 0.0),  # toll_area
            (0.0, 0.0, 0.0, 0.0),  # groups
            (0.0, 0.0, 0.0, 0.0),  # rim
            (0.0, 0.0, 0.0, 0.0),  # whole_rugs
            (1.0, 0.0, 0.0, 0.0),  # payments_now
            (0.0, 0.0, 0.0, 0.0),  # payments_next
            (0.0, 0.0, 0.0, 0.0),  # payments_later
            (0.0, 0.0, 0.0, 0.0),  # payments_far
            (0.0, 0.0, 0.0, 0.0),  # covered_now
            (0.0, 0.0, 0.0, 0.0),  # covered_next
            (0.0, 0.0, 0.0, 0.0),  # covered_later
            (0.0, 0.0, 0.0, 0.0),  # covered_far
            (0.0, 0.0, 0.0, 0.0),  # ruin
            (0.0, 0.0, 0.0, 0.0),  # broke
            (0.0, 0.0, 0.0, 0.0),  # wait
        ),
        temperature=(1.5, 10.0, -3.0),
    ),
    ("standard", 3): Fit(
        weights=(
            (1.0, 0.0, 0.0, 0.0),  # dirhams
            (1.0, 0.0, 0.0, 0.0),  # visible
            (0.0, 0.2, 0.0, 0.0),  # toll_area
            (0.0, 0.0, 0.0, 0.0),  # groups
            (0.0, 0.0, 0.0, 0.0),  # rim
            (0.0, 0.0, 0.0, 0.0),  # whole_rugs
            (1.0, 0.0, 0.0, 0.0),  # payments_now
            (0.0, 0.0, 0.0, 0.0),  # payments_next
            (0.0, 0.0, 0.0, 0.0),  # payments_later
            (0.0, 0.0, 0.0, 0.0),  # payments_far
            (0.0, 0.0, 0.0, 0.0),  # covered_now
            (0.0, 0.0, 0.0, 0.0),  # covered_next
            (0.0, 0.0, 0.0, 0.0),  # covered_later
            (0.0, 0.0, 0.0, 0.0),  # covered_far
            (0.0, 0.0, 0.0, 0.0),  # ruin
            (0.0, 0.0, 0.0, 0.0),  # broke
            (0.0, 0.0, 0.0, 0.0),  # wait
        ),
        temperature=(1.5, 10.0, -3.0),
    ),
    ("standard", 4): Fit(
        weights=(
            (1.0, 0.0, 0.0, 0.0),  # dirhams
            (1.0, 0.0, 0.0, 0.0),  # visible
            (0.0, 0.2, 0.0, 0.0),  # toll_area
            (0.0, 0.0, 0.0, 0.0),  # groups
            (0.0, 0.0, 0.0, 0.0),  # rim
            (0.0, 0.0, 0.0, 0.0),  # whole_rugs
            (1.0, 0.0, 0.0, 0.0),  # payments_now
            (0.0, 0.0, 0.0, 0.0),  # payments_next
            (0.0, 0.0, 0.0, 0.0),  # payments_later
            (0.0, 0.0, 0.0, 0.0),  # payments_far
            (0.0, 0.0, 0.0, 0.0),  # covered_now
            (0.0, 0.0, 0.0, 0.0),  # covered_next
            (0.0, 0.0, 0.0, 0.0),  # covered_later
            (0.0, 0.0, 0.0, 0.0),  # covered_far
            (0.0, 0.0, 0.0, 0.0),  # ruin
            (0.0, 0.0, 0.0, 0.0),  # broke
            (0.0, 0.0, 0.0, 0.0),  # wait
        ),
        temperature=(1.5, 10.0, -3.0),
    ),
}
