"""What goes wrong on the way to the server: each failure has its own sentence, and nothing ever rolls twice."""

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from cli.api import ACTION_PAUSES, Game, HttpClient, Request
from cli.errors import (
    BadAddress,
    CliError,
    ExitCode,
    LostResponse,
    NoAnswer,
    NotAnApi,
    RateLimited,
    Redirected,
    ServerError,
    TlsError,
    UnknownHost,
    VersionMismatch,
)
from tests.cli.doubtful import Answer, Asked, answering, relaying
from tests.cli.people import House, Person, table_for_two
from tests.support.servers import free_port

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
PAGE = (200, {"Content-Type": "text/html"}, b"<html>Welcome to nginx!</html>")


class Line:
    """A connection whose pauses and sentences are written down."""

    def __init__(self, server: str, patient: bool = True) -> None:
        self.pauses: list[float] = []
        self.told: list[str] = []
        self.traced: list[str] = []
        self.http = HttpClient(server, self.told.append, self.traced.append, self.pauses.append, patient)

    def look(self) -> Any:
        return self.http.json(Request("GET", "/me", "s3cret"))

    def act(self) -> Any:
        return self.http.json(Request("POST", "/games/x/actions", "s3cret", body={"head": 1}, repeatable=True))


def look_at(answer: Callable[[Asked], Answer]) -> Any:
    with answering(answer) as server:
        return Line(server).look()


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (PAGE, NotAnApi),
        ((404, {"Content-Type": "text/html"}, b"<h1>Not Found</h1>"), NotAnApi),
        ((200, JSON, b"{not json"), NotAnApi),
        ((200, JSON, b"[]"), VersionMismatch),
        ((400, PROBLEM, b'{"title": "no code"}'), VersionMismatch),
        ((301, {"Location": "https://elsewhere.example/api"}, b""), Redirected),
        ((500, {"Content-Type": "text/html"}, b"<h1>Oh no</h1>"), ServerError),
        ((429, {"Content-Type": "text/html"}, b""), RateLimited),
    ],
)
def test_each_strange_answer_has_its_own_sentence(
    answer: tuple[int, dict[str, str], bytes], trouble: type[CliError]
) -> None:
    with pytest.raises(trouble) as found:
        look_at(lambda asked: answer)
    assert type(found.value) is trouble
    assert "\n" not in found.value.message


@pytest.mark.parametrize(
    ("code", "exit_"),
    [
        ("bad_request", ExitCode.USAGE),
        ("unauthorised", ExitCode.NOT_ALLOWED),
        ("forbidden", ExitCode.NOT_ALLOWED),
        ("not_found", ExitCode.USAGE),
        ("stale", ExitCode.STALE),
        ("not_your_turn", ExitCode.REFUSED),
        ("game_over", ExitCode.REFUSED),
        ("illegal_action", ExitCode.REFUSED),
        ("internal", ExitCode.UNEXPECTED),
        ("something_new", ExitCode.UNEXPECTED),
    ],
)
def test_the_servers_codes_and_ours(code: str, exit_: ExitCode) -> None:
    body = json.dumps({"code": code, "detail": "A sentence.", "status": 400, "title": ""}).encode()
    with pytest.raises(CliError) as found:
        look_at(lambda asked: (400, PROBLEM, body))
    assert found.value.to_json() == {"code": code, "exit": exit_, "detail": "A sentence."}


def test_an_older_and_a_newer_server_are_told_apart() -> None:
    for version, word in (("0.0.1", "older"), ("99.0", "newer")):
        described = json.dumps({"info": {"version": version}}).encode()

        def answer(asked: Asked, described: bytes = described) -> Answer:
            return 200, JSON, described if asked.path.endswith("openapi.json") else b"[]"

        with pytest.raises(VersionMismatch, match=word):
            look_at(answer)


def test_a_view_without_what_is_needed_is_of_another_version() -> None:
    with answering(lambda asked: (200, JSON, b'{"id": "x"}')) as server, pytest.raises(VersionMismatch):
        Game(Line(server).http, None, "x").view()


def test_nobody_there_no_such_host_and_no_address() -> None:
    for server, trouble in (
        (f"http://127.0.0.1:{free_port()}", NoAnswer),
        ("http://nobody.invalid", UnknownHost),
        ("http://[::bad", BadAddress),
    ):
        with pytest.raises(CliError) as found:
            Line(server).look()
        assert type(found.value) is trouble
        assert found.value.exit_code == 6


