"""A full, read-only or unreachable database: a 503 response, and nothing is lost or half written."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from peewee import OperationalError

from service.app import create_app
from service.context import AppContext
from service.db.connection import migrate, open_database, transaction
from service.db.database_errors import BUSY, FULL, READ_ONLY, database_problem
from service.db.models import Event
from service.games.store import load
from tests.support.people import Person
from tests.support.tables import database_contents, snapshot_matches

pytestmark = pytest.mark.databases("sqlite", "postgresql")

FACE = {"type": "face", "direction": "left"}


@pytest.fixture
def ann_at_table(ctx: AppContext) -> Iterator[tuple[Person, Any]]:
    """Ann, and the view of a game in which she is to act."""
    client = create_app(ctx).test_client()
    ann = Person(client, ctx, "ann@example.org")
    yield ann, ann.post("/games", {"game": "marrakech", "seats": [{"bot": "easy"}], "options": {"first": 0}}, 201)
    client.get("/healthz")


def stop_writing(ctx: AppContext) -> None:
    """Make the database read-only."""
    if ctx.settings.database_url.startswith("sqlite"):
        ctx.database.execute_sql("pragma query_only = 1")
    else:
        ctx.database.execute_sql("set default_transaction_read_only = on")


def write_again(ctx: AppContext) -> None:
    if ctx.settings.database_url.startswith("sqlite"):
        ctx.database.connect(reuse_if_open=True)
        ctx.database.execute_sql("pragma query_only = 0")
    else:
        ctx.database.connect(reuse_if_open=True)
        ctx.database.execute_sql("set default_transaction_read_only = off")


def test_a_read_only_database_shows_games_and_refuses_actions(
    ctx: AppContext, ann_at_table: tuple[Person, Any]
) -> None:
    ann, view = ann_at_table
    before = database_contents(ctx)
    stop_writing(ctx)
    assert ann.get(f"/games/{view['id']}")["head"] == view["head"]
    refused = ann.call("POST", f"/games/{view['id']}/actions", {"head": view["head"], "action": FACE, "salt": "salt"})
    assert (refused.status_code, (refused.json or {})["code"], (refused.json or {})["detail"]) == (
        503,
        "unavailable",
        READ_ONLY,
    )
    assert refused.headers["Retry-After"] == "60"
    assert database_contents(ctx) == before
    write_again(ctx)
    assert ann.act(view, FACE)["view"]["head"] > view["head"], "the very same action goes through as soon as it can"


def fill(ctx: AppContext) -> None:
    """Simulate a full disk: the file cannot grow by a page."""
    database = ctx.database
    pages = database.execute_sql("pragma page_count").fetchone()[0]
    database.execute_sql(f"pragma max_page_count = {pages}")


def test_on_a_full_disk_an_action_changes_nothing_and_can_be_sent_again(
    ctx: AppContext, ann_at_table: tuple[Person, Any]
) -> None:
    if not ctx.settings.database_url.startswith("sqlite"):
        pytest.skip("How PostgreSQL says that its disk is full is tested by its words.")
    ann, view = ann_at_table
    refused = None
    fill(ctx)
    for _ in range(500):
        answer = ann.call(
            "POST", f"/games/{view['id']}/actions", {"head": view["head"], "action": view["legal"][0], "salt": "x"}
        )
        if answer.status_code != 200:
            refused = answer
            break
        view = (answer.json or {})["view"]
        if view["status"] == "finished":
            view = ann.post("/games", {"game": "marrakech", "seats": [{"bot": "easy"}], "options": {"first": 0}}, 201)
    assert refused is not None, "the disk must have become full"
    assert (refused.status_code, (refused.json or {})["detail"]) == (503, FULL)
    stored = load(ctx.database, view["id"])
    assert (stored.head, snapshot_matches(ctx, view["id"])) == (view["head"], True)
    assert Event.select().where(Event.game == view["id"]).count(ctx.database) == view["head"]
    assert ann.get(f"/games/{view['id']}")["head"] == view["head"], "reading goes on"
    ctx.database.execute_sql("pragma max_page_count = 100000")
    assert ann.act(view, view["legal"][0])["view"]["head"] > view["head"]


@pytest.mark.databases("sqlite")
def test_on_a_full_disk_simultaneous_writers_are_all_refused_quickly(ctx: AppContext) -> None:
    database, barrier = ctx.database, threading.Barrier(6)
    with database.atomic():
        database.execute_sql("create table filler (text text)")
    pages = database.execute_sql("pragma page_count").fetchone()[0]

    def write() -> str:
        database.connect(reuse_if_open=True)
        database.execute_sql(f"pragma max_page_count = {pages}")
        barrier.wait(30)
        try:
            for _ in range(40):
                with transaction(database):
                    database.execute_sql("insert into filler values (?)", ["x" * 900])
        except Exception as trouble:
            return str(trouble)
        finally:
            database.close()
        return "wrote"

    with ThreadPoolExecutor(6) as pool:
        said = list(pool.map(lambda _: write(), range(6)))
    assert all("full" in words or "savepoint" in words or "no transaction" in words for words in said), said
    assert database.execute_sql("pragma integrity_check").fetchone() == ("ok",)
    with transaction(database):
        database.execute_sql("delete from filler")
    assert database.execute_sql("select count(*) from filler").fetchone() == (0,), "afterwards all is as before"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ('could not extend file "base/16384/2619": No space left on device', FULL),
        ("cannot execute INSERT in a read-only transaction", READ_ONLY),
        ("attempt to write a readonly database", READ_ONLY),
        ("database is locked", BUSY),
        ("canceling statement due to lock timeout", BUSY),
    ],
)
def test_errors_of_the_databases_get_our_sentences(words: str, sentence: str) -> None:
    for kind in (OperationalError, sqlite3.OperationalError, psycopg.errors.DiskFull, psycopg.errors.InternalError):
        problem = database_problem(kind(words))
        assert problem is not None
        assert (problem.status, problem.detail) == (503, sentence)
    assert database_problem(ValueError(words)) is None
    assert database_problem(psycopg.errors.InternalError("cache lookup failed")) is None


def test_an_unreachable_database_is_reported_until_it_is_back(
    ctx: AppContext, ann_at_table: tuple[Person, Any]
) -> None:
    if ctx.settings.database_url.startswith("sqlite"):
        pytest.skip("A file does not hang up.")
    ann, view = ann_at_table
    other = open_database(ctx.settings.database_url)
    migrate(other)
    other.execute_sql("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()")
    other.close()
    assert ann.call("GET", f"/games/{view['id']}").status_code == 503
    assert ann.get(f"/games/{view['id']}")["id"] == view["id"], "the next request has a new connection"
