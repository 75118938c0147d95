"""Errors are pages for browsers, and problem+json for API clients."""

import pytest
from flask import Flask

from service import errors
from service.app import create_app
from service.context import AppContext
from tests.support.browsers import HTML, SECURITY_HEADERS, Browser


def app_with(ctx: AppContext, problem: Exception) -> Flask:
    app = create_app(ctx)

    def fail() -> str:
        raise problem

    app.add_url_rule("/fail", view_func=fail, methods=["GET", "POST"])
    app.add_url_rule("/api/v1/fail", "api_fail", view_func=fail)
    return app


@pytest.mark.parametrize(
    ("problem", "heading"),
    [
        (errors.Unauthorised(), "Please sign in"),
        (errors.Forbidden(), "Not allowed"),
        (errors.NotFound(), "Page not found"),
        (errors.Stale(), "The game has moved on"),
        (errors.RateLimited(61), "Please wait a moment"),
        (errors.TooLarge(), "That&#39;s too large"),
        (ZeroDivisionError("secret"), "Something went wrong"),
    ],
)
def test_a_browser_gets_a_page_and_an_api_client_gets_json(ctx: AppContext, problem: Exception, heading: str) -> None:
    client = app_with(ctx, problem).test_client()
    page = client.get("/fail", headers=HTML)
    status = getattr(problem, "status", 500)
    assert (page.status_code, page.mimetype) == (status, "text/html")
    assert heading in page.text
    assert "secret" not in page.text
    for header, value in SECURITY_HEADERS.items():
        assert page.headers[header] == value
    for answer in (client.get("/fail"), client.get("/api/v1/fail", headers=HTML)):
        assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_page_that_is_not_there_says_so_in_the_readers_language(ctx: AppContext) -> None:
    assert "Page not found" in Browser(ctx).get("/no/such", 404)
    assert "rien ici\u00a0; vérifiez l" in Browser(ctx, language="fr").get("/no/such", 404)
    assert "Cela ne se fait pas ici" in Browser(ctx, language="fr").get("/logout", 405)
    assert "ouvre pas directement" in Browser(ctx, language="fr").get("/logout", 405)
    assert "openapi.json for what it accepts" not in Browser(ctx).get("/me/export", 405)  # that is for programs


def test_a_rate_limited_visitor_is_told_when_to_come_back(ctx: AppContext) -> None:
    client = app_with(ctx, errors.RateLimited(61)).test_client()
    answer = client.get("/fail", headers={**HTML, "Accept-Language": "fr"})
    assert "réessayez dans 2 minutes" in answer.text
    assert answer.headers["Retry-After"] == "61"


@pytest.mark.parametrize(("form", "page"), [("/try", "/"), ("/me/export", "/me"), ("/s/nonsense/bot", "/s/nonsense")])
def test_the_error_page_of_a_form_leads_back_to_a_page_that_can_be_opened(
    ctx: AppContext, form: str, page: str
) -> None:
    answer = Browser(ctx).client.post(form, data={"game": "chess"}, headers=HTML)
    assert answer.status_code in {401, 404}
    assert f'<a class="button" href="{page}">Open the page again</a>' in answer.text


def test_an_error_that_quotes_input_is_escaped(ctx: AppContext) -> None:
    client = app_with(ctx, errors.BadRequest("100% <script>x</script> %(name)s")).test_client()
    page = client.get("/fail", headers=HTML)
    assert "100% &lt;script&gt;x&lt;/script&gt; %(name)s" in page.text


def test_a_broken_database_still_gets_a_page(ctx: AppContext) -> None:
    client = create_app(ctx).test_client()
    client.set_cookie("marrakech", ctx.tokens.session(1, 0, ctx.clock()))
    ctx.database.execute_sql("alter table player rename to nobody")
    page = client.get("/", headers=HTML)
    lost = "sqlite" in ctx.settings.database_url  # a missing table is an OperationalError there alone
    assert page.status_code == (503 if lost else 500)
    assert page.mimetype == "text/html"
    assert ("nothing was changed" if lost else "Something went wrong") in page.text


def test_every_page_has_the_one_script_and_style_of_this_server_and_nothing_inline(ctx: AppContext) -> None:
    page = Browser(ctx).get("/")
    assert page.count("<script") == 1
    assert '<script src="/static/pages.js" defer></script>' in page
    assert "<style" not in page
    assert " style=" not in page
    client = create_app(ctx).test_client()
    for path in ("/static/icon.svg", "/static/icon-192.png", "/static/icon-512.png"):
        with client.get(path) as answer:
            assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/g/abc//replay", "//login", "/login/", "/new", "/host", "/me", "//evil.example/x"])
def test_no_redirect_leads_to_the_address_in_the_host_header(ctx: AppContext, path: str) -> None:
    answer = Browser(ctx).client.get(path, headers={**HTML, "Host": "evil.example"}, follow_redirects=False)
    assert answer.headers.get("Location", "/").startswith("/")
    assert not answer.headers.get("Location", "/").startswith("//")
