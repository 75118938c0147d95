"""SIGTERM under load: running requests are answered, acknowledged actions are stored, claimed letters released."""

import json
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service.auth.login import create_login_code, find_or_create_player
from service.context import AppContext
from service.db.connection import open_database
from service.db.models import Letter
from service.games.store import StoredGame, load
from tests.deploy.reading import compose
from tests.durability.processes import Process, WebServer, wait_for, waitress_server
from tests.mail.smtp_server import HANG, SmtpServer
from tests.support.people import API
from tests.support.servers import free_port
from tests.support.tables import legal_actions, snapshot_matches, start_game

pytestmark = pytest.mark.databases("sqlite", "postgresql")

ASKING = 4
"""No more than a server process has threads."""
SOON = 10.0
"""The time in which a server must end after its last response."""


def environ_of(ctx: AppContext, **more: str) -> dict[str, str]:
    return {
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        "MARRAKECH_RATE_LIMITS": "off",
        **more,
    }


@pytest.fixture
def web(ctx: AppContext, tmp_path: Path) -> Iterator[WebServer]:
    """The server as deploy/ starts it: one process on SQLite, gunicorn's on PostgreSQL."""
    environ, port = environ_of(ctx), free_port()
    if ctx.settings.database_url.startswith("sqlite"):
        server = waitress_server(environ, tmp_path, port)
    else:
        words = compose("compose.many.yaml")["services"]["web"]["command"]
        words = [word.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for word in words if "tmp-dir" not in word]
        server = WebServer(words, environ, tmp_path / "web.log", port)
    with server.running():
        yield server


@contextmanager
def writes_blocked(ctx: AppContext) -> Iterator[None]:
    """Every action that is sent meanwhile keeps running."""
    with closing(open_database(ctx.settings.database_url)) as database:
        database.connect()
        with database.atomic():
            if not ctx.settings.database_url.startswith("sqlite"):
                database.execute_sql("lock table game in exclusive mode")
            yield


def connect(web: WebServer) -> socket.socket:
    parts = urlsplit(web.address)
    return socket.create_connection((parts.hostname, parts.port), timeout=30)


def asked(web: WebServer, ctx: AppContext, game: StoredGame) -> socket.socket:
    """A connection on which the player to act has sent a complete action and not yet read the response."""
    body = json.dumps({"head": game.head, "action": legal_actions(game)[0], "salt": "salt"})
    ann = game.seats[0].player
    assert ann is not None
    line = connect(web)
    line.sendall(
        f"POST {API}/games/{game.id}/actions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {ctx.tokens.api(ann, 0)}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    return line


def answer_on(line: socket.socket) -> tuple[int, str]:
    """The status and headers of a complete response. Raises if the connection breaks before that."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += _more(line)
    head, _, body = received.partition(b"\r\n\r\n")
    found = re.search(rb"(?i)^content-length: *(\d+)", head, re.MULTILINE)
    assert found, head
    while len(body) < int(found[1]):
        body += _more(line)
    return int(head.split()[1]), head.decode().lower()


def _more(line: socket.socket) -> bytes:
    received = line.recv(65536)
    if not received:
        raise ConnectionResetError("the line was closed in the middle of an answer")
    return received


def test_requests_that_are_running_are_answered_before_the_server_ends(ctx: AppContext, web: WebServer) -> None:
    people = [find_or_create_player(ctx, f"{name}@example.org") for name in ("ann", "bo")]
    games = [start_game(ctx, people) for _ in range(ASKING)]
    with ExitStack() as open_lines:
        with writes_blocked(ctx):
            lines = [open_lines.enter_context(asked(web, ctx, game)) for game in games]
            time.sleep(1)  # by now each has a thread
            web.ask_to_stop()
            time.sleep(1)
        answers = [answer_on(line) for line in lines]
    assert Counter(status for status, _ in answers) == {200: ASKING}, web.log()
    assert web.ended(SOON) == 0, web.log()
    assert "Traceback" not in web.log()
    assert all(load(ctx.database, game.id).head > game.head and snapshot_matches(ctx, game.id) for game in games)


def test_under_load_every_acknowledged_action_is_stored_when_the_server_ends(ctx: AppContext, web: WebServer) -> None:
    people = [find_or_create_player(ctx, f"{name}@example.org") for name in ("ann", "bo")]
    games = [start_game(ctx, people) for _ in range(8 * ASKING)]
    outcomes: dict[str, int] = {}

    def act_in(game: StoredGame) -> None:
        with suppress(OSError), asked(web, ctx, game) as line:
            outcomes[game.id] = answer_on(line)[0]

    crowd = [threading.Thread(target=act_in, args=[game]) for game in games]
    for client in crowd:
        client.start()
    wait_for(lambda: len(outcomes) >= ASKING, "no action was answered")
    web.ask_to_stop()
    assert web.ended(SOON) == 0, web.log()
    for client in crowd:
        client.join(30)
    assert set(outcomes.values()) == {200}
    for game in games:
        moved = load(ctx.database, game.id).head > game.head
        assert snapshot_matches(ctx, game.id)
        assert moved or game.id not in outcomes


def test_letters_under_way_are_sent_or_put_back(ctx: AppContext, tmp_path: Path) -> None:
    """The embedded worker, and one in a separate process."""
    port = free_port()
    embedded = ctx.settings.database_url.startswith("sqlite")
    with SmtpServer() as post:
        environ = environ_of(ctx, MARRAKECH_SMTP_URL=post.url)
        words = ["run", "--port", str(port)] if embedded else ["worker"]
        process = Process(["marrakech-server", *words], environ, tmp_path / "worker.log")
        for _ in range(5):
            create_login_code(ctx._replace(clock=time.time), "ann@example.org")
        post.refuse("MAIL", HANG)
        process.start()
        try:
            wait_for(lambda: post.hanging == 1, "nothing was sent")
            process.ask_to_stop()
            time.sleep(1)
            post.let_go()
            assert process.ended(SOON) == 0, process.log()
        finally:
            process.end()
    rows = Letter.select(Letter.status, Letter.claim).order_by(Letter.id).tuples().execute(ctx.database)
    assert list(rows) == [("sent", None)] + [("waiting", None)] * 4
    assert len(post.letters) == 1
