"""Checks what SECURITY.md says about spectators, players, mail scanners and a thief of one link."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.games.store import StoredGame, load
from service.routes.current import SESSION_COOKIE
from tests.support.apps import app_for
from tests.support.people import Person
from tests.support.tables import database_contents, legal_actions, play_one_action, play_to_end, seat_to_act, start_game


@pytest.fixture
def client(ctx: AppContext) -> FlaskClient:
    return app_for(ctx).test_client()


@pytest.fixture
def game(ctx: AppContext) -> StoredGame:
    """Ann and Bo play, and it is Ann's turn."""
    return start_game(ctx, [find_or_create_player(ctx, f"{name}@example.org") for name in ("ann", "bo")])


def holder(client: FlaskClient, ctx: AppContext, token: str) -> Person:
    return Person(client, ctx, None, token)


def act(person: Person, ctx: AppContext, game: StoredGame, status: int = 200) -> Any:
    return person.act({"id": game.id, "head": game.head}, legal_actions(game)[0], status)


def test_the_thief_of_a_turns_link_plays_that_turn_and_no_other(
    ctx: AppContext, client: FlaskClient, game: StoredGame
) -> None:
    thief = holder(client, ctx, ctx.tokens.turn(game.id, 0, game.turn, 0))
    while seat_to_act(game) == 0:
        act(thief, ctx, game)
        game = load(ctx.database, game.id)
    act(thief, ctx, game, 409)
    while seat_to_act(game) == 1:
        game = play_one_action(ctx, game).game
    assert act(thief, ctx, game, 409)["code"] == "not_your_turn"
    assert thief.get(f"/games/{game.id}")["you"] == 0


@pytest.mark.parametrize("kind", ["turn", "seat"])
def test_the_thief_of_a_link_gets_no_further(ctx: AppContext, client: FlaskClient, game: StoredGame, kind: str) -> None:
    other = start_game(ctx, [find_or_create_player(ctx, f"{name}@example.org") for name in ("ann", "cy")])
    links = ctx.tokens
    token = links.turn(game.id, 0, game.turn, 0) if kind == "turn" else links.seat(game.id, 0, 0)
    thief, before = holder(client, ctx, token), database_contents(ctx)
    for path in ("/me", "/games"):
        thief.get(path, 403)
    thief.post(f"/games/{game.id}/seats/0/links", status=403)
    thief.post("/games", {"game": "marrakech", "seats": [{"bot": "easy"}]}, 403)
    act(thief, ctx, other, 403)
    assert thief.get(f"/games/{other.id}")["you"] is None
    thief.get(f"/games/{other.id}/messages", 403)
    assert database_contents(ctx) == before


@pytest.mark.parametrize("kind", ["turn", "seat"])
def test_new_links_make_a_stolen_one_worthless(
    ctx: AppContext, client: FlaskClient, game: StoredGame, kind: str
) -> None:
    links = ctx.tokens
    token = links.turn(game.id, 0, game.turn, 0) if kind == "turn" else links.seat(game.id, 0, 0)
    Person(client, ctx, "ann@example.org").post(f"/games/{game.id}/seats/0/links", status=202)
    act(holder(client, ctx, token), ctx, game, 401)
    assert client.get(f"/{kind[0]}/{token}").status_code == 410


def test_a_scanner_that_opens_every_link_changes_nothing(
    ctx: AppContext, client: FlaskClient, game: StoredGame
) -> None:
    links, now = ctx.tokens, ctx.clock()
    ways = [f"/t/{links.turn(game.id, 0, game.turn, 0)}", f"/s/{links.seat(game.id, 1, 0)}"]
    ways += [f"{ways[0]}?do={do}" for do in ("left", "resign", "d5-e5")]
    ways += [f"/join/{links.invitation(game.id, 0)}", f"/u/{links.unsubscribe(1, 'turns')}"]
    ways += [f"/login/{links.sign_in(1, 'secret', now)}", f"/g/{game.id}"]
    before = database_contents(ctx)
    for way in ways:
        for method in ("GET", "HEAD", "OPTIONS"):
            answer = client.open(way, method=method)
            assert answer.status_code == 200, (way, method)
            assert f"{SESSION_COOKIE}=" not in answer.headers.get("Set-Cookie", "")
    assert database_contents(ctx) == before


def test_an_onlooker_learns_no_address_no_talk_and_no_seed_before_the_end(
    ctx: AppContext, client: FlaskClient, game: StoredGame
) -> None:
    onlooker = Person(client, ctx, None)
    ways = [f"/api/v1/games/{game.id}{end}" for end in ("", "/events", "/record", "/record.txt")] + [f"/g/{game.id}"]
    for way in ways:
        text = client.get(way).text
        assert game.seed not in text
        assert "@example.org" not in text
        assert '"piles"' not in text
    onlooker.get(f"/games/{game.id}/messages", 401)
    act(onlooker, ctx, game, 401)
    play_to_end(ctx, game)
    assert onlooker.get(f"/games/{game.id}/record")["dice"]["seed"] == game.seed


def test_a_player_cannot_play_for_another_seat(ctx: AppContext, client: FlaskClient, game: StoredGame) -> None:
    bo, before = Person(client, ctx, "bo@example.org"), database_contents(ctx)
    assert act(bo, ctx, game, 409)["code"] == "not_your_turn"
    bo.post(f"/games/{game.id}/seats/0/links", status=403)
    assert database_contents(ctx) == before
