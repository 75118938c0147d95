"""What those do who play in the browser's tests, and what is looked for on every page of a game."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

CALM: dict[str, Any] = {"reduced_motion": "reduce"}


def at_square(page: Page, square: str) -> tuple[float, float]:
    """Where the middle of a square is on the screen."""
    box = page.locator("#board svg").bounding_box()
    assert box is not None
    unit = box["width"] / 9  # seven squares and the border, which is as wide as one on either side
    return box["x"] + ("abcdefg".index(square[0]) + 1.5) * unit, box["y"] + (7 - int(square[1]) + 1.5) * unit


def point(page: Page, square: str) -> None:
    page.locator("#board svg").scroll_into_view_if_needed()
    page.mouse.click(*at_square(page, square))


def places(page: Page) -> list[str]:
    return [str(each.get_attribute("value")) for each in page.locator(".place-choice input").all()]


def confirm(page: Page) -> Locator:
    return page.locator("form.choosing button.main")


def is_sound_in_light_and_dark(page: Page) -> None:
    """Check a page, then its colours in the dark scheme."""
    is_sound(page)
    page.emulate_media(color_scheme="dark")
    assert not _grave(page, {"runOnly": ["color-contrast"]})
    page.emulate_media(color_scheme="light")


def is_sound(page: Page) -> None:
    """Nothing serious for people who cannot see or point well, nothing to scroll sideways, times that programs read."""
    assert not _grave(page, {"resultTypes": ["violations"]})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.locator("time:not([datetime])").count() == 0


def _grave(page: Page, options: dict[str, Any]) -> list[Any]:
    found = Axe().run(page, options=options).response["violations"]
    serious = [each for each in found if each["impact"] in {"serious", "critical"}]
    return [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in serious]
