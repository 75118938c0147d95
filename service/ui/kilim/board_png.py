"""Carpets as a PNG picture, for letters and for the API: the drawing of the SVG with a palette of 256 colours."""

import io
from collections.abc import Iterable
from gettext import NullTranslations
from typing import Final

import resvg_py
from PIL import Image, ImageDraw, ImageFont

from service.engine.json_reader import Json
from service.ui.kilim.board_svg import IDS, NAME_SIZE, Name, draw_board, wrap_drawing
from service.ui.kilim.palette import CREAM

MOST_WIDTH: Final = 576
MOST_HEIGHT: Final = 768
"""The picture is as large as it can be within these pixels, which is large enough for any phone."""
_MOST_COLOURS: Final = 256


def board_png(
    view: Json, translations: NullTranslations, seat: int | None = None, *, groups: bool | None = None
) -> bytes:
    """Draw all carpets of a view, or that of one seat, as `board_svg` does."""
    drawing = draw_board(view, translations, seat, groups=groups)
    # Looking for the machine's fonts would take longer than drawing everything else.
    svg = wrap_drawing(drawing._replace(names=(), squares=""), "", "", IDS)
    scale = min(MOST_WIDTH / drawing.width, MOST_HEIGHT / drawing.height)
    rendered = resvg_py.svg_to_bytes(svg_string=svg, width=int(drawing.width * scale), skip_system_fonts=True)
    picture = Image.open(io.BytesIO(bytes(rendered))).convert("RGBA")
    _write_names(picture, drawing.names, scale)
    png = io.BytesIO()
    picture.quantize(_MOST_COLOURS, Image.Quantize.FASTOCTREE).save(png, "PNG")
    return png.getvalue()


def _write_names(picture: Image.Image, names: Iterable[Name], scale: float) -> None:
    """Write the players' names with the font that comes with Pillow.

    It has only ASCII: a name with other characters is left out, and the player is known by the colour.
    """
    font, draw = ImageFont.load_default(NAME_SIZE * scale), ImageDraw.Draw(picture)
    for text, at in names:
        if text.isascii():
            draw.text((at.x * scale, at.y * scale), text, fill=CREAM, font=font, anchor="lm", stroke_width=0.3)
