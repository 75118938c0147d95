"""A turn on screens of all sizes: what it needs is in view, nothing scrolls, and nothing dangerous is in the way."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import pytest
from playwright.sync_api import Page, expect

from service import paths
from service.db.models import Game, Player
from service.engine.marrakech.roll_preview import preview_rolls
from service.games.store import StoredGame
from tests.browser.playing import CALM, confirm, is_sound, places
from tests.browser.server import GameServer
from tests.support.marked_language import write_catalogue

Open = Callable[..., Page]
PHONES: Final = [(390, 844), (390, 664), (360, 640)]
WIDE: Final = [(1366, 768), (1920, 1080)]
FINGER: Final = 44
"""Pixels that a finger needs."""
DANGEROUS: Final = "#leave, #clock, .danger"


@pytest.fixture
def game(server: GameServer) -> StoredGame:
    """Four play with a clock, and Ann is to move."""
    return server.table("ann", "bo", "cy", "dan", pace=172_800)


def screen(width: int, height: int, **more: Any) -> dict[str, Any]:
    return {"viewport": {"width": width, "height": height}, "has_touch": width < 1000, **CALM, **more}


def whole(page: Page, *selectors: str) -> None:
    """Each of these is on the screen from top to bottom, and nothing lies over it."""
    for selector in selectors:
        expect(page.locator(selector).first).to_be_in_viewport(ratio=0.99)
    assert page.evaluate("scrollY") == 0


def tops(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"], box["y"] + box["height"]


def lies_apart(page: Page) -> None:
    """The bar does not cover the board."""
    assert tops(page, "#board svg")[1] <= tops(page, ".action-bar")[0]


@pytest.mark.parametrize(("width", "height"), [*PHONES, (768, 1024)])
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_turn_on_a_phone_needs_no_scrolling(
    server: GameServer, game: StoredGame, page_at: Open, width: int, height: int, script: bool
) -> None:
    page = page_at(server.turn(game, 0, 1), **screen(width, height, java_script_enabled=script))
    whole(page, "#board svg", "#status", ".ways legend", ".way-choice:last-child", "form.choosing button.main")
    lies_apart(page)
    assert tops(page, "#board svg")[0] <= 0.15 * height  # site header, title, status and deadline
    if script:
        arrows = page.locator("#board .turn .reach").all()
        assert len(arrows) == 3
        for arrow in arrows:
            box = arrow.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= FINGER
        page.locator("#board .turn[data-way=right] .arrow").tap()
    else:
        page.locator(".way-choice").last.tap()
    expect(page.locator("input[value=right]")).to_be_checked()
    confirm(page).tap()
    expect(page.locator(".place-choice").first).to_be_visible()
    whole(page, "#board svg", "#status", ".places legend", ".place-choice:last-child", "form.choosing button.main")
    lies_apart(page)
    place = places(page)[-1]
    if script:
        page.locator(f"#board .place[data-place='{place}'] .badge").tap()
    else:
        page.locator(".place-choice").last.tap()
    expect(page.locator(f"input[value='{place}']")).to_be_checked()
    whole(page, "#board svg", "form.choosing button.main")
    lies_apart(page)
    confirm(page).tap()
    expect(page.locator(".status .whose")).to_be_visible()
    assert server.laid(game) == [place]
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize(("width", "height"), PHONES)
def test_hints_leave_the_board_at_the_top_of_a_phone(
    server: GameServer, game: StoredGame, page_at: Open, width: int, height: int
) -> None:
    """After an old link, while another game waits, while watching, and when the time is up."""
    server.play(game, 2)
    server.table("ann", "bo", title="The game that Ann has to play next")
    old, watched, signed_in, late = (page_at("/", **screen(width, height)) for _ in range(4))
    old.goto(server.turn(game, 0, 1))
    expect(old.get_by_text("You have already played this turn.")).to_be_in_viewport(ratio=0.99)
    watched.goto(f"/g/{game.id}")
    expect(watched.get_by_text("You're watching.")).to_be_in_viewport(ratio=0.99)
    signed_in.context.add_cookies([server.session("ann")])
    signed_in.goto(f"/g/{game.id}")
    # Other tests may have left older games that wait for Ann.
    expect(signed_in.get_by_role("link", name=re.compile("^Next game: "))).to_be_in_viewport(ratio=0.99)
    Game.update(deadline=server.ctx.clock() - 60).where(Game.id == game.id).execute(server.ctx.database)
    late.goto(server.seat(game, 1))
    expect(late.get_by_text("Time's up")).to_be_in_viewport(ratio=0.99)
    for page in (old, watched, signed_in, late):
        assert tops(page, "#board svg")[0] <= 0.15 * height
        whole(page, "#board svg", "#status")
        lies_apart(page)
        is_sound(page)


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_guided_first_game_shows_board_turn_choices_and_standings_at_once(
    server: GameServer, page_at: Open, script: bool
) -> None:
    seen = ("#board svg", "#status", "form.choosing button.main", "#standings table")
    page = page_at("/", **screen(1366, 768, java_script_enabled=script))
    page.locator("form.try button").first.click()
    expect(page.get_by_role("heading", name="How it works")).to_be_in_viewport()
    whole(page, *seen, ".ways")
    page.locator(".way-choice input").first.check()
    confirm(page).click()
    expect(page.locator(".place-choice").first).to_be_visible()
    page.locator(".place-choice input").first.check()
    whole(page, *seen, ".places")


def test_a_phone_leads_to_the_explanation_of_a_first_game(server: GameServer, page_at: Open) -> None:
    page = page_at("/", **screen(360, 640))
    page.locator("form.try button").first.tap()
    whole(page, "#board svg", "#status", ".way-choice:last-child", "form.choosing button.main")
    assert tops(page, "#board svg")[0] <= 0.15 * 640
    page.get_by_role("link", name="How it works").tap()
    expect(page.get_by_text("Welcome! Everyone has 30 dirhams")).to_be_in_viewport(ratio=0.99)
    assert tops(page, ".guide p")[1] <= tops(page, ".action-bar")[0]


@pytest.mark.parametrize(("width", "height"), PHONES)
def test_headings_of_the_standings_are_not_broken_inside_a_word(
    server: GameServer, page_at: Open, width: int, height: int
) -> None:
    page = page_at(server.seat(server.table("ann", "bo"), 0), **screen(width, height))
    lines = """(heading) => {
      const words = document.createRange();
      words.selectNodeContents(heading);
      return new Set([...words.getClientRects()].map((box) => box.top)).size;
    }"""
    for heading in page.locator(".standings thead th").all():
        assert heading.evaluate(lines) <= len(heading.inner_text().split()), heading.inner_text()


@pytest.mark.parametrize("language", ["de", "he"])
def test_long_words_and_words_from_the_right_fit_every_screen(
    server: GameServer, game: StoredGame, page_at: Open, tmp_path: Path, language: str
) -> None:
    """No word is lost on the table, at the end, in the replay and in a trial game."""
    write_catalogue(tmp_path, language, lambda text: re.sub(r"[^\W_]{4,}", _lengthen, text))
    server.play(game, 9)
    over = server.play(server.table("ann", "bo", "cy"))
    Player.update(language=language).execute(server.ctx.database)
    try:
        with patch.object(paths, "locales", lambda: tmp_path):
            page = page_at("/", locale=language, **CALM)
            page.locator("form.try button").first.click()
            page.wait_for_url("**/s/*")
            now = server.now(game)
            seats = [server.seat(now, seat) for seat in (now.state.mover, (now.state.mover + 1) % 4)]
            for path in (page.url, *seats, server.seat(over, 0), f"/g/{over.id}/replay?step=5", f"/g/{over.id}/over"):
                page.goto(path)
                assert page.locator("html").get_attribute("lang") == language
                for width, height in [*PHONES, (768, 1024), *WIDE]:
                    page.set_viewport_size({"width": width, "height": height})
                    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
                    if page.locator("form.choosing").count():
                        whole(page, "#board svg", "#status", "form.choosing button.main")
                        if width < 1000:
                            lies_apart(page)
    finally:
        Player.update(language="en").execute(server.ctx.database)


def _lengthen(word: re.Match[str]) -> str:
    """German words are about as much longer."""
    return word[0] + word[0][1 : 1 + len(word[0]) * 2 // 5]


@pytest.mark.parametrize(("width", "height"), PHONES)
def test_whatever_is_tapped_in_the_bar_has_room_for_a_finger(
    server: GameServer, game: StoredGame, page_at: Open, width: int, height: int
) -> None:
    page = page_at(server.seat(game, 0), **screen(width, height))
    for phase in (".way-choice", ".place-choice"):
        expect(page.locator(phase).first).to_be_visible()
        for target in [*page.locator(phase).all(), confirm(page)]:
            box = target.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= FINGER - 0.5
        server.play(game, 1)
        page.reload()


@pytest.mark.parametrize(("width", "height"), WIDE)
def test_a_laptop_shows_board_turn_choices_and_standings_at_once(
    server: GameServer, game: StoredGame, page_at: Open, width: int, height: int
) -> None:
    seen = ("#board svg", "#status", "form.choosing button.main", "#standings table")
    page = page_at(server.seat(game, 0), **screen(width, height))
    whole(page, *seen, "#happened")
    for legend in (".ways", ".places"):
        choice = page.locator(f"{legend} input").first
        choice.check()
        whole(page, *seen, legend)
        box = confirm(page).bounding_box()
        assert box is not None
        pointer = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.click(*pointer)
        expect(choice).not_to_be_attached()
        under = "([x, y, bad]) => Boolean(document.elementFromPoint(x, y)?.closest(bad))"
        assert not page.evaluate(under, [*pointer, DANGEROUS])
        assert page.evaluate("scrollY") == 0
    whole(page, "#board svg", "#status", "#standings table")


def test_twelve_places_leave_the_standings_of_four_in_view(server: GameServer, game: StoredGame, page_at: Open) -> None:
    now = server.now(game)
    while now.status == "playing" and not (now.state.phase == "placement" and _count_places(now) >= 11):
        now = server.play(game, 1)
    page = page_at(server.seat(game, now.state.mover), **screen(1366, 768))
    page.locator(".place-choice input").last.check()
    whole(page, "#board svg", "#status", "form.choosing button.main", "#standings table")
    for width, height in PHONES:
        page.set_viewport_size({"width": width, "height": height})
        whole(page, "#board svg", ".place-choice:last-child", "form.choosing button.main")
        lies_apart(page)
        is_sound(page)


def _count_places(game: StoredGame) -> int:
    return len(game.rules.view(game.state, game.state.mover)["legal"])


@pytest.mark.parametrize("way", ["hover", "focus", "arrow"])
def test_looking_at_a_direction_shows_where_each_face_leads_and_chooses_nothing(
    server: GameServer, game: StoredGame, page_at: Open, way: str
) -> None:
    page = page_at(server.seat(game, 0), **screen(1366, 768))
    expect(page.locator(".overlay .end")).to_have_count(0)
    if way == "hover":
        page.locator(".way-choice").nth(1).hover()
    elif way == "arrow":
        page.locator("#board .turn[data-way=ahead] .arrow").hover()
    else:
        confirm(page).focus()
        page.keyboard.press("Shift+Tab")
    expect(page.locator(".overlay .end")).to_have_count(4)
    expect(page.locator(".overlay .die")).to_have_count(4)
    assert page.locator(".overlay text").all_text_contents() == ["0"] * 4  # the board is empty
    assert page.locator(".way-choice input:checked").count() == 0
    if way != "focus":
        page.mouse.move(5, 5)
        expect(page.locator(".overlay .end")).to_have_count(0)


@pytest.mark.parametrize("language", ["en", "fr"])
def test_each_direction_takes_one_line_with_its_average_cost(server: GameServer, page_at: Open, language: str) -> None:
    game = _play_until_directions_cost_something(server)
    Player.update(language=language).execute(server.ctx.database)
    try:
        page = page_at(server.seat(game, game.state.mover), **CALM)
        means = page.locator(".outlook tfoot td").all_text_contents()
        lines = "(each) => Math.round(each.offsetHeight / parseFloat(getComputedStyle(each).lineHeight))"
        for width, height in [*PHONES, (768, 1024), *WIDE]:
            page.set_viewport_size({"width": width, "height": height})
            for line, mean in zip(page.locator(".way-choice").all(), means, strict=True):
                words = line.inner_text()
                assert mean in words or set(mean) <= set("0.,")
                # On a low screen the cost is below the direction, and each of them takes one line.
                for part in line.locator(".way, .cost").all():
                    assert part.evaluate(lines) == 1, (width, height, words)
                assert line.evaluate("(each) => each.scrollWidth <= each.clientWidth"), (width, height, words)
                if height >= 768:
                    assert line.evaluate("(each) => each.offsetHeight") <= FINGER, (width, height, words)
    finally:
        Player.update(language="en").execute(server.ctx.database)


def _play_until_directions_cost_something(server: GameServer) -> StoredGame:
    """The dice decide when rugs lie in Assam's way."""
    while True:
        game = server.play(server.table("ann", "bo", "cy", "dan"), 20)
        while game.status == "playing":
            if game.state.phase == "direction" and all(
                any(outcome.due for outcome in preview.outcomes) for preview in preview_rolls(game.state)
            ):
                return game
            game = server.play(game, 1)


