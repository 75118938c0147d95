"""The commands in deploy/, run as plain processes on SQLite and PostgreSQL."""

import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Letter
from service.games.store import load
from service.routes.pages.mailbox import mailbox_path
from tests.deploy.reading import DEPLOY, compose, exec_form, health_check, of_dockerfile, started_by, unit
from tests.support.servers import BIN, free_port, serving
from tests.support.tables import start_game

pytestmark = pytest.mark.databases("sqlite", "postgresql")

PATIENCE = 60


def environ_of(ctx: AppContext, **more: str) -> dict[str, str]:
    return {
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        **more,
    }


def moved(words: Sequence[str], port: int, folder: Path) -> list[str]:
    """The same command on loopback and a free port, with its own folder instead of /run and /dev."""
    moved = [re.sub(r"(?<!\d)(0\.0\.0\.0|127\.0\.0\.1):8000", f"127.0.0.1:{port}", word) for word in words]
    moved = [re.sub(r"(--worker-tmp-dir=).*|/run/marrakech$", rf"\g<1>{folder}", word) for word in moved]
    moved = ["127.0.0.1" if word == "0.0.0.0" else word for word in moved]  # noqa: S104 - it is taken away here
    return [str(port) if word in {"8000", "8025"} else word for word in moved]


def is_healthy(port: int) -> bool:
    """Run Docker's health check."""
    program, *words = [word.replace(":8000/", f":{port}/") for word in health_check()]
    done = subprocess.run([BIN / program, *words], capture_output=True, check=False, timeout=PATIENCE)
    return done.returncode == 0


