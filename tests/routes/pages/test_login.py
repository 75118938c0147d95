"""Signing in with a browser: by the link in the letter or its code; opening the link doesn't use it up."""

import re

import pytest
from flask.testing import FlaskClient

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Player, SignInCode
from service.routes.current import SESSION_COOKIE
from tests.support.apps import app_for
from tests.support.browsers import HTML
from tests.support.clock import Clock
from tests.support.sign_in import newest_letter, request_letter


@pytest.fixture
def client(ctx: AppContext) -> FlaskClient:
    return app_for(ctx).test_client()


def mailed_link(ctx: AppContext) -> str:
    return f"/login/{request_letter(ctx).link}"


def mailed_code(ctx: AppContext) -> str:
    return newest_letter(ctx).code


def signed_in(client: FlaskClient) -> bool:
    """Only who is signed in is led on by the page."""
    return client.get("/login").status_code == 303


def form_of(page: str) -> str:
    found = re.search(r'name="form" value="([0-9a-f]+)"', page)
    assert found
    return found[1]


def test_opening_the_link_does_not_use_it_up_and_the_button_signs_in_once(ctx: AppContext, client: FlaskClient) -> None:
    link = mailed_link(ctx)
    for _ in range(5):
        opened = client.get(link)
        assert opened.status_code == 200
        assert "<form" in opened.text
    assert not SignInCode.select(SignInCode.used).scalar(ctx.database)
    assert not signed_in(client)
    pressed = client.post(link)
    assert (pressed.status_code, pressed.location) == (303, "/welcome?next=/")
    assert pressed.headers["Cache-Control"] == "no-store"
    assert signed_in(client)
    again = client.post(link)
    assert again.status_code == 410
    assert "already been used" in again.text


def test_an_expired_or_invalid_link_leads_to_a_friendly_page(
    ctx: AppContext, client: FlaskClient, clock: Clock
) -> None:
    link = mailed_link(ctx)
    clock.now += 15 * 60
    for path, status in ((link, 410), ("/login/nonsense", 401)):
        for answer in (client.get(path), client.post(path)):
            assert answer.status_code == status
            assert answer.mimetype == "text/html"


def test_an_address_and_then_the_code_sign_in_and_redirect(ctx: AppContext, client: FlaskClient) -> None:
    asked = client.post("/login", data={"email": "Ann@example.org", "next": "/g/abc"})
    assert asked.status_code == 200
    assert 'name="code"' in asked.text
    code = mailed_code(ctx)
    done = client.post("/login", data={"email": "Ann@example.org", "code": code.lower(), "next": "/g/abc"})
    assert (done.status_code, done.location) == (303, "/welcome?next=/g/abc")
    assert signed_in(client)


def read_form(page: str) -> dict[str, str]:
    """The fields of a page's form with their values."""
    return dict(re.findall(r'name="(\w+)"[^>]* value="([^"]*)"', page))


def test_the_first_sign_in_asks_for_a_name_and_goes_on_and_later_ones_do_not_ask(
    ctx: AppContext, client: FlaskClient
) -> None:
    link = f"/login/{request_letter(ctx, 'ben.miller2@example.org').link}"
    asked = client.get(client.post(link, data={"next": "/new"}).location).text
    form = read_form(asked)
    assert (form["name"], form["next"]) == ("Ben Miller", "/new")
    done = client.post("/welcome", data=form | {"name": "  Ben "})
    assert (done.status_code, done.location) == (303, "/new")
    assert find_or_create_player(ctx, "ben.miller2@example.org").name == "Ben"
    assert client.get("/welcome?next=/new").location == "/new"
    again = f"/login/{request_letter(ctx, 'ben.miller2@example.org').link}"
    assert client.post(again, data={"next": "/new"}).location == "/new"


@pytest.mark.parametrize(
    ("name", "words"),
    [("  ", "Enter a name."), ("x" * 81, "at most 80 characters"), ("a\u202eb", "invisible")],
)
def test_a_wrong_name_is_refused_next_to_its_field(ctx: AppContext, client: FlaskClient, name: str, words: str) -> None:
    asked = client.get(client.post(mailed_link(ctx)).location).text
    refused = client.post("/welcome", data=read_form(asked) | {"name": name, "next": "/new"})
    assert refused.status_code == 400
    assert words in refused.text
    assert 'aria-describedby="name-note name-error"' in refused.text
    assert read_form(refused.text)["next"] == "/new"
    assert find_or_create_player(ctx, "ann@example.org").name == ""


