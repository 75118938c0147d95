"""A form on another site can't sign a visitor in to somebody else's account, whatever that site hides."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.server import GameServer
from tests.support.sign_in import request_letter


@pytest.mark.parametrize("policy", ["no-referrer", "unsafe-url"])
def test_another_site_cannot_sign_a_visitor_in(
    server: GameServer, page_at: Callable[..., Page], complaints: list[str], policy: str
) -> None:
    page = page_at("/")
    link = f"{server.address}/login/{request_letter(server.ctx, 'eve@example.org').link}"
    form = f"<form method='post' action='{link}'><button>Win a rug</button></form>"
    page.route(
        "http://evil.example/",
        lambda route: route.fulfill(body=form, headers={"Referrer-Policy": policy}, content_type="text/html"),
    )
    page.goto("http://evil.example/")
    with page.expect_response(link) as refused:
        page.get_by_text("Win a rug").click()
    assert refused.value.status == 403
    page.goto(link)
    page.locator("main form button").click()
    page.wait_for_url(lambda url: url.startswith(f"{server.address}/welcome"))
    complaints.clear()  # about the status 403
