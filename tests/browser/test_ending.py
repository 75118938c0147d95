"""The end of a game in a real browser: the result is in view, and one click starts the rematch."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from service.games.rematch import find_rematch
from service.routes.current import SESSION_COOKIE
from tests.browser.playing import CALM, is_sound_in_light_and_dark
from tests.browser.server import GameServer

Open = Callable[..., Page]


@pytest.mark.parametrize("size", [(390, 844), (1366, 768)], ids=["phone", "laptop"])
def test_the_result_comes_into_view_and_one_click_starts_the_rematch(
    server: GameServer, page_at: Open, size: tuple[int, int]
) -> None:
    game, ann = server.table("ann", "bo"), server.player("ann")
    server.play(game, 40)
    page = page_at("/", viewport={"width": size[0], "height": size[1]}, **CALM)
    token = server.ctx.tokens.session(ann.id, ann.token_version, server.ctx.clock())
    page.context.add_cookies([{"name": SESSION_COOKIE, "value": token, "url": server.address}])
    page.goto(f"/g/{game.id}")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    over = server.play(game)
    page.evaluate("dispatchEvent(new Event('online'))")  # it asks at once
    rematch = page.get_by_role("button", name="Rematch", exact=True)
    shown = (page.locator("#status .whose"), page.locator(".ranking"), rematch)
    for part in (*shown, page.get_by_role("link", name="Watch it again")):
        expect(part).to_be_in_viewport(ratio=0.99)
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
