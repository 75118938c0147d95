"""The PNG: the same drawing as the SVG, small enough for a letter."""

import io
from functools import cache

import pytest
import resvg_py
from PIL import Image, ImageChops, ImageStat

from service.engine.json_reader import Json
from service.engine.marrakech.board import NAMES
from service.ui.marrakech.board_png import WIDTH, board_png
from service.ui.marrakech.board_svg import board_svg
from tests.ui.marrakech.positions import laid, new_table, played, resigned, rug

LETTER_BYTES = 60_000
"""How large the picture in a letter may be."""
CLOSE = 2.8
"""How far the colours of a picture may be from those of the SVG, on the average, in steps of 255."""
PLACES = [["a1", "a2"], ["c3", "d3"], ["g6", "g7"]]


def read(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGBA")


@cache
def rendered(svg: str) -> Image.Image:
    """What resvg makes of a whole SVG."""
    return read(resvg_py.svg_to_bytes(svg_string=svg, width=WIDTH, skip_system_fonts=True))


def difference(svg: str, png: bytes) -> float:
    apart = ImageChops.difference(rendered(svg).convert("RGB"), read(png).convert("RGB"))
    return sum(ImageStat.Stat(apart, rendered(svg).getchannel("A").point(lambda alpha: alpha // 255)).mean) / 3


@pytest.mark.parametrize("turns", [3, 17, 40])
def test_it_is_the_same_drawing_as_the_svg(turns: int) -> None:
    view = played(new_table(4), turns).view(None)
    png = board_png(view, PLACES)
    same = difference(board_svg(view, PLACES), png)
    assert same < CLOSE
    # One rug more, or a number less, is seen at once.
    assert difference(board_svg(played(new_table(4), turns + 1).view(None), PLACES), png) > 1.5 * same
    assert difference(board_svg(view, PLACES[:1]), png) > same + 0.2


def test_rugs_of_a_player_who_is_out_are_grey_in_it_too() -> None:
    view = resigned(played(new_table(), 30), 1).view(None)
    assert any(top["neutral"] for top in view["board"].values())
    assert difference(board_svg(view), board_png(view)) < CLOSE


def test_the_payment_is_in_it_too() -> None:
    view = played(new_table(4), 17).view(None)
    paid = ["a7", "b7", "b6", "d4", "g1"]
    png = board_png(view, paid_squares=paid)
    same = difference(board_svg(view, paid_squares=paid), png)
    assert same < CLOSE
    assert difference(board_svg(view, paid_squares=paid[1:]), png) > same + 0.2


def test_it_is_as_wide_as_a_phone_and_clear_outside_its_round_corners() -> None:
    picture = Image.open(io.BytesIO(board_png(laid())))
    assert (picture.size, picture.mode) == ((WIDTH, WIDTH), "P")
    corner = picture.convert("RGBA").getpixel((0, 0))
    assert isinstance(corner, tuple)
    assert corner[3] == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_is_small_at_every_moment_of_a_game(players: int) -> None:
    for turns in (0, 10, 20, 30, 200):
        assert len(board_png(played(new_table(players), turns).view(None), PLACES)) < LETTER_BYTES


def full_board(*, neutral: bool) -> Json:
    """A rug on each of the 49 squares, in all colours, and half of them neutral if wanted."""
    colours = ("red", "blue", "yellow", "green")
    return laid(
        **{
            name: rug(number, colours[number % 4], neutral and number % 2 == 0)
            for number, name in enumerate(NAMES.values(), 1)
        }
    )


@pytest.mark.parametrize("neutral", [False, True])
def test_it_is_small_on_the_fullest_board(neutral: bool) -> None:
    view = full_board(neutral=neutral)
    numbered = [["c4", "d4"], ["d4", "e4"], ["d3", "d4"], ["d4", "d5"], *PLACES] * 2
    assert len(board_png(view, numbered, paid_squares=sorted(view["board"])[::2])) < LETTER_BYTES
