"""Rates the strong bot of Marrakech and its winning chances: `python -m tools.rate_marrakech strength` or `chances`.

It prints tables for docs/analysis.md. Choose another seed than the one of the fit.
"""

import random
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from typing import Annotated, Final, NamedTuple, TypeAlias

import typer

from service.engine.marrakech.actions import Action
from service.engine.marrakech.evaluation import rugs_share
from service.engine.marrakech.expectimax import look_ahead
from service.engine.marrakech.state import PILE_KINDS, SEATS, VARIANTS, Options, State
from tools.marrakech_games import Play, Player, bot, play_game, play_tables

_FEWEST_CASES: Final = 30
"""A decile with fewer cases says nothing."""

_HALF: Final = 0.5
"""The share of rugs left at half-time."""

app = typer.Typer(help="Rate the strong bot of Marrakech and its winning chances.")
Games: TypeAlias = Annotated[int, typer.Option(min=10, help="How many games to play for each row.")]
Seed: TypeAlias = Annotated[int, typer.Option(help="The same seed gives the same tables, apart from times.")]
Kind: TypeAlias = tuple[Options, int]
"""The options, and the number of players."""


def list_kinds() -> list[Kind]:
    """List all kinds of games; the kind of pile matters with two players only."""
    return [
        (Options(variant, pile), seats)
        for seats in SEATS
        for variant in VARIANTS
        for pile in (PILE_KINDS if seats == 2 else PILE_KINDS[:1])
    ]


# Strength


class Strength(NamedTuple):
    """How well a bot plays against others."""

    wins: float
    """The share of the games that it wins; a shared win counts in part."""
    margin: float
    """Half the width of the 95% interval."""
    slowest: float
    """The 99th percentile of the processor time of its decisions, in seconds."""


def measure_strength(kind: Kind, level: str, others: str, games: int, seed: int) -> Strength:
    """Let a bot play against bots of another level; it changes seats from game to game."""
    options, seats = kind
    rng = random.Random(f"strength {seed}")
    times: list[float] = []
    opponents = [bot(others)] * (seats - 1)
    won = 0.0
    for number in range(games):
        place = number % seats
        players = [*opponents[:place], _timed(bot(level), times), *opponents[place:]]
        winners = play_game(players, options, rng)[1].winners
        won += (place in winners) / len(winners)
    share = won / games
    return Strength(share, 1.96 * sqrt(share * (1 - share) / games), sorted(times)[len(times) * 99 // 100])


def _timed(player: Play, times: list[float]) -> Play:
    def play(state: State, rng: random.Random) -> Action:
        began = time.process_time()
        action = player(state, rng)
        times.append(time.process_time() - began)
        return action

    return play


@app.command("strength")
def print_strength(games: Games = 1000, seed: Seed = 2) -> None:
    """Print how often bots win. The last two columns come from a tenth of the games."""
    typer.echo(
        "| players | turn order | piles | `strong` against `medium` | p99 of a decision | `strong` against `easy` "
        "| `medium` against `strong` |"
    )
    typer.echo("| --- " * 7 + "|")
    rows = [("strong", "medium", games), ("strong", "easy", games // 10), ("medium", "strong", games // 10)]
    with ProcessPoolExecutor() as pool:
        tables = [
            pool.map(partial(measure_strength, level=level, others=others, games=number, seed=seed), list_kinds())
            for level, others, number in rows
        ]
        for (options, seats), strong, easy, medium in zip(list_kinds(), *tables, strict=True):
            typer.echo(
                f"| {seats} | {options.variant} | {options.pile if seats == 2 else ''} | {_percent(strong)} "
                f"| {1000 * strong.slowest:.0f} ms | {_percent(easy)} | {_percent(medium)} |"
            )


def _percent(strength: Strength) -> str:
    return f"{100 * strength.wins:.1f} ± {100 * strength.margin:.1f}%"


# Calibration


class Decile(NamedTuple):
    """The cases in which a player's predicted chance was in one tenth of the scale."""

    cases: int = 0
    predicted: float = 0.0
    """The sum of the predicted chances."""
    won: float = 0.0
    """How many were won; a shared win counts in part."""


def measure_calibration(kind: Kind, levels: Sequence[str], games: int, seed: int) -> list[Decile]:
    """Compare predicted chances with wins, by decile, from half-time on."""
    options, seats = kind
    rng = random.Random(f"calibration {seed}")
    players = [Player(bot(levels[seat % len(levels)]), 0.0) for seat in range(seats)]
    deciles = [Decile()] * 10
    # Neighbouring positions say much the same. Every fifth has each seat at move equally often.
    for sample in play_tables(games, players, options.variant, rng)[::5]:
        if rugs_share(sample.position) <= _HALF:
            for chance, share in zip(look_ahead(sample.position), sample.shares, strict=True):
                known = deciles[min(9, int(chance * 10))]
                deciles[min(9, int(chance * 10))] = Decile(known.cases + 1, known.predicted + chance, known.won + share)
    return deciles


@app.command("chances")
def print_calibration(
    games: Games = 1000,
    seed: Seed = 2,
    bots: Annotated[
        list[str] | None, typer.Option("--bot", help="The level of a bot; repeat it for mixed ones.")
    ] = None,
) -> None:
    """Print predicted chances and wins from half-time on."""
    typer.echo(f"| players | turn order | {' | '.join(f'{low} to {low + 10}%' for low in range(0, 100, 10))} |")
    typer.echo("| --- " * 12 + "|")
    # `play_tables` plays half of the games for two with each kind of pile.
    kinds = [(options, seats) for options, seats in list_kinds() if options.pile == PILE_KINDS[0]]
    with ProcessPoolExecutor() as pool:
        measure = partial(measure_calibration, levels=bots or ["strong"], games=games, seed=seed)
        for (options, seats), deciles in zip(kinds, pool.map(measure, kinds), strict=True):
            cells = [
                f"{100 * predicted / cases:.0f} → {100 * won / cases:.0f}" if cases >= _FEWEST_CASES else ""
                for cases, predicted, won in deciles
            ]
            typer.echo(f"| {seats} | {options.variant} | {' | '.join(cells)} |")


if __name__ == "__main__":
    app()