def test_only_a_form_of_the_session_sets_the_name(ctx: AppContext, client: FlaskClient) -> None:
    assert client.get("/welcome?next=/new").location == "/login?next=/new"
    assert client.post("/welcome", data={"name": "Eve"}).status_code == 401
    client.post(mailed_link(ctx))
    assert client.post("/welcome", data={"name": "Eve", "form": "0" * 32}).status_code == 403
    assert find_or_create_player(ctx, "ann@example.org").name == ""


def test_the_link_in_the_letter_continues_to_the_page_that_was_wanted(ctx: AppContext, client: FlaskClient) -> None:
    client.post("/login", data={"email": "ann@example.org", "next": "/join/abc"})
    link = f"/login/{newest_letter(ctx).link}"
    elsewhere = app_for(ctx).test_client()  # the letter is opened in another browser, on a phone
    form = read_form(elsewhere.get(link).text)
    assert elsewhere.post(link, data=form).location == "/welcome?next=/join/abc"


@pytest.mark.parametrize(
    ("page", "wanted"),
    [("/g/abc", "/g/abc"), ("/join/abc", "/join/abc"), ("/rules", "/rules"), ("/", ""), ("/s/x", "")],
)
def test_every_page_links_to_signing_in_and_back_but_stores_no_private_link(
    client: FlaskClient, page: str, wanted: str
) -> None:
    links = set(re.findall(r'href="(/login[^"]*)"', client.get(page, headers=HTML).text))
    assert links == {f"/login?next={wanted}" if wanted else "/login"}


def test_a_form_after_the_session_has_ended_leads_back_to_its_page(client: FlaskClient) -> None:
    for form, page in (("/new", "/new"), ("/me", "/me"), ("/join/abc", "/join/abc")):
        refused = client.post(form, headers=HTML)
        assert refused.status_code == 401
        assert f'<a class="button" href="/login?next={page}">Sign in</a>' in refused.text


def test_the_code_continues_after_the_link_was_used_in_another_tab(ctx: AppContext, client: FlaskClient) -> None:
    client.post("/login", data={"email": "ann@example.org", "next": "/new?game=kilim"})
    letter = newest_letter(ctx)
    client.post(f"/login/{letter.link}")
    data = {"email": "Ann@example.org", "code": letter.code, "next": "/new?game=kilim"}
    assert client.post("/login", data=data).location == "/welcome?next=/new?game=kilim"
    refused = client.post("/login", data=data | {"email": "bo@example.org"})
    assert refused.status_code == 401


def test_the_cookie_is_hidden_from_scripts_and_other_sites(ctx: AppContext, client: FlaskClient) -> None:
    cookie = client.post(mailed_link(ctx)).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


@pytest.mark.parametrize(
    "way",
    [
        *("//evil.example", "https://evil.example", "/\\evil.example", "javascript:x", "g/abc"),
        *("/\t/evil.example", "/%2f/evil.example", "/@evil.example", "/g/abc\r\nLocation: x", "/" + "x" * 512),
    ],
)
def test_signing_in_never_redirects_to_another_site(ctx: AppContext, client: FlaskClient, way: str) -> None:
    client.post("/login", data={"email": "ann@example.org", "next": way})
    letter = newest_letter(ctx)
    assert read_form(client.get(f"/login/{letter.link}").text)["next"] == "/"
    data = {"email": "ann@example.org", "code": letter.code, "next": way}
    assert client.post("/login", data=data).location == "/welcome?next=/"
    form = read_form(client.get("/welcome", query_string={"next": way}).text)
    assert form["next"] == "/"
    assert client.post("/welcome", data=form | {"next": way}).location == "/"


def test_a_wrong_code_or_address_is_refused_on_the_page(ctx: AppContext, client: FlaskClient) -> None:
    client.post("/login", data={"email": "ann@example.org"})
    wrong = client.post("/login", data={"email": "ann@example.org", "code": "BBBBBBBB"})
    assert wrong.status_code == 401
    assert "code is wrong" in wrong.text
    assert 'name="code"' in wrong.text  # there for another try
    nobody = client.post("/login", data={"email": "no address"})
    assert nobody.status_code == 400
    assert 'name="email" type="email"' in nobody.text
    assert not signed_in(client)


def test_a_code_can_be_entered_only_in_the_browser_that_asked_for_it(ctx: AppContext, client: FlaskClient) -> None:
    eve = app_for(ctx).test_client()
    asked = client.post("/login", data={"email": "ann@example.org"}).headers["Set-Cookie"]
    assert all(part in asked for part in ("HttpOnly", "SameSite=Lax", "Path=/login", "Max-Age=900"))
    code = mailed_code(ctx)
    for guess in (["BBBBBBBB"] * 10, [code]):
        for each in guess:
            refused = eve.post("/login", data={"email": "ann@example.org", "code": each})
            assert refused.status_code == 401
            assert "Open the link in the e-mail, or get a new code." in refused.text
    assert client.post("/login", data={"email": "ann@example.org", "code": code}).status_code == 303
    assert signed_in(client)
    assert not signed_in(eve)


