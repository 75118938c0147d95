"""How fast the rules of Marrakech are, how large a state is, and how long `greedy` thinks."""

import sys
from random import Random
from time import perf_counter
from typing import Any

from bench.table import Row
from service.engine.dice import Chance, Dice
from service.engine.marrakech.game import MARRAKECH
from service.engine.marrakech.state import State
from service.engine.match import new_heading, start_match
from service.engine.records import RecordPlayer

GAMES = 500
ROUNDS = 5


def engine_rows(loops: float) -> list[Row]:
    """The rows of the engine; `loops` is the calibration of this run."""
    rows = []
    for seats, variant in ((4, "standard"), (4, "rotate-after"), (3, "standard"), (2, "standard")):
        speed = max(_speed(seats, variant, Random(turn)) for turn in range(ROUNDS))
        asked = seats == 4
        rows.append(
            Row(
                f"engine: random games, {seats} players, {variant}",
                f"{speed:,.0f} games/s ({loops / speed:,.0f} calibration steps a game)",
                "1,000 games/s" if asked else "",
                speed >= 1_000 if asked else None,
            )
        )
    size = max(memory(state) for seats in (2, 3, 4) for state in _states(seats))
    rows.append(Row("engine: memory of one state, the largest", f"{size:,} bytes", "below 4,096", size < 4_096))
    times = _thinking()
    worst, middle = times[int(len(times) * 0.999)], times[len(times) // 2]
    rows.append(
        Row(
            "engine: greedy decides (median, 999 of 1,000)",
            f"{middle * 1e3:.2f} ms, {worst * 1e3:.2f} ms",
            "below 5 ms",
            worst < 0.005,
        )
    )
    return rows


def _speed(seats: int, variant: str, random: Random) -> float:
    """Whole games a second of random play through `decide` and `evolve`, every event made and folded."""
    start = perf_counter()
    for number in range(GAMES):
        _play(f"game-{number}", seats, variant, random)
    return GAMES / (perf_counter() - start)


def _play(id_: str, seats: int, variant: str, random: Random) -> State:
    rules, chance = MARRAKECH, random.random
    legal_actions, decide, evolve = rules.legal_actions, rules.decide, rules.evolve
    options = rules.read_options({"variant": variant}, seats)
    dice = Dice(id_, random.randbytes(32))
    state = rules.set_up(options, seats)
    for event in rules.new_game(options, seats, dice):
        state = evolve(state, event)
    while state.result is None:
        legal = legal_actions(state, state.mover)
        for event in decide(state, state.mover, legal[int(chance() * len(legal))], dice):
            state = evolve(state, event)
    return state


def _states(seats: int) -> list[State]:
    """The states of one game, one after each action."""
    chance = Chance(b"", "states")
    heading = new_heading(MARRAKECH, "states", "", {}, [RecordPlayer("")] * seats, bytes(32))
    table = start_match(heading, "2026-11-16T09:30:00Z")
    states = [table.state]
    while table.state.result is None:
        table = table.act(table.state.mover, chance.pick(table.view(table.state.mover)["legal"]), "", "")
        states.append(table.state)
    return states


def memory(value: Any) -> int:
    """The bytes of everything that hangs on a value, each object counted once."""
    seen: dict[int, int] = {}
    waiting = [value]
    while waiting:
        thing = waiting.pop()
        if id(thing) not in seen:
            seen[id(thing)] = sys.getsizeof(thing)
            waiting.extend(thing if isinstance(thing, tuple) else ())
    return sum(seen.values())


def _thinking() -> list[float]:
    """How long greedy takes for each decision of a few games, view and all, shortest first."""
    times = []
    greedy, chance = MARRAKECH.bots["greedy"], Chance(b"", "thinking")
    for seats in (2, 3, 4):
        for state in _states(seats):
            if state.result is None:
                start = perf_counter()
                greedy(MARRAKECH.view(state, state.mover), chance)
                times.append(perf_counter() - start)
    return sorted(times)
