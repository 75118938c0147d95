"""Fits the evaluation of Marrakech in games of bots against each other: `python -m tools.fit_marrakech`.

It writes `service/engine/marrakech/weights.py`; the same seed gives the same weights. `--strength` and `--calibration`
measure instead, and print tables.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import log, sqrt
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypeAlias

import typer

from service.engine.dice import Chance, Dice
from service.engine.marrakech import rules
from service.engine.marrakech.actions import Action
from service.engine.marrakech.bots import BOTS
from service.engine.marrakech.codecs import ActionCodec
from service.engine.marrakech.evaluation import (
    FEATURES,
    Chances,
    estimate_chances,
    measure_features,
    predict,
    rugs_share,
    soften,
    temperature,
)
from service.engine.marrakech.evolve import evolve
from service.engine.marrakech.expectimax import best_option, look_ahead, value_options
from service.engine.marrakech.position import Position, position_of
from service.engine.marrakech.state import PILE_KINDS, SEATS, VARIANTS, Options, Result, State, Variant, set_up
from service.engine.marrakech.view import view
from service.engine.marrakech.weights import FITS, Fit, Fits

MODULE: Final = Path(__file__).parents[1] / "service" / "engine" / "marrakech" / "weights.py"
_POWERS: Final = 4
"""A weight is a cubic polynomial in the share of rugs left."""
_ROUGH_TEMPERATURE: Final = (2.0, 20.0, -8.0)
"""What players use until the temperature is fitted."""
_ERRORS: Final = 0.1
"""How often a player takes any action, for variety."""

Weights: TypeAlias = tuple[tuple[float, ...], ...]
Calibration: TypeAlias = list[tuple[int, float, float]]
"""For each decile the number of cases, the sum of the predicted chances, and the wins."""
Play: TypeAlias = Callable[[State, random.Random], Action]
_read_action = ActionCodec().read


class Sample(NamedTuple):
    """A position at the beginning of a turn, and how its game ended."""

    position: Position
    totals: tuple[int, ...]
    shares: Chances
    skills: tuple[float, ...]
    """How strong the player of each seat is, so that its skill isn't mistaken for the value of what it has."""


# Games


def bot(level: str) -> Play:
    """Make a player of a bot."""

    def play(state: State, rng: random.Random) -> Action:
        return _read_action(BOTS[level](view(state, state.mover), Chance(rng.randbytes(8), "move")))

    return play


def fitted(fits: Fits) -> Play:
    """Make a player that looks one turn ahead with these weights."""
    evaluate = partial(estimate_chances, fits=fits)

    def play(state: State, rng: random.Random) -> Action:
        return best_option(value_options(position_of(state), state.phase, evaluate), state.mover).action

    return play


def erring(player: Play, rate: float) -> Play:
    """Make a player take any action now and then, so that its games are more varied."""

    def play(state: State, rng: random.Random) -> Action:
        if rng.random() < rate:
            return rng.choice(rules.legal_actions(state, state.mover))
        return player(state, rng)

    return play


def play_game(players: Sequence[Play], options: Options, rng: random.Random) -> tuple[list[Position], Result]:
    """Play one game; returns the positions at the beginning of the turns, and the result."""
    seats = len(players)
    dice = Dice("fit", rng.randbytes(32))
    state = set_up(options, seats)
    positions = []
    events = rules.new_game(options, seats, dice)
    while True:
        for event in events:
            state = evolve(state, event)
            if event.type in ("started", "laid", "turned", "eliminated") and state.phase == "direction":
                positions.append(position_of(state))
        if state.result:
            return [position for position in positions if not position.over], state.result
        events = rules.decide(state, state.mover, players[state.mover](state, rng), dice)


class Player(NamedTuple):
    """Somebody who plays in the games for the fit."""

    play: Play
    skill: float


