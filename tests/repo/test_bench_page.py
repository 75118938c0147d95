"""docs/benchmarks.md and its picture are made of the rows as measured; the machine is told, and not whose it is."""

import getpass
import re
import socket
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench.growth import FIGURES, STEPS, Growth, growth_rows
from bench.machine import machine
from bench.page import page, write_page
from bench.plot import growth_svg
from bench.table import Row

SVG = "{http://www.w3.org/2000/svg}"
ROWS = [
    Row("engine: whole games", "123 games/s", "100 games/s", True),
    Row("api: p99 | paced", "61.0 ms", "below 50 ms", False),
    Row("calibration", "12 M steps/s", "", None),
]
MACHINE = {"processor": "Abacus, 2 cores", "day": "2001-02-03"}
FLAT = [2.0, 2.1, 1.9, 2.2]
STEEP = [0.04, 0.4, 4.0, 41.5]


@pytest.fixture
def growths() -> list[Growth]:
    """Two houses in which what may grow grows tenfold from step to step."""
    numbers = {figure: STEEP if figure.of_the_whole_house else FLAT for figure in FIGURES}
    return [Growth("SQLite", numbers), Growth("PostgreSQL", {**numbers, FIGURES[0]: [900.0, 910.0, 950.0, 12_340.0]})]


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a page in Markdown, as a reader of Markdown finds their cells."""
    found = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    return [
        [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines()]
        for table in found
    ]


def test_every_row_is_on_the_page_with_what_was_wanted_and_whether_it_was_reached(growths: list[Growth]) -> None:
    made_on, figures, grown = tables(page(ROWS, growths, MACHINE))
    assert made_on[2:] == [["processor", "Abacus, 2 cores"], ["day", "2001-02-03"]]
    assert figures[0] == ["what", "figure", "wanted", "reached"]
    assert figures[2:] == [
        ["engine: whole games", "123 games/s", "100 games/s", "yes"],
        ["api: p99 \\| paced", "61.0 ms", "below 50 ms", "NO"],
        ["calibration", "12 M steps/s", "", ""],
    ]
    assert grown[0] == ["figure", "database", "100 games", "1,000 games", "10,000 games", "100,000 games"]
    assert len(grown) - 2 == 2 * len(FIGURES)
    assert grown[3] == ["durable actions, a second", "PostgreSQL", "900", "910", "950", "12,340"]
    assert all(len({len(line) for line in table}) == 1 for table in (made_on, figures, grown))


def test_the_page_and_its_picture_are_written(growths: list[Growth], tmp_path: Path) -> None:
    write_page(ROWS, growths, MACHINE, tmp_path)
    text = (tmp_path / "benchmarks.md").read_text()
    [picture] = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert (tmp_path / picture).read_text() == growth_svg(growths)


def test_the_rows_of_the_growth_name_every_step(growths: list[Growth]) -> None:
    rows = growth_rows(growths)
    assert rows[1] == Row("growth: durable actions, PostgreSQL", "900, 910, 950, 12,340 a second", "", None)
    assert rows[-1].figure == "0.0, 0.4, 4.0, 41.5 MB"


def test_the_picture_has_a_plot_for_each_figure_and_a_mark_for_each_step_inside_it(growths: list[Growth]) -> None:
    drawing = ET.fromstring(growth_svg(growths))  # noqa: S314 - it is ours
    panels = [group for group in drawing.iter(f"{SVG}g") if group.get("class") == "panel"]
    assert len(panels) == len(FIGURES)
    for panel in panels:
        lines = [group for group in panel.iter(f"{SVG}g") if group.get("class") == "line"]
        assert len(lines) == len(growths)
        for line in lines:
            _, *marks = line.findall(f"{SVG}path")
            spots = [re.findall(r"[\d.]+", str(mark.get("transform"))) for mark in marks]
            assert len(spots) == len(STEPS)
            assert all(40 <= float(y) <= 136.01 for _, y in spots), "a number is off its scale"
            assert [float(x) for x, _ in spots] == sorted(float(x) for x, _ in spots)


def test_what_grows_tenfold_is_a_straight_line(growths: list[Growth]) -> None:
    drawing = ET.fromstring(growth_svg(growths))  # noqa: S314 - it is ours
    *_, whole, _ = [group for group in drawing.iter(f"{SVG}g") if group.get("class") == "panel"]
    line = next(group for group in whole.iter(f"{SVG}g") if group.get("class") == "line")
    heights = [float(re.findall(r"[\d.]+", str(mark.get("transform")))[1]) for mark in line.findall(f"{SVG}path")[1:]]
    steps = [upper - lower for lower, upper in zip(heights[1:], heights, strict=False)]
    assert max(steps) - min(steps) < 1


def test_the_machine_is_told_and_not_whose_it_is() -> None:
    told = machine()
    assert {"processor", "memory", "system", "Python", "databases", "day"} <= told.keys()
    assert re.fullmatch(r"SQLite [\d.]+, PostgreSQL [\d.]+", told["databases"])
    for words in told.values():
        assert words
        assert not re.search(rf"\b({re.escape(socket.gethostname())}|{re.escape(getpass.getuser())})\b", words)
        assert not re.search(r"(^|\s)/", words), "a path"


def test_a_part_that_there_is_not_is_refused_and_nothing_is_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "speed"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr.startswith("There is no benchmark speed; there are engine, ")
