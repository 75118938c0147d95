"""The points of all carpets, and the result of a game."""

from typing import Final

from service.engine.kilim.actions import Reason, Result, Score
from service.engine.kilim.pieces import MOTIFS
from service.engine.kilim.state import State

LARGEST: Final = 5
"""The points for the largest group of a motif."""
_NO_GROUPS: Final = (0,) * len(MOTIFS)


def score_seats(state: State) -> tuple[Score, ...]:
    """The points of each seat if the game ended now; a seat that is out has none."""
    scored = [None if seat in state.out else own.carpet.points for seat, own in enumerate(state.seats)]
    bonus = [0] * len(scored)
    for sizes in zip(*(_NO_GROUPS if points is None else points.largest_groups for points in scored), strict=True):
        best = max(sizes)
        if best and sizes.count(best) == 1:
            bonus[sizes.index(best)] += LARGEST
    return tuple(
        Score(seat, 0, 0, 0, 0, 0, 0, out=True)
        if points is None
        else Score(
            seat, points.rectangle, points.motifs, points.groups, bonus[seat], points.torn, points.squares, out=False
        )
        for seat, points in enumerate(scored)
    )


def compute_result(state: State, reason: Reason) -> Result:
    """Compute the result of a game that ends in this state."""
    scores = score_seats(state)
    ranked = sorted((score for score in scores if not score.out), key=_best_first)
    winners = tuple(score.seat for score in ranked if _best_first(score) == _best_first(ranked[0]))
    return Result(winners, (*(score.seat for score in ranked), *reversed(state.out)), scores, reason)


def _best_first(score: Score) -> tuple[int, int]:
    """Sort key: more points first, then more squares; sorting is stable, so the lower seat comes first."""
    return -score.total, -score.squares
