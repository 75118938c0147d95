"""The application finds pages and addresses just as Flask itself does, only sooner."""

import pytest
from flask import Flask, Request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.test import EnvironBuilder

from service.house import House

ENTRANCES = [
    {"base_url": "http://127.0.0.1:8000"},
    {"base_url": "https://marrakech.example.org"},
    {"base_url": "http://Marrakech.Example.org:80"},
    {"base_url": "http://127.0.0.1:8000/under/a/prefix"},
    {"base_url": "http://[::1]:8000"},
    {"headers": {"Host": "bücher.example.org"}},
]
PATHS = ["/", "/t/a-token?do=left", "/g/é", "/g/%ff%fe", "/g/a%2Fb?name=%C3%A9"]


def with_pages(app: Flask) -> Flask:
    for rule in ("/", "/t/<token>", "/g/<path:game>"):
        app.add_url_rule(rule, rule, lambda **_: "a page", methods=["GET", "POST"])
    return app


@pytest.mark.parametrize("entrance", ENTRANCES, ids=str)
@pytest.mark.parametrize("path", PATHS)
def test_it_matches_and_builds_what_flask_does(entrance: dict[str, object], path: str) -> None:
    found = []
    for app in (with_pages(House("house")), with_pages(Flask("flask"))):
        for _ in range(2):  # once it is new, once it is known
            with app.request_context(EnvironBuilder(path, method="POST", **entrance).get_environ()) as here:  # type: ignore[arg-type]
                adapter = here.url_adapter
                assert adapter is not None
                told = {name: value for name, value in vars(adapter).items() if name not in {"map", "_known"}}
                address = url_for("/g/<path:game>", game="x", _external=True)
                found.append((told, here.request.host, adapter.match(), address))
    assert found == [found[0]] * 4


@pytest.mark.parametrize("host", ["x" * 64 + ".org", "two..dots.org"])
def test_a_host_that_cannot_be_one_is_refused_every_time(host: str) -> None:
    app = with_pages(House("house"))
    for _ in range(2):
        request = Request({**EnvironBuilder("/").get_environ(), "HTTP_HOST": host})
        with pytest.raises(HTTPException):
            app.create_url_adapter(request)


def test_whoever_makes_hosts_up_fills_nothing() -> None:
    app = House("house")
    client = with_pages(app).test_client()
    for number in range(400):
        assert client.get("/", headers={"Host": f"host{number}.example.org"}).status_code == 200
    assert app._known.cache_info().currsize <= 256


def test_what_somebody_does_with_the_parts_of_an_address_is_forgotten() -> None:
    app = House("house")
    app.add_url_rule("/t/<token>", "turn", lambda token: token)
    for _ in range(2):
        with app.test_request_context("/t/a-token") as here:
            assert here.request.view_args == {"token": "a-token"}
            here.request.view_args.clear()


@pytest.mark.parametrize("path", ["/table", "/table?name=%C3%A9", "/nowhere", "/t/one"])
def test_whoever_is_sent_elsewhere_or_refused_is_told_as_flask_tells_it(path: str) -> None:
    answers = []
    for app in (House("house"), Flask("flask")):
        app.add_url_rule("/table/", "table", lambda: "a table")
        app.add_url_rule("/t/<int:number>", "turn", lambda number: "a turn")
        for host in ("one.example.org", "two.example.org"):
            for _ in range(2):
                answer = app.test_client().post(path, headers={"Host": host})
                answers.append((host, answer.status_code, answer.headers.get("Location"), answer.headers.get("Allow")))
    assert answers[:4] == answers[4:]