def test_a_direction_on_an_empty_board_is_free_and_the_table_of_all_rolls_opens_on_demand(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    page = page_at(server.seat(game, 0), **screen(1366, 768, java_script_enabled=False))
    assert page.locator(".way-choice .cost").all_inner_texts() == ["free"] * 3
    expect(page.locator(".outlook table")).to_be_hidden()
    page.locator(".outlook summary").click()
    expect(page.locator(".outlook td[data-way]")).to_have_count(12)
    expect(page.locator(".outlook table")).to_be_visible()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_pausing_and_resigning_ask_first_and_say_what_they_need(
    server: GameServer, game: StoredGame, page_at: Open, script: bool
) -> None:
    page = page_at(server.seat(game, 1), java_script_enabled=script, **CALM)
    for button in ("Yes: Ask for a pause", "Resign"):
        expect(page.get_by_role("button", name=button)).to_be_hidden()
    page.get_by_text("Ask for a pause", exact=True).click()
    expect(page.locator("#clock")).to_contain_text("All players must agree.")
    page.get_by_role("button", name="Yes: Ask for a pause").click()
    expect(page.get_by_text("End the pause", exact=True)).to_be_visible()
    page.get_by_text("Leave the game").click()
    expect(page.locator("#leave")).to_contain_text("You can't undo this.")
    page.get_by_role("button", name="Resign").click()
    assert server.now(game).rules.is_active(server.now(game).state, 1)
    page.get_by_label("Yes, I want to resign.").check()
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_text("Leave the game")).to_have_count(0)
    assert not server.now(game).rules.is_active(server.now(game).state, 1)


