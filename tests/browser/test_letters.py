"""Letters in a browser as narrow as a phone: the first button can be seen without scrolling, and nothing is cut off."""

import pytest
from playwright.sync_api import Browser

from service.context import AppContext
from service.mail.letters import compose
from tests.mail.correspondence import post
from tests.mail.kilim_games import PEOPLE, person, speak_french, start_kilim
from tests.mail.test_question_first import ASKING, compose_asking, with_replies
from tests.mail.test_what_letters_say import Situation
from tests.support.clock import Clock

PHONE = {"width": 380, "height": 700}
FIRST_PIXELS = 500


def measure(chromium: Browser, html: str) -> tuple[float, float]:
    """Where the first button of a letter ends on a phone, and how wide the letter is there."""
    page = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    try:
        page.set_content(html)
        button = page.locator("td.key a[href*='?do=']").first.bounding_box()
        assert button is not None
        return button["y"] + button["height"], page.evaluate("document.documentElement.scrollWidth")
    finally:
        page.close()


@pytest.mark.parametrize("situation", ASKING)
def test_the_first_button_is_within_the_first_pixels_of_a_phone(
    chromium: Browser, ctx: AppContext, clock: Clock, situation: Situation
) -> None:
    end, width = measure(chromium, compose_asking(ctx, clock, situation).html)
    assert end <= FIRST_PIXELS
    assert width <= PHONE["width"]


def test_all_cards_and_points_of_five_players_fit_on_a_phone(chromium: Browser, ctx: AppContext) -> None:
    game = start_kilim(ctx, *map(person, PEOPLE[1:]))
    speak_french(ctx)
    for letter in (post(ctx, "turn", game), post(ctx, "reminder", game, part="last")):
        end, width = measure(chromium, compose(with_replies(ctx), letter).html)
        assert end <= FIRST_PIXELS
        assert width <= PHONE["width"]
