"""The inks of the pictures in letters: every colour of the drawing as it is, and enough of what lies between them."""

from functools import cache
from itertools import product
from typing import Final, TypeAlias

from service.render import palette

Rgb: TypeAlias = tuple[int, int, int]
LEVELS: Final = 4
"""How many steps there are from clear to opaque; at the edge of a rug the eye sees no more of them."""
_FINE, _COARSE = 51, 63
"""How far apart the steps between the drawn colours are in red and green, and in blue, which the eye sees worst."""
CLEAR: Final = 0
"""The ink that is none: outside the round corners of the board."""


def _mixed(one: Rgb, other: Rgb, part: float) -> Rgb:
    red, green, blue = (round(a * (1 - part) + b * part) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _read(colour: str) -> Rgb:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _inks() -> list[Rgb]:
    plain = [value for name, value in vars(palette).items() if name.isupper() and isinstance(value, str)]
    dyed = [dye for dyes in (*palette.DYES.values(), *palette.NEUTRAL_DYES.values()) for dye in dyes]
    drawn = [_read(colour) for colour in dict.fromkeys([*plain, *dyed])]
    shaded = [_mixed(colour, _read(palette.INK), 1 / LEVELS) for colour in drawn]  # the shadows round the rugs
    fine, coarse = range(0, 256, _FINE), range(0, 256, _COARSE)
    return [(0, 0, 0), *dict.fromkeys([*drawn, *shaded, *product(fine, fine, coarse)])]


_INKS: Final = _inks()
PALETTE: Final = bytes(channel for ink in _INKS for channel in ink)


_EXACT: Final = {colour: number for number, colour in enumerate(_INKS) if number}


def ink(red: int, green: int, blue: int) -> int:
    """The number of the ink for a colour: its own, or that of the step that comes nearest."""
    return _EXACT.get((red, green, blue)) or _EXACT[_step(red, _FINE), _step(green, _FINE), _step(blue, _COARSE)]


def _step(channel: int, size: int) -> int:
    return (channel + size // 2) // size * size


@cache
def glaze(number: int, level: int) -> bytes:
    """What becomes of every ink under a coat of this one, so many of `LEVELS` steps thick; for `bytes.translate`."""
    coat = _INKS[number]
    coated = [ink(*_mixed(under, coat, level / LEVELS)) for under in _INKS]
    return bytes([*coated, *range(len(coated), 256)])
