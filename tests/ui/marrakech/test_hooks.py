"""docs/drawing.md lists exactly the hooks for stylesheets and scripts that are in the picture."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from service.ui.marrakech.board_svg import board_svg
from tests.ui.marrakech.positions import rug, standing

PAGE = (Path(__file__).parents[3] / "docs" / "drawing.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("| selector | is |")[2].partition("\n\n")[0]
ROWS = [row.split("|")[1] for row in TABLE.splitlines() if row.count("|") > 2]
SELECTORS = [found for row in ROWS for found in re.findall(r"`([^`]+)`", row)]


def picture() -> ET.Element:
    """The board during a game and after its end."""
    view = standing("d6", "north", "d5", "d6", board={"c3": rug(1, "red"), "c4": rug(1, "red")})
    drawings = [
        board_svg(each, [["d5", "e5"]], paid_squares=["c3", "c4"], directions=["left"])
        for each in (view, {**view, "result": {"winners": [0]}})
    ]
    return ET.fromstring(f"<both>{''.join(drawings)}</both>")  # noqa: S314 - our own


def found(within: ET.Element, selector: str) -> list[ET.Element]:
    """The elements that a selector of ids, classes and attributes means."""
    elements = [within]
    for part in selector.split():
        wanted = re.findall(r"([.#\[])([\w-]+)", part)
        inner = (each for element in elements for each in element.iter() if each is not element)
        elements = [each for each in inner if all(_has(each, kind, name) for kind, name in wanted)]
    return elements


def _has(element: ET.Element, kind: str, name: str) -> bool:
    if kind == "[":
        return name in element.attrib
    return name in element.attrib.get("class" if kind == "." else "id", "").split()


@pytest.mark.parametrize("selector", SELECTORS)
def test_every_selector_on_the_page_finds_something(selector: str) -> None:
    assert found(picture(), selector)


def test_a_selector_that_means_nothing_finds_nothing() -> None:
    assert len(SELECTORS) >= 13
    assert found(picture(), ".rug") == []
    assert found(picture(), ".place [data-square]") == []


def test_every_hook_in_the_picture_is_on_the_page() -> None:
    drawing = picture()
    defined = {id(each) for defs in drawing.iter("{http://www.w3.org/2000/svg}defs") for each in defs.iter()}
    seen = [each for each in drawing.iter() if id(each) not in defined]
    classes = {f".{name}" for each in seen for name in each.attrib.get("class", "").split()}
    hooks = {name for each in seen for name in each.attrib if name.startswith("data-")}
    assert {hook for hook in classes | hooks if hook not in TABLE} == set()