@pytest.mark.parametrize("actions", [2, 3, 1000], ids=["waiting", "rolled", "finished"])
def test_the_last_move_is_described_once(server: GameServer, game: StoredGame, page_at: Open, actions: int) -> None:
    server.play(game, actions)
    page = page_at(f"/g/{game.id}")
    last = page.locator("#happened p").inner_text()
    assert last
    assert page.locator("#table").inner_text().count(last) == 1
    if actions == 1000:
        ending = page.locator("#status .whose").inner_text().removeprefix("The game is over. ")
        assert page.locator("#table").inner_text().count(ending) == 1


def test_rugs_slide_in_only_where_motion_is_welcome(server: GameServer, game: StoredGame, page_at: Open) -> None:
    server.play(game, 1)
    pages = [page_at(server.seat(game, 1), **CALM), page_at(server.seat(game, 1))]
    server.play(game, 1)
    for page, name in zip(pages, ("none", "slide"), strict=True):
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.locator("#board .laid")).to_have_count(1)
        assert page.locator("#board .laid").evaluate("(rug) => getComputedStyle(rug).animationName") == name


def test_sounds_are_off_until_they_are_turned_on_in_this_browser(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    page = page_at("/login", **CALM)
    page.add_init_script(
        "window.heard = 0; const start = AudioBufferSourceNode.prototype.start;"
        "AudioBufferSourceNode.prototype.start = function (...all) { window.heard++; return start.apply(this, all) }"
    )
    page.goto(server.seat(game, 0))
    expect(page.get_by_label("Play sounds")).not_to_be_checked()
    page.locator("input[value=left]").check()
    confirm(page).click()
    expect(page.locator(".place-choice").first).to_be_visible()
    assert page.evaluate("window.heard") == 0
    page.get_by_label("Play sounds").check()
    page.reload()
    expect(page.get_by_label("Play sounds")).to_be_checked()
    page.locator(".place-choice input").first.check()
    confirm(page).click()
    expect(page.locator(".status .whose")).to_be_visible()
    assert page.evaluate("window.heard") == 1


def test_without_a_script_there_is_no_switch_for_sounds(server: GameServer, game: StoredGame, page_at: Open) -> None:
    page = page_at(server.seat(game, 0), java_script_enabled=False)
    expect(page.locator("#sounds")).to_be_hidden()
