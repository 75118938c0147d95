"""Anonymous requests for pages are counted by network; players, monitoring and static files are not."""

import pytest
from flask.testing import FlaskClient

from service.auth.rate_limits import MINUTE, PAGES_BY_NETWORK, check_page
from service.context import AppContext
from service.db.models import Player
from service.games.store import StoredGame
from tests.support.apps import app_for
from tests.support.browsers import HTML, Browser
from tests.support.clock import Clock
from tests.support.tables import start_game

STRANGER, NEIGHBOUR, OTHER = ({"REMOTE_ADDR": ip} for ip in ("203.0.113.7", "203.0.113.8", "198.51.100.7"))


@pytest.fixture
def game(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    return start_game(ctx, [ann, bo])


@pytest.fixture
def client(ctx: AppContext) -> FlaskClient:
    """A browser in a network from which somebody has asked for as many pages as allowed."""
    for _ in range(PAGES_BY_NETWORK.most):
        check_page(ctx, STRANGER["REMOTE_ADDR"])
    return app_for(ctx).test_client()


def test_a_network_that_asks_for_too_many_pages_is_told_when_to_come_back(
    client: FlaskClient, game: StoredGame, clock: Clock
) -> None:
    for path in ("/", f"/g/{game.id}", f"/g/{game.id}/replay", "/login", "/rules", "/join/x", "/t/x"):
        refused = client.get(path, headers=HTML, environ_base=NEIGHBOUR)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1"), path
        assert "Please wait a moment" in refused.text
    assert client.post("/login", data={"email": "ann@example.org"}, environ_base=STRANGER).status_code == 429
    assert client.get(f"/g/{game.id}", environ_base=OTHER).status_code == 200
    clock.now += MINUTE
    assert client.get(f"/g/{game.id}", environ_base=STRANGER).status_code == 200


def test_players_monitoring_and_static_files_are_not_counted(
    ctx: AppContext, client: FlaskClient, game: StoredGame
) -> None:
    seat, turn = ctx.tokens.seat(game.id, 0, 0), ctx.tokens.turn(game.id, 0, game.turn, 0)
    for path in (f"/s/{seat}", f"/t/{turn}", "/healthz", "/readyz", "/static/pages.css"):
        assert client.get(path, environ_base=STRANGER).status_code == 200, path
    ann = Browser(ctx, "ann@example.org").client
    for path in ("/", f"/g/{game.id}", "/me"):
        assert ann.get(path, environ_base=STRANGER).status_code == 200


def test_sixty_open_pages_that_ask_every_three_seconds_never_reach_the_limit(ctx: AppContext, clock: Clock) -> None:
    for _ in range(100):
        for _ in range(60):
            check_page(ctx, STRANGER["REMOTE_ADDR"])
        clock.now += 3
