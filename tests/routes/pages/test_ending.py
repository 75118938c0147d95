"""The table page at the end of a game: the result, the rematch, and the next game that waits."""

import re

import pytest

from service.context import AppContext
from service.db.models import Game, Player
from service.games.play import act
from service.games.rematch import find_rematch
from service.games.store import StoredGame
from tests.support.browsers import Browser
from tests.support.tables import QueuedLetter, database_contents, play_one_action, queued_letters, start_game


@pytest.fixture
def over(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    """Bo has resigned, so Ann has won."""
    game = start_game(ctx, [ann, bo])
    return act(ctx, game.id, 1, game.head, {"type": "resign"}, "").game


def _press_rematch(browser: Browser, path: str) -> str:
    """Press the button and return where it leads."""
    return browser.post(path, on=path, do="rematch").location


def test_the_result_is_where_the_choices_were_with_the_winner_first(ctx: AppContext, over: StoredGame) -> None:
    page = Browser(ctx, "bo@example.org").get(f"/g/{over.id}")
    ranking = re.search(r'<ol class="ranking".*?</ol>', page, re.DOTALL)
    assert ranking is not None
    assert page.index('class="action-bar"') < ranking.start() < page.index('id="standings"')
    assert re.findall(r'class="name">(\w+)', ranking[0]) == ["ann", "bo"]
    assert re.findall(r'<li class="won"><bdi class="name">(\w+)', ranking[0]) == ["ann"]
    for rest in ("replay", "over"):
        assert f'class="button" href="/g/{over.id}/{rest}"' in page


def test_a_running_game_offers_no_rematch(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    browser = Browser(ctx, "ann@example.org")
    assert "Rematch" not in browser.get(f"/g/{game.id}")
    page = browser.post(f"/g/{game.id}", 409, on=f"/g/{game.id}", do="rematch").text
    assert "This game isn&#39;t over yet." in page


def test_one_click_starts_the_rematch_and_the_other_player_joins_the_same(ctx: AppContext, over: StoredGame) -> None:
    here, ann, bo = f"/g/{over.id}", Browser(ctx, "ann@example.org"), Browser(ctx, "bo@example.org")
    before = database_contents(ctx)
    assert ">Rematch</button>" in ann.get(here)
    assert database_contents(ctx) == before, "looking starts nothing"
    first = _press_rematch(ann, here)
    assert queued_letters(ctx)[-1] == QueuedLetter("invitation", "bo@example.org")
    assert _press_rematch(ann, here) == first
    assert f'href="{first}">Go to the rematch</a>' in ann.get(here)
    page = bo.get(here)
    assert "ann wants a rematch." in page
    assert ">Join the rematch</button>" in page
    assert _press_rematch(bo, here) == first
    assert Game.select().count(ctx.database) == 2


def test_the_holder_of_a_link_gets_the_link_to_the_new_seat_by_mail(ctx: AppContext, over: StoredGame) -> None:
    link, browser = f"/s/{ctx.tokens.seat(over.id, 1, 0)}", Browser(ctx)
    assert _press_rematch(browser, link) == link
    assert "Your link is in your newest e-mail." in browser.get(link)
    assert QueuedLetter("links", "bo@example.org") in queued_letters(ctx)


def test_nobody_else_can_start_a_rematch(ctx: AppContext, over: StoredGame) -> None:
    here = f"/g/{over.id}"
    assert "Sign in for a rematch" in Browser(ctx).get(here)
    assert "Rematch" not in Browser(ctx, "eve@example.org").get(here)
    Browser(ctx, "eve@example.org").post(here, 403, on="/", do="rematch")
    assert find_rematch(ctx, over.id) is None


def test_after_a_turn_the_page_links_to_the_next_game(ctx: AppContext, ann: Player, bo: Player) -> None:
    first, second = (start_game(ctx, [ann, bo]) for _ in range(2))
    browser = Browser(ctx, "ann@example.org")
    assert "Next game" not in browser.get(f"/g/{first.id}"), "it is still the player's turn here"
    for _ in range(2):
        first = play_one_action(ctx, first).game
    link = f'href="/g/{second.id}">Next game: Marrakech with ann</a>'
    assert link in browser.get(f"/g/{first.id}")
    assert "Next game" not in Browser(ctx, "eve@example.org").get(f"/g/{first.id}")
    assert "Next game" not in Browser(ctx).get(f"/s/{ctx.tokens.seat(first.id, 0, 0)}"), "a link opens one game"
