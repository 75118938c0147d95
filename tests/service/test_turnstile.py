"""One thread is at work and the others wait; whoever waits for the disk himself lets the next one in."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.app import create_app
from service.commits import SharingSqlite
from service.database import open_database
from service.office import Office
from service.turnstile import Turnstile

PATIENCE = 30
SHORTLY = 0.2


def test_one_is_inside_and_the_next_comes_in_when_he_leaves() -> None:
    turnstile, came_in = Turnstile(), threading.Event()

    def comes() -> None:
        with turnstile:
            came_in.set()

    with ThreadPoolExecutor(1) as threads:
        with turnstile:
            job = threads.submit(comes)
            assert not came_in.wait(SHORTLY)
        job.result(PATIENCE)
    assert came_in.is_set()


def test_who_was_never_inside_does_not_step_out_and_comes_in_by_no_back_door() -> None:
    turnstile = Turnstile()
    turnstile.step_out()
    assert not turnstile.is_inside()
    turnstile.step_in(again=False)
    assert not turnstile.is_inside()
    with turnstile:
        turnstile.step_in(again=True)  # who is inside need not come in
        turnstile.step_out()
        assert not turnstile.is_inside()
        turnstile.step_in(again=True)
        assert turnstile.is_inside()
    assert not turnstile.is_inside()


def test_who_waits_for_the_disk_lets_the_next_one_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = open_database(f"sqlite:///{tmp_path}/marrakech.db")
    assert isinstance(database, SharingSqlite)
    database.execute_sql("create table note (word text not null)")
    commit, at_the_disk, let_in = database.commit, threading.Event(), threading.Event()

    def slow() -> None:
        at_the_disk.set()
        assert let_in.wait(PATIENCE)
        commit()

    monkeypatch.setattr(database, "commit", slow)

    def writes() -> None:
        with database.turnstile:
            database.together(lambda: database.execute_sql("insert into note values ('a')"))
            assert let_in.is_set()
        database.close()

    with ThreadPoolExecutor(1) as threads:
        job = threads.submit(writes)
        assert at_the_disk.wait(PATIENCE)
        with database.turnstile:
            let_in.set()
        job.result(PATIENCE)
    assert database.execute_sql("select word from note").fetchall() == [("a",)]
    database.close()


def test_whoever_finds_nobody_writing_stays_inside_until_the_disk_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = open_database(f"sqlite:///{tmp_path}/marrakech.db")
    assert isinstance(database, SharingSqlite)
    turnstile, commit = database.turnstile, database.commit
    came: list[str] = []

    def keep() -> None:
        came.append("disk")
        commit()

    monkeypatch.setattr(turnstile, "_lock", _Listening(came))
    monkeypatch.setattr(database, "commit", keep)
    with turnstile:
        database.together(lambda: came.append("write"))
    assert came == ["in", "write", "out", "disk", "in", "out"]
    came.clear()
    database.together(lambda: came.append("write"))  # who was outside comes in to write, and is outside afterwards
    assert came == ["in", "write", "out", "disk"]
    database.close()


class _Listening:
    """A lock that notes who comes and goes."""

    def __init__(self, came: list[str]) -> None:
        self._lock, self._came = threading.Lock(), came

    def acquire(self) -> bool:
        self._came.append("in")
        return self._lock.acquire(timeout=PATIENCE)

    def release(self) -> None:
        self._came.append("out")
        self._lock.release()


def test_what_is_sent_to_the_api_passes_it_and_whoever_only_looks_does_not(office: Office) -> None:
    if not isinstance(office.database, SharingSqlite):
        pytest.skip("PostgreSQL needs no turnstile.")
    app = create_app(office)

    def status(method: str, path: str) -> int:
        answered = app.test_client().open(path, method=method, json={}).status_code
        office.database.close()
        return answered

    with ThreadPoolExecutor(1) as threads:
        with office.database.turnstile:
            assert threads.submit(status, "GET", "/api/v1/games/nosuchgame").result(PATIENCE) == 404
            assert threads.submit(status, "POST", "/sign-in").result(PATIENCE) in {400, 403, 404}
            waits = threads.submit(status, "POST", "/api/v1/games/nosuchgame/actions")
            with pytest.raises(TimeoutError):
                waits.result(SHORTLY)
        assert waits.result(PATIENCE) == 401
