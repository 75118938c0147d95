"""What is seen when in a picture that moves: pieces of a drawing, each with the times at which it shows."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Piece(NamedTuple):
    """A piece of the drawing; those of a higher layer and order lie over the others."""

    layer: int
    order: int
    drawing: str


class Reel:
    """Cuts from one picture to the next, and remembers from when to when each piece was in it."""

    def __init__(self) -> None:
        self._since: dict[Piece, float] = {}
        self._shown: dict[Piece, list[tuple[float, float]]] = {}

    def cut(self, at: float, pieces: Iterable[Piece]) -> None:
        """From this moment on exactly these pieces are seen."""
        now = dict.fromkeys(pieces, at)
        for piece in self._since.keys() - now.keys():
            self._shown.setdefault(piece, []).append((self._since[piece], at))
        self._since = {piece: self._since.get(piece, at) for piece in now}

    def wound(self, length: float) -> str:
        """All pieces, each showing itself at its times; where nothing moves, as on paper, the last picture is seen."""
        last = self._since
        self.cut(length, ())
        return "".join(_timed(piece, self._shown[piece], length, piece in last) for piece in sorted(self._shown))


def _timed(piece: Piece, stretches: Sequence[tuple[float, float]], length: float, stays: bool) -> str:
    turns = [(moment, value) for start, end in stretches for moment, value in ((start, "1"), (end, "0"))]
    begins = [(0.0, "0")] if turns[0][0] > 0 else []
    if turns[-1][0] >= length:
        turns = turns[:-1]
    if not begins and len(turns) == 1:
        return piece.drawing
    look = "" if stays else ' opacity="0"'
    return f"<g{look}>{animated('opacity', [*begins, *turns], length, 'discrete')}{piece.drawing}</g>"


def animated(attribute: str, keys: Sequence[tuple[float, str]], length: float, mode: str, kind: str = "") -> str:
    """An attribute that takes these values at these times, over and over; with a `kind` it is a transform."""
    tag, sort = ("animateTransform", f' type="{kind}"') if kind else ("animate", "")
    times = ";".join(_share(moment / length) for moment, _ in keys)
    return (
        f'<{tag} attributeName="{attribute}"{sort} values="{";".join(value for _, value in keys)}" keyTimes="{times}"'
        f' calcMode="{mode}" dur="{length:g}s" repeatCount="indefinite"/>'
    )


def _share(part: float) -> str:
    return f"{part:.5f}".rstrip("0").rstrip(".")
