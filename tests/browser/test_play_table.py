"""The table in a real browser: played with the mouse, a finger, the keyboard, and without any script."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from service.db.models import Player
from service.games import chat
from service.games.store import StoredGame
from service.routes.pages.mailbox import mailbox_path
from tests.browser.playing import (
    CALM,
    at_square,
    confirm,
    is_sound,
    is_sound_in_light_and_dark,
    places,
    point,
)
from tests.browser.server import GameServer
from tests.support.soak import SOAKING

Open = Callable[..., Page]


@pytest.fixture
def game(server: GameServer) -> StoredGame:
    """Ann and Bo play, and Ann is to move."""
    return server.table("ann", "bo")


@pytest.fixture
def call(server: GameServer) -> Iterator[Callable[[str, str], None]]:
    """Renames a player; afterwards all names are reset, because the tests share the server."""

    def named(player: str, name: str) -> None:
        Player.update(name=name).where(Player.id == server.player(player).id).execute(server.ctx.database)

    yield named
    Player.update(name="").execute(server.ctx.database)


def test_a_turn_is_played_by_pointing_at_the_board(server: GameServer, game: StoredGame, page_at: Open) -> None:
    page = page_at(server.turn(game, 0, 1))
    assert page.title() == "Your turn · Friday rugs"
    point(page, "c4")  # on the way to the left
    expect(page.locator("input[value=left]")).to_be_checked()
    expect(page.locator(".overlay .end")).to_have_count(4)
    salt = page.locator("form.choosing input[name=salt]").input_value()
    assert re.fullmatch("[0-9a-f]{32}", salt)
    confirm(page).click()
    expect(page.locator(".place-choice").first).to_be_visible()
    after = server.now(game)
    assert after.state.phase == "placement"
    one, other = places(page)[-1].split("-")
    for square in (one, other):
        if not page.locator(".place-choice input:checked").count():
            point(page, square)
    expect(page.locator(".overlay .picked")).to_have_count(1)
    chosen = page.locator(".place-choice input:checked").get_attribute("value")
    confirm(page).click()
    expect(page.locator("#status")).to_contain_text("Waiting for bo.")
    assert server.now(game).turn == 2
    assert chosen in server.laid(game)
    assert page.title() == "Friday rugs"


def test_the_salt_that_the_browser_made_is_the_salt_of_the_roll(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    page = page_at(server.turn(game, 0, 1), **CALM)
    salt = page.locator("form.choosing input[name=salt]").input_value()
    page.locator("input[value=ahead]").check()
    confirm(page).click()
    expect(page.locator(".place-choice").first).to_be_visible()
    response = page.request.get(f"/api/v1/games/{game.id}/events")
    assert [each["salt"] for each in response.json()["events"] if each["type"] == "rolled"] == [salt]


def test_a_choice_can_be_changed_until_it_is_sent(server: GameServer, game: StoredGame, page_at: Open) -> None:
    server.play(game, 1)
    page = page_at(server.seat(game, 0))
    assert page.get_by_role("button", name="Undo").count() == 0
    for place in places(page)[:2]:
        page.locator(f"#board .place[data-place='{place}'] .badge").click()
        expect(page.locator(f".place-choice input[value='{place}']")).to_be_checked()
        expect(page.locator("#pointing")).to_have_text(f"Your rug will cover {place}.")
    page.locator(".place-choice").nth(1).click()
    page.get_by_label("Message").press("Escape")  # which is nobody's choice
    expect(page.locator(".place-choice input:checked")).to_have_count(1)
    page.locator(".place-choice").nth(1).click()
    page.keyboard.press("Escape")
    expect(page.locator(".place-choice input:checked")).to_have_count(0)
    confirm(page).click()  # nothing is chosen, so the browser asks for a choice
    assert server.now(game).turn == 1


def test_the_rug_is_seen_where_it_would_lie_under_the_pointer(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    server.play(game, 1)
    for options in ({}, {"java_script_enabled": False}):
        page = page_at(server.seat(game, 0), **options)
        place = page.locator("#board .place").first
        seen = "(each) => Number(getComputedStyle(each).opacity)"
        assert place.locator(".ghost").evaluate(seen) == 0
        place.locator(".badge").hover()
        assert place.locator(".ghost").evaluate(seen) > 0.5
        assert page.locator("#board .place").last.locator(".ghost").evaluate(seen) == 0
    assert page.locator(".place-choice input:checked").count() == 0  # looking chooses nothing


def test_long_names_leave_the_page_as_wide_as_the_phone(
    server: GameServer, page_at: Open, call: Callable[[str, str], None]
) -> None:
    names = ["<script>alert(1)</script>\"&'", "Wolfeschlegelsteinhausenbergerdorff", "W" * 40, "W" * 80]
    people = ("ann", "bo", "cy", "dan")
    for player, name in zip(people, names, strict=True):
        call(player, name)
    for _ in range(20):  # the dice decide whether more than one way costs something
        game = server.play(server.table(*people), 30)
        page = page_at(server.seat(game, game.state.mover), viewport={"width": 320, "height": 640})
        if page.locator("td.costs").count() > 1:
            break
    assert page.locator("td.costs").count() > 1
    is_sound(page)


def test_pointing_where_no_rug_can_lie_says_so(server: GameServer, game: StoredGame, page_at: Open) -> None:
    server.play(game, 1)
    page = page_at(server.seat(game, 0))
    offered = {square for place in places(page) for square in place.split("-")}
    far = next(square for square in ("a1", "g7", "a7", "g1") if square not in offered)
    point(page, far)
    expect(page.locator("#pointing")).to_contain_text("Choose a square next to Assam")


def test_a_turn_is_played_with_the_keyboard_alone(server: GameServer, game: StoredGame, page_at: Open) -> None:
    page = page_at(server.turn(game, 0, 1), **CALM)
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "do":
            break
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".place-choice").first).to_be_visible()
    assert page.evaluate("document.activeElement.closest('form')?.className") == "card choosing"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".overlay .picked")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("Waiting for bo.")
    assert server.now(game).turn == 2


def test_a_turn_is_played_with_a_finger_on_a_phone(server: GameServer, game: StoredGame, page_at: Open) -> None:
    page = page_at(server.turn(game, 0, 1), viewport={"width": 320, "height": 640}, has_touch=True, **CALM)
    page.locator(".way-choice").nth(2).tap()
    confirm(page).tap()
    expect(page.locator(".place-choice").first).to_be_visible()
    is_sound(page)
    page.locator("#board svg").scroll_into_view_if_needed()
    one, other = places(page)[0].split("-")
    page.touchscreen.tap(*at_square(page, one))
    if not page.locator(".place-choice input:checked").count():
        page.touchscreen.tap(*at_square(page, other))
    confirm(page).tap()
    expect(page.locator("#status")).to_contain_text("Waiting for bo.")


def test_ten_places_and_more_stand_each_on_a_line_of_a_phone(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    page = page_at(server.seat(game, 0), viewport={"width": 320, "height": 640})
    while (now := server.play(game, 1)).status == "playing":
        if now.state.phase == "placement" and len(now.rules.view(now.state, now.state.mover)["legal"]) >= 10:
            break
    page.goto(server.seat(game, now.state.mover))
    assert len(places(page)) >= 10
    is_sound(page)
    heights = page.locator(".place-choice").evaluate_all("(all) => all.map((each) => each.offsetHeight)")
    assert max(heights) <= 46
    wide = "(all) => all.filter((each) => each.scrollWidth > each.clientWidth).length"
    assert page.locator(".place-choice").evaluate_all(wide) == 0


def test_the_board_stays_beside_the_choices_and_covers_nothing_below(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    for seat in (0, 1):
        page = page_at(server.seat(game, seat), viewport={"width": 1280, "height": 720})
        page.get_by_role("link", name="Replay the game step by step").click(trial=True)  # it can be pressed
        page.get_by_label("Message").fill("Tea?")
        page.get_by_role("button", name="Send").click()
        expect(page.locator(".lines").get_by_text("Tea?").last).to_be_visible()
        page.locator(".counter").evaluate("(each) => each.scrollIntoView({ block: 'end' })")
        expect(page.locator("#board")).to_be_in_viewport(ratio=0.7 if seat == 0 else 0.1)
        page.locator("footer").scroll_into_view_if_needed()
        edges = "(each) => { const { top, bottom } = each.getBoundingClientRect(); return [top, bottom]; }"
        board, log = (page.locator(each).evaluate(edges) for each in ("#happened", ".under"))
        assert board[1] <= log[0]


def test_what_the_keyboard_has_chosen_is_not_behind_the_buttons(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    covered = """() => { const here = document.activeElement, { x, y, width, height } = here.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2) !== here; }"""
    for size in ({"width": 320, "height": 480}, {"width": 1280, "height": 600}):
        page = page_at(server.seat(game, 0), viewport=size, **CALM)
        page.locator(".way-choice input").first.focus()
        for _ in range(3):
            page.keyboard.press("ArrowDown")
            assert page.evaluate("document.activeElement.name") == "do"
            assert not page.evaluate(covered)


def test_the_standings_begin_where_the_board_does(server: GameServer, game: StoredGame, page_at: Open) -> None:
    page = page_at(f"/g/{game.id}", viewport={"width": 1100, "height": 900})
    tops = [page.locator(each).first.bounding_box() for each in ("#board", ".counter .card")]
    assert all(tops)
    assert len({round(top["y"]) for top in tops if top}) == 1


@pytest.mark.parametrize("options", [CALM, {}], ids=["calm", "lively"])
def test_a_phone_shows_the_board_when_something_happens_on_it(
    server: GameServer, game: StoredGame, page_at: Open, options: dict[str, Any]
) -> None:
    page = page_at(server.turn(game, 0, 1), viewport={"width": 320, "height": 640}, has_touch=True, **options)
    page.locator(".way-choice input").last.check()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.locator("#board svg")).not_to_be_in_viewport()
    page.locator("form.choosing").evaluate("(form) => form.requestSubmit()")
    expect(page.locator(".place-choice").first).to_be_attached()
    expect(page.locator("#board svg")).to_be_in_viewport(ratio=0.95)
    page.locator(".place-choice").last.scroll_into_view_if_needed()
    page.locator(".place-choice input").last.check()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.locator("form.choosing").evaluate("(form) => form.requestSubmit()")
    expect(page.locator("#status")).to_contain_text("Waiting for bo.")
    expect(page.locator("#board svg")).to_be_in_viewport(ratio=0.95)


def test_a_whole_game_between_a_browser_with_script_and_one_without(server: GameServer, page_at: Open) -> None:
    """The page with the script learns by polling that it is to move. `make soak` plays every turn in the browsers."""
    game = server.table("ann", "bo", title="Two browsers")
    ann, bo = page_at(server.seat(game, 0), **CALM), page_at(server.seat(game, 1), java_script_enabled=False)
    while (now := server.now(game)).status == "playing":
        if now.turn == 4 and not SOAKING:
            now = _skip_to_the_last_turns(server, game)
        page = (ann, bo)[now.state.mover]
        if page is bo:
            page.reload()
        else:
            page.evaluate("dispatchEvent(new Event('online'))")  # it asks at once, or the test would wait for hours
        expect(page.locator("#status")).to_contain_text("It's your turn.")
        _take_turn(page, now.turn)
    ruined = now.rules.view(now.state, None)["result"]["reason"] == "last_standing"  # the dice are nobody's friends
    assert ruined or now.turn == now.state.rolls == len(server.laid(game)) == 48
    expect(ann.locator("#status")).to_contain_text("The game is over.", timeout=10_000)
    bo.reload()
    expect(bo.locator("#status")).to_contain_text("The game is over.")
    bo.get_by_role("link", name="check every roll").click()
    expect(bo.locator("#dice pre")).to_have_text(f"marrakech-cli verify {game.id}.json")
    expect(bo.locator("#verdict")).to_be_empty()
    ann.get_by_role("link", name="check every roll").click()
    expect(ann.locator("#verdict")).to_contain_text(f"all {now.state.rolls} rolls")
    expect(ann.locator("#verdict")).to_have_class("right")


def _skip_to_the_last_turns(server: GameServer, game: StoredGame) -> StoredGame:
    now = server.now(game)
    while now.status == "playing" and (now.turn < 46 or now.state.phase != "direction"):
        now = server.play(game, 1)
    return now


def _take_turn(page: Page, turn: int) -> None:
    """The cheapest way, then now this place and now that."""
    costs = [float(each) for each in page.locator(".outlook tfoot td").all_text_contents()]
    page.locator(".way-choice input").nth(costs.index(min(costs))).check()
    confirm(page).click()
    expect(page.locator(".place-choice, .status .whose").first).to_be_visible()
    offered = page.locator(".place-choice input")
    if not offered.count():
        return  # it cost more than there was
    offered.nth(turn % offered.count()).check()
    confirm(page).click()
    expect(page.locator(".status .whose")).to_be_visible()


def test_resigning_is_asked_twice_and_ends_the_game(server: GameServer, game: StoredGame, page_at: Open) -> None:
    page = page_at(server.seat(game, 0))
    page.get_by_text("Leave the game").click()
    page.get_by_role("button", name="Resign").click()
    assert server.now(game).status == "playing"
    page.get_by_label("Yes, I want to resign.").check()
    page.get_by_role("button", name="Resign").click()
    expect(page.locator("#status")).to_contain_text("bo wins.")


def test_an_open_page_follows_the_game_and_says_when_it_is_your_turn(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    page = page_at(server.seat(game, 1))
    assert page.title() == "Friday rugs"
    before = page.locator("#board .assam").get_attribute("transform")
    page.get_by_label("Message").fill("half a sen")
    server.play(game, 2)
    expect(page.locator("#status")).to_contain_text("It's your turn.", timeout=10_000)
    assert page.title() == "Your turn · Friday rugs"
    assert page.locator("#board .assam").get_attribute("transform") != before
    assert page.get_by_label("Message").input_value() == "half a sen"
    assert page.locator("#status").get_attribute("aria-live") == "polite"


def test_the_die_rolls_and_assam_walks_only_where_motion_is_welcome(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    moving = """() => { window.moves = 0; new MutationObserver((all) => window.moves += all.length).observe(
        document.querySelector('#board .assam'), { attributes: true, attributeFilter: ['transform'] }) }"""
    rolling = """() => { window.faces = new Set(); new MutationObserver(() => { const die = document.querySelector(
        '.die.rolling'); die && window.faces.add(die.querySelectorAll('circle').length) }).observe(
        document.querySelector('#board'), { childList: true, subtree: true }) }"""
    calm, lively = page_at(server.seat(game, 0), **CALM), page_at(server.seat(game, 0))
    for page in (calm, lively):
        page.evaluate(moving)
        page.evaluate(rolling)
    calm.locator("input[value=ahead]").check()
    confirm(calm).click()
    expect(calm.locator(".place-choice").first).to_be_visible()
    expect(lively.locator(".place-choice").first).to_be_visible(timeout=10_000)
    assert calm.evaluate("window.moves") == 0
    assert lively.evaluate("window.moves") > 3
    assert calm.evaluate("window.faces.size") == 0
    assert lively.evaluate("window.faces.size") >= 2  # it does not give the roll away
    shown = [page.locator("#happened .die circle").count() for page in (calm, lively)]
    assert shown == [server.now(game).state.die] * 2


def test_two_tabs_with_the_same_turn_play_it_once(server: GameServer, game: StoredGame, page_at: Open) -> None:
    one, other = (page_at(server.turn(game, 0, 1), java_script_enabled=False) for _ in range(2))
    for page in (one, other):
        page.locator("input[value=left]").check()
    confirm(one).click()
    confirm(other).click()
    for page in (one, other):
        expect(page.locator(".place-choice").first).to_be_visible()
    assert server.now(game).state.rolls == 1


def test_a_chat_message_is_shown_as_text_and_at_once(
    server: GameServer, game: StoredGame, page_at: Open, complaints: list[str]
) -> None:
    nasty = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    ann, bo = page_at(server.seat(game, 0)), page_at(server.seat(game, 1))
    ann.locator("input[value=right]").check()
    ann.get_by_label("Message").fill(nasty)
    ann.get_by_role("button", name="Send").click()
    expect(ann.locator(".lines p")).to_have_text(nasty)
    expect(ann.locator("input[value=right]")).to_be_checked()  # talking does not take a choice back
    expect(ann.get_by_label("Message")).to_have_value("")
    expect(bo.locator(".lines p")).to_have_text(nasty, timeout=10_000)
    assert bo.locator(".lines img").count() == 0
    onlooker = page_at(f"/g/{game.id}")
    assert nasty not in onlooker.content()
    assert complaints == []


def test_a_server_that_is_gone_loses_no_choice(
    server: GameServer, game: StoredGame, page_at: Open, complaints: list[str]
) -> None:
    page = page_at(server.seat(game, 0))
    page.locator("input[value=left]").check()
    page.context.set_offline(True)
    confirm(page).click()
    expect(page.locator("#pointing")).to_contain_text("reach the server right now")
    expect(page.locator("input[value=left]")).to_be_checked()
    page.context.set_offline(False)
    confirm(page).click()
    expect(page.locator(".place-choice").first).to_be_visible()
    assert all("ERR_INTERNET_DISCONNECTED" in each for each in complaints)
    complaints.clear()


def test_a_player_who_is_signed_in_finds_his_seat_at_the_table(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    page = page_at(f"/g/{game.id}", **CALM)
    assert page.locator("form").count() == 0
    page.context.add_cookies([server.session("ann")])
    page.reload()
    page.locator("input[value=left]").check()
    confirm(page).click()
    page.locator(".place-choice input").first.check()
    confirm(page).click()
    expect(page.locator("#status")).to_contain_text("Waiting for bo.")


def test_every_state_of_the_table_is_sound(server: GameServer, page_at: Open) -> None:
    game = server.play(server.table("Amina", "Basim", "Chadia", "Driss", pace=172_800), 40)
    while game.state.phase != "direction":
        game = server.play(game, 1)
    seat = game.state.mover
    chat.post_message(server.ctx, game.id, 1, "Lovely move. Who wants tea?")
    page = page_at(server.seat(game, seat), viewport={"width": 1280, "height": 1500})
    page.locator("input[value=left]").check()
    is_sound_in_light_and_dark(page)
    server.play(game, 1)
    page.reload()
    page.locator(".place-choice input").first.check()
    is_sound_in_light_and_dark(page)
    is_sound_in_light_and_dark(page_at(f"/g/{game.id}", viewport={"width": 320, "height": 2800}))


def test_the_page_turns_round_for_languages_that_are_written_from_the_right(
    server: GameServer, game: StoredGame, page_at: Open
) -> None:
    page = page_at(server.seat(game, 0), viewport={"width": 320, "height": 900})
    page.evaluate("document.documentElement.dir = 'rtl'")
    is_sound(page)
    label, arrow = page.locator(".way-choice").first, page.locator(".way-choice .arrow").first
    outer, inner = label.bounding_box(), arrow.bounding_box()
    assert outer is not None
    assert inner is not None
    assert inner["x"] > outer["x"] + outer["width"] / 2


def test_names_and_talk_are_written_their_own_way_whichever_way_the_page_is(
    server: GameServer, page_at: Open, call: Callable[[str, str], None]
) -> None:
    call("bo", "<b>Bo</b>")
    game = server.table("ann", "bo")
    chat.post_message(server.ctx, game.id, 0, "Tea?")
    chat.post_message(server.ctx, game.id, 0, "\u0634\u0627\u064a\u061f")
    page = page_at(server.seat(game, 1))
    ways = "(all) => all.map((each) => getComputedStyle(each).direction)"
    for way in ("ltr", "rtl"):
        page.evaluate("(way) => { document.documentElement.dir = way }", way)
        assert page.locator(".lines p").evaluate_all(ways) == ["ltr", "rtl"]
        assert page.locator("#standings .name").evaluate_all(ways) == ["ltr", "ltr"]


def test_a_session_that_has_ended_is_told_without_losing_the_choice(
    server: GameServer, game: StoredGame, page_at: Open, complaints: list[str]
) -> None:
    page = page_at("/login")
    page.context.add_cookies([server.session("ann")])
    page.goto(f"/g/{game.id}")
    page.locator("input[value=left]").check()
    page.context.clear_cookies()
    confirm(page).click()
    expect(page.locator("#pointing")).to_contain_text("Sign in and try again")
    expect(page.locator("input[value=left]")).to_be_checked()
    assert all("401" in each for each in complaints)
    complaints.clear()


def test_with_rotate_after_assam_is_turned_for_the_next_player(server: GameServer, page_at: Open) -> None:
    game = server.play(server.table("ann", "bo", variant="rotate-after"), 1)
    page = page_at(server.seat(game, 0), **CALM)
    assert page.locator(".way-choice").count() == 2
    expect(page.locator(".ways .hint")).to_contain_text("Then the die is rolled for bo")
    page.locator("input[value=right]").check()
    confirm(page).click()
    expect(page.locator("#status")).to_contain_text("Waiting for bo.")


def test_the_page_is_small(server: GameServer, game: StoredGame, page_at: Open) -> None:
    page = page_at(server.seat(game, 0))
    page.wait_for_load_state("networkidle")
    entries = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
    sizes = page.evaluate(f"{entries}.map((each) => each.decodedBodySize)")
    assert len(sizes) >= 5
    assert sum(sizes) < 150_000


def test_the_mailbox_page_is_small_even_with_many_letters(server: GameServer, page_at: Open) -> None:
    game = server.table("ann", "bo", "cy", "dan")
    while game.status == "playing":
        game = server.play(game, 2)
        server.deliver()
    page = page_at(mailbox_path(server.ctx.settings))
    assert page.get_by_role("link", name="Older e-mails").count() == 1
    page.wait_for_load_state("networkidle")
    entries = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
    assert sum(page.evaluate(f"{entries}.map((each) => each.decodedBodySize)")) < 150_000
