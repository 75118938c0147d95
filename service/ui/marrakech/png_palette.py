"""The inks of the PNG pictures: every colour of the drawing as it is, and enough of what lies between them."""

from functools import cache
from itertools import combinations, product
from typing import Final, TypeAlias

from service.ui.marrakech import palette

Rgb: TypeAlias = tuple[int, int, int]
LEVELS: Final = 4
"""How many steps there are from clear to opaque; at the edge of a rug the eye sees no more of them."""
CLEAR: Final = 0
"""The ink that is none: outside the round corners of the board."""


def _mixed(one: Rgb, other: Rgb, part: float) -> Rgb:
    red, green, blue = (round(a * (1 - part) + b * part) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _read(colour: str) -> Rgb:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _inks() -> list[Rgb]:
    """What is drawn, then what lies between two things that often touch, as far as 256 inks go."""
    plain = [_read(value) for name, value in vars(palette).items() if name.isupper() and isinstance(value, str)]
    rugs = [[_read(dye) for dye in dyes] for dyes in (*palette.DYES.values(), *palette.NEUTRAL_DYES.values())]
    dyed = [dye for dyes in rugs for dye in dyes]
    dark, light = _read(palette.INK), _read(palette.SAND)
    drawn = [*plain, *dyed]
    ribs = [_mixed(colour, dark, palette.RIB) for colour in (*dyed, _read(palette.CREAM))]
    woven = [_mixed(one, other, 1 / 2) for dyes in rugs for one, other in combinations(dyes, 2)]
    shaded = [_mixed(colour, dark, part) for part, colour in product((1 / 2, 1 / LEVELS), drawn)]
    on_sand = [_mixed(colour, light, 1 / 2) for colour in dyed]
    between = [_mixed(one, other, 1 / 2) for one, other in combinations(plain, 2)]
    deep = [_mixed(colour, dark, 3 / 4) for colour in drawn]
    return [(0, 0, 0), *dict.fromkeys([*drawn, *ribs, *woven, *shaded, *on_sand, *between, *deep])][:256]


_INKS: Final = _inks()
_EXACT: Final = {colour: number for number, colour in enumerate(_INKS) if number != CLEAR}
PALETTE: Final = bytes(channel for ink in _INKS for channel in ink)


def ink(red: int, green: int, blue: int) -> int:
    """The number of the ink for a colour: its own, or that of the one that comes nearest."""
    return _EXACT.get((red, green, blue)) or _nearest(red >> 3, green >> 3, blue >> 3)


@cache
def _nearest(red: int, green: int, blue: int) -> int:
    """The same for an eighth of a colour: finer differences are not worth looking for, and so few are remembered."""
    red, green, blue = red * 8 + 4, green * 8 + 4, blue * 8 + 4
    # The eye tells greens apart best and blues worst.
    far = [3 * (red - r) ** 2 + 4 * (green - g) ** 2 + 2 * (blue - b) ** 2 for r, g, b in _EXACT]
    return far.index(min(far)) + 1


@cache
def glaze(number: int, level: int) -> bytes:
    """What becomes of every ink under a coat of this one, so many of `LEVELS` steps thick; for `bytes.translate`."""
    coat = _INKS[number]
    coated = [ink(*_mixed(under, coat, level / LEVELS)) for under in _INKS]
    return bytes([*coated, *range(len(coated), 256)])
