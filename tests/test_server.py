"""The server as a host starts it: waitress with SQLite, and gunicorn with two processes and PostgreSQL."""

import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from peewee import OperationalError

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Event, Letter
from service.games.lobby import NewGameRequest, SeatRequest, accept, create_game
from service.games.play import act
from service.games.store import load, replay_state
from service.server import wait_for_context
from tests.support.servers import BIN, free_port, open_mailbox, serving

pytestmark = pytest.mark.databases("sqlite", "postgresql")

CLIENTS, TIMES = 16, 4


@pytest.fixture
def address(ctx: AppContext, tmp_path: Path) -> Iterator[str]:
    """The server on the same database as `ctx`."""
    environ = {
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        "MARRAKECH_RATE_LIMITS": "off",
    }
    port = free_port()
    if ctx.settings.database_url.startswith("sqlite"):
        words = ["marrakech-server", "run", "--port", str(port)]
    else:
        how = f"--bind 127.0.0.1:{port} --workers 2 --threads 4 --worker-class gthread"
        words = ["gunicorn", *how.split(), "service.server:application()"]
    with serving(words, port, environ, tmp_path) as address:
        yield address


def test_the_same_action_from_many_clients_happens_once(ctx: AppContext, address: str) -> None:
    ann, bo = (find_or_create_player(ctx, f"{name}@example.org") for name in ("ann", "bo"))
    table = create_game(ctx, ann, NewGameRequest("marrakech", "", [SeatRequest("bo@example.org")], {"first": 0}, None))
    started = accept(ctx, table.id, 1, bo.id)
    game = act(ctx, table.id, 0, started.head, {"type": "face", "direction": "left"}, "x").game
    place = game.rules.view(game.state, 0)["legal"][0]
    before = Letter.select().count(ctx.database)
    answers: list[Any] = []
    start = threading.Barrier(CLIENTS)

    def press() -> None:
        session = requests.Session()
        session.headers["Authorization"] = f"Bearer {ctx.tokens.api(ann.id, 0)}"
        start.wait(30)
        for _ in range(TIMES):
            body = {"head": game.head, "action": place}
            answers.append(session.post(f"{address}/api/v1/games/{game.id}/actions", json=body, timeout=60))
        session.close()

    clients = [threading.Thread(target=press) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join(120)
    assert len(answers) == CLIENTS * TIMES
    assert {answer.status_code for answer in answers} == {200}
    bodies = [answer.json() for answer in answers]
    assert sum("repeated" not in body for body in bodies) == 1
    assert all(body["events"] == bodies[0]["events"] for body in bodies)
    assert Event.select().where(Event.game == game.id).count(ctx.database) == game.head + 1
    assert Letter.select().count(ctx.database) == before + 1
    stored = load(ctx.database, game.id)
    assert replay_state(ctx.database, stored) == stored.state


def test_a_player_logs_in_with_the_code_from_the_mailbox_page(ctx: AppContext, address: str) -> None:
    asked = requests.post(f"{address}/api/v1/login", json={"email": "ann@example.org"}, timeout=30)
    assert asked.status_code == 202
    if not ctx.settings.database_url.startswith("sqlite"):
        assert "/mailbox" not in requests.get(f"{address}/login", timeout=30).text  # gunicorn may serve other machines
        return
    mailbox, code = _wait_for_code(address)
    confirmed = requests.post(
        f"{address}/api/v1/login/confirm", json={"email": "ann@example.org", "code": code}, timeout=30
    )
    token = confirmed.json()["token"]
    me = requests.get(f"{address}/api/v1/me", headers={"Authorization": f"Bearer {token}"}, timeout=30)
    assert me.json()["email"] == "ann@example.org"
    home = requests.get(address, timeout=30)
    assert "/mailbox" in home.text
    assert f"{address}/login/" in mailbox.text


def _wait_for_code(address: str) -> tuple[requests.Response, str]:
    """The mailbox page once the worker has delivered a login code, and the code."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        mailbox = open_mailbox(address)
        if found := re.search(r"^([A-Z0-9]{8})$", mailbox.text, re.MULTILINE):
            return mailbox, found[1]
        time.sleep(0.1)
    raise AssertionError(mailbox.text)


def test_health_and_readiness(address: str) -> None:
    assert requests.get(f"{address}/healthz", timeout=30).json() == {"status": "alive"}
    assert requests.get(f"{address}/readyz", timeout=30).json()["database"] == "up to date"


def test_a_request_with_two_lengths_smuggles_nothing_in(ctx: AppContext, address: str) -> None:
    """With Content-Length and Transfer-Encoding, gunicorn refuses it, and waitress ignores the length."""
    inside = "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"
    chunks = f"{len(inside):x}\r\n{inside}\r\n0\r\n\r\n"
    head = "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n"
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as line:
        line.sendall(f"{head}Connection: close\r\n\r\n{chunks}".encode())
        received = b"".join(iter(lambda: line.recv(65536), b""))
    assert received.count(b"HTTP/1.1 ") == 1
    status = 405 if ctx.settings.database_url.startswith("sqlite") else 400
    assert received.startswith(b"HTTP/1.1 %d " % status)


@pytest.mark.databases("sqlite")
def test_a_port_in_use_is_reported_with_a_command_that_chooses_another(ctx: AppContext, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        by_make = run_command(ctx, tmp_path, "--port", str(port), MAKELEVEL="1")
        by_hand = run_command(ctx, tmp_path, "--port", str(port))
    other = port + 1 if port < 65535 else port - 1
    assert (by_make.returncode, by_make.stdout) == (1, "")
    assert by_make.stderr == f"Port {port} is already in use. Try `make run PORT={other}`.\n"
    assert (by_hand.returncode, by_hand.stdout) == (1, "")
    assert by_hand.stderr == f"Port {port} is already in use. Try `marrakech-server run --port {other}`.\n"


@pytest.mark.databases("sqlite")
def test_an_address_that_cannot_be_listened_on_is_reported_in_one_line(ctx: AppContext, tmp_path: Path) -> None:
    done = run_command(ctx, tmp_path, "--host", "nowhere.invalid", "--port", str(free_port()))
    assert (done.returncode, done.stdout) == (1, "")
    proxy, sentence = done.stderr.splitlines()
    assert "in front of it" in proxy
    assert sentence.startswith("Can't listen on nowhere.invalid:")
    assert sentence.endswith(". Choose another address with --host and --port.")


@pytest.mark.databases("sqlite")
def test_make_run_takes_a_port_and_prints_three_lines(ctx: AppContext, tmp_path: Path) -> None:
    """The recipe in the Makefile, as make would run it."""
    port = free_port()
    recipe = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "--assume-old=.venv/.run", "run", f"PORT={port}"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    program, *words = recipe.stdout.splitlines()[-1].split()
    assert program == ".venv/bin/marrakech-server"
    assert words == ["run", "--port", str(port)]
    with serving(
        ["marrakech-server", *words], port, {"MARRAKECH_DATA_DIR": str(ctx.settings.data_dir)}, tmp_path
    ) as address:
        page = requests.get(f"{address}/login", timeout=30).text
        files = re.findall(r'"(/static/[^"]+)"', page)
        assert files
        for file in files:
            assert requests.get(address + file, timeout=30).status_code == 200
    where, mailbox, what_next, *logged = (tmp_path / "server.log").read_text().splitlines()
    assert where == f"Marrakech by Mail is running at {address}"
    assert mailbox.startswith(f"E-mails appear in the mailbox at {address}/mailbox/")
    assert "sign in" in what_next
    assert not [line for line in logged if "/static/" in line]


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(
    ("smtp_url", "second", "third"),
    [
        ("smtp://user:open-sesame@127.0.0.1:1", "E-mails are sent through 127.0.0.1", "marrakech-server check"),
        ("", "No e-mails are sent, because MARRAKECH_SMTP_URL is empty.", "Set it to your mail server"),
    ],
)
def test_a_server_for_others_says_where_e_mails_go(
    ctx: AppContext, tmp_path: Path, smtp_url: str, second: str, third: str
) -> None:
    port = free_port()
    environ = {
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_BASE_URL": "https://marrakech.example.org",
        "MARRAKECH_SMTP_URL": smtp_url,
    }
    with serving(["marrakech-server", "run", "--port", str(port)], port, environ, tmp_path):
        pass
    lines = (tmp_path / "server.log").read_text().splitlines()
    assert lines[0] == "Marrakech by Mail is running at https://marrakech.example.org"
    assert lines[1].startswith(second)
    assert third in lines[2]
    assert "open-sesame" not in "".join(lines)


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(("proxies", "warned"), [("0", True), ("1", False)])
def test_a_server_that_others_can_reach_asks_for_a_proxy(
    ctx: AppContext, tmp_path: Path, proxies: str, warned: bool
) -> None:
    """TEST-NET-1 belongs to no machine, so nothing is really opened here."""
    done = run_command(ctx, tmp_path, "--host", "192.0.2.1", "--port", str(free_port()), MARRAKECH_PROXIES=proxies)
    lines = done.stderr.splitlines()
    assert lines.pop().startswith("Can't listen on 192.0.2.1:")
    assert len(lines) == warned
    assert all("Put a proxy such as Caddy or nginx in front" in line for line in lines)


@pytest.mark.databases("sqlite")
def test_by_default_nobody_else_can_reach_it(ctx: AppContext, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run_command(ctx, tmp_path, "--port", port)
    assert done.stderr.startswith(f"Port {port} is already in use.")


def run_command(ctx: AppContext, folder: Path, *words: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    """`marrakech-server run` that ends because it can't listen."""
    without_make = {name: value for name, value in os.environ.items() if name != "MAKELEVEL"}
    return subprocess.run(
        [BIN / "marrakech-server", "run", *words],
        env={**without_make, "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir), **environ},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.databases("postgresql")
def test_a_gunicorn_worker_waits_for_a_database_that_is_being_restarted(ctx: AppContext, tmp_path: Path) -> None:
    url = ctx.settings.database_url
    socket_folder, later = Path(parse_qs(urlsplit(url).query)["host"][0]), tmp_path / "later"
    settings = replace(ctx.settings, database_url=url.replace(str(socket_folder), str(later)))
    threading.Timer(1.0, later.symlink_to, [socket_folder]).start()
    opened = wait_for_context(settings)
    assert opened.database.execute_sql("select 1").fetchone() == (1,)
    opened.database.close()


def test_it_does_not_wait_forever(ctx: AppContext) -> None:
    nowhere = replace(ctx.settings, database_url=f"postgresql://127.0.0.1:{free_port()}/nowhere")
    with pytest.raises(OperationalError):
        wait_for_context(nowhere, seconds=0.5)
