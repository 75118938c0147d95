"""Names that came from outside, made fit to stand in a picture or in a line of text."""

from service.engine.json_reader import Json
from service.text import clean
from service.text import pad_or_truncate as fitted

__all__ = ["clean", "fitted", "seat_name"]


def seat_name(seat: Json) -> str:
    """What the one at this seat is called in a picture; a name of which nothing is left gives way to the seat."""
    return clean(seat["name"] or "") or f"Seat {seat['seat'] + 1}"
