"""How the medium bot plays: it weighs the payments of the next roll, and what a rug covers and connects.

The strong bot expects the next player to play like this.
"""

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from service.engine.marrakech.actions import FACE, LAY, ROTATE, Action, Face, Lay, Rotate
from service.engine.marrakech.board import DIRECTIONS, FACES, SQUARES, TURNED, TURNS, WALKS, Facing
from service.engine.marrakech.position import (
    Position,
    coming_mover,
    cover,
    end_turn,
    find_toll,
    lay,
    measure_tolls,
    places,
    walk,
)
from service.engine.marrakech.state import Phase, owner_of

_ELIMINATION: Final = 100
"""The cost of being eliminated: more than any payment."""

_A = TypeVar("_A", bound=Action)


def best_actions(position: Position, phase: Phase) -> Sequence[Action]:
    """List the actions of the mover with the highest value."""
    if phase == "direction":
        return best_directions(position)
    return best_rotations(position) if phase == "rotation" else best_places(position)


def best_directions(position: Position) -> list[Face]:
    """List the directions that cost the mover least on average."""
    return _highest([(action, -_cost(position, position.mover, _way(position, action))) for action in FACE])


def best_places(position: Position) -> list[Lay]:
    """List the places where the mover's rug is worth most."""
    valued = []
    for place in places(position):
        after = cover(position, place)
        valued.append((LAY[place], _board_value(after) + _next_income(after)))
    return _highest(valued)


def best_rotations(position: Position) -> list[Rotate]:
    """List the ways to turn Assam, after laying a rug, that make the next player pay most."""
    return _highest([(action, _income(position, _way(position, action))) for action in ROTATE])


def _highest(valued: list[tuple[_A, float]]) -> list[_A]:
    best = max(value for _, value in valued)
    return [action for action, value in valued if value > best - 1e-9]


def _way(position: Position, action: Face | Rotate) -> Facing:
    return TURNED[position.facing][action.direction]


def choose_way(position: Position) -> Facing:
    """Choose the way Assam walks at the beginning of a turn; the first of equally good ones."""
    return position.facing if position.rotate_after else _way(position, best_directions(position)[0])


def play_roll(position: Position, facing: Facing, die: int) -> Position:
    """Play the rest of the turn after the choice of a way and a roll; the first of equally good actions each time."""
    after = walk(position, facing, die)
    if position.mover in after.out:
        return after
    laid = lay(after, best_places(after)[0].squares)
    if not laid.rotate_after or laid.over:
        return end_turn(laid)
    return end_turn(laid)._replace(facing=_way(laid, best_rotations(laid)[0]))


def count_ruinous_faces(position: Position, facing: Facing) -> int:
    """How many faces of the die cost more than the mover has if Assam walks this way."""
    purse = position.dirhams[position.mover]
    return sum(due > purse for _, due in _tolls(position, position.mover, facing))


def _tolls(position: Position, payer: int, facing: Facing) -> Iterator[tuple[int, int]]:
    """List whom the seat would pay, and how much, for the six faces of the die."""
    tolls = {die: find_toll(position, payer, walk.to) for die, walk in WALKS[position.assam][facing].items()}
    return (tolls[die] for die in FACES)


def _cost(position: Position, payer: int, facing: Facing) -> float:
    """The average loss of the seat if Assam walks this way."""
    purse = position.dirhams[payer]
    return sum(due if due <= purse else _ELIMINATION for _, due in _tolls(position, payer, facing)) / len(FACES)


def _income(position: Position, facing: Facing) -> float:
    """What the next player pays the mover on average if Assam walks this way, and the mover's gain from that loss."""
    payer = coming_mover(position)
    purse = position.dirhams[payer]
    paid = sum(min(due, purse) for owner, due in _tolls(position, payer, facing) if owner == position.mover)
    return paid / len(FACES) * (1 + _spread(position))


def _next_income(position: Position) -> float:
    """The mover's income from the next player from where Assam stands, if the direction is chosen well."""
    payer = coming_mover(position)
    if payer == position.mover:
        return 0.0
    if position.rotate_after:
        return max(_income(position, TURNED[position.facing][turn]) for turn in TURNS)
    ways = (TURNED[position.facing][direction] for direction in DIRECTIONS)
    return _income(position, min(ways, key=lambda facing: _cost(position, payer, facing)))


def _spread(position: Position) -> float:
    """What the loss of one opponent is worth: the more opponents are left, the less."""
    return 1 / max(1, position.seats - len(position.out) - 1)


def _board_value(position: Position) -> float:
    """The value of the rugs on the board to the mover: the points they score and the payments they may still bring."""
    value, rugs_left, spread = 0.0, sum(position.rugs_left), _spread(position)
    for colour, mask in enumerate(position.shown):
        owner = owner_of(colour, position.seats)
        # Each remaining move of the others stops on a group with a probability of its share of the board, and then
        # costs its size.
        visits = (rugs_left - position.rugs_left[owner]) / len(SQUARES)
        worth = mask.bit_count() + visits * measure_tolls(mask).total
        value += worth if owner == position.mover else -spread * worth
    return value
