"""Whole games between the game's own players, through the real engine."""

import hashlib
from collections.abc import Iterator, Sequence

from service.engine.dice import Chance
from service.engine.json_reader import list_of, one_of
from service.engine.match import new_heading, start_match
from service.engine.records import Record, RecordPlayer, read_id
from service.engine.registry import AnyRules

MOST_STEPS = 1000
"""No game comes near this; a mistake in the rules must not make a simulation run for ever."""


def simulated_games(
    rules: AnyRules, games: int, players: int, options: object, bots: Sequence[str], seed: str
) -> Iterator[Record]:
    """So many finished games; the same arguments always give the same games.

    The bots go round the seats, and from one game to the next everybody moves one seat on.
    """
    check_bots = list_of(one_of(tuple(rules.bots)), 1, rules.seats.stop - 1)
    bots = check_bots(list(bots), "bots")
    rules.read_options(options, players)
    read_id(f"sim-{seed}-{games}", "The game's id, made from the seed,")
    for number in range(games):
        sitters = [bots[(seat + number) % len(bots)] for seat in range(players)]
        yield _play(rules, f"sim-{seed}-{number}", options, sitters)


def _play(rules: AnyRules, id_: str, options: object, bots: Sequence[str]) -> Record:
    seed = hashlib.sha256(f"seed of {id_}".encode()).digest()
    chance = Chance(hashlib.sha256(f"bots of {id_}".encode()).digest(), "move")
    sitters = [RecordPlayer(f"{bot} {seat}", bot) for seat, bot in enumerate(bots)]
    table = start_match(new_heading(rules, id_, "Simulated game", options, sitters, seed), _time(0))
    for step in range(1, MOST_STEPS):
        waiting = rules.to_act(table.state)
        if not waiting:
            return table.record()
        seat = min(waiting)
        action = rules.bots[bots[seat]](table.view(seat), chance)
        table = table.act(seat, action, f"{chance.below(256):02x}{chance.below(256):02x}", _time(step))
    raise RuntimeError(f"Game {id_} did not end within {MOST_STEPS} steps.")


def _time(step: int) -> str:
    """A made-up clock, one second a step, so that the same seed gives the same record."""
    return f"2000-01-01T00:{step // 60:02}:{step % 60:02}Z"