def test_an_earlier_code_of_this_browser_works_after_asking_again(ctx: AppContext, client: FlaskClient) -> None:
    client.post("/login", data={"email": "ann@example.org"})
    first = mailed_code(ctx)
    for _ in range(9):  # the last ones send nothing more
        assert client.post("/login", data={"email": "ann@example.org"}).status_code == 200
    assert SignInCode.select().count(ctx.database) == 6
    assert client.post("/login", data={"email": "ann@example.org", "code": first}).status_code == 303


def test_the_link_of_a_letter_that_a_stranger_asked_for_signs_its_reader_in(
    ctx: AppContext, client: FlaskClient, clock: Clock
) -> None:
    """Strangers can use up the letters of an address, but never for so long that none of them works."""
    eve = app_for(ctx).test_client()
    newest = ""
    for minute in range(2 * 60):
        eve.post("/login", data={"email": "ann@example.org"}, environ_base={"REMOTE_ADDR": f"198.51.{minute}.7"})
        newest = f"/login/{newest_letter(ctx).link}"
        assert client.get(newest).status_code == 200
        clock.now += 60
    assert client.post(newest).status_code == 303
    assert signed_in(client)


def test_a_changed_or_expired_cookie_or_another_token_is_no_session(
    ctx: AppContext, client: FlaskClient, clock: Clock
) -> None:
    ann = find_or_create_player(ctx, "ann@example.org")
    good = ctx.tokens.session(ann.id, ann.token_version, clock.now)
    for cookie in (good[:-1] + ("A" if good[-1] != "A" else "B"), ctx.tokens.api(ann.id, 0), "", "x" * 3000):
        client.set_cookie(SESSION_COOKIE, cookie)
        assert not signed_in(client)
    client.set_cookie(SESSION_COOKIE, good)
    assert signed_in(client)
    clock.now += 181 * 24 * 3600
    assert not signed_in(client)


def test_signing_out_everywhere_ends_the_session(ctx: AppContext, client: FlaskClient, clock: Clock) -> None:
    ann = find_or_create_player(ctx, "ann@example.org")
    client.set_cookie(SESSION_COOKIE, ctx.tokens.session(ann.id, ann.token_version, clock.now))
    Player.update(token_version=1).execute(ctx.database)
    assert not signed_in(client)


def test_a_session_is_not_an_api_token(ctx: AppContext, client: FlaskClient, clock: Clock) -> None:
    ann = find_or_create_player(ctx, "ann@example.org")
    token = ctx.tokens.session(ann.id, ann.token_version, clock.now)
    assert client.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_only_a_form_of_the_session_signs_out(ctx: AppContext, client: FlaskClient) -> None:
    client.post(mailed_link(ctx))
    for data in ({}, {"form": "0" * 32}, {"form": "é"}):
        assert client.post("/logout", data=data).status_code == 403
    assert signed_in(client)
    home = client.get("/").text
    assert client.post("/logout", data={"form": form_of(home)}).status_code == 303
    assert not signed_in(client)


@pytest.mark.parametrize(
    ("zone", "kept"), [("Europe/Paris", "Europe/Paris"), ("Mars/Olympus", "UTC"), ("../../etc", "UTC"), ("", "UTC")]
)
def test_a_new_player_gets_the_browsers_language_and_time_zone(
    ctx: AppContext, client: FlaskClient, zone: str, kept: str
) -> None:
    client.post(mailed_link(ctx), data={"zone": zone}, headers={"Accept-Language": "fr-FR, en;q=0.5"})
    ann = find_or_create_player(ctx, "ann@example.org")
    assert (ann.language, ann.time_zone) == ("fr", kept)


def test_a_known_player_keeps_their_language_and_time_zone(ctx: AppContext, client: FlaskClient, clock: Clock) -> None:
    find_or_create_player(ctx, "ann@example.org")
    clock.now += 1
    client.post(mailed_link(ctx), data={"zone": "Europe/Paris"}, headers={"Accept-Language": "fr"})
    ann = find_or_create_player(ctx, "ann@example.org")
    assert (ann.language, ann.time_zone) == ("en", "UTC")


def test_the_page_signs_in_in_french(ctx: AppContext, client: FlaskClient) -> None:
    french = {"Accept-Language": "fr"}
    assert "Votre adresse électronique" in client.get("/login", headers=french).text
    client.post("/login", data={"email": "ann@example.org"})
    wrong = client.post("/login", data={"email": "ann@example.org", "code": "BBBBBBBB"}, headers=french)
    assert "Ce code est faux" in wrong.text
