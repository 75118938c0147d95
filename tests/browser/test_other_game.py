"""A game without templates and scripts of its own: the generic page works, with and without a script."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from service.games.lobby import NewGameRequest, SeatRequest, create_game
from tests.browser.playing import CALM, confirm, is_sound_in_light_and_dark
from tests.browser.server import GameServer
from tests.engine.sealed_bids import SealedBids
from tests.support.games import registered
from tests.support.tables import join
from tests.ui.sealed_bids_ui import SealedBidsUi


@pytest.fixture
def sealed_bids() -> Iterator[str]:
    """The miniature game, registered for a test."""
    with registered(SealedBids(), SealedBidsUi()) as rules:
        yield rules.name


def test_two_players_bid_at_once_and_play_to_the_end(
    server: GameServer, page_at: Callable[..., Page], sealed_bids: str
) -> None:
    game = create_game(server.ctx, server.player("kim"), NewGameRequest(sealed_bids, "Bids", [SeatRequest()], {}, None))
    game = join(server.ctx, game.id, server.player("lou"))
    kim, lou = page_at(server.seat(game, 0), **CALM), page_at(server.seat(game, 1), java_script_enabled=False)
    is_sound_in_light_and_dark(kim)
    for card in (4, 3, 2, 1):
        lou.reload()  # both pages show the choices of the same head
        for page, bid in ((kim, card), (lou, card % 4 + 1)):
            expect(page.locator("#status")).to_contain_text("It's your turn.")
            page.get_by_label(f"Bid {bid}").check()
        confirm(kim).click()
        with lou.expect_navigation():  # without a script the form loads the page again
            confirm(lou).click()
        kim.evaluate("dispatchEvent(new Event('online'))")
        expect(kim.locator("#status")).to_contain_text("The game is over." if card == 1 else "It's your turn.")
    expect(kim.get_by_role("link", name="Analysis")).to_have_count(0)
    kim.get_by_role("link", name="Scores").click()
    expect(kim.locator("#scores-title")).to_be_visible()
    is_sound_in_light_and_dark(kim)
    kim.get_by_role("link", name="Watch the game again").click()
    kim.get_by_role("link", name="One step forward").click()
    expect(kim.locator("#status")).to_contain_text("The deck is shuffled.")
