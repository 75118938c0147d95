"""Text that came from outside, made fit for a terminal: no escape, no bidi trick, no name wider than its column."""

import unicodedata
from collections.abc import Sequence
from gettext import gettext as say
from typing import Any, Final

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control and bidi characters, lone surrogates, and what is no character at all."""
LONGEST: Final = 24


def harmless(text: str) -> str:
    """The text without the characters that are not seen but change how the rest is shown."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter for letter in text if unicodedata.category(letter) not in _UNSEEN)


def one_line(text: str, columns: int) -> str:
    """The text on one line, cut to so many columns."""
    text = harmless(" ".join(text.split()))
    return text if columns_of(text) <= columns else f"{_cut(text, columns - 2).rstrip()}.."


def padded(text: str, columns: int) -> str:
    """The text cut and filled up to exactly so many columns."""
    text = one_line(text, columns)
    return text + " " * (columns - columns_of(text))


def names_of(seats: Sequence[dict[str, Any]]) -> list[str]:
    """What those at the table are called; where two have one name, their colours tell them apart."""
    names = [
        one_line(seat["name"] or "", LONGEST) or say("seat %(number)s") % {"number": seat["seat"] + 1} for seat in seats
    ]
    return [
        f"{name} ({seat['colours'][0]})" if names.count(name) > 1 else name
        for name, seat in zip(names, seats, strict=True)
    ]


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them: Ann, Bo and Cy."""
    if len(names) < 2:
        return "".join(names)
    return say("%(some)s and %(last)s") % {"some": ", ".join(names[:-1]), "last": names[-1]}


def columns_of(text: str) -> int:
    """How many columns the text takes in a terminal."""
    return sum(_width(letter) for letter in text)


def _cut(text: str, columns: int) -> str:
    while columns_of(text) > columns:
        text = text[:-1]
    return text


def _width(letter: str) -> int:
    if unicodedata.category(letter) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in {"W", "F"} else 1
