"""Names that came from outside, made fit to stand in a picture or in a line of text."""

import unicodedata
from itertools import accumulate, takewhile
from typing import Final

from service.engine.json_reader import Json

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Control and bidi characters, lone surrogates, and what is no character at all."""


def clean(name: str) -> str:
    """The name on one line, without the characters that are not seen but change how the rest is shown."""
    seen = (letter for letter in name if letter.isspace() or unicodedata.category(letter) not in _UNSEEN)
    return " ".join("".join(seen).split())


def seat_name(seat: Json) -> str:
    """What the one at this seat is called in a picture; a name of which nothing is left gives way to the seat."""
    return clean(seat["name"] or "") or f"Seat {seat['seat'] + 1}"


def fitted(name: str, columns: int) -> str:
    """The name cut and filled up to exactly so many columns of a fixed-width font."""
    if _columns(name) > columns:
        # Adding up only once: a whole page of talk is cut as well.
        kept = sum(1 for _ in takewhile(lambda width: width <= columns - 2, accumulate(map(_width, name))))
        name = f"{name[:kept].rstrip()}.."
    return name + " " * (columns - _columns(name))


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
