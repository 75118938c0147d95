"""The small charts of ratings: to one scale, light however long the history, and told in words."""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

from service.ui.rating_plots import RatingAt, find_scale, rating_svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"/><script>alert('1')</script>&amp;"
RISING = [RatingAt(number, 25 + number, 16 - number) for number in range(5)]
FALLING = [RatingAt(0, 25, 16), RatingAt(4, 21, 12)]


def drawn(history: list[RatingAt], *others: list[RatingAt], name: str = "Ann", games: int = 4) -> ET.Element:
    scale = find_scale([history, *others], games, RatingAt(0, 25, 15))
    svg = rating_svg(name, history, scale, str, lambda number: f"{number:.1f}")
    return ET.fromstring(str(svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))  # noqa: S314 - our own


def spots(picture: ET.Element, kind: str) -> list[tuple[float, float]]:
    path = picture.find(f"{SVG}path[@class='{kind}']")
    assert path is not None
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.attrib["d"])]


def test_the_line_goes_through_the_ratings_and_ends_in_a_dot() -> None:
    picture = drawn(RISING, FALLING)
    line = spots(picture, "line")
    assert [x for x, _ in line] == [4, 62, 120, 178, 236]
    heights = [y for _, y in line]
    assert [round(above - below, 1) for above, below in pairwise(heights)] == [2] * 4
    dot = picture.find(f"{SVG}circle")
    assert dot is not None
    assert (float(dot.attrib["cx"]), float(dot.attrib["cy"])) == line[-1]


def test_the_band_is_as_wide_as_the_uncertainty() -> None:
    picture = drawn(FALLING, RISING)
    line, band = spots(picture, "line"), spots(picture, "band")
    upper, lower = band[:2], band[:1:-1]
    for (x, y), (upper_x, top), (lower_x, bottom), each in zip(line, upper, lower, FALLING, strict=True):
        assert x == upper_x == lower_x
        assert round(y - top, 1) == round(bottom - y, 1) == each.uncertainty * 2


def test_the_charts_of_a_game_have_one_scale_and_mark_where_everybody_starts() -> None:
    rising, falling = drawn(RISING, FALLING), drawn(FALLING, RISING)
    starts = [picture.find(f"{SVG}path[@class='start']") for picture in (rising, falling)]
    assert starts[0] is not None
    assert starts[1] is not None
    assert starts[0].attrib == starts[1].attrib
    assert spots(rising, "line")[0] == spots(falling, "line")[0]


def test_a_chart_is_told_in_words() -> None:
    words = drawn(FALLING, name="Ann").attrib["aria-label"]
    assert words == "Ann: 25.0 at the start, 21.0 at the end, lowest 21.0, highest 25.0."
    assert HOSTILE in drawn(FALLING, name=HOSTILE).attrib["aria-label"]


def test_a_long_history_is_drawn_with_few_points_and_its_true_end() -> None:
    history = [RatingAt(number, 25 + number % 7, 3) for number in range(2001)]
    line = spots(drawn(history, games=2000), "line")
    assert 50 <= len(line) <= 70
    assert line[-1][0] == 236


def test_a_player_without_a_game_in_the_period_is_a_dot() -> None:
    assert len(spots(drawn([RatingAt(0, 25, 16)], games=0), "line")) == 1
