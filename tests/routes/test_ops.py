"""Monitoring: whether the server runs, whether it can work, and its metrics, which are not for everyone."""

import contextlib
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import request
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

import service.routes.ops
from service.app import create_app
from service.context import AppContext
from service.db.connection import migrate, open_database
from service.db.heartbeat import FORGOTTEN_AFTER, SECONDS_BETWEEN_BEATS, Heartbeat
from service.db.letters import LONGEST_WAIT_FOR_SERVER, NewLetter, enqueue_letters
from service.db.models import Player, WorkerBeat
from service.games.statistics import LETTERS_WAIT_LONG, WORKER_IS_SILENT
from service.mail import outbox
from service.worker import work
from tests.support.clock import Clock
from tests.support.people import Person
from tests.support.tables import play_to_end, start_game

TOKEN = "a-token-for-the-monitor"  # noqa: S105 - it opens nothing


@pytest.fixture
def client(ctx: AppContext) -> FlaskClient:
    return create_app(ctx).test_client()


def ready(client: FlaskClient) -> dict[str, Any]:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json or {}
    return found


def figures(client: FlaskClient, **headers: str) -> dict[tuple[str, ...], float]:
    """Every figure, by its name and its labels."""
    answer = client.get("/metrics", headers=headers)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


# Whether it can work


def test_a_healthy_server_is_ready(ctx: AppContext, client: FlaskClient) -> None:
    Heartbeat(ctx.database).beat(ctx.clock())
    assert ready(client) == {"status": "ready", "database": "up to date"}
    assert client.get("/healthz").json == {"status": "alive"}


def test_without_a_worker_the_server_is_degraded(ctx: AppContext, client: FlaskClient, clock: Clock) -> None:
    assert "No worker has run for at least a day" in ready(client)["worker"]
    Heartbeat(ctx.database).beat(ctx.clock())
    clock.now += WORKER_IS_SILENT
    assert ready(client)["status"] == "ready"
    clock.now += 60
    assert (ready(client)["status"], ready(client)["worker"].partition(".")[0]) == (
        "degraded",
        "No worker has run for 6 minutes",
    )


def test_letters_that_spam_filters_reject_degrade_the_server(
    ctx: AppContext, client: FlaskClient, clock: Clock
) -> None:
    Heartbeat(ctx.database).beat(ctx.clock())
    enqueue_letters(ctx.database, [NewLetter("test", "ann@example.org", "test/1")], clock())
    claim = outbox.claim(ctx.database, clock())
    assert claim
    outbox.hold(ctx.database, claim.letters[0], claim.key, "554 5.7.1 spam", clock() + 3600)
    assert ready(client)["status"] == "degraded"
    assert ready(client)["rejections"].startswith("Letters rejected as spam or by full mailboxes: 1.")


def test_letters_that_wait_too_long_degrade_the_server(ctx: AppContext, client: FlaskClient, clock: Clock) -> None:
    enqueue_letters(ctx.database, [NewLetter("test", "ann@example.org", "test/1")], clock())
    clock.now += LETTERS_WAIT_LONG + 60
    Heartbeat(ctx.database).beat(ctx.clock())
    assert ready(client)["letters"].startswith(
        "The oldest letter has waited for 61 minutes. Run `marrakech-server letters`"
    )
    claim = outbox.claim(ctx.database, clock())
    assert claim
    outbox.postpone(ctx.database, claim.letters[0], claim.key, "no line", clock(), LONGEST_WAIT_FOR_SERVER)
    assert ready(client)["status"] == "degraded", "that it was tried in vain does not make it younger"


def test_letters_delayed_by_quiet_hours_do_not_count(ctx: AppContext, client: FlaskClient, clock: Clock) -> None:
    enqueue_letters(ctx.database, [NewLetter("test", "ann@example.org", "test/1")], clock())
    claim = outbox.claim(ctx.database, clock())
    assert claim
    claim.letters[0].tries = 8
    outbox.postpone(ctx.database, claim.letters[0], claim.key, "451 greylisted", clock())
    clock.now += LETTERS_WAIT_LONG + 1
    Heartbeat(ctx.database).beat(ctx.clock())
    assert ready(client)["status"] == "ready"


def test_an_old_or_unreachable_database_is_not_ready(ctx: AppContext, client: FlaskClient) -> None:
    ctx.database.execute_sql("delete from schema_migration where name = '0006_worker_beats'")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json) == (503, {"status": "not ready", "database": "not up to date"})
    ctx.database.execute_sql("insert into schema_migration (name, applied) values ('9999_later', '2030-01-01')")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json) == (503, {"status": "not ready", "database": "cannot be used"})


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own, of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("Mounting a small disk needs more rights than these tests have.")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_server_with_a_full_disk_is_not_ready(ctx: AppContext, small_disk: Path) -> None:
    database = open_database(f"sqlite:///{small_disk}/games.db")
    migrate(database)
    app = create_app(ctx._replace(database=database))
    Heartbeat(database).beat(ctx.clock())
    assert app.test_client().get("/readyz").status_code == 200
    with contextlib.suppress(OSError):
        (small_disk / "film").write_bytes(bytes(4_000_000))
    answer = create_app(ctx._replace(database=database)).test_client().get("/readyz")
    assert (answer.status_code, (answer.json or {})["status"]) == (503, "not ready")
    assert (answer.json or {})["database"] == "cannot be written; the disk may be full"
    (small_disk / "film").unlink()
    assert create_app(ctx._replace(database=database)).test_client().get("/readyz").status_code == 200
    database.close()


