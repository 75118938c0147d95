"""The colours of the market square, and for each rug its dyes and its weave.

The four fills follow the set of Okabe and Ito and differ in lightness as well, so that they can be told apart with
any of the common colour deficiencies and in print without colour; the weaves say the same a third time.
"""

from typing import Final, NamedTuple

INK: Final = "#3a1a0e"
CREAM: Final = "#fff4da"
TERRACOTTA: Final = "#bf6b3d"
CLAY: Final = "#a4552d"
SAND: Final = "#f8ebcf"
DUNE: Final = "#f1dfb9"
GROUT: Final = "#dcc08d"
MOSAIC: Final = "#f3cf8b"
AUBERGINE: Final = "#4b1f4f"
SAFFRON: Final = "#f6a821"


class Dyes(NamedTuple):
    """The wools a rug is knotted of."""

    fill: str
    thread: str
    light: str


class Weave(NamedTuple):
    """What is woven into one square of a rug, as paths in a box of 40 by 40 that runs along the rug."""

    thread: str
    """Filled with the dark wool."""
    light: str
    """Filled with the light wool."""
    line: str
    """Drawn as a line of the light wool."""


DYES: Final = {
    "red": Dyes("#cf3f1d", "#7f1a08", "#ffd9a8"),
    "blue": Dyes("#14559b", "#082c5c", "#a9d6f7"),
    "yellow": Dyes("#f7cf2e", "#b87a00", "#fff9d6"),
    "green": Dyes("#2aa982", "#0a6b50", "#d8f7e0"),
}
NEUTRAL_DYES: Final = {
    "red": Dyes("#b9aba6", "#7d6e69", "#e4dcd8"),
    "blue": Dyes("#9aa1a9", "#646b74", "#d3d8de"),
    "yellow": Dyes("#d2ccb9", "#8c8673", "#efebde"),
    "green": Dyes("#aab5ae", "#6d7a72", "#dde5df"),
}
"""For the rugs of players who are out: nearly grey, a shade of the old dye left."""

WEAVES: Final = {
    # diamonds, one within the other
    "red": Weave("M20 5 35 20 20 35 5 20zM0 14 6 20 0 26zM40 14V26L34 20z", "M20 10 30 20 20 30 10 20z", ""),
    # zigzags along the rug
    "blue": Weave(
        "M0 21 10 13 20 21 30 13 40 21V27L30 19 20 27 10 19 0 27z",
        "",
        "M0 14 10 6 20 14 30 6 40 14M0 34 10 26 20 34 30 26 40 34",
    ),
    # stripes across the rug
    "yellow": Weave("M3 0h5v40h-5zM32 0h5v40h-5zM17.5 0h5v40h-5z", "M11 0h3v40h-3zM26 0h3v40h-3z", ""),
    # checks
    "green": Weave(
        "M0 0h10v10H0zM20 0h10v10H20zM10 10h10v10H10zM30 10h10v10H30zM0 20h10v10H0zM20 20h10v10H20z"
        "M10 30h10v10H10zM30 30h10v10H30z",
        "M13 3h4v4h-4zM33 3h4v4h-4zM3 13h4v4h-4zM23 13h4v4h-4zM13 23h4v4h-4zM33 23h4v4h-4zM3 33h4v4h-4zM23 33h4v4h-4z",
        "",
    ),
}
