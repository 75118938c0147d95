"""Looks ahead: every direction, every face of the die, every place for the rug.

What a turn leads to is estimated by `evaluation`. Each player is expected to take what gives them the best chance.
The strong bot also looks through the next player's turn, which is expected to be played as `medium` plays.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from service.engine.marrakech.actions import FACE, LAY, ROTATE, Action
from service.engine.marrakech.board import FACES, TURNED, Facing
from service.engine.marrakech.evaluation import Chances, estimate_chances
from service.engine.marrakech.medium import choose_way, play_roll
from service.engine.marrakech.position import Position, end_turn, final_shares, lay, places, turn_ends, walk
from service.engine.marrakech.state import Phase

_FACE_COUNTS: Final = tuple(Counter(FACES).items())

Evaluate: TypeAlias = Callable[[Position], Chances]


class Option(NamedTuple):
    """An action and each seat's winning chances after it."""

    action: Action
    chances: Chances


def value_options(position: Position, phase: Phase, evaluate: Evaluate = estimate_chances) -> list[Option]:
    """Value each action of the mover in this phase by what the position at the end of the turn is worth."""
    if phase == "direction":
        return [
            Option(action, expect_roll(position, TURNED[position.facing][action.direction], evaluate))
            for action in FACE
        ]
    if phase == "rotation":
        ended = end_turn(position)
        facings = [(action, TURNED[position.facing][action.direction]) for action in ROTATE]
        return [Option(action, evaluate(ended._replace(facing=facing))) for action, facing in facings]
    options = []
    for place in places(position):
        ends = [Option(LAY[place], evaluate(ended)) for ended in turn_ends(lay(position, place))]
        options.append(best_option(ends, position.mover))
    return options


def value_options_further(position: Position, phase: Phase, evaluate: Evaluate = estimate_chances) -> list[Option]:
    """Value each action; a place or a turn of Assam by looking through the next player's turn, too.

    For a direction that would take too long.
    """
    further = partial(expect_medium_turn, evaluate=evaluate)
    return value_options(position, phase, evaluate if phase == "direction" else further)


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
    return _average_faces(position, lambda die: value_walk(position, facing, die, evaluate))


def value_walk(position: Position, facing: Facing, die: int, evaluate: Evaluate = estimate_chances) -> Chances:
    """The chances after this roll, if the mover goes on with the best place."""
    after = walk(position, facing, die)
    if position.mover in after.out:
        return evaluate(after)
    return best_option(value_options(after, "placement", evaluate), position.mover).chances


def expect_medium_turn(position: Position, evaluate: Evaluate = estimate_chances) -> Chances:
    """Each seat's chance at the beginning of a turn, if the mover plays it as `medium` does."""
    if position.over:
        return final_shares(position)
    way = choose_way(position)
    return _average_faces(position, lambda die: evaluate(play_roll(position, way, die)))


def _average_faces(position: Position, value: Callable[[int], Chances]) -> Chances:
    """Average the chances over the faces of the die."""
    chances = [0.0] * position.seats
    for die, count in _FACE_COUNTS:
        for seat, chance in enumerate(value(die)):
            chances[seat] += chance * count / len(FACES)
    return tuple(chances)
