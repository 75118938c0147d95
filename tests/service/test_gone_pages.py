"""What was there once and never comes back: pages say so with 410, in the reader's language, and show a way on.

Programs get the codes that the API has always had.
"""

from collections.abc import Callable

import pytest

from service.app import create_app
from service.identity import ask_to_sign_in, sign_in_with_link
from service.leaving import forget_player
from service.lobby import Chair, cancel, create, decline, expire
from service.models import Game, Letter, Player
from service.office import Office
from service.seat_links import revoke
from service.stored import StoredGame
from tests.service.browsers import Browser
from tests.service.conftest import Clock
from tests.service.people import Person
from tests.service.tables import OPEN, contents, started, wish

TWO_WEEKS = 14 * 24 * 3600


@pytest.fixture
def table(office: Office, ann: Player, bo: Player) -> StoredGame:
    """Ann's table, with a seat kept for Bo and an open one."""
    return create(office, ann, wish(Chair(email="bo@example.org"), OPEN))


def doors(office: Office, game: StoredGame) -> list[str]:
    """Every way to a table that was ever given out."""
    return [
        f"/g/{game.id}",
        f"/g/{game.id}/replay",
        f"/g/{game.id}/over",
        f"/s/{office.links.seat(game.id, 1, 0)}",
        f"/t/{office.links.turn(game.id, 1, 1, 0)}",
        f"/join/{office.links.invitation(game.id, 0)}",
    ]


def called_off(office: Office, table: StoredGame, clock: Clock) -> None:
    cancel(office, table.id, int(table.host))


def given_up(office: Office, table: StoredGame, clock: Clock) -> None:
    clock.now += TWO_WEEKS
    assert expire(office) == [table.id]


@pytest.mark.parametrize(
    ("end", "words", "french"),
    [
        (called_off, "This table was cancelled before it started.", "Cette table a été annulée"),
        (given_up, "This table expired before it started: not enough players came.", "Cette table a expiré"),
    ],
)
def test_a_table_that_never_started_is_gone_behind_every_door(
    office: Office,
    table: StoredGame,
    clock: Clock,
    end: Callable[[Office, StoredGame, Clock], None],
    words: str,
    french: str,
) -> None:
    end(office, table, clock)
    before = contents(office)
    for door in doors(office, table):
        page = Browser(office).get(door, 410)
        assert words in page
        assert "The stall has closed" in page
        assert 'class="button" href="/new"' in page
    assert french in Browser(office, language="fr").get(f"/g/{table.id}", 410)
    Browser(office).post(doors(office, table)[3], 410, do="accept")
    assert contents(office) == before
    stranger = Person(create_app(office).test_client(), office, None)
    assert stranger.get(f"/games/{table.id}", 404)["code"] == "not_found"


def test_a_seat_that_was_given_back_leaves_a_link_that_is_gone(office: Office, table: StoredGame, bo: Player) -> None:
    decline(office, table.id, 1, bo.id)
    page = Browser(office).get(f"/s/{office.links.seat(table.id, 1, 0)}", 410)
    assert "This link was replaced by a newer one; open the newest letter of the game, or sign in." in page
    assert 'class="button" href="/login"' in page


def test_a_link_that_was_replaced_is_gone_and_the_new_one_opens(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    revoke(office, game.id, 0, ann.id)
    for old in (f"/s/{office.links.seat(game.id, 0, 0)}", f"/t/{office.links.turn(game.id, 0, 1, 0)}"):
        Browser(office).get(old, 410)
        Browser(office).post(old, 410, do="left", head=str(game.head))
    Browser(office).get(f"/t/{office.links.turn(game.id, 0, 1, 1)}")
    holder = Person(create_app(office).test_client(), office, None, office.links.turn(game.id, 0, 1, 0))
    assert holder.get("/me", 401)["code"] == "unauthorised"


def test_a_shared_link_that_was_replaced_is_gone(office: Office, table: StoredGame) -> None:
    Game.update(invitation_version=1).execute(office.database)
    page = Browser(office, language="fr").get(f"/join/{office.links.invitation(table.id, 0)}", 410)
    assert "Cette invitation a été remplacée" in page


def test_a_sign_in_link_is_gone_when_it_is_late_or_used(office: Office, clock: Clock) -> None:
    links = []
    for address in ("ann@example.org", "bo@example.org"):
        ask_to_sign_in(office, address)
        details = Letter.select(Letter.details).order_by(Letter.id.desc()).scalar(office.database)
        links.append(details.partition('"link": "')[2].partition('"')[0])
    sign_in_with_link(office, links[0])
    assert "used up" in Browser(office).post(f"/login/{links[0]}", 410).text
    clock.now += 15 * 60
    page = Browser(office).get(f"/login/{links[1]}", 410)
    assert "This sign-in link has expired" in page
    assert 'class="button" href="/login"' in page


def test_what_belonged_to_a_player_who_left_is_gone(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    forget_player(office, ann.id, resign=True)
    unsubscribe = f"/u/{office.links.unsubscribe(ann.id, 'turns')}"
    before = contents(office)
    assert "Whoever this link was for plays here no more" in Browser(office).get(unsubscribe, 410)
    Browser(office).post(unsubscribe, 410, letters="all")
    Browser(office).get(f"/s/{office.links.seat(game.id, 0, 0)}", 410)
    Browser(office).get(f"/g/{game.id}")  # the game itself stays
    assert contents(office) == before


def test_the_link_of_a_turn_that_is_played_is_not_gone(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    Game.update(turn=2).execute(office.database)
    Browser(office).get(f"/t/{office.links.turn(game.id, 0, 1, 0)}")
