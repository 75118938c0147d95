"""Fits the evaluation of Marrakech in games of bots against each other: `python -m tools.fit_marrakech`.

It writes `service/engine/marrakech/weights.py`; the same seed gives the same weights. `tools.rate_marrakech` shows how
well bots play with them.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import log, sqrt
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from service.engine.marrakech.evaluation import (
    FEATURES,
    measure_features,
    predict,
    rugs_share,
    soften,
    temperature,
)
from service.engine.marrakech.expectimax import value_options_further
from service.engine.marrakech.state import SEATS, VARIANTS, Variant
from service.engine.marrakech.weights import FITS, Fit, Fits
from tools.marrakech_games import Player, Sample, bot, erring, fitted, play_tables

MODULE: Final = Path(__file__).parents[1] / "service" / "engine" / "marrakech" / "weights.py"
_POWERS: Final = 4
"""A weight is a cubic polynomial in the share of rugs left."""
_ROUGH_TEMPERATURES: Final = (2.0, 4.0, 6.5, 10.0, 14.0)
"""What players use until the temperatures are fitted."""
_COLDEST, _HOTTEST = 0.5, 100.0
_LEAST_STEP: Final = 1.02
_ERRORS: Final = 0.1
"""How often a player takes any action, for variety."""

Weights: TypeAlias = tuple[tuple[float, ...], ...]


def fit_weights(samples: Sequence[Sample]) -> Weights:
    """Find the weights that predict the differences between the final totals best (weighted least squares)."""
    columns = len(FEATURES) + 1
    size = columns * _POWERS
    gram = [[0.0] * size for _ in range(size)]
    moments = [0.0] * size
    sums: dict[float, tuple[list[list[float]], list[float]]] = {}
    for sample in samples:
        share = round(rugs_share(sample.position), 6)
        if share not in sums:
            sums[share] = [[0.0] * columns for _ in range(columns)], [0.0] * columns
        _add_sample(sample, *sums[share])
    for share, (products, targets) in sums.items():
        # The further away the end is, the less a final total says.
        trust = 1 / (0.05 + share)
        powers = [share**power for power in range(_POWERS)]
        for row in range(size):
            feature, power = divmod(row, _POWERS)
            moments[row] += trust * powers[power] * targets[feature]
            for column in range(size):
                other, raised = divmod(column, _POWERS)
                gram[row][column] += trust * powers[power] * powers[raised] * products[feature][other]
    for row in range(size):
        gram[row][row] = gram[row][row] * (1 + 1e-6) + 1e-3
    flat = solve(gram, moments)
    return tuple(tuple(flat[start : start + _POWERS]) for start in range(0, size - _POWERS, _POWERS))


def _add_sample(sample: Sample, products: list[list[float]], targets: list[float]) -> None:
    """Add up products of the features, and of features and totals; all as differences from the mean of the seats."""
    rows = [
        ([*values, skill], total)
        for values, skill, total in zip(measure_features(sample.position), sample.skills, sample.totals, strict=True)
        if values
    ]
    means = [sum(column) / len(rows) for column in zip(*(values for values, _ in rows), strict=True)]
    mean = sum(total for _, total in rows) / len(rows)
    for values, total in rows:
        offsets = [value - middle for value, middle in zip(values, means, strict=True)]
        target = total - mean
        for row, offset in enumerate(offsets):
            if offset:
                targets[row] += offset * target
                products[row] = [known + offset * other for known, other in zip(products[row], offsets, strict=True)]


def solve(matrix: list[list[float]], vector: list[float]) -> list[float]:
    """Solve a system of linear equations by Gaussian elimination."""
    rows = [[*row, value] for row, value in zip(matrix, vector, strict=True)]
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(column + 1, size):
            factor = rows[row][column] / rows[column][column]
            if factor:
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    found = [0.0] * size
    for row in reversed(range(size)):
        known = sum(rows[row][column] * found[column] for column in range(row + 1, size))
        found[row] = (rows[row][size] - known) / rows[row][row]
    return found


def fit_temperatures(samples: Sequence[Sample], weights: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    """Find the temperatures that make the actual results most likely."""
    predicted = [
        (share, predict(sample.position, weights, share), sample.shares)
        for sample in samples
        for share in [rugs_share(sample.position)]
    ]

    def loss(temperatures: tuple[float, ...]) -> float:
        total = 0.0
        for share, predictions, shares in predicted:
            chances = soften(predictions, temperature(Fit((), temperatures), share))
            total -= sum(part * log(max(chance, 1e-9)) for part, chance in zip(shares, chances, strict=True) if part)
        return total / len(predicted)

    return _descend(loss, _ROUGH_TEMPERATURES)


def _descend(loss: Callable[[tuple[float, ...]], float], start: tuple[float, ...]) -> tuple[float, ...]:
    """Minimise a function of a few temperatures by making each of them higher or lower."""
    best, lowest, step = start, loss(start), 2.0
    while step > _LEAST_STEP:
        improved = False
        for place in range(len(start)):
            for factor in (step, 1 / step):
                tried = (*best[:place], best[place] * factor, *best[place + 1 :])
                value = loss(tried)
                if value < lowest and _COLDEST <= tried[place] <= _HOTTEST:
                    best, lowest, improved = tried, value, True
                    break
        if not improved:
            step = sqrt(step)
    return best


def fit_kind(kind: tuple[Variant, int], games: int, seed: int) -> Fit:
    """Fit the evaluation of games of one variant and number of players.

    The first games are played by `medium` alone. A third as many follow, in which one player looks ahead with the
    weights found so far. Weights from games of strong players alone lose to other players. But the temperatures
    come from games of strong players, so that the chances are right at their tables.
    """
    variant, seats = kind
    rng = random.Random(f"{variant} {seats} {seed}")
    medium = Player(erring(bot("medium"), _ERRORS), 0.0)
    samples = play_tables(games, [medium] * seats, variant, rng)
    first: Fits = {kind: Fit(fit_weights(samples), _ROUGH_TEMPERATURES)}
    strong = Player(erring(fitted(first), _ERRORS), 1.0)
    samples += play_tables(games // 3, [strong] + [medium] * (seats - 1), variant, rng)
    weights = fit_weights(samples)
    # A lead means less among strong players than at mixed tables, where the leader usually plays better, too.
    strong = Player(fitted({kind: Fit(weights, _ROUGH_TEMPERATURES)}, value_options_further), 0.0)
    samples = play_tables(games // 2, [strong] * seats, variant, rng)[::3]
    return rounded(Fit(weights, fit_temperatures(samples, weights)))


def write_weights(fits: Mapping[tuple[str, int], Fit]) -> str:
    """Write the data module."""
    lines = [
        '"""The weights of the evaluation, written by `python -m tools.fit_marrakech`. Don\'t edit them by hand."""',
        "",
        "from collections.abc import Mapping",
        "from typing import Final, NamedTuple, TypeAlias",
        "",
        "",
        "class Fit(NamedTuple):",
        '    """The numbers of one kind of game."""',
        "",
        "    weights: tuple[tuple[float, ...], ...]",
        '    """For each feature the coefficients of a polynomial in the share of rugs left, the constant first."""',
        "    temperatures: tuple[float, ...]",
        '    """For each of `TEMPERATURE_SHARES`, how uncertain the predictions are."""',
        "",
        "",
        "Fits: TypeAlias = Mapping[tuple[str, int], Fit]",
        '"""By variant and number of seats."""',
        "",
        "FITS: Final[Fits] = {",
    ]
    for (variant, seats), fit in sorted(fits.items()):
        lines += [f'    ("{variant}", {seats}): Fit(', "        weights=("]
        for name, numbers in zip(FEATURES, fit.weights, strict=True):
            lines.append(f"            ({', '.join(map(repr, numbers))}),  # {name}")
        lines += ["        ),", f"        temperatures=({', '.join(map(repr, fit.temperatures))}),", "    ),"]
    return "\n".join([*lines, "}", ""])


def rounded(fit: Fit) -> Fit:
    """Round the numbers to five digits, as they are written."""
    return Fit(
        tuple(tuple(float(f"{number:.5g}") for number in numbers) for numbers in fit.weights),
        tuple(float(f"{number:.5g}") for number in fit.temperatures),
    )


def main(
    variant: Annotated[str | None, typer.Option(help="Only this variant.")] = None,
    players: Annotated[int | None, typer.Option(help="Only this number of players.")] = None,
    games: Annotated[int, typer.Option(help="How many games to play for each.")] = 900,
    seed: Annotated[int, typer.Option(help="The same seed gives the same weights.")] = 1,
) -> None:
    """Fit the evaluation and write its weights."""
    kinds = [
        (each, seats) for each in VARIANTS for seats in SEATS if variant in (None, each) and players in (None, seats)
    ]
    with ProcessPoolExecutor() as pool:
        found = pool.map(partial(fit_kind, games=games, seed=seed), kinds)
        MODULE.write_text(write_weights({**FITS, **dict(zip(kinds, found, strict=True))}))


if __name__ == "__main__":
    typer.run(main)
