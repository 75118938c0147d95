"""Letters in a browser as narrow as a phone: the first button can be seen without scrolling, and nothing is cut off."""

import pytest
from playwright.sync_api import Browser

from service.context import AppContext
from tests.mail.test_question_first import ASKING, compose_asking
from tests.mail.test_what_letters_say import Situation
from tests.support.clock import Clock

PHONE = {"width": 380, "height": 700}
FIRST_PIXELS = 500


@pytest.mark.parametrize("situation", ASKING)
def test_the_first_button_is_within_the_first_pixels_of_a_phone(
    chromium: Browser, ctx: AppContext, clock: Clock, situation: Situation
) -> None:
    letter = compose_asking(ctx, clock, situation)
    page = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    try:
        page.set_content(letter.html)
        button = page.locator("td.key a[href*='?do=']").first.bounding_box()
        assert button is not None
        assert button["y"] + button["height"] <= FIRST_PIXELS
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    finally:
        page.close()
