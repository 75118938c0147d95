"""The analysis in a browser: keys, buttons, the slider and the listed choices lead through the chances."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from service.engine.registry import AnyRules
from service.games.analysis import compute_next, get_analysis
from service.games.play import act
from service.games.store import StoredGame
from service.ui.analysis import find_costliest, list_stops
from tests.browser.playing import CALM
from tests.browser.server import GameServer
from tests.support.tables import seat_to_act, start_bids

Open = Callable[..., Page]
SIZES = [{"width": 390, "height": 844}, {"width": 1366, "height": 768}]


@pytest.fixture
def game(server: GameServer, analysed_bids: AnyRules) -> StoredGame:
    """A game in which everyone bids another card in each round."""
    game = start_bids(server.ctx, server.player("kim"), server.player("lou"))
    while game.status == "playing":
        seat = seat_to_act(game)
        game = act(server.ctx, game.id, seat, game.head, {"type": "bid", "card": (seat + game.turn) % 4 + 1}, "").game
    while compute_next(server.ctx):
        pass
    return game


def mark(page: Page) -> str:
    return str(page.locator("#curve .now").get_attribute("d"))


def test_keys_and_the_slider_go_through_the_chances_without_loading_the_page(
    server: GameServer, page_at: Open, game: StoredGame
) -> None:
    analysis = get_analysis(server.ctx, game)
    assert analysis
    stops = list_stops(analysis, game.head)
    page = page_at(f"/g/{game.id}/analysis?at=1", **CALM)
    page.evaluate("window.kept = true")
    before = mark(page)
    page.keyboard.press("Shift+ArrowRight")
    following = stops[stops.index(1) + 1]
    expect(page).to_have_url(re.compile(f"at={following}$"))
    assert mark(page) != before
    page.keyboard.press("Shift+ArrowLeft")
    expect(page).to_have_url(re.compile("at=1$"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".step")).to_contain_text("Turn 1 of")
    page.get_by_label("Step", exact=True).fill(str(game.head))
    expect(page.locator(".step")).to_contain_text(f"step {game.head} of {game.head}")
    expect(page.locator("#now")).to_contain_text("100%")
    assert page.evaluate("window.kept")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size['width']} pixels")
def test_a_costly_choice_is_shown_with_the_board_and_the_curve_in_view(
    server: GameServer, page_at: Open, game: StoredGame, size: dict[str, int]
) -> None:
    analysis = get_analysis(server.ctx, game)
    assert analysis
    worst = find_costliest(analysis)[0]
    page = page_at(f"/g/{game.id}/analysis", viewport=size, **CALM)
    page.locator("#mistakes-title ~ ol a").first.click()
    expect(page).to_have_url(re.compile(f"at={worst.seq - 1}$"))
    expect(page.locator("#decision")).to_contain_text("Better: Bid 4")
    for part in ("#board svg", "#decision", "#curve svg", ".stepping"):
        expect(page.locator(part)).to_be_in_viewport(ratio=0.9)


def test_it_all_works_without_a_script(page_at: Open, game: StoredGame) -> None:
    page = page_at(f"/g/{game.id}/analysis", java_script_enabled=False)
    page.get_by_role("link", name="One step back").click()
    page.get_by_role("link", name="Previous turn").click()
    assert "at=" in page.url
    page.get_by_label("Step", exact=True).fill("1")
    page.get_by_role("button", name="Show this step").click()
    expect(page.locator("#decision")).to_contain_text("kim's choice: Bid 2")
    page.get_by_text("What these figures mean").click()
    expect(page.get_by_text("The chances of winning are estimates.")).to_be_visible()
