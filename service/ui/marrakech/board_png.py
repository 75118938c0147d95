"""The board as a PNG picture, for letters and for the API: the drawing of the SVG with a palette of 256 colours.

resvg needs more than 100 ms for a full board, most of it for the patterns of the rugs. A rug looks the same on every
square, so each kind of rug is drawn once and Pillow puts the board together.
"""

import io
from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

import resvg_py
from PIL import Image

from service.engine.json_reader import Json
from service.engine.marrakech.board import read_square
from service.ui.marrakech.board_svg import draw_assam, draw_cords, draw_number, draw_path, number_places
from service.ui.marrakech.empty_board import DOORS, GROUND, TILES, TRACK_LINES
from service.ui.marrakech.geometry import MARGIN, SIDE, SIZE, last_path, middle
from service.ui.marrakech.rugs import Rug, define_rugs, draw_rugs, visible_rugs

WIDTH: Final = 576
"""The picture is so many pixels wide and high: 64 for a square, large enough for any phone."""
_SCALE: Final = WIDTH / SIZE
_CENTRE: Final = read_square("d4")
_RUG_SIZE: Final = 3 * SIDE
"""A rug is drawn in the middle of three by three squares, so that there is room for it in every direction."""


def board_png(view: Json, places: Sequence[Sequence[str]] = (), *, paid_squares: Collection[str] = ()) -> bytes:
    """Draw the board of a view with the numbers of these places and the last payment on it."""
    board = _empty_board().copy()
    for rug in visible_rugs(view["board"]):
        at = middle(rug.at)
        corner = round((at.x + MARGIN - _RUG_SIZE // 2) * _SCALE), round((at.y + MARGIN - _RUG_SIZE // 2) * _SCALE)
        board.alpha_composite(_rug_image(rug._replace(number=0, at=_CENTRE)), corner)
    badges = "".join(map(draw_number, number_places(places)))
    above = f"{draw_cords(view, paid_squares)}{draw_path(last_path(view))}{DOORS}{draw_assam(view['assam'])}{badges}"
    board.alpha_composite(_draw(above, -MARGIN, -MARGIN, SIZE))
    png = io.BytesIO()
    board.quantize(256, Image.Quantize.FASTOCTREE).save(png, "PNG", optimize=True)
    return png.getvalue()


@cache
def _empty_board() -> Image.Image:
    return _draw(f"<defs>{TILES}</defs>{GROUND}{TRACK_LINES}", -MARGIN, -MARGIN, SIZE)


@cache
def _rug_image(rug: Rug) -> Image.Image:
    at = middle(rug.at)
    drawing = f"<defs>{define_rugs([rug])}</defs>{draw_rugs([rug])}"
    return _draw(drawing, at.x - _RUG_SIZE // 2, at.y - _RUG_SIZE // 2, _RUG_SIZE)


def _draw(drawing: str, x: int, y: int, size: int) -> Image.Image:
    """Draw a square part of the board, `size` units wide."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x} {y} {size} {size}">{drawing}</svg>'
    # There is no text in the drawing, and looking for the machine's fonts would take longer than drawing it.
    png = resvg_py.svg_to_bytes(svg_string=svg, width=round(size * _SCALE), skip_system_fonts=True)
    return Image.open(io.BytesIO(png)).convert("RGBA")