def samples_of(games: int, players: Sequence[Player], options: Options, rng: random.Random) -> Iterator[Sample]:
    """Play games; the players change seats from game to game."""
    for number in range(games):
        seated = [players[(seat + number) % len(players)] for seat in range(len(players))]
        positions, result = play_game([player.play for player in seated], options, rng)
        winners = result.winners
        shares = tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(len(players)))
        totals = tuple(0 if score.out else score.total for score in result.scores)
        for position in positions:
            yield Sample(position, totals, shares, tuple(player.skill for player in seated))


# Fitting


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


def fit_temperature(samples: Sequence[Sample], weights: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    """Find the temperature, quadratic in the share of rugs left, that makes the actual results most likely."""
    predicted = [
        (share, predict(sample.position, weights, share), sample.shares)
        for sample in samples
        for share in [rugs_share(sample.position)]
    ]

    def loss(curve: tuple[float, ...]) -> float:
        total = 0.0
        for share, predictions, shares in predicted:
            chances = soften(predictions, temperature(Fit((), curve), share))
            total -= sum(part * log(max(chance, 1e-9)) for part, chance in zip(shares, chances, strict=True) if part)
        return total / len(predicted)

    return _descend(loss, _ROUGH_TEMPERATURE, 2.0)


def _descend(loss: Callable[[tuple[float, ...]], float], start: tuple[float, ...], stride: float) -> tuple[float, ...]:
    """Minimise a function of a few numbers by trying steps along each."""
    best, lowest = start, loss(start)
    while stride > 0.1:
        improved = False
        for place in range(len(start)):
            for step in (stride, -stride):
                tried = (*best[:place], best[place] + step, *best[place + 1 :])
                value = loss(tried)
                if value < lowest:
                    best, lowest, improved = tried, value, True
                    break
        if not improved:
            stride /= 2
    return best


def fit_game(variant: Variant, seats: int, games: int, seed: int) -> Fit:
    """Fit the evaluation of one kind of game.

    The first games are played by `medium` alone. A third as many follow, in which one player looks ahead with the
    weights found so far. Weights from games of strong players alone lose to other players.
    """
    rng = random.Random(f"{variant} {seats} {seed}")
    greedy = Player(erring(bot("medium"), _ERRORS), 0.0)
    samples = play_tables(games, [greedy] * seats, variant, rng)
    first: Fits = {(variant, seats): Fit(fit_weights(samples), _ROUGH_TEMPERATURE)}
    strong = Player(erring(fitted(first), _ERRORS), 1.0)
    samples += play_tables(games // 3, [strong] + [greedy] * (seats - 1), variant, rng)
    weights = fit_weights(samples)
    return rounded(
        Fit(weights, fit_temperature(_temperature_samples(weights, variant, seats, games // 3, rng), weights))
    )


def _temperature_samples(
    weights: Weights, variant: Variant, seats: int, games: int, rng: random.Random
) -> list[Sample]:
    """Play games of strong players and of mixed ones, on which the chances should be right on average."""
    strong = Player(fitted({(variant, seats): Fit(weights, _ROUGH_TEMPERATURE)}), 1.0)
    mixed = [strong, Player(bot("medium"), 0.0), strong, Player(bot("medium"), 0.0)][:seats]
    samples = play_tables(games // 2, [strong] * seats, variant, rng) + play_tables(games // 2, mixed, variant, rng)
    return samples[::3]


def play_tables(games: int, players: Sequence[Player], variant: Variant, rng: random.Random) -> list[Sample]:
    """Play games with both kinds of pile, if there are two players."""
    piles = PILE_KINDS if len(players) == 2 else PILE_KINDS[:1]
    return [
        sample for pile in piles for sample in samples_of(games // len(piles), players, Options(variant, pile), rng)
    ]


# Measuring


def measure_strength(
    level: str, others: str, options: Options, seats: int, games: int, seed: int
) -> tuple[float, float]:
    """The share of games that a bot wins against others, and half the width of its 95 % interval."""
    rng = random.Random(f"strength {seed}")
    players = [bot(level)] + [bot(others)] * (seats - 1)
    won = 0.0
    for number in range(games):
        turned = players[-(number % seats) :] + players[: -(number % seats)] if number % seats else players
        winners = play_game(turned, options, rng)[1].winners
        won += (number % seats in winners) / len(winners)
    share = won / games
    return share, 1.96 * sqrt(share * (1 - share) / games)


def measure_calibration(seats: int, levels: Sequence[str], variant: Variant, games: int, seed: int) -> Calibration:
    """Compare predicted chances with wins, by decile, from half-time on."""
    rng = random.Random(f"calibration {seed}")
    players = [Player(bot(level), 0.0) for level in levels]
    table: Calibration = [(0, 0.0, 0.0)] * 10
    for sample in play_tables(games, players, variant, rng):
        if rugs_share(sample.position) <= 0.5:
            for chance, share in zip(look_ahead(sample.position), sample.shares, strict=True):
                decile = min(9, int(chance * 10))
                cases, predicted, won = table[decile]
                table[decile] = cases + 1, predicted + chance, won + share
    return table


# The data module


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
        "    temperature: tuple[float, ...]",
        '    """The coefficients of another such polynomial."""',
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
        lines += ["        ),", f"        temperature=({', '.join(map(repr, fit.temperature))}),", "    ),"]
    return "\n".join([*lines, "}", ""])


def rounded(fit: Fit) -> Fit:
    """Round the numbers to five digits, as they are written."""
    return Fit(
        tuple(tuple(float(f"{number:.5g}") for number in numbers) for numbers in fit.weights),
        tuple(float(f"{number:.5g}") for number in fit.temperature),
    )


app = typer.Typer()


@app.command()
def main(
    variant: Annotated[str | None, typer.Option(help="Only this variant.")] = None,
    players: Annotated[int | None, typer.Option(help="Only this number of players.")] = None,
    games: Annotated[int, typer.Option(help="How many games to play for each.")] = 900,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 1,
    strength: Annotated[bool, typer.Option("--strength", help="Measure strong against greedy instead.")] = False,
    calibration: Annotated[bool, typer.Option("--calibration", help="Compare chances with wins instead.")] = False,
) -> None:
    """Fit the evaluation and write its weights, or measure."""
    kinds = [(each, seats) for each in VARIANTS for seats in SEATS]
    kinds = [(each, seats) for each, seats in kinds if variant in (None, each) and players in (None, seats)]
    if strength:
        print_strength(kinds, games, seed)
    elif calibration:
        print_calibration(kinds, games, seed)
    else:
        fits = dict(FITS)
        for each, seats in kinds:
            fits[each, seats] = fit_game(each, seats, games, seed)
            MODULE.write_text(write_weights(fits))


def print_strength(kinds: Sequence[tuple[Variant, int]], games: int, seed: int) -> None:
    """Print how often `strong` wins, as Markdown."""
    typer.echo("| players | turn order | piles | wins of `strong` |\n| --- | --- | --- | --- |")
    for variant, seats in kinds:
        for pile in PILE_KINDS if seats == 2 else PILE_KINDS[:1]:
            share, margin = measure_strength("strong", "medium", Options(variant, pile), seats, games, seed)
            typer.echo(f"| {seats} | {variant} | {pile} | {100 * share:.1f} ± {100 * margin:.1f} % |")


def print_calibration(kinds: Sequence[tuple[Variant, int]], games: int, seed: int) -> None:
    """Print predicted chances and wins, as Markdown."""
    typer.echo(f"| players | turn order | bots | {' | '.join(f'{low} to {low + 10} %' for low in range(0, 100, 10))} |")
    typer.echo("| --- " * 13 + "|")
    for variant, seats in kinds:
        for levels in (["strong"] * seats, ["strong", "medium", "strong", "medium"][:seats]):
            table = measure_calibration(seats, levels, variant, games // 2, seed)
            cells = [
                f"{100 * predicted / cases:.0f} → {100 * won / cases:.0f}" if cases >= 30 else ""
                for cases, predicted, won in table
            ]
            bots = "strong" if levels == ["strong"] * seats else "mixed"
            typer.echo(f"| {seats} | {variant} | {bots} | {' | '.join(cells)} |")


if __name__ == "__main__":
    app()
