"""The end of a game in a real browser: the result is in view, and one click starts the rematch."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from service.games.rematch import find_rematch
from tests.browser.playing import CALM, is_sound_in_light_and_dark
from tests.browser.server import GameServer

Open = Callable[..., Page]


@pytest.mark.parametrize("size", [(390, 844), (360, 640), (1366, 768)])
def test_the_result_comes_into_view_and_one_click_starts_the_rematch(
    server: GameServer, page_at: Open, size: tuple[int, int]
) -> None:
    game = server.table("ann", "bo")
    server.play(game, 40)
    page = page_at("/", viewport={"width": size[0], "height": size[1]}, **CALM)
    page.context.add_cookies([server.session("ann")])
    page.goto(f"/g/{game.id}")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    over = server.play(game)
    page.evaluate("dispatchEvent(new Event('online'))")  # it asks at once
    rematch = page.get_by_role("button", name="Rematch", exact=True)
    shown = (page.locator("#status .whose"), page.locator(".ranking"), rematch)
    links = [page.get_by_role("link", name=name, exact=True) for name in ("Replay", "Scores", "Analysis")]
    for part in (*shown, *links):
        expect(part).to_be_in_viewport(ratio=0.99)
    board, bar = page.locator("#board svg").bounding_box(), page.locator(".action-bar").bounding_box()
    assert board
    assert bar
    assert board["y"] >= 0
    assert board["y"] + board["height"] <= (bar["y"] if size[0] < 1000 else size[1])
    assert page.locator("#board .winners").count() == 1
    is_sound_in_light_and_dark(page)
    rematch.click()
    page.wait_for_url(lambda url: game.id not in url)
    found = find_rematch(server.ctx, over.id)
    assert found is not None
    assert page.url.endswith(f"/g/{found.id}")
    page.go_back()
    page.reload()
    page.get_by_role("link", name="Go to the rematch").click()
    page.wait_for_url(f"**/g/{found.id}")