def test_tls_that_is_none() -> None:
    with answering(lambda asked: PAGE) as server, pytest.raises(TlsError):
        Line(server.replace("http:", "https:")).look()


def test_a_pause_that_is_asked_for_is_kept_and_said() -> None:
    asked: list[Asked] = []

    def answer(each: Asked) -> Answer:
        asked.append(each)
        return (429, {**PROBLEM, "Retry-After": "7"}, b"{}") if len(asked) < 3 else (200, JSON, b'{"ok": 1}')

    with answering(answer) as server:
        line = Line(server)
        assert line.look() == {"ok": 1}
    assert line.pauses == [7.0, 7.0]
    assert line.told == ["The server asks for a pause of 7 seconds; waiting."] * 2


def test_a_pause_that_is_too_long_is_not_sat_through() -> None:
    body = b'{"code": "rate_limited", "detail": "Try again in 3600 seconds."}'
    with pytest.raises(RateLimited, match="3600"):
        look_at(lambda asked: (429, {**PROBLEM, "Retry-After": "3600"}, body))


def test_a_dropped_look_is_tried_once_more_and_a_dropped_wish_never() -> None:
    asked: list[Asked] = []
    with answering(asked.append) as server:
        with pytest.raises(NoAnswer):
            Line(server).look()
        assert len(asked) == 2
        with pytest.raises(LostResponse):
            Line(server).http.json(Request("POST", "/games", "s3cret", body={"game": "marrakech"}))
        assert len(asked) == 3


def test_an_action_is_sent_again_just_as_it_was_and_then_given_up() -> None:
    asked: list[Asked] = []
    with answering(asked.append) as server:
        line = Line(server)
        with pytest.raises(LostResponse) as lost:
            line.act()
    assert len({each.body for each in asked}) == 1
    assert len(asked) == len(ACTION_PAUSES) + 1
    assert line.pauses == list(ACTION_PAUSES)
    assert "cannot roll twice" in line.told[0]
    assert lost.value.exit_code == 6


def test_a_proxy_that_waits_for_the_server_is_waited_for() -> None:
    answers = iter([(503, {"Content-Type": "text/html"}, b"away"), (200, JSON, b'{"ok": 1}')])
    with answering(lambda asked: next(answers)) as server:
        assert Line(server).act() == {"ok": 1}


def test_an_action_that_never_left_is_not_lost() -> None:
    with pytest.raises(NoAnswer):
        Line(f"http://127.0.0.1:{free_port()}").act()


def test_a_token_goes_in_its_header_and_nowhere_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login eve password other\n")
    monkeypatch.setenv("NETRC", str(netrc))
    asked: list[Asked] = []

    def answer(each: Asked) -> Answer:
        asked.append(each)
        return 200, JSON, b"{}"

    with answering(answer) as server:
        line = Line(server)
        line.look()
    assert asked[0].headers["Authorization"] == "Bearer s3cret"
    assert line.traced
    assert not any("s3cret" in words for words in line.traced + line.told)


def test_who_is_in_a_hurry_asks_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        line = Line(f"http://127.0.0.1:{silent.getsockname()[1]}", patient=False)
        with pytest.raises(NoAnswer):
            line.look()
    assert line.pauses == []


def test_a_move_whose_answers_are_lost_rolls_once(house: House, ann: Person, bo: Person) -> None:
    """Twice the real server takes the move and the answer is lost; the third time it says what came of it."""
    view = table_for_two(ann, bo)
    lost: list[Asked] = []

    def lose(asked: Asked) -> bool:
        if asked.path.endswith("/actions") and len(lost) < 2:
            lost.append(asked)
            return True
        return False

    with relaying(house.server, lose) as line:
        done = ann.does("move", "-d", "left", "-g", view["id"], MARRAKECH_SERVER=line, MARRAKECH_TOKEN=str(ann.token))
    assert len(lost) == 2
    assert lost[0].body == lost[1].body
    assert done.err.count("sending the very same again") == 2
    events = ann.api("GET", f"/games/{view['id']}/events")["events"]
    assert [event["type"] for event in events] == ["started", "faced", "rolled", "moved"]
    assert f"You roll {events[2]['die']}." in done.out
    assert events[2]["salt"] == json.loads(lost[0].body)["salt"]
