"""Looks one turn ahead: every direction, every face of the die, every place for the rug.

What a turn leads to is estimated by `evaluation`. Each player is expected to take what gives them the best chance.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from service.engine.json_reader import Json
from service.engine.marrakech.actions import FACE, LAY, Action, Rotate
from service.engine.marrakech.board import FACES, TURNED, TURNS, Facing
from service.engine.marrakech.evaluation import Chances, estimate_chances
from service.engine.marrakech.position import Position, end_turn, lay, places, turns, walk
from service.engine.marrakech.state import Phase

_FACE_COUNTS: Final = tuple(Counter(FACES).items())


Evaluate: TypeAlias = Callable[[Position], Chances]


class Option(NamedTuple):
    """An action and each seat's winning chances after it."""

    action: Action
    chances: Chances


def value_options(position: Position, phase: Phase, evaluate: Evaluate = estimate_chances) -> list[Option]:
    """Value each action of the mover in this phase."""
    if phase == "direction":
        return [
            Option(action, expect_roll(position, TURNED[position.facing][action.direction], evaluate)) for action in FACE
        ]
    if phase == "placement":
        return _value_places(position, evaluate)
    ended = end_turn(position)
    return [
        Option(Rotate(turn), evaluate(ended._replace(facing=TURNED[position.facing][turn]))) for turn in TURNS
    ]


def best_option(options: list[Option], seat: int) -> Option:
    """Return the option with the best chance for the seat; the first of equal ones."""
    return max(options, key=lambda option: option.chances[seat])


def _value_places(position: Position, evaluate: Evaluate) -> list[Option]:
    options = []
    for place in places(position):
        endings = [evaluate(ended) for _, ended in turns(lay(position, place))]
        options.append(Option(LAY[place], max(endings, key=lambda chances: chances[position.mover])))
    return options


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
    return best_option(_value_places(after, evaluate), position.mover).chances
