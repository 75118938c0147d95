"""The board as a PNG picture: the same drawing, through resvg. It has no text in it, so no font is needed."""

import resvg_py

from service.engine.reading import Json
from service.render.svg import board_svg

WIDTH = 800


def board_png(view: Json, width: int = WIDTH) -> bytes:
    """The board of a view as the bytes of a PNG."""
    return bytes(resvg_py.svg_to_bytes(svg_string=board_svg(view), width=width))
