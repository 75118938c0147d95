"""Assam on his feet: where he is and which way he faces at every moment of a game."""

from typing import Final

from service.engine.json_reader import Json
from service.engine.marrakech.board import Facing, Square, read_square, step
from service.ui.marrakech.assam import FIGURE
from service.ui.marrakech.geometry import ANGLES, middle
from service.ui.marrakech.palette import INK
from service.ui.marrakech.path_dots import footsteps
from service.ui.marrakech.reel import animated

_PACE: Final = 130.0
"""How many units he walks in a second; a square has forty."""


class Walker:
    """Follows Assam through a game."""

    def __init__(self, assam: Json) -> None:
        self._square: Square = read_square(assam["at"])
        self._facing: Facing = assam["facing"]
        self._spots = [(0.0, str(middle(self._square)))]
        self._looks = [(0.0, str(ANGLES[self._facing]))]

    def face(self, at: float, facing: Facing) -> None:
        """Let him face this way from now on."""
        if facing != self._facing:
            self._facing = facing
            self._looks.append((at, str(ANGLES[facing])))

    def walk(self, at: float, steps: int) -> float:
        """Let him walk so many squares, and tell when he is there."""
        for _ in range(steps):
            self._spots.append((at, self._spots[-1][1]))
            for (x, y), length in footsteps(self._square, self._facing):
                at += length / _PACE
                self._spots.append((at, f"{x:.4g} {y:.4g}"))
            self._square, facing = step(self._square, self._facing)
            self.face(at, facing)
        return at

    def drawn(self, length: float) -> str:
        """Assam, walking all his ways in this time; where nothing moves he stands at their end."""
        spots = [*self._spots, (length, self._spots[-1][1])]
        return (
            f'<g transform="translate({spots[-1][1]})">{animated("transform", spots, length, "linear", "translate")}'
            f'<g transform="rotate({self._looks[-1][1]})" stroke="{INK}" stroke-linejoin="round">'
            f"{animated('transform', self._looks, length, 'discrete', 'rotate')}{FIGURE}</g></g>"
        )
