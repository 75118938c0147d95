"""Failures between client and server: each has its own error, and nothing ever rolls twice."""

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
from tests.cli.fake_servers import Answer, Received, fake_server, lossy_proxy
from tests.cli.players import LocalServer, Player, start_two_player_game
from tests.support.servers import free_port

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
PAGE = (200, {"Content-Type": "text/html"}, b"<html>Welcome to nginx!</html>")


class RecordingClient:
    """A client whose pauses and notes are recorded."""

    def __init__(self, server: str, patient: bool = True) -> None:
        self.pauses: list[float] = []
        self.told: list[str] = []
        self.traced: list[str] = []
        self.http = HttpClient(server, self.told.append, self.traced.append, self.pauses.append, patient)

    def look(self) -> Any:
        return self.http.json(Request("GET", "/me", "s3cret"))

    def act(self) -> Any:
        return self.http.json(Request("POST", "/games/x/actions", "s3cret", body={"head": 1}, repeatable=True))


def look_at(answer: Callable[[Received], Answer]) -> Any:
    with fake_server(answer) as server:
        return RecordingClient(server).look()


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
def test_each_unexpected_response_has_its_own_error(
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
def test_the_servers_error_codes_become_exit_codes(code: str, exit_: ExitCode) -> None:
    body = json.dumps({"code": code, "detail": "A sentence.", "status": 400, "title": ""}).encode()
    with pytest.raises(CliError) as found:
        look_at(lambda asked: (400, PROBLEM, body))
    assert found.value.to_json() == {"code": code, "exit": exit_, "detail": "A sentence."}


def test_an_older_and_a_newer_server_are_told_apart() -> None:
    for version, word in (("0.0.1", "older"), ("99.0", "newer")):
        described = json.dumps({"info": {"version": version}}).encode()

        def answer(asked: Received, described: bytes = described) -> Answer:
            return 200, JSON, described if asked.path.endswith("openapi.json") else b"[]"

        with pytest.raises(VersionMismatch, match=word):
            look_at(answer)


def test_a_view_without_what_is_needed_is_of_another_version() -> None:
    with fake_server(lambda asked: (200, JSON, b'{"id": "x"}')) as server, pytest.raises(VersionMismatch):
        Game(RecordingClient(server).http, None, "x").view()


def test_no_answer_unknown_host_and_bad_address_differ() -> None:
    for server, trouble in (
        (f"http://127.0.0.1:{free_port()}", NoAnswer),
        ("http://nobody.invalid", UnknownHost),
        ("http://[::bad", BadAddress),
    ):
        with pytest.raises(CliError) as found:
            RecordingClient(server).look()
        assert type(found.value) is trouble
        assert found.value.exit_code == 6


def test_https_to_a_plain_http_server_is_a_tls_error() -> None:
    with fake_server(lambda asked: PAGE) as server, pytest.raises(TlsError):
        RecordingClient(server.replace("http:", "https:")).look()


def test_the_client_waits_as_long_as_retry_after_says() -> None:
    asked: list[Received] = []

    def answer(each: Received) -> Answer:
        asked.append(each)
        return (429, {**PROBLEM, "Retry-After": "7"}, b"{}") if len(asked) < 3 else (200, JSON, b'{"ok": 1}')

    with fake_server(answer) as server:
        client = RecordingClient(server)
        assert client.look() == {"ok": 1}
    assert client.pauses == [7.0, 7.0]
    assert client.told == ["Too many requests. Waiting 7 seconds."] * 2


def test_a_retry_after_that_is_too_long_is_an_error() -> None:
    body = b'{"code": "rate_limited", "detail": "Try again in 3600 seconds."}'
    with pytest.raises(RateLimited, match="3600"):
        look_at(lambda asked: (429, {**PROBLEM, "Retry-After": "3600"}, body))


def test_a_dropped_get_is_sent_again_and_a_dropped_post_is_not() -> None:
    asked: list[Received] = []
    with fake_server(asked.append) as server:
        with pytest.raises(NoAnswer):
            RecordingClient(server).look()
        assert len(asked) == 2
        with pytest.raises(LostResponse):
            RecordingClient(server).http.json(Request("POST", "/games", "s3cret", body={"game": "marrakech"}))
        assert len(asked) == 3


def test_an_unanswered_action_is_repeated_unchanged_and_then_given_up() -> None:
    asked: list[Received] = []
    with fake_server(asked.append) as server:
        client = RecordingClient(server)
        with pytest.raises(LostResponse) as lost:
            client.act()
    assert len({each.body for each in asked}) == 1
    assert len(asked) == len(ACTION_PAUSES) + 1
    assert client.pauses == list(ACTION_PAUSES)
    assert "played only once" in client.told[0]
    assert lost.value.exit_code == 6


def test_a_503_of_a_proxy_is_tried_again() -> None:
    answers = iter([(503, {"Content-Type": "text/html"}, b"away"), (200, JSON, b'{"ok": 1}')])
    with fake_server(lambda asked: next(answers)) as server:
        assert RecordingClient(server).act() == {"ok": 1}


def test_an_action_that_was_never_sent_is_not_reported_as_lost() -> None:
    with pytest.raises(NoAnswer):
        RecordingClient(f"http://127.0.0.1:{free_port()}").act()


def test_a_token_is_sent_in_its_header_and_printed_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login eve password other\n")
    monkeypatch.setenv("NETRC", str(netrc))
    asked: list[Received] = []

    def answer(each: Received) -> Answer:
        asked.append(each)
        return 200, JSON, b"{}"

    with fake_server(answer) as server:
        client = RecordingClient(server)
        client.look()
    assert asked[0].headers["Authorization"] == "Bearer s3cret"
    assert client.traced
    assert not any("s3cret" in words for words in client.traced + client.told)


def test_shell_completion_asks_once_with_a_short_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = RecordingClient(f"http://127.0.0.1:{silent.getsockname()[1]}", patient=False)
        with pytest.raises(NoAnswer):
            client.look()
    assert client.pauses == []


def test_a_move_whose_responses_are_lost_rolls_once(local: LocalServer, ann: Player, bo: Player) -> None:
    """Twice the real server plays the move and its response is lost; the third time the response arrives."""
    view = start_two_player_game(ann, bo)
    lost: list[Received] = []

    def lose(asked: Received) -> bool:
        if asked.path.endswith("/actions") and len(lost) < 2:
            lost.append(asked)
            return True
        return False

    with lossy_proxy(local.server, lose) as client:
        done = ann.run_ok(
            "move", "-d", "left", "-g", view["id"], MARRAKECH_SERVER=client, MARRAKECH_TOKEN=str(ann.token)
        )
    assert len(lost) == 2
    assert lost[0].body == lost[1].body
    assert done.err.count("The connection dropped. Trying again") == 2
    events = ann.api("GET", f"/games/{view['id']}/events")["events"]
    assert [event["type"] for event in events] == ["started", "faced", "rolled", "moved"]
    assert f", rolled {events[2]['die']} and " in done.out
    assert events[2]["salt"] == json.loads(lost[0].body)["salt"]
