"""The colours of the board, and the dyes and the weave of each kind of rug.

The four fills follow the set of Okabe and Ito and differ in lightness as well, so that they can be told apart with
any of the common colour deficiencies and in print without colour; the weaves differ as well.
"""

from typing import Final, Literal, NamedTuple

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
TEAL: Final = "#1b6a72"
OCHRE: Final = "#e9c98c"

RIB: Final = 0.16
"""The opacity of the ribs of the weft."""


class Dyes(NamedTuple):
    """The colours of one rug."""

    fill: str
    thread: str
    light: str


class Layer(NamedTuple):
    """One shape in the pattern of a rug: a path in a box of 40 by 40 that runs along the rug."""

    wool: Literal["fill", "thread", "light"]
    path: str
    line: float = 0
    """The width of the line; the path is filled if it is 0."""


DYES: Final = {
    "red": Dyes("#cf3f1d", "#7f1a08", "#ffd9a8"),
    "blue": Dyes("#14559b", "#082c5c", "#a9d6f7"),
    "yellow": Dyes("#f7cf2e", "#a66a00", "#fff9d6"),
    "green": Dyes("#2aa982", "#0a6b50", "#d8f7e0"),
}
NEUTRAL_DYES: Final = {
    "red": Dyes("#b9aba6", "#7d6e69", "#e4dcd8"),
    "blue": Dyes("#9aa1a9", "#646b74", "#d3d8de"),
    "yellow": Dyes("#d2ccb9", "#8c8673", "#efebde"),
    "green": Dyes("#aab5ae", "#6d7a72", "#dde5df"),
}
"""For the rugs of players who are out: nearly grey, with a shade of the old colour."""

WEAVES: Final = {
    # stepped diamonds, one within the other
    "red": (
        Layer("thread", "M0 12l5 8-5 8zM40 12v16l-5-8z"),
        Layer(
            "thread",
            "M8 18.5v3h3v3h3v3h3v3h6v-3h3v-3h3v-3h3v-3h-3v-3h-3v-3h-3v-3h-6v3h-3v3h-3v3z",
        ),
        Layer("light", "M12 19v2h2v2h2v2h2v2h4v-2h2v-2h2v-2h2v-2h-2v-2h-2v-2h-2v-2h-4v2h-2v2h-2v2z"),
        Layer("fill", "M16 19.5v1h1v1h1v1h1v1h2v-1h1v-1h1v-1h1v-1h-1v-1h-1v-1h-1v-1h-2v1h-1v1h-1v1z"),
    ),
    # zigzags along the rug
    "blue": (
        Layer("thread", "M0 25 10 15 20 25 30 15 40 25", 5),
        Layer("light", "M0 17.5 10 7.5 20 17.5 30 7.5 40 17.5M0 32.5 10 22.5 20 32.5 30 22.5 40 32.5", 1.8),
        Layer(
            "light",
            "M20 8l2 2.5-2 2.5-2-2.5zM0 8l2 2.5L0 13zM40 8v5l-2-2.5zM10 27l2 2.5-2 2.5-2-2.5zM30 27l2 2.5-2 2.5-2-2.5z",
        ),
    ),
    # stripes across the rug
    "yellow": (
        Layer("thread", "M15.5 0h9v40h-9zM4 0h4v40H4zM32 0h4v40h-4z"),
        Layer("light", "M11 0h2.4v40H11zM26.6 0H29v40h-2.4zM0 0h1.6v40H0zM38.4 0H40v40h-1.6z"),
        Layer("light", "M20 16l2.8 4-2.8 4-2.8-4zM20 7.5l2.8 4-2.8 4-2.8-4zM20 24.5l2.8 4-2.8 4-2.8-4z"),
    ),
    # checks
    "green": (
        Layer(
            "thread",
            "M15 15h10v10H15zM0 15h5v10H0zM35 15h5v10h-5zM5 5h10v10H5zM25 5h10v10H25zM5 25h10v10H5zM25 25h10v10H25z",
        ),
        Layer(
            "light",
            "M10 16.6l3.4 3.4-3.4 3.4L6.6 20zM30 16.6l3.4 3.4-3.4 3.4-3.4-3.4zM20 6.6l3.4 3.4-3.4 3.4-3.4-3.4z"
            "M20 26.6l3.4 3.4-3.4 3.4-3.4-3.4zM0 6.6 3.4 10 0 13.4zM0 26.6 3.4 30 0 33.4zM40 6.6v6.8L36.6 10z"
            "M40 26.6v6.8L36.6 30z",
        ),
        Layer("fill", "M20 18l2 2-2 2-2-2zM10 9l2 2-2 2-2-2zM30 9l2 2-2 2-2-2zM10 27l2 2-2 2-2-2zM30 27l2 2-2 2-2-2z"),
    ),
}
