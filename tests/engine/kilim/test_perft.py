"""How many lines of one, two and three actions a position has: the rules as numbers, counted twice.

Any seat may act, so a line names the seat of each action. The engine and the judge must both arrive at the numbers.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import pytest

from service.engine.kilim.evolve import evolve
from service.engine.kilim.rules import decide, legal_actions
from service.engine.kilim.state import State
from tests.engine.kilim.judge import Judge
from tests.engine.kilim.tables import DICE
from tests.engine.kilim.walks import Walk


class Position(NamedTuple):
    """The first position of a random game that has these properties."""

    weaving: str
    seats: int
    seed: int
    found: Callable[[State], bool]


def holds(token: str, phase: str) -> Callable[[State], bool]:
    """A position with a token that can be used."""

    def found(state: State) -> bool:
        held = [own for own in state.seats if own.token and not own.token.used and own.token.token == token]
        return state.phase == phase and any(len(own.carpet.reworks(token)) > 1 for own in held)  # type: ignore[arg-type]

    return found


POSITIONS: Final = {
    "start, two players": Position("relaxed", 2, 1, lambda state: state.round == 1),
    "start, five players": Position("strict", 5, 1, lambda state: state.round == 1),
    "spies": Position("strict", 4, 2, lambda state: state.phase == "spy"),
    "paying": Position("relaxed", 3, 3, lambda state: state.phase == "pay"),
    "weaving what was won": Position("strict", 3, 4, lambda state: state.phase == "weave"),
    "a debt in the phase choose": Position(
        "relaxed", 3, 5, lambda state: state.phase == "choose" and any(own.owes for own in state.seats)
    ),
    "keeping a scrap": Position("strict", 3, 6, lambda state: any(own.owes_keep for own in state.seats)),
    "taking a token": Position("relaxed", 3, 7, lambda state: any(own.owes_take for own in state.seats)),
    "a scrap in hand": Position("strict", 2, 8, lambda state: any(own.scraps for own in state.seats)),
    "a token to turn": Position("strict", 2, 21, holds("turn", "choose")),
    "a token to move": Position("relaxed", 2, 21, holds("move", "choose")),
    "a token to remove, in the evening": Position("strict", 2, 58, holds("remove", "evening")),
    "the last evening": Position("relaxed", 3, 31, lambda state: state.phase == "evening"),
}

COUNTS: Final = """
    start, two players                |  26  338 6044
    start, five players               |  90 6480
    spies                             |   7  216 5832
    paying                            |  12  252 2880
    weaving what was won              |   4  201 6764
    a debt in the phase choose        |  18  169
    keeping a scrap                   |   5  180 4810
    taking a token                    |  26  491
    a scrap in hand                   |  65 1512
    a token to turn                   |  27  428
    a token to move                   | 126 6510
    a token to remove, in the evening |  77 2167
    the last evening                  |  53  295
"""
"""The lines of 1, 2 and sometimes 3 actions."""


def table() -> list[tuple[str, int, int]]:
    rows = [line.split("|") for line in COUNTS.strip().splitlines()]
    return [(row[0].strip(), depth, int(count)) for row in rows for depth, count in enumerate(row[1].split(), start=1)]


def reach(name: str) -> tuple[State, Judge]:
    weaving, seats, seed, found = POSITIONS[name]
    walk = next(walk for walk in Walk(weaving, seats, seed).steps() if found(walk.state))
    return walk.state, walk.judge


def count_lines(state: State, depth: int) -> int:
    """The engine's number of lines."""
    steps = [(seat, action) for seat in state.active_seats() for action in legal_actions(state, seat)]
    if depth == 1:
        return len(steps)
    return sum(count_lines(after(state, *step), depth - 1) for step in steps)


def after(state: State, seat: int, action: object) -> State:
    for event in decide(state, seat, action, DICE):  # type: ignore[arg-type]
        state = evolve(state, event)
    return state


def judge_lines(judge: Judge, depth: int) -> int:
    """The judge's number of lines."""
    if judge.phase == "over":
        return 0
    steps = [(seat, action) for seat in judge.active for action in judge.required(seat) + judge.possible(seat)]
    if depth == 1:
        return len(steps)
    total = 0
    for seat, action in steps:
        later = judge.copy()
        later.follow(later.event_of(seat, action))
        while (event := later.by_itself()) is not None:
            later.follow(event)
        total += judge_lines(later, depth - 1)
    return total


@pytest.mark.parametrize(("name", "depth", "count"), table())
def test_the_engine_and_the_judge_count_the_same_lines(name: str, depth: int, count: int) -> None:
    state, judge = reach(name)
    assert (count_lines(state, depth), judge_lines(judge, depth)) == (count, count)


def test_every_position_has_counts() -> None:
    assert {name for name, _, _ in table()} == set(POSITIONS)
