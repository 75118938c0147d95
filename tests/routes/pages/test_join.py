"""The link to share: everyone can look, signed-in players can take an open seat, and looking takes none."""

import pytest
from flask.testing import FlaskClient

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Game, Player
from service.games.lobby import NewGameRequest, cancel, create_game
from service.games.store import StoredGame, load
from service.routes.current import SESSION_COOKIE
from tests.routes.pages.test_login import form_of
from tests.support.apps import app_for
from tests.support.tables import OPEN, database_contents, new_game


@pytest.fixture
def game(ctx: AppContext, ann: Player) -> StoredGame:
    return create_game(ctx, ann, new_game(OPEN, OPEN, name="Friday <b>rugs</b>"))


def browser(ctx: AppContext, address: str | None = None) -> FlaskClient:
    client = app_for(ctx).test_client()
    if address is not None:
        player = find_or_create_player(ctx, address)
        client.set_cookie(SESSION_COOKIE, ctx.tokens.session(player.id, player.token_version, ctx.clock()))
    return client


def link(ctx: AppContext, game: StoredGame) -> str:
    return f"/join/{ctx.tokens.invitation(game.id, game.invitation_version)}"


def test_a_visitor_sees_the_game_and_a_link_to_sign_in(ctx: AppContext, game: StoredGame) -> None:
    before = database_contents(ctx)
    page = browser(ctx).get(link(ctx, game))
    assert page.status_code == 200
    assert "Friday &lt;b&gt;rugs&lt;/b&gt;" in page.text
    assert f'href="/login?next={link(ctx, game)}"' in page.text
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert database_contents(ctx) == before


def test_the_page_says_which_game_it_is_and_how_long_it_takes(ctx: AppContext, ann: Player) -> None:
    game = create_game(ctx, ann, NewGameRequest("kilim", "", [OPEN], {}, None))
    for page in (browser(ctx).get(link(ctx, game)).text, browser(ctx).get(f"/g/{game.id}").text):
        assert "<strong>Kilim</strong>, 2 to 5 players. Kilim is a board game about weaving" in page
        assert "A game has 30 rounds." in page
        assert 'src="/rules/kilim/picture.svg?lang=en"' in page
        assert "Kilim with ann" in page
    assert "invites you to a game of Kilim." in browser(ctx).get(link(ctx, game)).text


def test_a_signed_in_player_takes_one_seat_and_is_redirected_to_it(ctx: AppContext, game: StoredGame) -> None:
    client, here = browser(ctx, "bo@example.org"), link(ctx, game)
    form = form_of(client.get(here).text)
    for _ in range(2):
        seated = client.post(here, data={"form": form})
        assert seated.status_code == 303
        assert client.get(seated.location).status_code == 200
    bo = find_or_create_player(ctx, "bo@example.org")
    assert [seat.player for seat in load(ctx.database, game.id).seats] == [game.host, bo.id, None]
    assert "You have a seat" in client.get(here).text


def test_a_forged_form_takes_no_seat(ctx: AppContext, game: StoredGame) -> None:
    for client, status in ((browser(ctx), 401), (browser(ctx, "bo@example.org"), 403)):
        assert client.post(link(ctx, game), data={"form": "0" * 32}).status_code == status
    assert load(ctx.database, game.id).seats[1].player is None


def test_the_last_seat_starts_the_game_and_latecomers_can_only_watch(ctx: AppContext, game: StoredGame) -> None:
    here = link(ctx, game)
    for address in ("bo@example.org", "cleo@example.org"):
        client = browser(ctx, address)
        client.post(here, data={"form": form_of(client.get(here).text)})
    assert load(ctx.database, game.id).status == "playing"
    late = browser(ctx, "dan@example.org")
    page = late.get(here)
    assert "Every seat is taken" in page.text
    assert "<form" not in page.text


def test_a_replaced_link_and_a_cancelled_game_are_explained(ctx: AppContext, game: StoredGame, ann: Player) -> None:
    here = link(ctx, game)
    Game.update(invitation_version=1).execute(ctx.database)
    assert browser(ctx).get(here).status_code == 410
    Game.update(invitation_version=0).execute(ctx.database)
    cancel(ctx, game.id, ann.id)
    gone = browser(ctx).get(here)
    assert (gone.status_code, gone.mimetype) == (410, "text/html")
    assert "cancelled" in gone.text
    assert browser(ctx).get("/join/nonsense").status_code == 401
