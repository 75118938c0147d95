"""Slow, idle, flooding and oversized clients don't keep a player waiting.

This is about waitress alone; gunicorn needs a proxy in front, as deploy/ has it.
"""

import socket
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from service.app import LARGEST_BODY
from service.auth.login import find_or_create_player
from service.context import AppContext
from tests.durability.checks import check_database
from tests.durability.flaky_smtp import FlakySmtpServer
from tests.durability.processes import WebServer, wait_for, waitress_server
from tests.durability.slow_clients import LARGE, flood, never_read, run_clients, send_large_bodies, send_slowly
from tests.mail.smtp_server import HANG
from tests.support.people import API
from tests.support.servers import free_port
from tests.support.soak import FLOOD_SECONDS

SLOW_CLIENTS = 150
"""More than waitress accepts by default."""


@pytest.fixture
def web(ctx: AppContext, tmp_path: Path) -> Iterator[WebServer]:
    """Waitress, with a mail server that fails half of the time and sometimes hangs."""
    with FlakySmtpServer(seed=1) as post:
        post.refuse("connect", HANG)
        environ = {"MARRAKECH_DATA_DIR": str(ctx.settings.data_dir), "MARRAKECH_SMTP_URL": post.url}
        environ["MARRAKECH_DATABASE_URL"] = ctx.settings.database_url
        with waitress_server(environ, tmp_path, free_port()).running() as server:
            yield server


def play(address: str, token: str, seconds: float) -> list[float]:
    """Play quickly against a bot; returns how long each response took."""
    took = []
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {token}"

        def ask(path: str, body: object) -> requests.Response:
            began = time.monotonic()
            answer = session.post(f"{address}{API}{path}", json=body, timeout=30)
            took.append(time.monotonic() - began)
            assert answer.status_code in {200, 201}, answer.text
            return answer

        until, view = time.monotonic() + seconds, {"status": "finished"}
        while time.monotonic() < until:
            if view["status"] == "finished":
                view = ask("/games", {"game": "marrakech", "seats": [{"bot": "easy"}]}).json()
            body = {"head": view["head"], "action": view["legal"][0]}
            view = ask(f"/games/{view['id']}/actions", body).json()["view"]
            time.sleep(0.1)
    return took


def test_a_player_is_answered_within_a_second_while_others_misbehave(ctx: AppContext, web: WebServer) -> None:
    ann = find_or_create_player(ctx, "ann@example.org")
    flooded: Counter[int] = Counter()
    sent_large: Counter[int] = Counter()
    with run_clients(
        lambda stop: send_slowly(web.address, stop, SLOW_CLIENTS),
        lambda stop: flood(web.address, stop, flooded),
        lambda stop: flood(web.address, stop, flooded),
        lambda stop: send_large_bodies(web.address, stop, sent_large),
        lambda stop: never_read(web.address, stop),
    ):
        wait_for(lambda: flooded[429] > 0 and sent_large.total() > 0, "no client was refused")
        took = sorted(play(web.address, ctx.tokens.api(ann.id, 0), FLOOD_SECONDS))
    assert len(took) >= 5 * FLOOD_SECONDS / 2
    assert took[int(0.95 * len(took))] < 1.0, took
    assert set(flooded) == {404, 429}
    assert set(sent_large) <= {0, 413}
    assert sent_large.total() > 0
    check_database(ctx, [])
    # The same player after the others have left.
    assert max(play(web.address, ctx.tokens.api(ann.id, 0), 0.5)) < 1.0


def test_a_body_that_is_far_too_large_is_refused_unread(web: WebServer) -> None:
    host, port = web.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        line.sendall(f"POST {API}/login HTTP/1.1\r\nHost: x\r\nContent-Length: {LARGE}\r\n\r\nxx".encode())
        assert line.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_body_that_is_a_little_too_large_gets_an_explanation(web: WebServer) -> None:
    body = b"x" * (LARGEST_BODY * 2)
    headers = {"Content-Type": "application/json"}
    answer = requests.post(f"{web.address}{API}/login", data=body, headers=headers, timeout=10)
    assert (answer.status_code, answer.headers["Content-Type"]) == (413, "application/problem+json")
    assert answer.json()["code"] == "too_large"
