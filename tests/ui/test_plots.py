"""The charts: they have the numbers of the game, lines that can be told apart, and a description in words."""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from service.ui.marrakech.finished import course_of
from service.ui.plots import GRID, LINES, PAPER, Series, plot_svg
from tests.ui.marrakech.colour_vision import EYES, contrast, seen
from tests.ui.marrakech.positions import HOSTILE, new_table, played

SVG = "{http://www.w3.org/2000/svg}"
FOUR = [
    Series("Ann", "red", [30, 28, 20]),
    Series("Bob", "blue", [30, 30, 21]),
    Series("Cleo", "yellow", [30, 32, 22]),
    Series("Dan", "green", [30, 30, 57]),
]


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - the picture is our own


def texts(picture: ET.Element) -> dict[str, ET.Element]:
    return {text.text or "": text for text in picture.iter(f"{SVG}text")}


def lines(picture: ET.Element) -> list[ET.Element]:
    return picture.findall(f".//{SVG}g[@class='series']")


def test_a_course_ends_with_what_the_game_ended_with_and_has_a_number_for_each_turn() -> None:
    table = played(new_table(4), 1000, "medium")
    course, view = course_of(table.record()), table.view(None)
    assert [series.values[-1] for series in course.dirhams] == [seat["dirhams"] for seat in view["seats"]]
    assert [series.values[-1] for series in course.squares] == [seat["visible"] for seat in view["seats"]]
    assert {len(series.values) for series in (*course.dirhams, *course.squares)} == {view["turn"]}
    assert [(series.name, series.colour) for series in course.dirhams] == [
        ("Ann", "red"),
        ("Bob", "blue"),
        ("Cleo", "yellow"),
        ("Dan", "green"),
    ]
    assert all(sum(turn) == 120 for turn in zip(*(series.values for series in course.dirhams), strict=True))


def test_a_line_goes_through_its_values() -> None:
    picture = drawn(plot_svg("Dirhams", FOUR))
    path = lines(picture)[0].find(f"{SVG}g/{SVG}path")
    assert path is not None
    spots = [tuple(map(float, spot)) for spot in re.findall(r"([\d.]+) ([\d.]+)", path.attrib["d"])]
    assert [x for x, _ in spots] == [34, 203, 372]
    zero, hundred = 212, 34
    # 57 is the most there is, and the next good number above it is 100.
    assert [round(100 * (zero - y) / (zero - hundred)) for _, y in spots] == [30, 28, 20]
    assert {"0", "20", "40", "60", "80", "100", "Turn 1", "Turn 3"} <= texts(picture).keys()


def test_each_line_has_a_colour_dashes_a_mark_and_a_name_of_its_own() -> None:
    picture = drawn(plot_svg("Dirhams", FOUR))
    looks = []
    for series in lines(picture):
        line, mark = series.find(f"{SVG}g/{SVG}path"), series.find(f"{SVG}g[2]/{SVG}path")
        assert line is not None
        assert mark is not None
        looks.append((line.attrib["stroke"], line.attrib.get("stroke-dasharray"), mark.attrib["d"]))
    assert all(len(set(kinds)) == 4 for kinds in zip(*looks, strict=True))
    assert {"Ann", "Bob", "Cleo", "Dan"} <= texts(picture).keys()


def test_names_of_lines_that_end_close_together_do_not_overlap_and_stay_on_the_sheet() -> None:
    broke = [series._replace(values=[30, value]) for series, value in zip(FOUR, (0, 0, 1, 30), strict=True)]
    for series in (FOUR, broke):
        named = texts(drawn(plot_svg("Dirhams", series)))
        heights = sorted(float(named[name].attrib["y"]) for name in ("Ann", "Bob", "Cleo", "Dan"))
        assert all(later - earlier >= 14 for earlier, later in pairwise(heights))
        assert heights[-1] <= 220


def test_a_name_of_broad_letters_stays_on_the_sheet() -> None:
    broad = [Series("W" * 40, "red", [30, 20]), Series("MOHAMMED-WAHID", "blue", [30, 21]), *FOUR[2:]]
    picture = drawn(plot_svg("Dirhams", broad))
    width = float(picture.attrib["viewBox"].split()[2])
    names = {text: each for text, each in texts(picture).items() if float(each.attrib["x"]) > 380}
    assert len(names) == 4
    for name, text in names.items():
        if name in {"Cleo", "Dan"}:
            assert "textLength" not in text.attrib  # it is written as the font wants it
        else:
            assert float(text.attrib["x"]) + float(text.attrib["textLength"]) < width


def test_the_words_say_what_the_lines_show() -> None:
    picture = drawn(plot_svg("Dirhams", FOUR, id_="money"))
    assert picture.attrib["aria-labelledby"] == "money-title money-words"
    assert picture.findtext(f"{SVG}title") == "Dirhams"
    assert "Dan: 30 at the start, 57 at the end, lowest 30, highest 57." in (picture.findtext(f"{SVG}desc") or "")


@pytest.mark.parametrize("eye", EYES)
def test_every_line_can_be_seen_on_its_sheet(eye: str) -> None:
    assert all(contrast(seen(dyes.edge, eye), seen(PAPER, eye)) >= 3 for dyes in LINES.values())
    assert contrast(seen(GRID, eye), seen(PAPER, eye)) < 3, "the grid is no louder than the lines"


def test_a_game_without_a_turn_has_a_plot_without_lines() -> None:
    picture = drawn(plot_svg("Dirhams", [Series("Ann", "red", [])]))
    assert lines(picture) == []
    assert course_of(new_table(2).record()).dirhams[0].values == [30]


def test_names_are_text_here_too() -> None:
    picture = drawn(plot_svg("<b>", course_of(new_table(2, (HOSTILE, "Bob")).record()).dirhams))
    assert not list(picture.iter(f"{SVG}script"))
    assert "</title><script>alert" in (picture.findtext(f"{SVG}desc") or "")
