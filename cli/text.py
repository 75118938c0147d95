"""Makes text from the server safe for a terminal: no escape sequences, no bidi overrides, no overlong names."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control and bidi characters, lone surrogates and unassigned code points."""
_COLOUR_CODE: Final = re.compile("(\x1b\\[[0-9;]*m)")
_CODE_IN_256_COLOURS: Final = re.compile("\x1b\\[[0-9;]*[34]8;5;[0-9;]*m")
MAX_NAME: Final = 24


def sanitize(text: str) -> str:
    """Remove invisible characters that change how other text is shown."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter for letter in text if unicodedata.category(letter) not in _INVISIBLE)


def sanitize_drawing(text: str, colours: bool) -> list[str]:
    """The lines of a drawing. Colour codes (SGR) stay if `colours`; all other escape sequences are removed."""
    lines = []
    for line in text.split("\n"):
        parts = _COLOUR_CODE.split(line)
        codes = parts[1::2] if colours else [""] * (len(parts) // 2)
        kept = [sanitize(part) for part in parts[::2]]
        lines.append("".join(part + code for part, code in zip(kept, [*codes, ""], strict=True)))
    return lines


def without_256_colours(text: str) -> str:
    """The drawing without its 256-colour codes. Each of them follows a 16-colour code, which then takes effect."""
    return _CODE_IN_256_COLOURS.sub("", text)


def wrap_words(text: str, columns: int) -> list[str]:
    """Wrap the text at words. A link stays on one line so that it can be opened."""
    if " " not in text or width_of(text) <= columns:
        return [text]
    from rich.console import Console
    from rich.text import Text

    return [line.plain.rstrip() for line in Text(text).wrap(Console(), columns)]


def one_line(text: str, columns: int) -> str:
    """The text on one line, truncated to this many columns."""
    text = sanitize(" ".join(text.split()))
    if width_of(text) <= columns:
        return text
    while width_of(text) > columns - 2:
        text = text[:-1]
    return f"{text.rstrip()}.."


def pad_or_truncate(text: str, columns: int) -> str:
    """The text, padded or truncated to exactly this many columns."""
    text = one_line(text, columns)
    return text + " " * (columns - width_of(text))


def seat_names(seats: Sequence[dict[str, Any]]) -> list[str]:
    """The players' names. If two have the same name, their seat numbers are added."""
    numbered = [f"seat {seat['seat'] + 1}" for seat in seats]
    names = [one_line(seat["name"] or "", MAX_NAME) or number for seat, number in zip(seats, numbered, strict=True)]
    return [
        f"{name} ({number})" if names.count(name) > 1 else name for name, number in zip(names, numbered, strict=True)
    ]


def join_names(names: Sequence[str]) -> str:
    """Names for a sentence: Ann, Bo and Cy."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def count(number: int, noun: str) -> str:
    """A number with its noun: 1 game, 2 games."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def width_of(text: str) -> int:
    """The width of the text in terminal columns."""
    return sum(_width(letter) for letter in text)


def _width(letter: str) -> int:
    if unicodedata.category(letter) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in {"W", "F"} else 1
