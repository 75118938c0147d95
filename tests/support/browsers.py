"""Browsers for the tests of pages: a signed-in session in Flask's test client that submits the forms of a page."""

import re

import html5lib
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.routes.current import SESSION_COOKIE
from tests.support.apps import app_for

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Browser:
    """A browser; with an address, its player is signed in."""

    def __init__(self, ctx: AppContext, address: str | None = None, language: str = "en") -> None:
        self.client: FlaskClient = app_for(ctx, mailbox=True).test_client()
        self.headers = {**HTML, "Accept-Language": language}
        if address is not None:
            player = find_or_create_player(ctx, address)
            self.client.set_cookie(SESSION_COOKIE, ctx.tokens.session(player.id, player.token_version, ctx.clock()))

    def get(self, path: str, status: int = 200) -> str:
        """A page. Checks its HTML and its security headers."""
        return self._page(self.client.get(path, headers=self.headers), status)

    def post(self, path: str, status: int = 303, /, *, on: str | None = None, **fields: object) -> TestResponse:
        """Send a form, with the token of the page that it is on."""
        token = re.search(r'name="form" value="([0-9a-f]+)"', self.get(on)) if on else None
        form = {"form": token[1], **fields} if token else fields
        answer = self.client.post(path, data=form, headers=self.headers)
        assert answer.status_code == status, answer.text
        if answer.mimetype == "text/html" and status != 303:
            self._page(answer, status)
        return answer

    @staticmethod
    def _page(answer: TestResponse, status: int) -> str:
        assert answer.status_code == status, answer.text
        assert answer.mimetype == "text/html"
        for header, value in SECURITY_HEADERS.items():
            assert answer.headers[header] == value
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        html5lib.HTMLParser(strict=True).parse(answer.text)
        return answer.text
