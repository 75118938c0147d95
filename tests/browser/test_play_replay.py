"""The replay and the end of a game in a real browser, with its script and without."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from service.games.store import StoredGame
from tests.browser.playing import CALM, is_sound
from tests.browser.server import GameServer

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def game(server: GameServer) -> StoredGame:
    """A game of three that is over."""
    return server.play(server.table("Amina", "Basim", "Chadia"))


def step(page: Page) -> str:
    return page.locator("#steps .step").inner_text().split(" of ")[0]


def test_every_step_has_a_link_and_the_links_lead_on_without_script(game: StoredGame, page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/replay?step=2", java_script_enabled=False)
    page.get_by_role("link", name="next", exact=True).click()
    assert page.url.endswith("?step=3")
    assert step(page) == "Step 3"
    page.get_by_role("link", name="back", exact=True).click()
    page.get_by_role("link", name="end", exact=True).click()
    assert page.url.endswith(f"?step={game.head}")
    expect(page.locator("#status")).to_contain_text("All rugs are laid.")
    expect(page.get_by_role("button", name="Play")).to_be_hidden()
    page.get_by_role("button", name="Show this step").click()
    assert page.url.endswith(f"?step={game.head}")


def test_the_replay_plays_and_pauses_and_the_address_follows(game: StoredGame, page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/replay", **CALM)
    expect(page.locator("#status")).to_contain_text("the game has not begun")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#steps .step")).to_contain_text("Step 2 of", timeout=15_000)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.wait_for_timeout(1200)
    here = step(page)
    page.wait_for_timeout(1200)
    assert step(page) == here
    assert page.url.endswith(f"?step={here.removeprefix('Step ')}")


def test_the_slider_and_the_arrow_keys_go_to_any_step(game: StoredGame, page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/replay", **CALM)
    page.locator("#step").fill("40")
    expect(page.locator("#steps .step")).to_contain_text("Step 40 of")
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#steps .step")).to_contain_text("Step 41 of")
    assert page.locator("#step").input_value() == "41"
    page.get_by_role("link", name="back", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#steps .step")).to_contain_text("Step 40 of")
    page.keyboard.press("Enter")  # the same button has the focus still
    expect(page.locator("#steps .step")).to_contain_text("Step 39 of")


def test_assam_walks_in_the_replay(server: GameServer, game: StoredGame, page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/replay?step=3")
    page.evaluate(
        """() => { window.moves = 0; new MutationObserver((all) => window.moves += all.length).observe(
        document.querySelector('#board .assam'), { attributes: true, attributeFilter: ['transform'] }) }"""
    )
    page.get_by_role("link", name="next", exact=True).click()
    expect(page.locator("#status")).to_contain_text("Assam walks")
    assert page.evaluate("window.moves") > 3


def test_the_browser_itself_finds_every_roll_right(game: StoredGame, page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/over")
    expect(page.locator("#verdict")).to_contain_text("every one is right")
    expect(page.locator("#verdict")).to_have_class("right")


@pytest.mark.parametrize(
    ("lie", "sentence"),
    [
        (
            lambda record: record["events"][2].update(die=record["events"][2]["die"] % 4 + 1),
            "First difference: roll 0.",
        ),
        (lambda record: record["dice"].update(seed="00" * 32), "The seed is NOT the one"),
    ],
    ids=["roll", "seed"],
)
def test_the_browser_finds_out_a_record_that_lies(
    game: StoredGame, page_at: Open, lie: Callable[[dict[str, object]], None], sentence: str
) -> None:
    page = page_at("/login")

    def tell(route: Route) -> None:
        record = route.fetch().json()
        lie(record)
        route.fulfill(body=json.dumps(record), content_type="application/json")

    page.route("**/record", tell)
    page.goto(f"/g/{game.id}/over")
    expect(page.locator("#verdict")).to_contain_text(sentence)
    expect(page.locator("#verdict")).to_have_class("wrong")


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1280, "light")])
def test_replay_and_end_are_sound(game: StoredGame, page_at: Open, width: int, scheme: str) -> None:
    look = {"viewport": {"width": width, "height": 1800}, "color_scheme": scheme}
    for name, path in {"replay": "replay?step=60", "over": "over"}.items():
        page = page_at(f"/g/{game.id}/{path}", **look)
        if name == "over":
            expect(page.locator("#verdict")).to_have_class("right")
            page.get_by_text("The same as a table").first.click()
        is_sound(page)


def test_who_came_by_the_link_of_a_seat_comes_back_to_the_seat(server: GameServer, page_at: Open) -> None:
    game = server.play(server.table("ann", "bo"), 2)
    for link in (server.seat(game, 1), server.turn(game, 1, 2)):
        page = page_at(link, **CALM)
        page.get_by_role("link", name="The whole game, step by step").click()
        page.get_by_role("link", name="next", exact=True).click()
        expect(page.locator("#steps .step")).to_contain_text("Step 1 of")
        page.get_by_role("link", name="Back to the table").click()
        expect(page.locator("#status")).to_contain_text("It is your turn.")
        assert page.url.endswith(link)


def test_without_the_script_a_player_who_looks_on_is_told_the_way_to_the_seat(
    server: GameServer, page_at: Open
) -> None:
    game = server.play(server.table("ann", "bo"), 2)
    page = page_at(server.seat(game, 1), java_script_enabled=False)
    assert page.get_by_text("You are looking on.").count() == 0
    page.get_by_role("link", name="The whole game, step by step").click()
    page.get_by_role("link", name="Back to the table").click()
    expect(page.get_by_text("You are looking on.")).to_be_visible()
    page.locator("header").get_by_role("link", name="Sign in").click()
    assert page.url.endswith(f"/login?next=/g/{game.id}")


def test_a_check_of_the_dice_that_fails_for_want_of_the_record_says_so(
    game: StoredGame, page_at: Open, complaints: list[str]
) -> None:
    page = page_at("/login")
    page.route("**/record", lambda route: route.abort())
    page.goto(f"/g/{game.id}/over")
    expect(page.locator("#verdict")).to_contain_text("could not be checked just now")
    expect(page.locator("#verdict")).not_to_have_class("wrong")
    complaints.clear()


def test_plots_are_large_enough_to_read_on_a_phone(game: StoredGame, page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/over", viewport={"width": 320, "height": 640})
    is_sound(page)
    smallest = "(all) => Math.min(...all.map((each) => each.getBoundingClientRect().height))"
    assert page.locator(".plot text").evaluate_all(smallest) > 10


def test_the_board_covers_none_of_the_plots(game: StoredGame, page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/over", viewport={"width": 1280, "height": 720})
    page.locator("footer").scroll_into_view_if_needed()
    board, plots = page.locator("#board").bounding_box(), page.locator(".under").bounding_box()
    assert board
    assert plots
    assert board["y"] + board["height"] <= plots["y"]
