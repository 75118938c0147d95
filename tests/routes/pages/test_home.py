"""The start page: what this is, and a player's games with the time left; and the manifest."""

import re

import pytest

from service.context import AppContext
from service.db.models import Game, Player, Seat
from service.games.lobby import SeatRequest, create_game
from tests.support.browsers import Browser
from tests.support.clock import Clock
from tests.support.tables import BOT, OPEN, join, new_game, play_to_end, seat_to_act, start_game

HOSTILE = "<script>alert('x')</script>"


def test_a_visitor_reads_what_this_is_and_how_to_start(ctx: AppContext) -> None:
    page = Browser(ctx).get("/")
    assert "played by e-mail" in page
    assert 'href="/new"' in page
    assert 'href="/login"' in page
    assert "/mailbox" in page
    assert "Sign out" not in page


def test_games_where_it_is_your_turn_come_first_with_the_time_left(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo], pace=48 * 3600)
    create_game(ctx, ann, new_game(OPEN, name="Later"))
    names = ("ann@example.org", "bo@example.org")
    here, there = (Browser(ctx, name).get("/") for name in (names[seat_to_act(game)], names[1 - seat_to_act(game)]))
    assert here.index("Your turn") < (here.index("Not started") if "Later" in here else len(here))
    assert "2 days left, until" in here
    assert "Your turn" not in there
    assert f"Waiting for {names[seat_to_act(game)].partition('@')[0]}" in there
    assert re.search(r'<a href="/s/[^"]+"><bdi>Marrakech with ann</bdi></a>', there)


def test_invitations_and_finished_games_look_different(ctx: AppContext, ann: Player, bo: Player) -> None:
    create_game(ctx, ann, new_game(SeatRequest("bo@example.org")))
    assert "You are invited" in Browser(ctx, "bo@example.org").get("/")
    play_to_end(ctx, start_game(ctx, [bo], bots=1))
    assert '<p class="badge quiet">Over</p>' in Browser(ctx, "bo@example.org").get("/")


def test_names_are_escaped(ctx: AppContext, ann: Player) -> None:
    create_game(ctx, ann, new_game(OPEN, name=HOSTILE))
    page = Browser(ctx, "ann@example.org").get("/")
    assert "&lt;script&gt;" in page
    assert HOSTILE not in page


def test_older_games_are_on_the_next_page(ctx: AppContext, ann: Player, clock: Clock) -> None:
    for number in range(51):
        clock.now += 1
        create_game(ctx, ann, new_game(OPEN, name=f"table {number}."))
    browser = Browser(ctx, "ann@example.org")
    page = browser.get("/")
    assert "table 0." not in page
    older = re.search(r'href="(/\?cursor=[^"]+)"', page)
    assert older
    assert "table 0." in browser.get(older[1])
    browser.get("/?cursor=nonsense", 400)


def test_a_seat_played_by_a_stand_in_is_not_shown_as_your_turn(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = join(ctx, create_game(ctx, ann, new_game(OPEN, pace=24 * 3600)).id, bo)
    Seat.update(stood_in=2).where((Seat.game == game.id) & (Seat.seat == seat_to_act(game))).execute(ctx.database)
    address = ("ann@example.org", "bo@example.org")[seat_to_act(game)]
    assert 'class="card my-turn"' not in Browser(ctx, address).get("/")


@pytest.mark.parametrize(
    ("asked", "lang"),
    [
        ("fr", "fr"),
        ("fr-CA, en;q=0.5", "fr"),
        ("de, fr;q=0.8, en;q=0.2", "fr"),
        ("FR-fr", "fr"),
        ("en, fr", "en"),
        ("xx", "en"),
        ("fr;q=0", "en"),
        ("*", "en"),
        ("", "en"),
    ],
)
def test_a_page_is_in_the_best_language_that_the_browser_asks_for(ctx: AppContext, asked: str, lang: str) -> None:
    page = Browser(ctx, language=asked).get("/")
    assert f'<html lang="{lang}" dir="ltr">' in page
    assert ("Dresser une table" in page) == (lang == "fr")


def test_the_players_language_wins_over_the_browsers(ctx: AppContext, ann: Player) -> None:
    Player.update(language="fr").where(Player.id == ann.id).execute(ctx.database)
    assert '<html lang="fr"' in Browser(ctx, "ann@example.org", language="en").get("/")
    assert '<html lang="en"' in Browser(ctx, "bo@example.org", language="fr").get("/")


def test_a_link_from_a_letter_opens_in_the_language_of_its_player(ctx: AppContext, ann: Player) -> None:
    Player.update(language="fr").where(Player.id == ann.id).execute(ctx.database)
    game = create_game(ctx, ann, new_game(BOT))
    assert Game.select().count(ctx.database) == 1
    page = Browser(ctx, language="en").get(f"/s/{ctx.tokens.seat(game.id, 0, 0)}")
    assert '<html lang="fr"' in page


def test_the_manifest_is_in_the_language_of_the_page(ctx: AppContext) -> None:
    for language, name in (("en", "Marrakech by Mail"), ("fr", "Marrakech par courrier")):
        browser = Browser(ctx, language=language)
        found = re.search(r'<link rel="manifest" href="([^"]+)">', browser.get("/"))
        assert found
        answer = Browser(ctx).client.get(found[1])  # a browser asks for it without saying who it is
        assert answer.mimetype == "application/manifest+json"
        assert answer.headers["Cache-Control"] == "public, max-age=86400"
        manifest = answer.get_json(force=True)
        assert (manifest["name"], manifest["lang"], manifest["dir"]) == (name, language, "ltr")
        for icon in manifest["icons"]:
            with browser.client.get(icon["src"]) as picture:
                assert picture.mimetype == icon["type"]
