"""An open table follows the game lightly, and a line that breaks off neither loses a choice nor plays it twice."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, Response, Route, expect

from service.games.store import StoredGame
from tests.browser.playing import CALM, confirm
from tests.browser.server import GameServer, start_server

Open = Callable[..., Page]
HIDING = "Object.defineProperty(document, 'hidden', { get: () => globalThis.away ?? false })"


@pytest.fixture(scope="module")
def server(chromium: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameServer]:
    with start_server(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def site(server: GameServer) -> str:
    return server.address


@pytest.fixture
def game(server: GameServer) -> StoredGame:
    """Ann and Bo play, and Ann is to move."""
    return server.table("ann", "bo")


def open_with_clock(page_at: Open, path: str) -> Page:
    """The page, whose clock the test sets."""
    page = page_at("/login", **CALM)
    page.clock.install()
    page.add_init_script(HIDING)
    page.goto(path)
    return page


def polls(page: Page, path: str, heard: list[Response]) -> None:
    page.on("response", lambda answer: heard.append(answer) if answer.url.endswith(path) else None)


def wait_for(page: Page, milliseconds: int, step: int = 1000) -> None:
    """Let time pass step by step, so that every answer can come in."""
    for _ in range(milliseconds // step):
        page.clock.run_for(step)
        page.wait_for_timeout(20)


def test_an_open_page_asks_only_whether_something_has_changed(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    path, heard = server.seat(game, 1), list[Response]()
    page = open_with_clock(page_at, path)
    polls(page, path, heard)
    wait_for(page, 12_000)
    assert 2 <= len(heard) <= 5
    assert {answer.status for answer in heard} == {304}
    assert all(answer.request.headers["if-none-match"] for answer in heard)
    server.play(game, 2)
    heard.clear()
    wait_for(page, 8000)
    expect(page.locator("#status")).to_contain_text("It's your turn.")
    assert [answer.status for answer in heard].count(200) == 1


def test_the_link_that_a_player_shares_opens_a_page_that_follows_the_game_and_cannot_play(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    link = page_at(server.seat(game, 0), **CALM).get_by_label("Link to share").input_value()
    assert link.endswith(f"/g/{game.id}")
    page = open_with_clock(page_at, f"/g/{game.id}")
    expect(page.locator("form.choosing")).to_have_count(0)
    board = page.locator("#board").inner_html()
    server.play(game, 2)
    wait_for(page, 4000)
    expect(page.locator("#status")).to_contain_text("bo")
    assert page.locator("#board").inner_html() != board
    server.play(game)
    wait_for(page, 4000)
    expect(page.locator("#share-words")).to_contain_text("how the game ended")
    expect(page.get_by_role("button", name="Copy")).to_be_visible()


def test_a_page_that_nobody_looks_at_asks_seldom_and_at_once_when_it_is_seen_again(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    path, heard = server.seat(game, 1), list[Response]()
    page = open_with_clock(page_at, path)
    page.evaluate("globalThis.away = true")
    wait_for(page, 5000)  # the question that was under way
    polls(page, path, heard)
    wait_for(page, 120_000, 10_000)
    assert 1 <= len(heard) <= 2
    server.play(game, 2)
    heard.clear()
    page.evaluate("globalThis.away = false; document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#status")).to_contain_text("It's your turn.")
    assert page.title() == "Your turn · Friday rugs"
    # An answer from before may still have been on its way: it knew of nothing new.
    assert [answer.status for answer in heard].count(200) == 1


def test_an_answer_that_is_lost_on_the_way_does_not_play_twice(
    server: GameServer, game: StoredGame, page_at: Open, complaints: list[str]
) -> None:
    page, lost = page_at(server.seat(game, 0), **CALM), list[int]()

    def lose(route: Route) -> None:
        if route.request.method != "POST" or lost:
            return route.continue_()
        lost.append(route.fetch().status)  # the server has played by now
        return route.abort("connectionreset")

    page.route("**/s/**", lose)
    page.locator("input[value=left]").check()
    confirm(page).click()
    expect(page.locator("#pointing")).to_contain_text("Nothing was lost. Try again")
    expect(confirm(page)).to_be_enabled()
    if page.locator("input[value=left]").count():  # unless the page has found out by itself meanwhile
        confirm(page).click()
    expect(page.locator(".place-choice").first).to_be_visible()
    assert lost == [200]
    assert server.now(game).state.rolls == 1
    complaints.clear()


def test_another_choice_after_a_lost_answer_is_refused_and_shows_what_was_played(
    server: GameServer, game: StoredGame, page_at: Open, complaints: list[str]
) -> None:
    page = open_with_clock(page_at, server.seat(game, 0))
    page.route("**/s/**", lambda route: (route.fetch(), route.abort())[1], times=1)
    page.locator("input[value=left]").check()
    confirm(page).click()
    expect(page.locator("#pointing")).to_contain_text("Try again")
    page.locator("input[value=right]").check()
    confirm(page).click()
    expect(page.locator(".refusal")).to_contain_text("The game has changed since you last looked")
    expect(page.locator(".place-choice").first).to_be_visible()
    assert server.now(game).state.rolls == 1
    complaints.clear()


def test_a_page_says_when_the_server_is_away_and_when_it_is_back(
    server: GameServer, game: StoredGame, page_at: Open, complaints: list[str]
) -> None:
    page = open_with_clock(page_at, server.seat(game, 1))
    page.context.set_offline(True)
    wait_for(page, 15_000)
    expect(page.locator("#pointing")).to_contain_text("This page keeps trying")
    server.play(game, 2)
    page.context.set_offline(False)  # the browser says so, and the page asks at once
    expect(page.locator("#status")).to_contain_text("It's your turn.")
    expect(page.locator("#pointing")).to_be_empty()
    complaints.clear()


def test_a_page_whose_link_is_replaced_meanwhile_says_so(
    server: GameServer, page_at: Open, complaints: list[str]
) -> None:
    game = server.table("ann", "bo")
    page = open_with_clock(page_at, server.seat(game, 0))
    server.replace_links(game, 0)
    wait_for(page, 5000)
    expect(page.locator("h1")).to_have_text("No longer available")
    expect(page.locator(".lead")).to_contain_text("This link was replaced by a newer one")
    assert all("410" in each for each in complaints)
    complaints.clear()


@pytest.mark.parametrize(
    ("players", "variant"), [(2, "rotate-after"), (3, "standard"), (3, "rotate-after"), (4, "standard")]
)
def test_a_round_is_played_by_any_number_in_either_order(
    server: GameServer, page_at: Open, players: int, variant: str
) -> None:
    game = server.table(*("ann", "bo", "cy", "dan")[:players], variant=variant)
    page = page_at("/login", **CALM)
    for seat in range(players):
        page.goto(server.seat(game, seat))
        expect(page.locator("#status")).to_contain_text("It's your turn.")
        steps = ("placement", "rotation") if variant == "rotate-after" else ("direction", "placement")
        for step in steps:
            assert server.now(game).state.phase == step
            kind = ".place-choice" if step == "placement" else ".way-choice"
            page.locator(f"{kind} input").last.check()
            confirm(page).click()
            if step == steps[0]:
                expect(page.locator(".way-choice" if step == "placement" else ".place-choice").first).to_be_visible()
        expect(page.locator("#status")).to_contain_text("Waiting for")
    after = server.now(game)
    assert after.turn == players + 1
    assert len(server.laid(game)) == players
