"""The link in a sign-in letter: opening it uses nothing up, the button signs in, once."""

import re

from service.app import create_app
from service.identity import ask_to_sign_in
from service.mail.letters import compose
from service.models import Letter, SignInCode
from service.office import Office
from tests.service.conftest import Clock


def mailed_link(office: Office) -> str:
    ask_to_sign_in(office, "ann@example.org")
    letter = Letter.select().where(Letter.kind == "sign-in").order_by(Letter.id.desc()).get(office.database)
    (link,) = compose(office, letter).links
    return link.removeprefix(office.settings.base_url)


def test_opening_the_link_uses_nothing_up_and_the_button_signs_in_once(office: Office) -> None:
    client, link = create_app(office).test_client(), mailed_link(office)
    for _ in range(5):
        opened = client.get(link)
        assert opened.status_code == 200
        assert "<form" in opened.text
    assert not SignInCode.select(SignInCode.used).scalar(office.database)
    pressed = client.post(link)
    assert "ann@example.org" in pressed.text
    token = re.search(r"<pre>(\S+)</pre>", pressed.text)
    assert token
    me = client.get("/api/v1/me", headers={"Authorization": f"Bearer {token[1]}"})
    assert (me.json or {})["email"] == "ann@example.org"
    assert pressed.headers["Cache-Control"] == "no-store"
    again = client.post(link)
    assert again.status_code == 401
    assert "used up" in again.text


def test_a_link_that_is_late_or_no_link_leads_to_a_friendly_page(office: Office, clock: Clock) -> None:
    client, link = create_app(office).test_client(), mailed_link(office)
    clock.now += 15 * 60
    for path in (link, "/login/nonsense"):
        for answer in (client.get(path), client.post(path)):
            assert answer.status_code == 401
            assert answer.mimetype == "text/html"
