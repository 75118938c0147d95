"""The colours of carpets and players.

The grounds of the five motifs differ in lightness as well as in hue, so that they can be told apart with any of the
common colour deficiencies and in print without colour; the motifs themselves differ in shape.
"""

from typing import Final, NamedTuple

INK: Final = "#3a1a0e"
CREAM: Final = "#fff4da"
WALL: Final = "#8f4521"
WALL_EDGE: Final = "#6d3014"
LOOM: Final = "#f8ebcf"
WARP: Final = "#e3cb9c"
THREAD: Final = "#eddcb6"
KNOT: Final = "#bf6b3d"
SAFFRON: Final = "#f6a821"
TEAL: Final = "#0f5a63"
MINT: Final = "#bfe3d4"
MOSAIC: Final = "#f3cf8b"


class Dyes(NamedTuple):
    """The colours of one kind of half: the ground, and the wools of what is woven into it."""

    ground: str
    dark: str
    light: str
    accent: str


DYES: Final = {
    "bird": Dyes("#f8e6bd", "#4b1f4f", "#fffaf0", "#b8322a"),
    "eye": Dyes("#eeb02a", "#5c2405", "#fff8e2", "#14559b"),
    "horn": Dyes("#c23a1c", "#5f1204", "#ffe3bd", "#f6a821"),
    "star": Dyes("#143f7d", "#061f45", "#fff1cf", "#f6a821"),
    "tree": Dyes("#3f9b74", "#0b4634", "#f4fbe4", "#f7cf2e"),
    "torn": Dyes("#a08d78", "#4a3a2c", "#e9dcc6", "#2b1407"),
    "blank": Dyes("#d9c6a3", "#b59c72", "#efe2c6", "#b59c72"),
}
"""By what a half shows."""

HEM: Final = "#4a1d0c"


class SeatColour(NamedTuple):
    """The colour of a player's label and of the ink on it."""

    fill: str
    ink: str


SEAT_COLOURS: Final = {
    "red": SeatColour("#b3321a", "#ffffff"),
    "blue": SeatColour("#14559b", "#ffffff"),
    "green": SeatColour("#2aa982", "#21130d"),
    "yellow": SeatColour("#f7cf2e", "#21130d"),
    "purple": SeatColour("#6b3480", "#ffffff"),
}
