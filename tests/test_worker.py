"""The worker: single ticks, as a thread of the server, and as a process."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests

from service.auth.login import create_login_code, find_or_create_player
from service.context import AppContext
from service.db.models import Game, GameAnalysis, Letter, Player
from service.engine.analysis import Analysis
from service.games.analysis import get_analysis
from service.games.lobby import EXPIRES_AFTER, NewGameRequest, SeatRequest, create_game
from service.worker import start_embedded, tick, work
from tests.engine.analysed_bids import BidsAnalyst
from tests.mail.smtp_server import HANG, SmtpServer
from tests.support.clock import Clock
from tests.support.servers import free_port, serving
from tests.support.tables import play_to_end, start_bids

pytestmark = pytest.mark.databases("sqlite", "postgresql")

SERVER = Path(sys.executable).with_name("marrakech-server")
ANN = "ann@example.org"


def create_game_that_never_starts(ctx: AppContext) -> str:
    return create_game(
        ctx, find_or_create_player(ctx, ANN), NewGameRequest("marrakech", "", [SeatRequest()], {}, None)
    ).id


def until(happened: Callable[[], bool], seconds: float = 20) -> None:
    patience = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < patience, "It did not happen."
        time.sleep(0.02)


@pytest.fixture
def server() -> Iterator[SmtpServer]:
    with SmtpServer() as opened:
        yield opened


@pytest.fixture
def mailing(ctx: AppContext, server: SmtpServer) -> AppContext:
    """A context that sends mail, with the real time."""
    return ctx._replace(settings=replace(ctx.settings, smtp_url=server.url), clock=time.time)


def environ(ctx: AppContext) -> dict[str, str]:
    return {
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        "MARRAKECH_SMTP_URL": ctx.settings.smtp_url,
    }


@contextmanager
def worker_process(ctx: AppContext) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [SERVER, "worker"],
        env={**os.environ, **environ(ctx)},
        cwd=ctx.settings.data_dir,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == "The worker is running. Press Ctrl-C to stop.\n"
        yield process
    finally:
        process.kill()
        process.communicate(timeout=20)


def test_a_tick_expires_games_that_never_started(ctx: AppContext, clock: Clock) -> None:
    game = create_game_that_never_starts(ctx)
    clock.now += EXPIRES_AFTER - 1
    tick(ctx)
    assert Game.select(Game.status).where(Game.id == game).scalar(ctx.database) == "waiting"
    clock.now += 1
    tick(ctx)
    tick(ctx)
    assert Game.select(Game.status).where(Game.id == game).scalar(ctx.database) == "expired"
    assert Letter.select().where(Letter.kind == "expired").count(ctx.database) == 1


def test_a_tick_sends_due_letters_and_returns_whether_more_are_due(mailing: AppContext, server: SmtpServer) -> None:
    create_login_code(mailing, ANN)
    assert tick(mailing)
    assert not tick(mailing)
    assert [letter.address for letter in server.letters] == [ANN]


def test_letters_are_sent_even_if_the_rest_of_a_tick_fails(
    mailing: AppContext, server: SmtpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: AppContext) -> None:
        raise RuntimeError("a fault in the lobby")

    monkeypatch.setattr("service.worker.expire", failing)
    create_login_code(mailing, ANN)
    with pytest.raises(RuntimeError):
        tick(mailing)
    assert len(server.letters) == 1


def test_after_a_failing_tick_the_next_one_runs(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, ticks = threading.Event(), []

    def failing(*_: object) -> None:
        ticks.append(1)
        if len(ticks) == 3:
            stop.set()
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("service.worker.tick", failing)
    monkeypatch.setattr("service.worker.SECONDS_BETWEEN_TICKS", 0.0)
    work(ctx, stop)
    assert len(ticks) == 3


def test_a_worker_that_starts_analyses_games_from_before_its_version(
    ctx: AppContext, analysed_bids: Any, ann: Player, bo: Player
) -> None:
    over, stop = play_to_end(ctx, start_bids(ctx, ann, bo)), threading.Event()
    GameAnalysis.delete().execute(ctx.database)
    Letter.delete().execute(ctx.database)

    class Stopping(BidsAnalyst):
        def __call__(self, states: Sequence[Any], events: Sequence[Any]) -> Analysis:
            stop.set()
            return super().__call__(states, events)

    analysed_bids.analyst = Stopping()
    work(ctx, stop)
    assert get_analysis(ctx, over) is not None


def test_the_embedded_worker_sends_soon_and_stops_when_told(mailing: AppContext, server: SmtpServer) -> None:
    worker = start_embedded(mailing)
    try:
        create_login_code(mailing, ANN)
        until(lambda: len(server.letters) == 1)
    finally:
        worker.end()
    assert not any(thread.is_alive() for thread in worker.threads)


def test_the_server_sends_letters_itself_and_stops_cleanly(
    mailing: AppContext, server: SmtpServer, tmp_path: Path
) -> None:
    port = free_port()
    words = ["marrakech-server", "run", "--port", str(port)]
    with serving(words, port, environ(mailing), tmp_path) as address:
        assert requests.post(f"{address}/api/v1/login", json={"email": ANN}, timeout=30).status_code == 202
        until(lambda: len(server.letters) == 1)
        assert "/mailbox" not in requests.get(f"{address}/login", timeout=30).text
    assert "Traceback" not in (tmp_path / "server.log").read_text()
    assert Letter.select(Letter.status).scalar(mailing.database) == "sent"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_process_sends_until_it_is_stopped(
    mailing: AppContext, server: SmtpServer, number: signal.Signals
) -> None:
    with worker_process(mailing) as process:
        create_login_code(mailing, ANN)
        until(lambda: len(server.letters) == 1)
        process.send_signal(number)
        assert process.wait(20) == 0
        assert process.stderr
        assert "Traceback" not in process.stderr.read()


def test_a_stopped_worker_releases_its_claims(mailing: AppContext, server: SmtpServer) -> None:
    for _ in range(5):
        create_login_code(mailing, ANN)
    server.refuse("MAIL", HANG)
    with worker_process(mailing) as process:
        until(lambda: server.hanging == 1)
        assert Letter.select().where(Letter.claim.is_null(False)).count(mailing.database) == 5
        process.terminate()
        time.sleep(0.5)  # a signal takes its time on a busy machine
        server.let_go()
        assert process.wait(20) == 0
    rows = Letter.select(Letter.status, Letter.claim).order_by(Letter.id).tuples().execute(mailing.database)
    assert list(rows) == [("sent", None)] + [("waiting", None)] * 4
    assert len(server.letters) == 1
