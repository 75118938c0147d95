"""Kilim on the table page: cards to tap, dominoes to drag, tap or move with keys, and the reveal."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from service.engine.json_reader import Json
from service.engine.kilim.state import State
from service.games.store import StoredGame
from tests.browser.kilim_games import play, play_until, start
from tests.browser.playing import CALM, confirm, is_sound_in_light_and_dark
from tests.browser.server import GameServer

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LAPTOP = {"viewport": {"width": 1366, "height": 768}}
Open = Callable[..., Page]


def owes_domino(state: State) -> bool:
    """Whether Ann has to weave a domino into a carpet of some size before she plays a card."""
    own = state.seats[0]
    is_all = len(own.owes_weave) == 1 and not (own.owes_keep or own.owes_take or own.perfect)
    return state.phase == "choose" and is_all and own.token is None and not own.scraps and len(own.carpet.shown) >= 4


def holds(token: str) -> Callable[[State], bool]:
    def is_reached(state: State) -> bool:
        own = state.seats[0]
        has_token = own.token is not None and own.token.token == token and not own.token.used
        is_free = state.phase == "choose" and not own.owes and own.card is None
        return has_token and is_free and len(own.carpet.shown) >= 4

    return is_reached


@pytest.fixture
def weaving(server: GameServer) -> StoredGame:
    return play_until(server, owes_domino)


def carpet(server: GameServer, game: StoredGame, seat: int = 0) -> Json:
    """The carpet of a seat as it is stored now."""
    view = game.rules.view(server.now(game).state, None)
    found: Json = view["seats"][seat]["carpet"]
    return found


def tap(page: Page, square: str) -> None:
    page.locator(f'#board .squares [data-square="{square}"]').click()


def chosen(page: Page) -> str:
    return str(page.locator("form.choosing input[name=do]:checked").get_attribute("value"))


def places(page: Page, stem: str = "weave") -> list[str]:
    """The places that are offered, as they are named in choices."""
    inputs = page.locator(f'.tray-places input[value^="{stem} "]').all()
    return [str(each.get_attribute("value")).split()[-1] for each in inputs]


def test_a_card_is_played_with_two_taps(server: GameServer, page_at: Open) -> None:
    game = start(server)
    page = page_at(server.seat(game, 0), **PHONE, **CALM)
    page.locator(".hand-card", has_text="7").tap()
    confirm(page).tap()
    expect(page.locator("#status")).to_contain_text("Waiting for")
    assert server.now(game).state.seats[0].card == 7


@pytest.mark.parametrize("size", [PHONE, LAPTOP])
def test_a_turn_needs_no_scrolling(server: GameServer, page_at: Open, size: Json, weaving: StoredGame) -> None:
    for game in (weaving, start(server)):
        page = page_at(server.seat(game, 0), **size, **CALM)
        bottom = size["viewport"]["height"]
        board = page.locator("#board svg").bounding_box()
        button = confirm(page).bounding_box()
        assert board is not None
        assert button is not None
        assert button["y"] + button["height"] <= bottom
        if size is PHONE:
            bar = page.locator(".action-bar").bounding_box()
            assert bar is not None
            assert board["y"] + board["height"] <= bar["y"] + 1


def test_a_domino_is_woven_by_tapping_and_turned_by_tapping_again(
    server: GameServer, page_at: Open, weaving: StoredGame
) -> None:
    page = page_at(server.seat(weaving, 0), **PHONE, **CALM)
    ends = [square for place in places(page) for square in place.split("-")]
    square = max(ends, key=ends.count)  # several places cover it
    assert page.locator("#board .overlay .free").count() > 4
    tap(page, square)
    first = chosen(page)
    assert square in first
    tap(page, square)
    second = chosen(page)
    assert second != first
    assert square in second
    confirm(page).tap()
    expect(page.locator(".hand")).to_be_visible()
    _, domino, place = second.split()
    assert all(carpet(server, weaving)[each]["domino"] == domino for each in place.split("-"))


def test_a_domino_is_dragged_onto_the_carpet(server: GameServer, page_at: Open, weaving: StoredGame) -> None:
    page = page_at(server.seat(weaving, 0), **LAPTOP, **CALM)
    goal = next(place for place in places(page) if place[0] != place.split("-")[1][0])  # from left to right, or back
    first, second = (
        page.locator(f'#board .squares [data-square="{square}"]').bounding_box() for square in goal.split("-")
    )
    assert first is not None
    assert second is not None
    page.locator(".tray").first.hover()
    page.mouse.down()
    page.mouse.move(10, 400, steps=3)
    x, y = (first["x"] + second["x"] + first["width"]) / 2, (first["y"] + second["y"] + first["height"]) / 2
    page.mouse.move(x, y, steps=5)
    page.mouse.up()
    assert set(chosen(page).split()[-1].split("-")) == set(goal.split("-"))
    confirm(page).click()
    expect(page.locator(".hand")).to_be_visible()
    assert all(square in carpet(server, weaving) for square in goal.split("-"))


def test_a_domino_is_placed_and_turned_with_keys(server: GameServer, page_at: Open, weaving: StoredGame) -> None:
    page = page_at(server.seat(weaving, 0), **LAPTOP, **CALM)
    page.keyboard.press("ArrowRight")
    first = chosen(page)
    moves = {key: _after(page, key) for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp")}
    assert len(set(moves.values())) > 2
    before = chosen(page)
    page.keyboard.press("r")
    assert chosen(page) != before
    assert first.startswith("weave ")
    page.keyboard.press("Enter")  # the focus is on the place, which is a field of the form
    expect(page.locator(".hand")).to_be_visible()
    assert not server.now(weaving).state.seats[0].owes_weave


def _after(page: Page, key: str) -> str:
    page.keyboard.press(key)
    return chosen(page)


def test_a_choice_stays_while_others_act(server: GameServer, page_at: Open, weaving: StoredGame) -> None:
    page = page_at(server.seat(weaving, 0), **LAPTOP, **CALM)
    page.keyboard.press("ArrowDown")
    before = chosen(page)
    other = next(seat for seat in sorted(weaving.rules.to_act(weaving.state)) if seat)
    legal = weaving.rules.view(weaving.state, other)["legal"]
    after = play(server, weaving, other, legal[0])
    expect(page.locator("#table")).to_have_attribute("data-head", str(after.head), timeout=15_000)
    assert chosen(page) == before
    confirm(page).click()
    expect(page.locator(".hand")).to_be_visible()


@pytest.mark.parametrize("token", ["turn", "move", "remove"])
def test_a_token_is_used_by_tapping_a_piece(server: GameServer, page_at: Open, token: str) -> None:
    game = play_until(server, holds(token), wanted=token)
    page = page_at(server.seat(game, 0), **LAPTOP, **CALM)
    page.locator(f'[data-tray="{token}"]').click()
    value = str(page.locator(f'.tray-places input[value^="{token} "]').first.get_attribute("value"))
    _, piece, *squares = value.split()
    here = next(square for square, cell in carpet(server, game).items() if cell["domino"] == piece)
    tap(page, here)
    if squares:  # the first ones of `turn` are already chosen
        tap(page, squares[0].split("-", 1)[0])
    assert chosen(page).startswith(f"{token} {piece}")
    expect(confirm(page)).to_contain_text(token.capitalize())
    confirm(page).click()
    expect(page.locator(f'[data-tray="{token}"]')).to_have_count(0)
    held = server.now(game).state.seats[0].token
    assert held is not None
    assert held.used


def test_the_points_are_explained_on_the_carpet(server: GameServer, page_at: Open, weaving: StoredGame) -> None:
    page = page_at(server.seat(weaving, 0), **LAPTOP, **CALM)
    page.locator(".point", has_text="Motifs").hover()
    shown = [cell for cell in carpet(server, weaving).values() if cell["shows"] not in {"torn", "blank"}]
    expect(page.locator("#board .explained .meant")).to_have_count(len(shown))
    page.locator(".point", has_text="Motifs").locator("summary").click()
    expect(page.locator(".point[open] p")).to_contain_text("three motifs count 10")


def test_the_cards_are_revealed_together(server: GameServer, page_at: Open) -> None:
    game = start(server, ("ann", "bo"))
    page = page_at(server.seat(game, 0), **LAPTOP)
    game = play(server, game, 1, {"type": "play", "card": 4})
    page.locator(".hand-card", has_text="9").click()
    confirm(page).click()
    stage = page.locator(".stage .reveal")
    expect(stage).to_be_visible()
    expect(stage.locator(".shown-card")).to_have_count(2)
    expect(stage).to_have_class("reveal counted", timeout=5000)
    expect(stage).to_have_count(0, timeout=5000)
    expect(page.locator("#happened .winner .name")).to_have_text("ann")


def test_the_page_is_sound_for_everybody(server: GameServer, page_at: Open, weaving: StoredGame) -> None:
    for size in (PHONE, LAPTOP):
        is_sound_in_light_and_dark(page_at(server.seat(weaving, 0), **size, **CALM))
        is_sound_in_light_and_dark(page_at(f"/g/{weaving.id}", **size, **CALM))
        is_sound_in_light_and_dark(page_at(server.seat(start(server), 0), **size, **CALM))


def test_a_domino_is_woven_without_javascript(server: GameServer, page_at: Open, weaving: StoredGame) -> None:
    page = page_at(server.seat(weaving, 0), **PHONE, java_script_enabled=False)
    label = page.locator(".tray-places .place-choice").nth(2)
    value = str(label.locator("input").get_attribute("value"))
    label.click()
    confirm(page).click()
    page.locator(".hand-card:not(.off)").first.click()
    assert all(square in carpet(server, weaving) for square in value.rsplit(maxsplit=1)[-1].split("-"))
    confirm(page).click()
    expect(page.locator("#status")).to_contain_text("Waiting for")
