"""What SECURITY.md says of an onlooker, a player, a mail scanner and the thief of one link is so."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.identity import player_with
from service.office import Office
from service.store import load
from service.stored import StoredGame
from tests.service.people import Person
from tests.service.tables import contents, legal, mover, rest_of, started, step


@pytest.fixture
def client(office: Office) -> FlaskClient:
    return create_app(office).test_client()


@pytest.fixture
def game(office: Office) -> StoredGame:
    """Ann and Bo play, and it is Ann's turn."""
    return started(office, [player_with(office, f"{name}@example.org") for name in ("ann", "bo")])


def holder(client: FlaskClient, office: Office, token: str) -> Person:
    return Person(client, office, None, token)


def act(person: Person, office: Office, game: StoredGame, status: int = 200) -> Any:
    return person.act({"id": game.id, "head": game.head}, legal(game)[0], status)


def test_the_thief_of_a_turns_link_plays_that_turn_and_no_other(
    office: Office, client: FlaskClient, game: StoredGame
) -> None:
    thief = holder(client, office, office.links.turn(game.id, 0, game.turn, 0))
    while mover(game) == 0:
        act(thief, office, game)
        game = load(office.database, game.id)
    act(thief, office, game, 409)
    while mover(game) == 1:
        game = step(office, game).game
    assert act(thief, office, game, 409)["code"] == "not_your_turn"
    assert thief.get(f"/games/{game.id}")["you"] == 0


@pytest.mark.parametrize("kind", ["turn", "seat"])
def test_the_thief_of_a_link_gets_no_further(office: Office, client: FlaskClient, game: StoredGame, kind: str) -> None:
    other = started(office, [player_with(office, f"{name}@example.org") for name in ("ann", "cy")])
    links = office.links
    token = links.turn(game.id, 0, game.turn, 0) if kind == "turn" else links.seat(game.id, 0, 0)
    thief, before = holder(client, office, token), contents(office)
    for path in ("/me", "/games"):
        thief.get(path, 403)
    thief.post(f"/games/{game.id}/seats/0/links", status=403)
    thief.post("/games", {"game": "marrakech", "seats": [{"bot": "random"}]}, 403)
    act(thief, office, other, 403)
    assert thief.get(f"/games/{other.id}")["you"] is None
    thief.get(f"/games/{other.id}/messages", 403)
    assert contents(office) == before


@pytest.mark.parametrize("kind", ["turn", "seat"])
def test_new_links_make_a_stolen_one_worthless(
    office: Office, client: FlaskClient, game: StoredGame, kind: str
) -> None:
    links = office.links
    token = links.turn(game.id, 0, game.turn, 0) if kind == "turn" else links.seat(game.id, 0, 0)
    Person(client, office, "ann@example.org").post(f"/games/{game.id}/seats/0/links", status=202)
    act(holder(client, office, token), office, game, 401)
    assert client.get(f"/{kind[0]}/{token}").status_code == 410


def test_a_scanner_that_opens_every_link_changes_nothing(office: Office, client: FlaskClient, game: StoredGame) -> None:
    links, now = office.links, office.clock()
    ways = [f"/t/{links.turn(game.id, 0, game.turn, 0)}", f"/s/{links.seat(game.id, 1, 0)}"]
    ways += [f"{ways[0]}?do={do}" for do in ("left", "resign", "d5-e5")]
    ways += [f"/join/{links.invitation(game.id, 0)}", f"/u/{links.unsubscribe(1, 'turns')}"]
    ways += [f"/login/{links.sign_in(1, 'secret', now)}", f"/g/{game.id}"]
    before = contents(office)
    for way in ways:
        for method in ("GET", "HEAD", "OPTIONS"):
            answer = client.open(way, method=method)
            assert answer.status_code == 200, (way, method)
            assert "Set-Cookie" not in answer.headers
    assert contents(office) == before


def test_an_onlooker_learns_no_address_no_talk_and_no_seed_before_the_end(
    office: Office, client: FlaskClient, game: StoredGame
) -> None:
    onlooker = Person(client, office, None)
    ways = [f"/api/v1/games/{game.id}{end}" for end in ("", "/events", "/record", "/record.txt")] + [f"/g/{game.id}"]
    for way in ways:
        text = client.get(way).text
        assert game.seed not in text
        assert "@example.org" not in text
        assert '"piles"' not in text
    onlooker.get(f"/games/{game.id}/messages", 401)
    act(onlooker, office, game, 401)
    rest_of(office, game)
    assert onlooker.get(f"/games/{game.id}/record")["dice"]["seed"] == game.seed


def test_a_player_cannot_play_for_another_seat(office: Office, client: FlaskClient, game: StoredGame) -> None:
    bo, before = Person(client, office, "bo@example.org"), contents(office)
    assert act(bo, office, game, 409)["code"] == "not_your_turn"
    bo.post(f"/games/{game.id}/seats/0/links", status=403)
    assert contents(office) == before