def run(words: Sequence[str], environ: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / words[0]), *words[1:]]
    return subprocess.run(
        command,
        env={**os.environ, **environ},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@contextmanager
def running(words: Sequence[str], environ: dict[str, str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that must end with exit code 0 after SIGTERM."""
    process = subprocess.Popen(
        [BIN / words[0], *words[1:]],
        env={**os.environ, **environ, "PYTHONUNBUFFERED": "1"},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        process.stdout.close()
    assert process.returncode == 0


def until(address: str, path: str, good: Any) -> Any:
    """Poll a page until its response is good."""
    end = time.monotonic() + PATIENCE
    while True:
        answer = requests.get(address + path, timeout=30)
        if good(answer) or time.monotonic() > end:
            assert good(answer), answer.text
            return answer
        time.sleep(0.1)


@pytest.mark.parametrize(
    "command", [exec_form(of_dockerfile("CMD")[-1]), started_by("marrakech.service")], ids=["image", "unit"]
)
@pytest.mark.databases("sqlite")
def test_a_group_is_served_watched_and_backed_up(ctx: AppContext, tmp_path: Path, command: list[str]) -> None:
    port, environ = free_port(), environ_of(ctx)
    assert not is_healthy(port)
    with serving(moved(command, port, tmp_path), port, environ, tmp_path) as address:
        assert is_healthy(port)
        ready = until(address, "/readyz", lambda answer: answer.json()["status"] == "ready")
        assert ready.json() == {"status": "ready", "database": "up to date"}
        for path, status in ((mailbox_path(ctx.settings), 404), ("/metrics", 403)):
            assert requests.get(address + path, timeout=30).status_code == 200
            proxied = requests.get(address + path, headers={"X-Forwarded-For": "192.0.2.1"}, timeout=30)
            assert proxied.status_code == status, "what is for this machine only is not shown through a proxy"
        folder = ctx.settings.data_dir.parent
        words = started_by("marrakech-backup.service")
        assert run(words, environ, folder).stderr == ""
        assert run(words, environ, folder).returncode == 0, "and the next night again"
        assert (folder / "var" / "backup.jsonl.gz").stat().st_size > 100
    assert not is_healthy(port)


@pytest.mark.databases("sqlite")
def test_replies_are_listened_for(ctx: AppContext, tmp_path: Path) -> None:
    port = free_port()
    words = moved(started_by("marrakech-listen.service"), port, tmp_path)
    environ = environ_of(ctx, MARRAKECH_INBOUND_DOMAIN="reply.example.org")
    with running(words, environ, tmp_path) as process:
        assert process.stdout
        assert process.stdout.readline() == f"Listening for replies on 127.0.0.1:{port} (LMTP)\n"


@pytest.mark.databases("postgresql")
def test_many_are_served_by_processes_that_know_nothing_of_each_other(ctx: AppContext, tmp_path: Path) -> None:
    services, port, metrics = compose("compose.many.yaml")["services"], free_port(), tmp_path / "metrics"
    metrics.mkdir()
    environ = environ_of(ctx, MARRAKECH_WORKER="off", PROMETHEUS_MULTIPROC_DIR=str(metrics))
    assert "PROMETHEUS_MULTIPROC_DIR" in services["web"]["environment"]
    ctx.database.execute_sql("drop table worker_beat")
    ctx.database.execute_sql("delete from schema_migration where name = '0006_worker_beats'")
    migrated = run(services["migrate"]["command"], environ, tmp_path)
    assert (migrated.returncode, migrated.stdout) == (0, "Updated: 0006_worker_beats.\n")
    command = moved(services["web"]["command"], port, tmp_path)
    assert gunicorn_words(moved(started_by("marrakech-web.service"), port, tmp_path)) == gunicorn_words(command)
    with serving(command, port, environ, tmp_path) as address:
        assert is_healthy(port)
        degraded = requests.get(f"{address}/readyz", timeout=30)
        assert (degraded.status_code, degraded.json()["status"]) == (200, "degraded")
        assert "No worker has run" in degraded.json()["worker"]
        for _ in range(20):
            requests.get(f"{address}/healthz", timeout=30)
        counted = until(address, "/metrics", lambda answer: counted_in(answer.text) >= 20)
        assert counted_in(counted.text) == counted_in(requests.get(f"{address}/metrics", timeout=30).text)
        enqueue_letters(ctx.database, [NewLetter("test", "ann@example.org", "test/1")], ctx.clock())
        with running(services["worker"]["command"], environ, tmp_path) as worker:
            assert worker.stdout
            assert worker.stdout.readline() == "The worker is running. Press Ctrl-C to stop.\n"
            until(address, "/readyz", lambda answer: answer.json()["status"] == "ready")
        assert Letter.select(Letter.status).scalar(ctx.database) == "kept"
    assert started_by("marrakech-worker@.service") == services["worker"]["command"]


def gunicorn_words(command: Sequence[str]) -> list[str]:
    """A command line in which `--name=value` is written as `--name value`."""
    return [*shlex.split(" ".join(command[:-1]).replace("=", " ")), command[-1]]


def counted_in(text: str) -> float:
    found = re.findall(
        r'^marrakech_requests_total\{endpoint="ops.healthz",method="GET",status="200"\} (\S+)', text, re.M
    )
    return sum(float(number) for number in found)


@pytest.mark.databases("sqlite")
def test_the_units_bring_the_database_up_to_date_first(ctx: AppContext, tmp_path: Path) -> None:
    [before] = unit("marrakech-web.service")["ExecStartPre"]
    program, *words = shlex.split(before)
    done = run([Path(program).name, *words], environ_of(ctx), tmp_path)
    assert (done.returncode, done.stdout) == (0, "The database is up to date.\n")


@pytest.mark.databases("sqlite")
def test_the_pipe_of_postfix_takes_a_message(ctx: AppContext, tmp_path: Path) -> None:
    argv, _ = re.findall(r"argv=(.*)", (DEPLOY / "postfix" / "master.cf").read_text())
    program, *words = shlex.split(argv.replace("${original_recipient}", "play+nobody@reply.example.org"))
    environ = environ_of(ctx, MARRAKECH_INBOUND_DOMAIN="reply.example.org")
    done = subprocess.run(
        [BIN / Path(program).name, *words],
        env={**os.environ, **environ},
        cwd=tmp_path,
        input=b"From: eve@example.org\r\nTo: play+nobody@reply.example.org\r\n\r\nleft\r\n",
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode in {0, 67}, done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.databases("sqlite")
def test_the_recipe_of_procmail_takes_a_message(ctx: AppContext, tmp_path: Path) -> None:
    """Its condition matches a reply address, and a shell runs its command, as procmail does."""
    lines = (DEPLOY / "postfix" / "procmailrc").read_text().splitlines()
    [condition], [action] = ([line for line in lines if line.startswith(sign)] for sign in "*|")
    game = start_game(ctx, [find_or_create_player(ctx, f"{name}@example.org") for name in ("ann", "bo")])
    address = f"play+{ctx.tokens.reply(game.id, 0, game.turn, 0)}@reply.example.org"
    assert re.match(condition.removeprefix("* "), f"To: {address}")
    assert not re.match(condition.removeprefix("* "), "To: postmaster@reply.example.org")
    (tmp_path / ".venv").symlink_to(BIN.parent)
    done = subprocess.run(
        ["sh", "-c", action.removeprefix("| ").replace("/srv/marrakech", shlex.quote(str(tmp_path)))],
        env={**os.environ, **environ_of(ctx, MARRAKECH_INBOUND_DOMAIN="reply.example.org")},
        input=f"From: ann@example.org\r\nTo: {address}\r\n\r\nleft\r\n".encode(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert load(ctx.database, game.id).head > game.head, "the reply has been played"


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize("table", ["transport", "transport-lmtp", "reply_recipients"])
def test_the_tables_of_postfix_know_the_addresses_of_replies_and_no_other(ctx: AppContext, table: str) -> None:
    line, *_ = (DEPLOY / "postfix" / table).read_text().splitlines()
    pattern = line.partition(" ")[0].strip("/")
    game = start_game(ctx, [find_or_create_player(ctx, f"{name}@example.org") for name in ("ann", "bo")])
    address = f"play+{ctx.tokens.reply(game.id, 0, game.turn, 0)}@reply.example.org"
    assert re.search(pattern, address, re.IGNORECASE)
    for other in (address.replace("play+", "play"), f"x{address}", f"{address}.org", "postmaster@reply.example.org"):
        assert not re.search(pattern, other, re.IGNORECASE), other


@pytest.mark.databases("postgresql")
def test_the_database_of_many_says_that_it_is_there(ctx: AppContext, postgres: Any) -> None:
    kind, words = compose("compose.many.yaml")["services"]["db"]["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    environ = {"PATH": f"{postgres.bin_path}{os.pathsep}{os.environ['PATH']}"}
    [folder] = parse_qs(urlsplit(postgres.get_uri()).query)["host"]
    there, elsewhere = {"PGHOST": folder}, {"PGHOST": "127.0.0.1", "PGPORT": str(free_port())}
    for place, ends in ((there, 0), (elsewhere, 2)):
        done = subprocess.run(
            ["sh", "-c", words], env=environ | place, capture_output=True, check=False, timeout=PATIENCE
        )
        assert done.returncode == ends, done.stdout
