"""Every request is one line of JSON with its id, and no line contains a secret."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, abort
from flask.testing import FlaskClient

from service.app import observe_requests
from service.auth.tokens import TokenSigner
from service.errors import Stale
from service.logs import LOGGER, LogFormatter, log_error, redact, request_id
from service.metrics import RequestCounts

LINKS = TokenSigner(["the-key-of-this-server"])
TOKENS = (
    LINKS.turn("abcdefghijkl", 1, 3, 0),
    LINKS.seat("abcdefghijkl", 1, 0),
    LINKS.sign_in(7, "camel-camel-camel-camel", 1_790_000_000),
    LINKS.api(1, 0),
    LINKS.invitation("abcdefghijkl", 0),
    LINKS.unsubscribe(1, "turn"),
)


class Lines:
    """The lines in the log."""

    def __init__(self) -> None:
        self.stream = StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    def read(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """What the server logs; the loggers are restored afterwards."""
    logger = logging.getLogger(LOGGER)
    before, level = logger.handlers[:], logger.level
    caught = Lines()
    handler = logging.StreamHandler(caught.stream)
    handler.setFormatter(LogFormatter())
    logger.handlers[:] = [handler]
    yield caught
    logger.handlers[:] = before
    logger.setLevel(level)


@pytest.fixture
def client(lines: Lines) -> FlaskClient:
    app = Flask("service")
    observe_requests(app, RequestCounts())

    @app.route("/", defaults={"path": ""}, methods=["GET", "POST"])
    @app.route("/<path:path>", methods=["GET", "POST"])
    def anything(path: str) -> str:
        if path == "gone":
            abort(404)
        if path == "fault":
            raise KeyError("ann@example.org")
        return request_id()

    return app.test_client()


def test_a_request_is_one_line(client: FlaskClient, lines: Lines) -> None:
    answer = client.post("/api/v1/games/abcdefghijkl/actions")
    (line,) = lines.read()
    assert list(line) == ["time", "level", "event", "request_id", "method", "path", "status", "milliseconds"]
    assert line["level"] == "info"
    assert line["event"] == "request"
    assert line["method"] == "POST"
    assert line["path"] == "/api/v1/games/abcdefghijkl/actions"
    assert line["status"] == 200
    assert line["milliseconds"] >= 0
    assert line["request_id"] == answer.headers["X-Request-Id"] == answer.text
    assert line["time"].endswith("Z")


def test_a_refused_request_is_logged_as_well(client: FlaskClient, lines: Lines) -> None:
    assert "X-Request-Id" in client.get("/gone").headers
    assert lines.read()[0]["status"] == 404


def test_a_valid_request_id_is_kept_and_an_invalid_one_is_replaced(client: FlaskClient) -> None:
    assert client.get("/", headers={"X-Request-Id": "proxy-0000-1111"}).headers["X-Request-Id"] == "proxy-0000-1111"
    for invalid in ("", "short", "x" * 65, 'a","level":"b', "ann@example.org", TOKENS[0]):
        assert len(client.get("/", headers={"X-Request-Id": invalid}).headers["X-Request-Id"]) == 16
    assert client.get("/").text != client.get("/").text


@pytest.mark.parametrize("token", TOKENS)
def test_no_token_address_code_or_query_reaches_a_line(client: FlaskClient, lines: Lines, token: str) -> None:
    for path in ("/t/", "/s/", "/login/", "/unsubscribe/", "/T/", "//t/", "/marrakech/t/", "/elsewhere/", "/"):
        client.get(path + token, query_string={"do": "left", "code": "BCDF2345"})
        client.get(f"{path}{token}/more", headers={"Authorization": f"Bearer {token}", "Referer": f"/t/{token}"})
    client.get("/t/short")
    client.get("/login/BCDF2345")
    client.get("/players/ann@example.org")
    client.post("/api/v1/login", json={"email": "ann@example.org", "code": "BCDF2345"})
    for secret in (token, token[:20], token[-20:], "BCDF2345", "ann@", "example.org", "do=left", "short"):
        assert secret not in lines.text
    assert {line["path"] for line in lines.read()} >= {
        "/t/…",
        "/s/…",
        "/login/…",
        "/unsubscribe/…",
        "/elsewhere/…",
        "/…",
    }


def test_line_breaks_in_a_path_make_no_second_line(client: FlaskClient, lines: Lines) -> None:
    client.get('/a%0A{"level":"error"}%0D%00%1B[31m')
    assert len(lines.read()) == 1


def test_a_fault_is_logged_with_its_place_and_without_its_words(client: FlaskClient, lines: Lines) -> None:
    assert client.get("/fault").status_code == 500
    fault, request = lines.read()
    assert fault["level"] == "error"
    assert fault["error"] == "KeyError"
    assert fault["where"][-1].endswith(" anything")
    assert fault["request_id"] == request["request_id"]
    assert request["status"] == 500
    assert "ann@" not in lines.text


def test_flask_names_the_path_of_a_fault_and_the_token_in_it_is_cut_out(lines: Lines) -> None:
    app = Flask("service")
    observe_requests(app, RequestCounts())

    @app.get("/t/<token>")
    def turn(token: str) -> str:
        raise ValueError(token) from LookupError(token)

    app.test_client().get(f"/t/{TOKENS[0]}?do=left")
    fault = lines.read()[0]
    assert fault["event"] == "Exception on /t/… [GET]"
    assert fault["because"]["error"] == "LookupError"
    assert TOKENS[0][:20] not in lines.text


def test_a_problem_is_not_logged_as_an_error(lines: Lines) -> None:
    log_error(Stale())
    assert lines.text == ""
    log_error(ZeroDivisionError("BCDF2345"))
    assert lines.read()[0]["event"] == "fault"
    assert "BCDF2345" not in lines.text


def test_a_second_app_writes_no_second_line(client: FlaskClient, lines: Lines) -> None:
    observe_requests(Flask("service"), RequestCounts())
    client.get("/")
    assert len(lines.read()) == 1


def test_one_line_is_written_and_the_servers_own_warnings_look_the_same(capfd: pytest.CaptureFixture[str]) -> None:
    """waitress calls `logging.basicConfig`, which must not add a second, plain line."""
    script = (
        "import logging; from service.logs import configure_logging; configure_logging(); configure_logging();"
        "logging.basicConfig(); logging.getLogger('service').info('request');"
        "logging.getLogger('waitress.queue').warning('Task queue depth is %d', 3)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    events = [json.loads(line)["event"] for line in capfd.readouterr().err.splitlines()]
    assert events == ["request", "Task queue depth is 3"]


def test_a_long_path_is_cut() -> None:
    assert len(redact("/a" * 5000)) == 201


def test_static_files_are_logged_only_when_they_are_missing(lines: Lines, tmp_path: Path) -> None:
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "style.css").write_text("body {}")
    app = Flask("service", static_folder=str(folder))
    observe_requests(app, RequestCounts())
    with app.test_client().get("/static/style.css") as found:
        assert found.status_code == 200
    assert lines.text == ""
    assert app.test_client().get("/static/missing.css").status_code == 404
    assert [line["path"] for line in lines.read()] == ["/static/missing.css"]
