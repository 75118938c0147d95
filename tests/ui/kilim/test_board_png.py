"""The PNG: the same drawing as the SVG, small enough for a letter."""

import io
from gettext import NullTranslations

import pytest
import resvg_py
from PIL import Image, ImageChops, ImageStat

from service.engine.json_reader import Json
from service.engine.kilim.carpet import COLUMNS
from service.ui.kilim.board_png import MOST_HEIGHT, MOST_WIDTH, board_png
from service.ui.kilim.board_svg import board_svg
from service.ui.kilim.figures import lay_carpet
from tests.support.pace import seconds
from tests.ui.kilim.positions import played, seen_by, weaving

ENGLISH = NullTranslations()
LETTER_BYTES = 60_000
"""How large the picture in a letter may be."""
CLOSE = 3.0
"""How far the colours of a picture may be from those of the SVG, on the average, in steps of 255."""
QUICK = 0.5
"""Seconds for the largest picture; a letter is not sent while somebody waits."""


def read(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGBA").convert("RGB")


def difference(svg: str, png: bytes) -> float:
    picture = read(png)
    whole = read(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=picture.width, skip_system_fonts=True)))
    return sum(ImageStat.Stat(ImageChops.difference(whole.resize(picture.size), picture)).mean) / 3


def long_carpet(places: list[str]) -> Json:
    view = seen_by(played(2, 0), None, ["", ""])
    carpet = lay_carpet((f"BE{number}", place) for number, place in enumerate(places))
    return {**view, "seats": [{**seat, "carpet": carpet} for seat in view["seats"]]}


@pytest.mark.parametrize("seat", [None, 1, 2])
def test_it_is_the_same_drawing_as_the_svg(seat: int | None) -> None:
    view, later = seen_by(played(4, 120), seat), seen_by(played(4, 160), seat)
    png = board_png(view, ENGLISH, seat)
    same = difference(board_svg(view, ENGLISH, seat), png)
    assert same < CLOSE
    assert difference(board_svg(later, ENGLISH, seat), png) > 1.5 * same


def test_places_and_groups_are_in_it_too() -> None:
    view = weaving()
    png = board_png(view, ENGLISH, view["you"], groups=True)
    same = difference(board_svg(view, ENGLISH, view["you"], groups=True), png)
    assert same < CLOSE
    assert difference(board_svg(view, ENGLISH, view["you"]), png) > same + 0.2
    assert difference(board_svg({**view, "legal": []}, ENGLISH, view["you"], groups=True), png) > same + 2


def test_names_are_written_if_there_is_a_font_for_them() -> None:
    state = played(2, 0)
    plain, named, foreign = (
        board_png(seen_by(state, None, [name, name]), ENGLISH) for name in (" ", "Ann of Fez", "ليلى")
    )
    assert read(named).tobytes() != read(plain).tobytes()
    assert read(foreign).size == read(plain).size


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_it_is_small_at_every_moment_of_a_game(seats: int) -> None:
    for actions in (0, 60, 120, 600):
        view = seen_by(played(seats, actions), None)
        for seat in (None, 0, seats - 1):
            png = board_png(view, ENGLISH, seat)
            width, height = read(png).size
            assert len(png) < LETTER_BYTES
            assert width <= MOST_WIDTH
            assert height <= MOST_HEIGHT + 1
            assert width == MOST_WIDTH or height >= MOST_HEIGHT - 2


@pytest.mark.parametrize("seat", [None, 0])
@pytest.mark.parametrize(
    "places",
    [
        [f"{COLUMNS[first]}13-{COLUMNS[first + 1]}13" for first in range(0, 24, 2)],
        [f"m{row}-m{row + 1}" for row in range(1, 25, 2)],
    ],
)
def test_the_longest_carpets_fit(places: list[str], seat: int | None) -> None:
    width, height = read(board_png(long_carpet(places), ENGLISH, seat)).size
    assert 150 < width <= MOST_WIDTH
    assert 150 < height <= MOST_HEIGHT + 1


def test_it_is_in_few_colours_and_clear_outside_its_round_corners() -> None:
    picture = Image.open(io.BytesIO(board_png(seen_by(played(2, 0), None), ENGLISH)))
    assert picture.mode == "P"
    corner = picture.convert("RGBA").getpixel((0, 0))
    assert isinstance(corner, tuple)
    assert corner[3] == 0


def test_drawing_is_quick() -> None:
    view = seen_by(played(5), None)
    assert seconds(lambda: board_png(view, ENGLISH), QUICK) < QUICK
