"""Broken, pipelined and unread requests neither keep connections open nor keep a player waiting."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from service.context import AppContext
from service.games.play import act
from service.games.store import StoredGame
from tests.durability.impatient_server import IDLE_SECONDS
from tests.durability.processes import WebServer, wait_for
from tests.durability.slow_clients import ask, connect, pipeline
from tests.mail.tables import started
from tests.support.servers import free_port

BROKEN = (
    "BROKEN\r\n\r\n",
    "GET / HTTP/1.1\r\nno header\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: ten\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nten\r\n",
    "GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
)
THREADS = 8
SOON = 2.0
"""A second, and another one for a busy machine."""


@pytest.fixture
def web(ctx: AppContext, tmp_path: Path) -> Iterator[WebServer]:
    """Waitress as it is, but connections are closed after a second without activity."""
    environ = {"MARRAKECH_DATA_DIR": str(ctx.settings.data_dir), "MARRAKECH_RATE_LIMITS": "off"}
    environ["MARRAKECH_DATABASE_URL"] = ctx.settings.database_url
    port = free_port()
    words = ["python", "-m", "tests.durability.impatient_server", "run", "--port", str(port)]
    with WebServer(words, environ, tmp_path / "web.log", port).running() as server:
        yield server


def finish(ctx: AppContext) -> StoredGame:
    """A game that is over: its picture is the largest response that anybody can ask for."""
    game = started(ctx, first=0)
    while game.status == "playing":
        seat = min(game.rules.to_act(game.state))
        game = act(ctx, game.id, seat, game.head, game.rules.view(game.state, seat)["legal"][0], "").game
    return game


def is_answered_soon(web: WebServer) -> None:
    began = time.monotonic()
    assert ask(web.address, "/healthz").startswith(b"HTTP/1.1 200 ")
    assert time.monotonic() - began < SOON


def test_broken_requests_leak_no_connections(web: WebServer) -> None:
    before = web.count_sockets()
    with ExitStack() as clients:
        for number in range(600):
            line = clients.enter_context(connect(web.address))
            line.sendall(f"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n{BROKEN[number % len(BROKEN)]}".encode())
            if number % 100 == 0:
                is_answered_soon(web)
        # The clients keep their ends open; the server doesn't.
        wait_for(lambda: web.count_sockets() <= before, "the server keeps connections open", IDLE_SECONDS + 5)
        is_answered_soon(web)


def test_clients_that_never_read_block_nobody(ctx: AppContext, web: WebServer) -> None:
    game, before = finish(ctx), web.count_sockets()
    with ExitStack() as clients:
        for _ in range(THREADS):
            clients.enter_context(pipeline(web.address, f"/g/{game.id}/game.svg", 199))

        def is_closed() -> bool:
            is_answered_soon(web)
            return web.count_sockets() <= before

        wait_for(is_closed, "the server keeps connections open", 20)


def test_clients_that_leave_without_reading_leave_nothing_behind(ctx: AppContext, web: WebServer) -> None:
    game, before = finish(ctx), web.count_sockets()
    with ExitStack() as clients:
        for _ in range(THREADS):
            clients.enter_context(pipeline(web.address, f"/g/{game.id}/game.svg", 199))
    wait_for(lambda: web.count_sockets() <= before, "the server keeps connections open", IDLE_SECONDS + 5)
    is_answered_soon(web)
