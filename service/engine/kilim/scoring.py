"""The points of all carpets, and the result of a game."""

from service.engine.kilim.actions import Reason, Result, Score
from service.engine.kilim.pieces import MOTIFS
from service.engine.kilim.state import State

LARGEST: int = 5
"""The points for the largest group of a motif."""


def score_seats(state: State) -> tuple[Score, ...]:
    """The points of each seat if the game ended now; a seat that is out has none."""
    carpets = {seat: state.seats[seat].carpet.points for seat in state.active_seats()}
    bonus = dict.fromkeys(carpets, 0)
    for motif in range(len(MOTIFS)):
        sizes = {seat: points.largest_groups[motif] for seat, points in carpets.items()}
        best = max(sizes.values(), default=0)
        holders = [seat for seat, size in sizes.items() if size == best]
        if best and len(holders) == 1:
            bonus[holders[0]] += LARGEST
    return tuple(
        Score(seat, points.rectangle, points.motifs, points.groups, bonus[seat], points.torn, points.squares, out=False)
        if (points := carpets.get(seat))
        else Score(seat, 0, 0, 0, 0, 0, 0, out=True)
        for seat in range(len(state.seats))
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
