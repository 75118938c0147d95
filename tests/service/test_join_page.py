"""The link to share: anybody can look, whoever signs in can take a free seat, and looking takes none."""

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.identity import player_with
from service.lobby import cancel, create
from service.models import Game, Player
from service.office import Office
from service.routes.sessions import COOKIE
from service.store import load
from service.stored import StoredGame
from tests.service.tables import OPEN, contents, wish
from tests.service.test_sign_in_page import form_of


@pytest.fixture
def game(office: Office, ann: Player) -> StoredGame:
    return create(office, ann, wish(OPEN, OPEN, name="Friday <b>rugs</b>"))


def browser(office: Office, address: str | None = None) -> FlaskClient:
    client = create_app(office).test_client()
    if address is not None:
        player = player_with(office, address)
        client.set_cookie(COOKIE, office.links.session(player.id, player.token_version, office.clock()))
    return client


def link(office: Office, game: StoredGame) -> str:
    return f"/join/{office.links.invitation(game.id, game.invitation_version)}"


def test_a_stranger_sees_the_table_and_the_way_to_sign_in(office: Office, game: StoredGame) -> None:
    before = contents(office)
    page = browser(office).get(link(office, game))
    assert page.status_code == 200
    assert "Friday &lt;b&gt;rugs&lt;/b&gt;" in page.text
    assert f'href="/login?next={link(office, game)}"' in page.text
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert contents(office) == before


def test_whoever_is_signed_in_takes_a_seat_once_and_lands_at_it(office: Office, game: StoredGame) -> None:
    client, here = browser(office, "bo@example.org"), link(office, game)
    form = form_of(client.get(here).text)
    for _ in range(2):
        seated = client.post(here, data={"form": form})
        assert seated.status_code == 303
        assert client.get(seated.location).status_code == 200
    bo = player_with(office, "bo@example.org")
    assert [seat.player for seat in load(office.database, game.id).seats] == [game.host, bo.id, None]
    assert "You have a seat" in client.get(here).text


def test_a_form_from_elsewhere_takes_no_seat(office: Office, game: StoredGame) -> None:
    for client, status in ((browser(office), 401), (browser(office, "bo@example.org"), 403)):
        assert client.post(link(office, game), data={"form": "0" * 32}).status_code == status
    assert load(office.database, game.id).seats[1].player is None


def test_the_last_seat_starts_the_game_and_later_ones_can_only_look_on(office: Office, game: StoredGame) -> None:
    here = link(office, game)
    for address in ("bo@example.org", "cleo@example.org"):
        client = browser(office, address)
        client.post(here, data={"form": form_of(client.get(here).text)})
    assert load(office.database, game.id).status == "playing"
    late = browser(office, "dan@example.org")
    page = late.get(here)
    assert "Every seat is taken" in page.text
    assert "<form" not in page.text


def test_a_replaced_link_and_a_table_that_was_called_off_are_explained(
    office: Office, game: StoredGame, ann: Player
) -> None:
    here = link(office, game)
    Game.update(invitation_version=1).execute(office.database)
    assert browser(office).get(here).status_code == 410
    Game.update(invitation_version=0).execute(office.database)
    cancel(office, game.id, ann.id)
    gone = browser(office).get(here)
    assert (gone.status_code, gone.mimetype) == (410, "text/html")
    assert "cancelled" in gone.text
    assert browser(office).get("/join/nonsense").status_code == 401
