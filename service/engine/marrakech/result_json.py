"""The result of a game of Marrakech as JSON, both ways."""

from service.engine.json_reader import Fields, Json, Reader, flag, list_of, number, one_of, refuse
from service.engine.marrakech.board import SQUARES
from service.engine.marrakech.state import PURSE, REASONS, Result, Score


def write_result(result: Result) -> Json:
    """The result as the outside sees it."""
    return {
        "winners": list(result.winners),
        "ranking": list(result.ranking),
        "scores": [
            {
                "seat": score.seat,
                "dirhams": score.dirhams,
                "rugs": score.rugs,
                "total": score.total,
                "out": score.out,
            }
            for score in result.scores
        ],
        "reason": result.reason,
    }


def read_result(seats: int) -> Reader[Result]:
    """A reader for the result of a game with so many seats."""
    seat = number(0, seats - 1)

    def score(value: object, where: str) -> Score:
        fields = Fields(value, where)
        read = Score(
            fields.take("seat", seat),
            fields.take("dirhams", number(0, PURSE * seats)),
            fields.take("rugs", number(0, len(SQUARES))),
            fields.take("out", flag),
        )
        total = fields.take("total", number(0, PURSE * seats + len(SQUARES)))
        if total != read.total:
            refuse(f"{where}.total", f"the sum of dirhams and rugs, {read.total}", total)
        fields.end()
        return read

    def result(value: object, where: str) -> Result:
        fields = Fields(value, where)
        read = Result(
            fields.take("winners", list_of(seat, 1, seats)),
            fields.take("ranking", list_of(seat, seats, seats)),
            fields.take("scores", list_of(score, seats, seats)),
            fields.take("reason", one_of(REASONS)),
        )
        fields.end()
        check_result(read, where)
        return read

    return result


def check_result(result: Result, where: str) -> None:
    """Refuse a result that does not name every seat once, or whose winners do not lead the ranking."""
    seats = list(range(len(result.scores)))
    if sorted(result.ranking) != seats:
        refuse(f"{where}.ranking", "every seat once", list(result.ranking))
    if [score.seat for score in result.scores] != seats:
        refuse(f"{where}.scores", "every seat once, in order", [score.seat for score in result.scores])
    if result.winners != result.ranking[: len(result.winners)]:
        refuse(f"{where}.winners", "the first of the ranking", list(result.winners))
