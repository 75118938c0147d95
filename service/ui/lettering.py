"""Letters and digits as strokes, because a PNG is drawn without fonts."""

from typing import Final

_INK: Final = "#3a1a0e"
_STROKES: Final = {
    "+": "M.2 3H3.8M2 1.2V4.8",
    "-": "M.4 3H3.6",
    "0": "M2 0C.6 0 0 1.3 0 3s.6 3 2 3 2-1.3 2-3S3.4 0 2 0z",
    "1": "M.8 1.3 2.4 0V6",
    "2": "M.1 1.7C.1.7.9 0 2 0s1.9.7 1.9 1.7C3.9 3.1 1 4.2 0 6H4",
    "3": "M.2.9C.6.3 1.2 0 2 0c1.1 0 1.8.6 1.8 1.5S3 2.9 1.6 2.9C3.2 2.9 4 3.5 4 4.4S3.2 6 2 6C1.1 6 .4 5.7 0 5",
    "4": "M3 6V0L0 4.3H4",
    "5": "M3.7 0H.7L.4 2.7C.9 2.4 1.4 2.2 2 2.2 3.2 2.2 4 3 4 4.1S3.2 6 2 6C1.2 6 .5 5.7 0 5.1",
    "6": "M3.6.5C1.4-.6 0 1.2 0 4 0 5.2.8 6 2 6s2-.8 2-1.9S3.2 2.3 2 2.3 0 3 0 4.1",
    "7": "M0 0H4L1.5 6",
    "8": "M2 2.8C1 2.8.3 2.2.3 1.4S1 0 2 0s1.7.6 1.7 1.4S3 2.8 2 2.8 0 3.5 0 4.4.8 6 2 6s2-.7 2-1.6S3 2.8 2 2.8z",
    "9": "M.4 5.5C2.6 6.6 4 4.8 4 2 4 .8 3.2 0 2 0S0 .8 0 1.9s.8 1.8 2 1.8 2-.7 2-1.8",
    "a": "M4 2V6M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
    "b": "M0 0V6M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
    "c": "M3.7 2.9A2 2 0 1 0 3.7 5.1",
    "d": "M4 0V6M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
    "e": "M0 4H4A2 2 0 1 0 3.4 5.4",
    "f": "M3.5.2C2.3-.2 1.6.4 1.6 1.7V6M.3 2.3H3.2",
    "g": "M4 2V6C4 7.6 2 8 .4 7.3M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
    "h": "M0 0V6M0 4A2 2 0 0 1 4 4V6",
    "i": "M2 2V6M2 .2V.4",
    "j": "M2.6 2V6.4C2.6 7.6 1.6 8 .6 7.6M2.6 .2V.4",
    "k": "M.3 0V6M3.6 2 .3 4.4M1.6 3.6 3.8 6",
    "l": "M2 0V6",
    "m": "M-.6 6V2M-.6 3.6A1.3 1.5 0 0 1 2 3.6V6M2 3.6A1.3 1.5 0 0 1 4.6 3.6V6",
    "n": "M0 6V2M0 4A2 2 0 0 1 4 4V6",
    "o": "M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
    "p": "M0 2V8M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
    "q": "M4 2V8M4 4A2 2 0 1 0 0 4 2 2 0 1 0 4 4",
    "r": "M.8 6V2M.8 4C.8 2.6 2 1.8 3.4 2.2",
    "s": "M3.6 2.7C2.6 1.7 .5 1.9 .5 3S3.7 3.9 3.7 5 1.2 6.4 .2 5.3",
    "t": "M1.6 .6V4.8C1.6 6 2.4 6.2 3.5 5.8M.3 2.2H3.2",
    "u": "M0 2V4A2 2 0 0 0 4 4M4 2V6",
    "v": "M0 2 2 6 4 2",
    "w": "M-.6 2 .7 6 2 2.6 3.3 6 4.6 2",
    "x": "M.2 2 3.8 6M3.8 2 .2 6",
    "y": "M0 2 2 6M4 2 1.6 7C1.3 7.8 .8 8 0 7.8",
}
PEN: Final = f'fill="none" stroke="{_INK}" stroke-width="1.1" stroke-linecap="round" stroke-linejoin="round"'
_ADVANCE: Final = 5.6
_WIDTH: Final = 4
_LOW: Final = frozenset("acegmnopqrsuvwxy")
"""Letters without an ascender, whose middle is lower."""


def draw_label(text: str, x: float, y: float, height: float) -> str:
    """Draw the name of a square or a number around a point, to be put into a group that has the `PEN`."""
    scale = height / 6
    left = x - scale * (_ADVANCE * (len(text) - 1) + _WIDTH) / 2
    return "".join(
        f'<path transform="translate({_short(left + scale * _ADVANCE * place)} '
        f'{_short(y - scale * (4 if character in _LOW else 3))})scale({_short(scale)})" d="{_STROKES[character]}"/>'
        for place, character in enumerate(text)
    )


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
