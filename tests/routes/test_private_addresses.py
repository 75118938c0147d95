"""Nobody learns who plays here: for every address, a request gets the same response after the same statements.

The statements stand for the time that a request takes, which a test can't measure reliably.
"""

import logging
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Letter, Player
from service.worker import tick
from tests.support.apps import app_for
from tests.support.people import API, Person
from tests.support.tables import start_game

pytestmark = pytest.mark.databases("sqlite", "postgresql")

KNOWN, REFUSED, UNKNOWN, NOT_ALLOWED = "ann@example.org", "bo1@example.org", "new@example.org", "eve@example.com"
ADDRESSES = (KNOWN, REFUSED, UNKNOWN, NOT_ALLOWED)


@pytest.fixture
def group(ctx: AppContext) -> AppContext:
    """A server for a closed group, with two players; the mail server refused letters to one of them."""
    ann, bo = find_or_create_player(ctx, KNOWN), find_or_create_player(ctx, REFUSED)
    start_game(ctx, [ann, bo])
    Player.update(mail_trouble="550 no such mailbox").where(Player.id == bo.id).execute(ctx.database)
    return ctx._replace(settings=replace(ctx.settings, allowed_emails=("*@example.org",)))


@pytest.fixture
def client(group: AppContext) -> FlaskClient:
    return app_for(group).test_client()


class Observer:
    """Sends requests and notes what anyone can see of them, and the statements that they execute."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self.caplog = caplog

    def observe(self, address: str, send: Any) -> tuple[Any, ...]:
        self.caplog.clear()
        with self.caplog.at_level(logging.DEBUG, logger="peewee"):
            response: TestResponse = send(address)
        statements = [record.msg[0] for record in self.caplog.records if record.name == "peewee"]
        assert statements
        headers = {name: value for name, value in response.headers if name not in {"X-Request-Id", "Content-Length"}}
        headers["Set-Cookie"] = headers.get("Set-Cookie", "").partition("; Expires=")[0]
        return response.status_code, headers, response.text.replace(address, "ADDRESS"), statements


@pytest.fixture
def observer(caplog: pytest.LogCaptureFixture) -> Observer:
    return Observer(caplog)


@pytest.mark.parametrize("call", ["/login", "/links"])
def test_asking_for_a_code_or_links_through_the_api(client: FlaskClient, observer: Observer, call: str) -> None:
    seen = [observer.observe(each, lambda email: client.post(API + call, json={"email": email})) for each in ADDRESSES]
    assert seen[0][0] == 202
    assert seen == [seen[0]] * len(ADDRESSES)


def test_asking_for_a_code_on_the_page(client: FlaskClient, observer: Observer) -> None:
    client.get("/login")  # so that all requests come from the same browser
    seen = [observer.observe(each, lambda email: client.post("/login", data={"email": email})) for each in ADDRESSES]
    assert seen[0][0] == 200
    assert seen == [seen[0]] * len(ADDRESSES)


def test_entering_a_wrong_code(group: AppContext, client: FlaskClient, observer: Observer) -> None:
    for address in ADDRESSES:
        client.post(f"{API}/login", json={"email": address})

    def confirm(email: str) -> TestResponse:
        return client.post(f"{API}/login/confirm", json={"email": email, "code": "BCDFGHJK"})

    seen = [observer.observe(address, confirm) for address in ADDRESSES]
    assert seen[0][0] == 401
    assert seen == [seen[0]] * len(ADDRESSES)


def test_inviting_somebody(group: AppContext, client: FlaskClient, observer: Observer) -> None:
    host = Person(client, group, "host@example.org")

    def invite(email: str) -> TestResponse:
        return host.call("POST", "/games", {"game": "marrakech", "seats": [{"email": email}]})

    seen = [observer.observe(address, invite) for address in (KNOWN, REFUSED, UNKNOWN)]
    assert [status for status, *_ in seen] == [201] * 3
    assert [statements for *_, statements in seen] == [seen[0][3]] * 3
    views = [host.get(f"/games/{game['id']}") for game in host.get("/games")["games"]]
    invited = [{**view["seats"][1], "name": "the first part of the address"} for view in views]
    assert invited == [invited[0]] * 3


def test_the_worker_drops_the_letter_to_an_address_that_may_not_sign_in(group: AppContext, client: FlaskClient) -> None:
    Letter.delete().execute(group.database)
    for address in (KNOWN, UNKNOWN, NOT_ALLOWED):
        client.post(f"{API}/login", json={"email": address})
    while tick(group):
        pass
    letters = Letter.select(Letter.address, Letter.status, Letter.trouble).order_by(Letter.id).tuples()
    assert list(letters.execute(group.database)) == [
        (KNOWN, "kept", None),
        (UNKNOWN, "kept", None),
        (NOT_ALLOWED, "dropped", "This address may not sign in here. See ALLOWED_EMAILS in the settings."),
    ]
