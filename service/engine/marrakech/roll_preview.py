"""What each direction may lead to before the die is rolled: where Assam would stop and what it would cost."""

from typing import NamedTuple

from service.engine.marrakech.actions import Face, Rotate, Turned
from service.engine.marrakech.board import FACES, TURNED, WALKS, Direction, Facing, Square
from service.engine.marrakech.evolve import evolve
from service.engine.marrakech.rules import legal_actions, toll_at
from service.engine.marrakech.state import State


class Outcome(NamedTuple):
    """What one face of the die would lead to."""

    face: int
    chances: int
    """How many of the six faces of the die show this number."""
    path: tuple[Square, ...]
    to: Square
    payee: int | None
    """The seat that would be paid; None if it costs nothing."""
    due: int
    ruin: bool
    """Whether that is more than the walker has, who would be eliminated."""


class RollPreview(NamedTuple):
    """What a direction may lead to, face by face."""

    direction: Direction
    facing: Facing
    walker: int
    """The seat that would roll and pay; with `rotate-after` that is the next player."""
    outcomes: tuple[Outcome, ...]


def preview_rolls(state: State) -> list[RollPreview]:
    """Preview each direction that can be chosen now; none while a rug is to be laid or once the game is over."""
    previews = []
    for action in legal_actions(state, state.mover):
        if isinstance(action, Face | Rotate):
            facing, after = TURNED[state.facing][action.direction], state
            if isinstance(action, Rotate):
                after = evolve(state, Turned(state.mover, action.direction, facing))
            outcomes = tuple(_preview_face(after, facing, face) for face in sorted(set(FACES)))
            previews.append(RollPreview(action.direction, facing, after.mover, outcomes))
    return previews


def _preview_face(state: State, facing: Facing, face: int) -> Outcome:
    path, to, _ = WALKS[state.assam][facing][face]
    toll = toll_at(state, state.mover, to)
    payee, due = (None, 0) if toll is None else (toll[0], len(toll[1]))
    return Outcome(face, FACES.count(face), path, to, payee, due, due > state.dirhams[state.mover])
