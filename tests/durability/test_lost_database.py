"""After a database outage, processes reconnect."""

import psycopg
import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.context import AppContext
from tests.support.people import Person

# SQLite is a file: there is no connection to lose.
pytestmark = pytest.mark.databases("postgresql")

_OTHERS_LEAVE = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"


@pytest.fixture
def client(ctx: AppContext) -> FlaskClient:
    return create_app(ctx).test_client()


def lose_connections(ctx: AppContext) -> None:
    with psycopg.connect(ctx.settings.database_url, autocommit=True) as connection:
        connection.execute(_OTHERS_LEAVE)


def test_one_call_fails_and_the_next_is_answered(ctx: AppContext, client: FlaskClient) -> None:
    ann = Person(client, ctx, "ann@example.org")
    before = ann.get("/me")
    lose_connections(ctx)
    assert ann.get("/me", 503)["code"] == "unavailable"
    assert ann.get("/me") == before


def test_a_page_is_answered_again(ctx: AppContext, client: FlaskClient) -> None:
    ann = Person(client, ctx, "ann@example.org")
    game = ann.post("/games", {"game": "marrakech", "seats": [{"bot": "easy"}]}, 201)
    lose_connections(ctx)
    assert client.get(f"/g/{game['id']}").status_code == 503
    assert client.get(f"/g/{game['id']}").status_code == 200


def test_a_process_becomes_ready_again(ctx: AppContext, client: FlaskClient) -> None:
    assert client.get("/readyz").status_code == 200
    lose_connections(ctx)
    assert client.get("/readyz").status_code == 503
    assert client.get("/readyz").status_code == 200
