"""How many positions lie one, two and three actions ahead: the rules as numbers, counted twice.

An action of the mover is one ply. A roll of 1, 2, 3 and 4 counts as four children. The numbers stand in the table
below; the engine and the naive rules of `naive.py` must both arrive at them, and at the very same positions.
"""

from collections import Counter
from collections.abc import Iterator

import pytest

from service.engine.marrakech.actions import Action
from service.engine.marrakech.rules import decide, legal_actions, new_game
from service.engine.marrakech.state import State, set_up
from tests.engine import naive
from tests.engine.positions import ROTATE_AFTER, STANDARD, LoadedDice, NotLoaded, evolve_all, position, to_naive

CROWDED = """
    ..  ..  R1  R1  ..  ..  ..
    ..  B2  B2  Y3  G4  ..  ..
    R5  R5  G8  Y3  G4  B6  ..
    ..  Y7  G8  ..  R9  B6  ..
    ..  Y7  B10 B10 R9  Y11 ..
    ..  ..  G12 G12 B14 Y11 ..
    R13 R13 ..  ..  B14 ..  ..
"""
CORNER = """
    .. .. .. .. Y5 R1 ..
    .. .. .. .. Y5 R1 B2
    .. .. .. .. .. .. B2
    .. .. .. .. .. .. ..
    G4 .. .. .. .. .. ..
    G4 B3 .. .. .. .. ..
    .. B3 .. .. .. .. ..
"""
TWO_COLOURS = """
    .. .. .. .. .. .. ..
    .. .. B1 B1 G2 .. ..
    .. .. R3 Y4 G2 .. ..
    .. .. R3 Y4 B5 .. ..
    .. .. .. G6 B5 .. ..
    .. .. .. G6 .. .. ..
    .. .. .. .. .. .. ..
"""


def opening(seats: int) -> State:
    options = STANDARD._replace(first=0, pile="alternating")
    return evolve_all(set_up(options, seats), new_game(options, seats, LoadedDice()))


def rotate_after_opening(seats: int, die: int) -> State:
    options = ROTATE_AFTER._replace(first=0, pile="alternating")
    return evolve_all(set_up(options, seats), new_game(options, seats, LoadedDice.showing(die)))


POSITIONS: dict[str, State] = {
    "start, two players": opening(2),
    "start, three players": opening(3),
    "start, four players": opening(4),
    "rotate-after, three players, first roll 1": rotate_after_opening(3, 1),
    "rotate-after, two players, first roll 4": rotate_after_opening(2, 4),
    "crowded, to face": position(CROWDED, assam="d4 east", rugs_left=(8, 8, 9, 9)),
    "crowded, to lay": position(CROWDED, assam="d4 east", phase="placement", mover=2, rugs_left=(8, 8, 9, 9)),
    "crowded, to turn": position(CROWDED, assam="d4 east", phase="rotation", mover=3, options=ROTATE_AFTER),
    "crowded, everybody poor": position(CROWDED, assam="d4 east", dirhams=(1, 0, 2, 1)),
    "crowded, everybody poor, to turn": position(
        CROWDED, assam="d4 east", phase="rotation", dirhams=(1, 0, 2, 1), options=ROTATE_AFTER
    ),
    "crowded, blue out": position(CROWDED, assam="d4 east", dirhams=(1, 0, 1, 1), out=(1,)),
    "looped corner g7": position(CORNER, assam="g7 north"),
    "looped corner a1, to lay": position(CORNER, assam="a1 west", phase="placement", mover=1),
    "two colours each": position(TWO_COLOURS, seats=2, assam="d4 south", rugs_left=(22, 20), dirhams=(2, 30)),
    "the last two rugs": position(CORNER, assam="f6 north", mover=2, rugs_left=(0, 0, 1, 1), dirhams=(30, 30, 1, 1)),
    "the last rug": position(CORNER, assam="f6 north", phase="placement", mover=3, rugs_left=(0, 0, 0, 1)),
}

COUNTS = """
    start, two players                        |  12  111 1332
    start, three players                      |  12  111 1332 10917
    start, four players                       |  12  111 1332
    rotate-after, three players, first roll 1 |  12   96  866
    rotate-after, two players, first roll 4   |   7   56  339
    crowded, to face                          |  12   92 1104
    crowded, to lay                           |   8   96  750
    crowded, to turn                          |   8   61  488
    crowded, everybody poor                   |  12  111 1018
    crowded, everybody poor, to turn          |  23  177 2361
    crowded, blue out                         |  12  101 1025
    looped corner g7                          |  12   63  756
    looped corner a1, to lay                  |   2   24  138
    two colours each                          |  12  103 1236
    the last two rugs                         |  12  124 1256
    the last rug                              |   8    0    0
"""
"""The positions 1, 2 and 3 actions ahead (and 4, once). Where a game has ended nothing lies ahead."""


def table() -> list[tuple[str, int, int]]:
    rows = [line.split("|") for line in COUNTS.strip().splitlines()]
    return [(row[0].strip(), depth, int(count)) for row in rows for depth, count in enumerate(row[1].split(), start=1)]


def outcomes(state: State, action: Action) -> Iterator[State]:
    """What can come of the action: one state for each way in which the die can fall, as often as it is rolled."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        rolls = waiting.pop()
        try:
            yield evolve_all(state, decide(state, state.mover, action, LoadedDice.showing(*rolls)))
        except NotLoaded:
            waiting += [(*rolls, die) for die in (1, 2, 3, 4)]


def leaves(state: State, depth: int) -> Iterator[State]:
    if depth == 0:
        yield state
        return
    for action in legal_actions(state, state.mover):
        for after in outcomes(state, action):
            yield from leaves(after, depth - 1)


@pytest.mark.parametrize(("name", "depth", "count"), table())
def test_perft_counts_match_and_both_implementations_agree(name: str, depth: int, count: int) -> None:
    state = POSITIONS[name]
    found = Counter(to_naive(leaf).text() for leaf in leaves(state, depth))
    naively = Counter(leaf.text() for leaf in naive.leaves(to_naive(state), depth))
    assert (found.total(), naively.total()) == (count, count)
    assert found == naively


def test_every_position_has_counts() -> None:
    assert {name for name, _, _ in table()} == set(POSITIONS)
