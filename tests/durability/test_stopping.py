"""Asked to stop under load: whoever has asked is answered, letters under way are put back, and all ends well."""

import json
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service.auth.identity import ask_to_sign_in, player_with
from service.context import AppContext
from service.db.connection import open_database
from service.db.models import Letter
from service.door import THREADS
from service.games.store import load
from service.games.stored import StoredGame
from tests.deploy.reading import compose
from tests.durability.processes import Machine, Web, wait_for, waitress_server
from tests.mail.post_office import HANG, PostOffice
from tests.support.people import API
from tests.support.servers import free_port
from tests.support.tables import is_sound, legal, started

pytestmark = pytest.mark.databases("sqlite", "postgresql")

ASKING = 3 * THREADS
"""So many ask at once: most of them have no thread yet when the signal comes."""
SOON = 10.0
"""Seconds in which a server must have ended once nobody waits for it any more."""


def environ_of(ctx: AppContext, **more: str) -> dict[str, str]:
    return {
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        "MARRAKECH_RATE_LIMITS": "off",
        **more,
    }


@pytest.fixture
def web(ctx: AppContext, tmp_path: Path) -> Iterator[Web]:
    """The server as deploy/ starts it: one process on SQLite, gunicorn's on PostgreSQL."""
    environ, port = environ_of(ctx), free_port()
    if ctx.settings.database_url.startswith("sqlite"):
        server = waitress_server(environ, tmp_path, port)
    else:
        words = compose("compose.many.yaml")["services"]["web"]["command"]
        words = [word.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for word in words if "tmp-dir" not in word]
        server = Web(words, environ, tmp_path / "web.log", port)
    server.start()
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.end()


@contextmanager
def nobody_can_write(ctx: AppContext) -> Iterator[None]:
    """Every action that is asked for meanwhile stays under way."""
    with closing(open_database(ctx.settings.database_url)) as database:
        database.connect()
        with database.atomic():
            if not ctx.settings.database_url.startswith("sqlite"):
                database.execute_sql("lock table game in exclusive mode")
            yield


def connect(web: Web) -> socket.socket:
    parts = urlsplit(web.address)
    return socket.create_connection((parts.hostname, parts.port), timeout=30)


def asked(web: Web, ctx: AppContext, game: StoredGame) -> socket.socket:
    """A line on which the player whose turn it is has sent an action, whole, and not yet read the answer."""
    body = json.dumps({"head": game.head, "action": legal(game)[0], "salt": "salt"})
    ann = game.seats[0].player
    assert ann is not None
    line = connect(web)
    line.sendall(
        f"POST {API}/games/{game.id}/actions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {ctx.links.api(ann, 0)}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    return line


def answer_on(line: socket.socket) -> tuple[int, str]:
    """The status and the headers of an answer that has come whole; raises where the line breaks before that."""
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


def test_whoever_has_asked_is_answered_before_the_server_ends(ctx: AppContext, web: Web) -> None:
    people = [player_with(ctx, f"{name}@example.org") for name in ("ann", "bo")]
    games = [started(ctx, people) for _ in range(ASKING)]
    with ExitStack() as open_lines:
        with nobody_can_write(ctx):
            lines = [open_lines.enter_context(asked(web, ctx, game)) for game in games]
            time.sleep(1)  # by now all are in, each with a thread or waiting for one
            web.ask_to_stop()
            time.sleep(1)
        answers = [answer_on(line) for line in lines]
    assert Counter(status for status, _ in answers) == {200: ASKING}, web.log()
    assert web.ended(SOON) == 0, web.log()
    assert "Traceback" not in web.log()
    assert all(load(ctx.database, game.id).head > game.head and is_sound(ctx, game.id) for game in games)


def test_a_crowd_at_the_door_is_answered_or_not_let_in(ctx: AppContext, web: Web) -> None:
    """Each comes anew for every page; nobody is let in and then thrown out without an answer."""
    outcomes: Counter[str] = Counter()

    def come_again_and_again() -> None:
        while True:
            try:
                with connect(web) as line:
                    line.sendall(b"GET /rules HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    outcomes[str(answer_on(line)[0])] += 1
            except ConnectionRefusedError:
                return
            except OSError as trouble:
                outcomes[repr(trouble)] += 1
                return

    crowd = [threading.Thread(target=come_again_and_again) for _ in range(ASKING)]
    for guest in crowd:
        guest.start()
    wait_for(lambda: outcomes["200"] > ASKING, "the crowd was not answered")
    web.ask_to_stop()
    assert web.ended(SOON) == 0, web.log()
    for guest in crowd:
        guest.join(30)
    assert set(outcomes) == {"200"}, outcomes


def test_who_has_just_come_in_has_the_time_to_ask(web: Web) -> None:
    with connect(web) as line:
        web.ask_to_stop()
        time.sleep(0.8)  # as the threads of a busy machine wait for their turn
        line.sendall(b"GET /rules HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer_on(line)[0] == 200
    assert web.ended(SOON) == 0, web.log()


@pytest.mark.databases("sqlite")
def test_who_keeps_a_line_open_is_told_that_it_ends_and_who_says_nothing_holds_nobody_up(web: Web) -> None:
    told: list[str] = []

    def ask_on() -> None:
        with connect(web) as line:
            while not told or "connection: close" not in told[-1]:
                line.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                told.append(answer_on(line)[1])

    with connect(web), connect(web) as half:
        half.sendall(b"GET /healthz HT")
        asking = threading.Thread(target=ask_on)
        asking.start()
        wait_for(lambda: len(told) > 10, "nobody was answered")
        web.ask_to_stop()
        assert web.ended(SOON) == 0, web.log()
        asking.join(30)
    assert "connection: close" in told[-1]


def test_letters_under_way_are_sent_or_put_back(ctx: AppContext, tmp_path: Path) -> None:
    """The embedded worker as well as one that is a process of its own."""
    port = free_port()
    embedded = ctx.settings.database_url.startswith("sqlite")
    with PostOffice() as post:
        environ = environ_of(ctx, MARRAKECH_SMTP_URL=post.url)
        words = ["run", "--port", str(port)] if embedded else ["worker"]
        machine = Machine(["marrakech-server", *words], environ, tmp_path / "worker.log")
        for _ in range(5):
            ask_to_sign_in(ctx._replace(clock=time.time), "ann@example.org")
        post.refuse("MAIL", HANG)
        machine.start()
        try:
            wait_for(lambda: post.hanging == 1, "nothing was sent")
            machine.ask_to_stop()
            time.sleep(1)
            post.let_go()
            assert machine.ended(SOON) == 0, machine.log()
        finally:
            machine.end()
    rows = Letter.select(Letter.status, Letter.claim).order_by(Letter.id).tuples().execute(ctx.database)
    assert list(rows) == [("sent", None)] + [("waiting", None)] * 4
    assert len(post.letters) == 1
