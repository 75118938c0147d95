"""Every page has its picture in docs/screenshots, they are light, and the README shows three of them."""

import re
import struct
from pathlib import Path

from tests.browser.gallery import SHOTS
from tests.browser.screenshots import FOLDER, MOST_BYTES

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "templates" / "pages"


def test_every_page_is_pictured() -> None:
    frames = {
        str(path.relative_to(PAGES)): re.findall(r'{% extends "([^"]+)" %}', path.read_text())
        for path in PAGES.rglob("*.html")
    }
    extended = {frame for found in frames.values() for frame in found}
    pages = {path for path, found in frames.items() if found} - extended
    assert {shot.template for shot in SHOTS} == pages


def test_every_problem_that_a_page_can_say_is_pictured() -> None:
    pictured = {shot.name.removeprefix("problem-") for shot in SHOTS if shot.name.startswith("problem-")}
    assert {"403", "404", "409", "410", "429", "500"} <= pictured


def test_the_pictures_are_there_and_no_others_and_they_are_light() -> None:
    wanted = {file for shot in SHOTS for file in shot.files}
    assert {path.name for path in FOLDER.iterdir()} == wanted, "run `make screenshots`"
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST_BYTES


def test_the_pictures_of_a_phone_are_as_wide_as_one() -> None:
    phones = list(FOLDER.glob("*-phone.png"))
    assert len(phones) >= 10
    assert {struct.unpack_from(">I", path.read_bytes(), 16)[0] for path in phones} == {390}


def test_the_readme_shows_three_of_them_and_says_what_they_show() -> None:
    shown = re.findall(r"!\[([^\]]+)\]\(docs/screenshots/([\w-]+\.png)\)", (ROOT / "README.md").read_text())
    assert len(shown) == 3
    assert all(len(alt) > 30 for alt, _ in shown)