def test_asking_often_writes_seldom(ctx: AppContext, client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    checks: list[object] = []
    monkeypatch.setattr(service.routes.ops, "check_writable", checks.append)
    for _ in range(5):
        ready(client)
    assert len(checks) == 1


# The heartbeat


def test_the_worker_updates_its_heartbeat(ctx: AppContext, clock: Clock) -> None:
    heart, other = Heartbeat(ctx.database), Heartbeat(ctx.database)
    heart.beat(ctx.clock())
    began = clock.now
    clock.now += SECONDS_BETWEEN_BEATS - 1
    heart.beat(ctx.clock())
    assert [beat.at for beat in WorkerBeat.select().execute(ctx.database)] == [began]
    clock.now += 1
    heart.beat(ctx.clock())
    other.beat(ctx.clock())
    assert [beat.at for beat in WorkerBeat.select().execute(ctx.database)] == [clock.now, clock.now]
    clock.now += FORGOTTEN_AFTER + 1
    Heartbeat(ctx.database).beat(ctx.clock())
    assert WorkerBeat.select().count(ctx.database) == 1, "those who are gone for long are forgotten"


def test_a_running_worker_has_a_heartbeat(ctx: AppContext) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(ctx, stop))
    thread.start()
    until = threading.Event()
    for _ in range(200):
        if WorkerBeat.select().exists(ctx.database):
            break
        until.wait(0.05)
    stop.set()
    thread.join(30)
    assert WorkerBeat.select().count(ctx.database) == 1


# The figures


def test_the_metrics_match_the_database(
    ctx: AppContext, client: FlaskClient, clock: Clock, ann: Player, bo: Player
) -> None:
    over = play_to_end(ctx, start_game(ctx, [ann, bo]))
    going_on = start_game(ctx, [ann, bo])
    Heartbeat(ctx.database).beat(ctx.clock())
    clock.now += 42
    found = figures(client)
    assert found["marrakech_games", "finished", "marrakech"] == 1
    assert found["marrakech_games", "marrakech", "playing"] == 1
    assert found["marrakech_games", "expired", "marrakech"] == 0
    assert found["marrakech_games", "kilim", "playing"] == 0
    assert found["marrakech_players",] == 2
    assert found["marrakech_events_total",] == over.head + going_on.head
    assert found["marrakech_letters", "waiting"] > 2
    assert found["marrakech_letters", "parked"] == 0
    assert found["marrakech_outbox_age_seconds",] == 42
    assert found["marrakech_worker_lag_seconds",] == 42


def test_an_empty_server_has_metrics(client: FlaskClient) -> None:
    found = figures(client)
    assert (found["marrakech_events_total",], found["marrakech_outbox_age_seconds",]) == (0, 0)
    assert found["marrakech_worker_lag_seconds",] == float("inf")


def test_requests_are_counted_by_endpoint_and_never_by_url(ctx: AppContext, client: FlaskClient) -> None:
    ann = Person(client, ctx, "ann@example.org")
    ann.get("/me")
    ann.get("/games/nothing", 404)
    client.get("/t/a-secret-token")
    client.open("/nowhere", method="BREW")
    found = figures(client)
    counted = {key[1:]: value for key, value in found.items() if key[0] == "marrakech_requests_total"}
    assert counted["200", "GET", "api.get_me"] == 1
    assert sum(value for labels, value in counted.items() if "404" in labels) >= 2
    assert ("any", "none") in {(labels[1], labels[2]) for labels in counted if labels[2] == "none"}
    assert "secret" not in repr(found)
    assert "BREW" not in repr(found)
    assert found["marrakech_request_seconds_count", "api.get_me"] == 1


def test_two_applications_in_one_process_count_separately(ctx: AppContext, client: FlaskClient) -> None:
    client.get("/healthz")
    other = create_app(ctx).test_client()
    assert ("marrakech_requests_total", "200", "GET", "ops.healthz") not in figures(other)


def test_without_a_token_the_metrics_are_for_loopback_only(client: FlaskClient) -> None:
    assert client.get("/metrics", environ_base={"REMOTE_ADDR": "192.0.2.1"}).status_code == 403
    assert client.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 403
    assert client.get("/metrics", headers={"Host": "evil.example"}).status_code == 403
    assert client.get("/metrics", environ_base={"REMOTE_ADDR": "::1"}).status_code == 200


def test_with_a_metrics_token_everyone_needs_it(ctx: AppContext) -> None:
    client = create_app(ctx._replace(settings=replace(ctx.settings, metrics_token=TOKEN))).test_client()
    for authorisation in ("", "Bearer", f"Bearer {TOKEN}x", TOKEN, "Bearer ä"):
        answer = client.get("/metrics", headers={"Authorization": authorisation})
        assert (answer.status_code, (answer.json or {})["code"]) == (401, "unauthorised")
    elsewhere = {"REMOTE_ADDR": "192.0.2.1"}
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, environ_base=elsewhere)
    assert answer.status_code == 200


# Behind a proxy


@pytest.mark.parametrize(
    ("proxies", "forwarded", "seen"),
    [
        (0, "198.51.100.7", "192.0.2.1"),
        (1, "198.51.100.7", "198.51.100.7"),
        (1, "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        (2, "203.0.113.9, 198.51.100.7", "203.0.113.9"),
        (1, None, "192.0.2.1"),
    ],
)
def test_the_clients_address_is_the_one_that_the_last_trusted_proxy_saw(
    ctx: AppContext, proxies: int, forwarded: str | None, seen: str
) -> None:
    app = create_app(ctx._replace(settings=replace(ctx.settings, proxies=proxies)))
    addresses = []

    @app.before_request
    def note() -> None:
        addresses.append(request.remote_addr)

    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    app.test_client().get("/healthz", headers=headers, environ_base={"REMOTE_ADDR": "192.0.2.1"})
    assert addresses == [seen]
