"""A real server whose files can't grow: it says so, loses nothing, and continues when there is space."""

import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.database_errors import FULL
from service.games.store import load
from tests.durability.processes import WebServer, waitress_server
from tests.support.people import API
from tests.support.servers import free_port
from tests.support.tables import snapshot_matches

pytestmark = pytest.mark.databases("sqlite")
ROOM = 600_000
"""Bytes that a file may have: an empty database fits into them, and some hundred actions."""


@pytest.fixture
def web(ctx: AppContext, tmp_path: Path) -> Iterator[WebServer]:
    """A server on a disk that will soon be full."""
    environ = {
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        "MARRAKECH_RATE_LIMITS": "off",
    }
    server = waitress_server(environ, tmp_path, free_port())
    server.start(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM)))
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.end()


def test_a_full_disk_is_said_and_nothing_that_was_answered_is_lost(ctx: AppContext, web: WebServer) -> None:
    ann = find_or_create_player(ctx, "ann@example.org")
    heads: dict[str, int] = {}
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {ctx.tokens.api(ann.id, 0)}"

        def post(path: str, body: Any) -> requests.Response:
            return session.post(f"{web.address}{API}{path}", json=body, timeout=30)

        view, answer = {"status": "finished"}, None
        for _ in range(3000):
            if view["status"] == "finished":
                answer = post("/games", {"game": "marrakech", "seats": [{"bot": "easy"}]})
                taken = answer.json() if answer.ok else None
            else:
                answer = post(f"/games/{view['id']}/actions", {"head": view["head"], "action": view["legal"][0]})
                taken = answer.json()["view"] if answer.ok else None
            if taken is None:
                break
            view = taken
            heads[view["id"]] = view["head"]
        assert answer is not None
        assert (answer.status_code, answer.json()["detail"]) == (503, FULL), web.log()[-6000:]
        assert answer.headers["Retry-After"]
        seen = session.get(f"{web.address}{API}/games/{view['id']}", timeout=30)
        assert seen.json()["head"] == heads[view["id"]], "reading goes on"
        assert session.get(f"{web.address}/healthz", timeout=30).status_code == 200

        web.ask_to_stop()
        assert web.ended(20) == 0
        for game, head in heads.items():
            assert load(ctx.database, game).head == head
            assert snapshot_matches(ctx, game)
        web.start()
        web.wait_until_ready()
        again = post("/games", {"game": "marrakech", "seats": [{"bot": "easy"}]})
        assert again.status_code == 201, "with room again, everything goes on"
        if view["status"] == "playing":
            assert post(f"/games/{view['id']}/actions", {"head": view["head"], "action": view["legal"][0]}).ok
