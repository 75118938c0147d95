"""Things that existed once and won't come back: pages with the status 410, in the reader's language.

Programs get the codes that the API has always had.
"""

from collections.abc import Callable

import pytest

from service.auth.login import log_in_with_link
from service.context import AppContext
from service.db.models import Game, Player
from service.games.lobby import SeatRequest, cancel, create_game, decline, expire
from service.games.players import delete_player, replace_links
from service.games.store import StoredGame
from tests.support.apps import app_for
from tests.support.browsers import Browser
from tests.support.clock import Clock
from tests.support.people import Person
from tests.support.sign_in import request_letter
from tests.support.tables import OPEN, database_contents, new_game, start_game

TWO_WEEKS = 14 * 24 * 3600


@pytest.fixture
def table(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    """Ann's table, with a seat kept for Bo and an open one."""
    return create_game(ctx, ann, new_game(SeatRequest(email="bo@example.org"), OPEN))


def links(ctx: AppContext, game: StoredGame) -> list[str]:
    """Every way to a table that was ever given out."""
    return [
        f"/g/{game.id}",
        f"/g/{game.id}/replay",
        f"/g/{game.id}/over",
        f"/s/{ctx.tokens.seat(game.id, 1, 0)}",
        f"/t/{ctx.tokens.turn(game.id, 1, 1, 0)}",
        f"/join/{ctx.tokens.invitation(game.id, 0)}",
    ]


def closed_table_error(ctx: AppContext, table: StoredGame, clock: Clock) -> None:
    cancel(ctx, table.id, int(table.host))


def given_up(ctx: AppContext, table: StoredGame, clock: Clock) -> None:
    clock.now += TWO_WEEKS
    assert expire(ctx) == [table.id]


@pytest.mark.parametrize(
    ("end", "words", "french"),
    [
        (
            closed_table_error,
            "This game was cancelled before it started. You can start a new one.",
            "Cette partie a été annulée",
        ),
        (
            given_up,
            "This game expired before it started because not enough players joined. You can start a new one.",
            "Cette partie a expiré",
        ),
    ],
)
def test_a_game_that_never_started_is_gone_behind_every_link(
    ctx: AppContext,
    table: StoredGame,
    clock: Clock,
    end: Callable[[AppContext, StoredGame, Clock], None],
    words: str,
    french: str,
) -> None:
    end(ctx, table, clock)
    before = database_contents(ctx)
    for link in links(ctx, table):
        page = Browser(ctx).get(link, 410)
        assert words in page
        assert "No longer available" in page
        assert 'class="button" href="/new"' in page
    assert french in Browser(ctx, language="fr").get(f"/g/{table.id}", 410)
    Browser(ctx).post(links(ctx, table)[3], 410, do="accept")
    assert database_contents(ctx) == before
    stranger = Person(app_for(ctx).test_client(), ctx, None)
    assert stranger.get(f"/games/{table.id}", 404)["code"] == "not_found"


def test_the_link_of_a_declined_seat_is_gone(ctx: AppContext, table: StoredGame, bo: Player) -> None:
    decline(ctx, table.id, 1, bo.id)
    page = Browser(ctx).get(f"/s/{ctx.tokens.seat(table.id, 1, 0)}", 410)
    assert "This link was replaced by a newer one. Open the newest e-mail about this game, or sign in." in page
    assert 'class="button" href="/login"' in page


def test_a_replaced_link_is_gone_and_the_new_one_opens(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    replace_links(ctx, game.id, 0, ann.id)
    for old in (f"/s/{ctx.tokens.seat(game.id, 0, 0)}", f"/t/{ctx.tokens.turn(game.id, 0, 1, 0)}"):
        Browser(ctx).get(old, 410)
        Browser(ctx).post(old, 410, do="left", head=str(game.head))
    Browser(ctx).get(f"/t/{ctx.tokens.turn(game.id, 0, 1, 1)}")
    holder = Person(app_for(ctx).test_client(), ctx, None, ctx.tokens.turn(game.id, 0, 1, 0))
    assert holder.get("/me", 401)["code"] == "unauthorised"


def test_a_replaced_shared_link_is_gone(ctx: AppContext, table: StoredGame) -> None:
    Game.update(invitation_version=1).execute(ctx.database)
    page = Browser(ctx, language="fr").get(f"/join/{ctx.tokens.invitation(table.id, 0)}", 410)
    assert "a été remplacé par un nouveau" in page


def test_an_expired_or_used_sign_in_link_is_gone(ctx: AppContext, clock: Clock) -> None:
    links = [request_letter(ctx, address).link for address in ("ann@example.org", "bo@example.org")]
    log_in_with_link(ctx, links[0])
    assert "already been used" in Browser(ctx).post(f"/login/{links[0]}", 410).text
    clock.now += 15 * 60
    page = Browser(ctx).get(f"/login/{links[1]}", 410)
    assert "This sign-in link has expired" in page
    assert 'class="button" href="/login"' in page


def test_the_links_of_a_deleted_player_are_gone(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    delete_player(ctx, ann.id, resign=True)
    unsubscribe = f"/u/{ctx.tokens.unsubscribe(ann.id, 'turns')}"
    before = database_contents(ctx)
    assert "This player has left" in Browser(ctx).get(unsubscribe, 410)
    Browser(ctx).post(unsubscribe, 410, letters="all")
    Browser(ctx).get(f"/s/{ctx.tokens.seat(game.id, 0, 0)}", 410)
    Browser(ctx).get(f"/g/{game.id}")  # the game itself stays
    assert database_contents(ctx) == before


def test_the_link_of_a_played_turn_still_shows_the_game(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    Game.update(turn=2).execute(ctx.database)
    Browser(ctx).get(f"/t/{ctx.tokens.turn(game.id, 0, 1, 0)}")
