"""Looks ahead: every direction, every face of the die, every place for the rug.

What a turn leads to is estimated by `evaluation`. Each player is expected to take what gives them the best chance.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from service.engine.marrakech.actions import FACE, LAY, Action, Rotate
from service.engine.marrakech.board import FACES, TURNED, TURNS, Facing
from service.engine.marrakech.evaluation import Chances, estimate_chances
from service.engine.marrakech.position import Position, end_turn, final_shares, lay, places, turns, walk
from service.engine.marrakech.state import Phase

_FACE_COUNTS: Final = tuple(Counter(FACES).items())

Evaluate: TypeAlias = Callable[[Position], Chances]


class Option(NamedTuple):
    """An action and each seat's winning chances after it."""

    action: Action
    chances: Chances


class _Ending(NamedTuple):
    """An action that leads to the end of the turn, the position there, and each seat's winning chances."""

    action: Action
    position: Position
    chances: Chances


def value_options(position: Position, phase: Phase, evaluate: Evaluate = estimate_chances) -> list[Option]:
    """Value each action of the mover in this phase by what the position at the end of the turn is worth."""
    if phase == "direction":
        return [
            Option(action, expect_roll(position, TURNED[position.facing][action.direction], evaluate))
            for action in FACE
        ]
    return [Option(ending.action, ending.chances) for ending in _list_endings(position, phase, evaluate)]


def value_options_deeper(
    position: Position, phase: Phase, width: int, evaluate: Evaluate = estimate_chances
) -> list[Option]:
    """Value the most promising places or turns by looking through the next player's turn, too."""
    if phase == "direction":
        return value_options(position, phase, evaluate)
    endings = _list_endings(position, phase, evaluate)
    endings.sort(key=lambda ending: -ending.chances[position.mover])
    return [Option(ending.action, look_ahead(ending.position, evaluate)) for ending in endings[:width]]


def look_ahead(position: Position, evaluate: Evaluate = estimate_chances) -> Chances:
    """Each seat's chance at the beginning of a turn, if the mover plays it well."""
    if position.over:
        return final_shares(position)
    if position.rotate_after:
        return expect_roll(position, position.facing, evaluate)
    return best_option(value_options(position, "direction", evaluate), position.mover).chances


def best_option(options: list[Option], seat: int) -> Option:
    """Return the option with the best chance for the seat; the first of equal ones."""
    return max(options, key=lambda option: option.chances[seat])


def expect_roll(position: Position, facing: Facing, evaluate: Evaluate = estimate_chances) -> Chances:
    """The chances before the mover's roll, if Assam walks this way."""
    chances = [0.0] * position.seats
    for die, count in _FACE_COUNTS:
        for seat, chance in enumerate(value_walk(position, facing, die, evaluate)):
            chances[seat] += chance * count / len(FACES)
    return tuple(chances)


def value_walk(position: Position, facing: Facing, die: int, evaluate: Evaluate = estimate_chances) -> Chances:
    """The chances after this roll, if the mover goes on with the best place."""
    after = walk(position, facing, die)
    if position.mover in after.out:
        return evaluate(after)
    return max([ending.chances for ending in _list_endings(after, "placement", evaluate)], key=_chance_of(position))


def _chance_of(position: Position) -> Callable[[Chances], float]:
    mover = position.mover
    return lambda chances: chances[mover]


def _list_endings(position: Position, phase: Phase, evaluate: Evaluate) -> list[_Ending]:
    """List each place or turn of the mover with the best end of the turn that it allows."""
    if phase == "rotation":
        ended = end_turn(position)
        turned = [(Rotate(turn), ended._replace(facing=TURNED[position.facing][turn])) for turn in TURNS]
        return [_Ending(action, ending, evaluate(ending)) for action, ending in turned]
    best: Final = _chance_of(position)
    endings = []
    for place in places(position):
        ends = [_Ending(LAY[place], ended, evaluate(ended)) for _, ended in turns(lay(position, place))]
        endings.append(max(ends, key=lambda ending: best(ending.chances)))
    return endings
