"""Who has won: scores, ranking and shared wins."""

from service.engine.marrakech.state import Reason, Result, Score, State


def final_result(state: State, reason: Reason) -> Result:
    """The result if the game ends in this state."""
    scores = tuple(
        Score(seat, state.dirhams[seat], state.visible(seat), seat in state.out) for seat in range(state.seats)
    )
    still_in = sorted((score for score in scores if not score.out), key=_better_first)
    winners = tuple(score.seat for score in still_in if _better_first(score) == _better_first(still_in[0]))
    ranking = (*(score.seat for score in still_in), *reversed(state.out))
    return Result(winners, ranking, scores, reason)


def _better_first(score: Score) -> tuple[int, int]:
    """The higher total goes first, and at the same total the fuller purse."""
    return -score.total, -score.dirhams
