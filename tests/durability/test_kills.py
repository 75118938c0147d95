"""A server that is killed again and again during games loses nothing that it acknowledged."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.context import AppContext
from service.db.models import Event
from tests.durability.checks import check_answers, check_database
from tests.durability.players import Clients
from tests.durability.processes import WebServer, gunicorn_server, wait_for, waitress_server
from tests.support.databases import TEST_CONNECTION
from tests.support.servers import free_port
from tests.support.soak import GAMES, KILLS

pytestmark = pytest.mark.databases("sqlite", "postgresql")

_OTHERS = """
select count(*) from pg_stat_activity
where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> %s
"""


@pytest.fixture
def web(ctx: AppContext, tmp_path: Path) -> Iterator[WebServer]:
    """One process of waitress on SQLite, two of gunicorn on PostgreSQL."""
    environ = {
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        "MARRAKECH_RATE_LIMITS": "off",
    }
    kind = waitress_server if ctx.settings.database_url.startswith("sqlite") else gunicorn_server
    server = kind(environ, tmp_path, free_port())
    server.start()
    try:
        yield server
    finally:
        server.end()


def wait_for_quiet(ctx: AppContext) -> None:
    """PostgreSQL may still be running a statement of a client that was killed."""
    if not ctx.settings.database_url.startswith("sqlite"):
        wait_for(
            lambda: ctx.database.execute_sql(_OTHERS, [TEST_CONNECTION]).fetchone()[0] == 0,
            "a connection outlived its process",
        )


def test_killed_at_any_moment_the_server_has_every_action_it_acknowledged(ctx: AppContext, web: WebServer) -> None:
    luck = random.Random()  # noqa: S311 - any moment
    web.wait_until_ready()
    with Clients(ctx, lambda: [web.address], GAMES) as clients:
        for _ in range(KILLS):
            clients.play_on(3 * GAMES)
            time.sleep(luck.random() / 2)
            web.kill()
            with clients.holding():
                wait_for_quiet(ctx)
                told = list(clients.acknowledged)
                check_database(ctx, told)
                web.start()
                web.wait_until_ready()
                check_answers([web.address], told)
        clients.play_on(3 * GAMES)
        clients.close()
    check_database(ctx, clients.acknowledged)
    check_answers([web.address], clients.acknowledged)
    # The kills have hit something, or this test shows nothing.
    assert clients.broken > 0
    assert clients.sent_again > 0
    assert len(clients.games) >= GAMES
    stored = Event.select().where(Event.action.is_null(False)).count(ctx.database)
    assert stored == len(clients.acknowledged), "stored and acknowledged actions differ"
