"""What may come of a choice before the die is rolled: for each face where Assam would stop and what it would cost."""

from collections.abc import Iterator
from typing import NamedTuple

from service.engine.marrakech.actions import Face, Rotate
from service.engine.marrakech.board import FACES, TURNED, WALKS, Direction, Facing, Square
from service.engine.marrakech.events import Turned
from service.engine.marrakech.evolve import evolve
from service.engine.marrakech.rules import legal_actions, toll_at
from service.engine.marrakech.state import State


class Outcome(NamedTuple):
    """What one face of the die would lead to."""

    face: int
    chances: int
    """On how many of the six faces of the die it is."""
    path: tuple[Square, ...]
    to: Square
    payee: int | None
    """Who would be paid; None where it costs nothing."""
    due: int
    ruin: bool
    """Whether that is more than the walker has, so that he would be out."""


class Prospect(NamedTuple):
    """What a direction may lead to, face by face."""

    direction: Direction
    facing: Facing
    walker: int
    """Who would roll and pay: with `rotate-after` that is the next player."""
    outcomes: tuple[Outcome, ...]


def prospects(state: State) -> list[Prospect]:
    """One for each direction that can be chosen now; none where a rug is to be laid or the game is over."""
    return list(_prospects(state))


def _prospects(state: State) -> Iterator[Prospect]:
    for action in legal_actions(state, state.mover):
        if isinstance(action, Face | Rotate):
            facing, after = TURNED[state.facing][action.direction], state
            if isinstance(action, Rotate):
                after = evolve(state, Turned(state.mover, action.direction, facing))
            outcomes = tuple(_outcome(after, facing, face) for face in sorted(set(FACES)))
            yield Prospect(action.direction, facing, after.mover, outcomes)


def _outcome(state: State, facing: Facing, face: int) -> Outcome:
    path, to, _ = WALKS[state.assam][facing][face]
    toll = toll_at(state, state.mover, to)
    payee, due = (None, 0) if toll is None else (toll[0], len(toll[1]))
    return Outcome(face, FACES.count(face), path, to, payee, due, due > state.dirhams[state.mover])
