"""The replay and the end of a game in a real browser, with its script and without."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from service.games.store import StoredGame
from service.routes.pages.replay import replay_game
from tests.browser.playing import CALM, is_sound
from tests.browser.server import GameServer

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def game(server: GameServer) -> StoredGame:
    """A game of three that is over."""
    return server.play(server.table("Amina", "Basim", "Chadia"))


@pytest.fixture(scope="module")
def stops(server: GameServer, game: StoredGame) -> list[int]:
    """The step before the game, and the last step of each turn."""
    return replay_game(server.ctx, game).stops


def expect_step(page: Page, step: int) -> None:
    expect(page.locator("#steps .step")).to_contain_text(f"step {step} of")


def test_turns_and_steps_are_links_without_script(game: StoredGame, stops: list[int], page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/replay", java_script_enabled=False)
    for stop in stops[1:3]:
        page.get_by_role("link", name="Next turn").click()
        assert page.url.endswith(f"?step={stop}")
    page.get_by_role("link", name="One step back").click()
    expect_step(page, stops[2] - 1)
    page.get_by_role("link", name="Previous turn").click()
    expect_step(page, stops[1])
    page.get_by_role("link", name="end", exact=True).click()
    assert page.url.endswith(f"?step={game.head}")
    expect(page.locator("#status")).to_contain_text(re.compile(r"All rugs have been laid\.|Only one player is left\."))
    for script in (page.get_by_role("button", name="Play"), page.get_by_label("Speed"), page.locator("[data-share]")):
        expect(script).to_be_hidden()
    assert page.get_by_label("Link to share").input_value().endswith(f"/g/{game.id}/replay?step={game.head}")
    page.get_by_role("button", name="Show this step").click()
    assert page.url.endswith(f"?step={game.head}")


@pytest.mark.parametrize("size", [(390, 844), (360, 640), (1366, 768)])
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_board_story_and_controls_are_in_view_together(
    game: StoredGame, stops: list[int], page_at: Open, size: tuple[int, int], script: bool
) -> None:
    longest = max(stops[1:], key=lambda stop: stop - stops[stops.index(stop) - 1])
    page = page_at(
        f"/g/{game.id}/replay?step={longest}",
        viewport={"width": size[0], "height": size[1]},
        java_script_enabled=script,
    )
    top = 0.0
    parts = ["#board svg", "#status .whose", ".controls"]
    boxes = {part: page.locator(part).bounding_box() for part in parts}
    for part, box in boxes.items():
        assert box
        assert box["y"] >= 0, part
        assert box["y"] + box["height"] <= size[1], part
        if size[0] < 500:
            assert box["y"] >= top, f"{part} is covered"
            top = box["y"] + box["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_the_replay_plays_turn_by_turn_at_the_chosen_speed_and_the_address_follows(
    game: StoredGame, stops: list[int], page_at: Open
) -> None:
    page = page_at("/login", **CALM)
    page.clock.install()
    page.goto(f"/g/{game.id}/replay")
    expect(page.locator("#status")).to_contain_text("The board is empty")
    page.get_by_role("button", name="Play").click()
    expect_step(page, stops[1])
    page.clock.run_for(1000)
    expect_step(page, stops[1])
    page.clock.run_for(500)
    expect_step(page, stops[2])
    page.get_by_label("Speed").select_option("4")
    page.clock.run_for(1400)  # the pause that has begun
    expect_step(page, stops[3])
    page.clock.run_for(400)
    expect_step(page, stops[4])
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(5000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect_step(page, stops[4])
    assert page.url.endswith(f"?step={stops[4]}")


def test_the_slider_and_the_arrow_keys_go_to_any_step(game: StoredGame, stops: list[int], page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/replay", **CALM)
    page.locator("#step").fill(str(stops[9]))
    expect_step(page, stops[9])
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect_step(page, stops[10])
    assert page.locator("#step").input_value() == str(stops[10])
    page.keyboard.press("Shift+ArrowRight")
    expect_step(page, stops[10] + 1)
    page.keyboard.press("ArrowLeft")
    expect_step(page, stops[10])
    page.get_by_role("link", name="One step back").focus()
    page.keyboard.press("Enter")
    expect_step(page, stops[10] - 1)
    page.keyboard.press("Enter")  # the same button has the focus still
    expect_step(page, stops[10] - 2)
    assert page.get_by_label("Link to share").input_value().endswith(f"?step={stops[10] - 2}")


@pytest.mark.parametrize("button", ["One step forward", "Next turn"])
def test_assam_walks_in_the_replay(game: StoredGame, page_at: Open, button: str) -> None:
    page = page_at(f"/g/{game.id}/replay?step=3")
    page.evaluate(
        """() => { window.moves = 0; new MutationObserver((all) => window.moves += all.length).observe(
        document.querySelector('#board .assam'), { attributes: true, attributeFilter: ['transform'] }) }"""
    )
    page.get_by_role("link", name=button).click()
    expect(page.locator("#status")).to_contain_text(re.compile("reached|looped around"))
    assert page.evaluate("window.moves") > 3


def test_a_replay_is_shared_with_the_browsers_own_dialog_or_copied(game: StoredGame, page_at: Open) -> None:
    page = page_at("/login")
    page.add_init_script("navigator.share = async (what) => { window.shared = what; }")
    page.goto(f"/g/{game.id}/replay?step=7")
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("Link to share").input_value()
    assert page.evaluate("window.shared") == {"title": "Friday rugs", "url": link}
    page.add_init_script("navigator.share = undefined")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/g/{game.id}/replay?step=8")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link.replace("step=7", "step=8")


def test_the_downloaded_animation_shows_the_whole_game(game: StoredGame, page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/replay")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the game as an animation").click()
    assert download.value.suggested_filename == f"{game.id}-game.svg"
    page.set_content(download.value.path().read_text())
    visible = """(seconds) => { const film = document.querySelector("svg");
        film.pauseAnimations(); film.setCurrentTime(seconds);
        return [...film.children].filter((each) => getComputedStyle(each).opacity > 0).length; }"""
    assert page.evaluate(visible, 0) + 5 < page.evaluate(visible, 20)


def test_the_browser_itself_finds_every_roll_right(game: StoredGame, page_at: Open) -> None:
    page = page_at(f"/g/{game.id}/over")
    expect(page.locator("#verdict")).to_contain_text("They are correct")
    expect(page.locator("#verdict")).to_have_class("right")


@pytest.mark.parametrize(
    ("lie", "sentence"),
    [
        (
            lambda record: record["events"][2].update(die=record["events"][2]["die"] % 4 + 1),
            "First difference: roll 0.",
        ),
        (lambda record: record["dice"].update(seed="00" * 32), "The seed does NOT match"),
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
            page.get_by_text("Show as a table").first.click()
        is_sound(page)


def test_who_came_by_the_link_of_a_seat_comes_back_to_the_seat(server: GameServer, page_at: Open) -> None:
    game = server.play(server.table("ann", "bo"), 2)
    for link in (server.seat(game, 1), server.turn(game, 1, 2)):
        page = page_at(link, **CALM)
        page.get_by_role("link", name="Replay the game step by step").click()
        page.get_by_role("link", name="One step forward").click()
        expect_step(page, 1)
        page.get_by_role("link", name="Back to the game").click()
        expect(page.locator("#status")).to_contain_text("It's your turn.")
        assert page.url.endswith(link)


def test_without_the_script_a_player_who_looks_on_is_told_the_way_to_the_seat(
    server: GameServer, page_at: Open
) -> None:
    game = server.play(server.table("ann", "bo"), 2)
    page = page_at(server.seat(game, 1), java_script_enabled=False)
    assert page.get_by_text("You're watching.").count() == 0
    page.get_by_role("link", name="Replay the game step by step").click()
    page.get_by_role("link", name="Back to the game").click()
    expect(page.get_by_text("You're watching.")).to_be_visible()
    page.locator("main").get_by_role("link", name="Sign in").click()
    assert page.url.endswith(f"/login?next=/g/{game.id}")


def test_a_check_of_the_dice_that_fails_for_want_of_the_record_says_so(
    game: StoredGame, page_at: Open, complaints: list[str]
) -> None:
    page = page_at("/login")
    page.route("**/record", lambda route: route.abort())
    page.goto(f"/g/{game.id}/over")
    expect(page.locator("#verdict")).to_contain_text("check the rolls right now")
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
