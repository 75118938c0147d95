"""Killed at every stage, workers lose no letter; at work together, they send none twice; frozen, they do no harm."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Letter
from service.mail.delivery import Delivery
from service.mail.message import message_id
from service.mail.outbox import BATCH, CLAIM_SECONDS
from tests.mail import crashing_worker
from tests.mail.crashing_worker import POINTS
from tests.mail.smtp_server import SmtpServer
from tests.mail.tables import ANN, letters
from tests.support.clock import Clock
from tests.support.soak import SOAKING

ROOT = Path(__file__).parents[2]
LETTERS = (10 if SOAKING else 5) * BATCH


def fill(ctx: AppContext, count: int) -> set[str]:
    """Letters for the outbox, and the ids by which they will be known."""
    due = [NewLetter("test", ANN, f"test/{number}") for number in range(count)]
    with ctx.database.atomic():
        enqueue_letters(ctx.database, due, ctx.clock())
    return {message_id(ctx.settings, letter.about) for letter in due}


def worker(
    ctx: AppContext, point: str = "never", number: int = 0, with_signal: str = "SIGKILL"
) -> subprocess.Popen[str]:
    """A worker process that receives the signal when it reaches the point for the given time."""
    words = [crashing_worker.__name__, point, str(number), with_signal, str(ctx.clock())]
    return subprocess.Popen(
        [sys.executable, "-m", *words],
        env=environ(ctx),
        cwd=ctx.settings.data_dir,
        text=True,
        stderr=subprocess.PIPE,
    )


def environ(ctx: AppContext) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        "MARRAKECH_SMTP_URL": ctx.settings.smtp_url,
    }


def ended(process: subprocess.Popen[str]) -> int:
    _, complaints = process.communicate(timeout=120)
    assert "Traceback" not in complaints, complaints
    return process.returncode


def statuses(ctx: AppContext) -> Counter[str]:
    return Counter(letter.status for letter in letters(ctx))


@pytest.mark.databases("sqlite", soak=("sqlite", "postgresql"))
def test_workers_killed_at_every_stage_lose_no_letter(mailing: AppContext, server: SmtpServer, clock: Clock) -> None:
    expected = fill(mailing, LETTERS)
    kills = [(POINTS[0], 1), (POINTS[1], 2), (POINTS[2], 3), (POINTS[3], 1)]
    if SOAKING:
        kills += [(POINTS[0], 3), (POINTS[1], 1), (POINTS[2], BATCH + 1), (POINTS[3], 2 * BATCH)]
    for point, number in kills:
        assert ended(worker(mailing, point, number)) == -signal.SIGKILL
        assert statuses(mailing)["waiting"] > 0
        clock.now += CLAIM_SECONDS
    assert ended(worker(mailing)) == 0
    arrived = Counter(server.ids)
    assert set(arrived) == expected
    # Only who is killed between the server's yes and the mark has a letter sent twice, and it is known by its id.
    assert sum(arrived.values()) - LETTERS == sum(point == POINTS[3] for point, _ in kills)
    assert max(arrived.values()) == 2
    assert statuses(mailing) == {"sent": LETTERS}


@pytest.mark.databases("postgresql", soak=("sqlite", "postgresql"))
def test_three_workers_at_once_send_nothing_twice(mailing: AppContext, server: SmtpServer) -> None:
    expected = fill(mailing, 5 * BATCH)
    workers = [worker(mailing) for _ in range(3)]
    assert [ended(each) for each in workers] == [0, 0, 0]
    assert Counter(server.ids) == dict.fromkeys(expected, 1)
    assert statuses(mailing) == {"sent": 5 * BATCH}


@pytest.mark.databases("postgresql", soak=("sqlite", "postgresql"))
@pytest.mark.parametrize("point", [POINTS[1], POINTS[3]])
def test_a_frozen_worker_that_wakes_up_too_late_marks_and_sends_nothing(
    mailing: AppContext, server: SmtpServer, clock: Clock, point: str
) -> None:
    expected = fill(mailing, 5)
    frozen = worker(mailing, point, 1, "SIGSTOP")
    try:
        _, status = os.waitpid(frozen.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        before = len(server.letters)
        assert before == (0 if point == POINTS[1] else 1)
        clock.now += CLAIM_SECONDS
        awake = Delivery(mailing)
        assert awake.deliver()
        awake.close()
        rows = [letter.__data__ for letter in letters(mailing)]
        assert len(server.letters) == before + 5
    finally:
        frozen.send_signal(signal.SIGCONT)
    assert ended(frozen) == 0
    assert len(server.letters) == before + 5
    assert set(server.ids) == expected
    assert [letter.__data__ for letter in letters(mailing)] == rows
    assert {row["sent"] for row in rows} == {clock.now}
    assert Letter.select().where(Letter.claim.is_null(False)).count(mailing.database) == 0
