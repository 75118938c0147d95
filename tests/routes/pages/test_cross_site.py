"""Forms that another site submits are refused: they could sign somebody in to a stranger's account (login CSRF)."""

import pytest
from flask.testing import FlaskClient

from service.context import AppContext
from service.db.models import Player, SignInCode
from tests.support.apps import app_for
from tests.support.browsers import Browser
from tests.support.sign_in import request_letter
from tests.support.tables import start_game

FROM_ELSEWHERE = {
    "another site": {"Sec-Fetch-Site": "cross-site"},
    "a neighbouring site": {"Sec-Fetch-Site": "same-site"},
    "another site that claims our origin": {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:8000"},
    "the origin of an older browser": {"Origin": "https://evil.example"},
    "an origin that begins like ours": {"Origin": "http://localhost.evil.example"},
    "our host as a user name": {"Origin": "http://localhost@evil.example"},
    "no origin at all": {"Origin": "http://["},
    "a referrer": {"Referer": "https://evil.example/localhost"},
    "a hidden origin": {"Origin": "null"},
}
FROM_HERE = {
    "our page": {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
    "the address bar": {"Sec-Fetch-Site": "none"},
    "our page in an older browser": {"Origin": "http://localhost"},
    "our page behind a proxy that changes the host": {"Origin": "http://127.0.0.1:8000"},
    "our referrer": {"Referer": "http://localhost/login"},
    "a program": {},
}


@pytest.fixture
def client(ctx: AppContext) -> FlaskClient:
    return app_for(ctx).test_client()


@pytest.mark.parametrize("headers", FROM_ELSEWHERE.values(), ids=FROM_ELSEWHERE)
def test_another_site_cannot_sign_somebody_in_or_ask_for_a_code(
    ctx: AppContext, client: FlaskClient, headers: dict[str, str]
) -> None:
    eve = request_letter(ctx, "eve@example.org", browser="Eve's")
    forms = [(f"/login/{eve.link}", {}), ("/login", {"email": "eve@example.org", "code": eve.code})]
    for path, data in [*forms, ("/login", {"email": "ann@example.org"})]:
        refused = client.post(path, data=data, headers=headers)
        assert refused.status_code == 403
        assert "came from another site" in refused.text
    assert client.get("/login").status_code == 200, "not signed in"
    codes = SignInCode.select(SignInCode.email, SignInCode.used).tuples().execute(ctx.database)
    assert list(codes) == [("eve@example.org", False)]


@pytest.mark.parametrize("headers", FROM_HERE.values(), ids=FROM_HERE)
def test_our_own_forms_sign_in(ctx: AppContext, client: FlaskClient, headers: dict[str, str]) -> None:
    assert client.post(f"/login/{request_letter(ctx).link}", headers=headers).status_code == 303


def test_without_tls_our_own_forms_are_known_by_the_cookie(ctx: AppContext, client: FlaskClient) -> None:
    """A browser sends no Sec-Fetch-Site then, and a hidden origin, because our pages allow no referrer."""
    link, hidden = f"/login/{request_letter(ctx).link}", {"Origin": "null"}
    assert client.post(link, headers=hidden).status_code == 403
    assert client.get(link).status_code == 200
    assert client.post(link, headers=hidden).status_code == 303


def test_another_site_cannot_submit_the_form_of_a_turn(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    seat = min(game.rules.to_act(game.state))
    turn, client = f"/t/{ctx.tokens.turn(game.id, seat, game.turn, 0)}", Browser(ctx).client
    data = {"head": str(game.head), "do": "left"}
    assert client.post(turn, data=data, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert client.post(turn, data=data, headers={"Origin": "null"}).status_code == 303


def test_another_site_cannot_sign_somebody_out(ctx: AppContext, ann: Player) -> None:
    browser = Browser(ctx, str(ann.email))
    browser.headers["Sec-Fetch-Site"] = "cross-site"
    browser.post("/logout", 403, on="/")
    browser.headers["Sec-Fetch-Site"] = "same-origin"
    browser.post("/logout", on="/")


def test_a_mail_program_can_unsubscribe_from_anywhere(ctx: AppContext, client: FlaskClient, ann: Player) -> None:
    page, data = f"/u/{ctx.tokens.unsubscribe(ann.id, 'turns')}", {"List-Unsubscribe": "One-Click"}
    for headers in ({}, {"Origin": "null"}, {"Origin": "https://mail.example", "Sec-Fetch-Site": "cross-site"}):
        assert client.post(page, data=data, headers=headers).status_code == 200
