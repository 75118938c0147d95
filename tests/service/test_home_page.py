"""The front door: a stranger learns what this is, a player sees whose turn it is and how long is left."""

import re

import pytest

from service.lobby import Chair, create, join
from service.models import Game, Player, Seat
from service.office import Office
from tests.service.browsers import Browser
from tests.service.conftest import Clock
from tests.service.tables import BOT, OPEN, mover, rest_of, started, wish

HOSTILE = "<script>alert('x')</script>"


def test_a_stranger_is_told_what_this_is_and_how_to_begin(office: Office) -> None:
    page = Browser(office).get("/")
    assert "played by e-mail" in page
    assert 'href="/new"' in page
    assert 'href="/login"' in page
    assert "/mailbox" in page
    assert "Sign out" not in page


def test_whoever_is_to_act_sees_it_first_with_the_time_left(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo], pace=48 * 3600)
    create(office, ann, wish(OPEN, name="Later"))
    names = ("ann@example.org", "bo@example.org")
    here, there = (Browser(office, name).get("/") for name in (names[mover(game)], names[1 - mover(game)]))
    assert here.index("Your turn") < (here.index("Not started") if "Later" in here else len(here))
    assert "2 days left, until" in here
    assert "Your turn" not in there
    assert f"Waiting for {names[mover(game)].partition('@')[0]}" in there
    assert re.search(r'<a href="/s/[^"]+"><bdi>Marrakech with ann</bdi></a>', there)


def test_invitations_and_games_that_are_over_are_told_apart(office: Office, ann: Player, bo: Player) -> None:
    create(office, ann, wish(Chair("bo@example.org")))
    assert "You are invited" in Browser(office, "bo@example.org").get("/")
    rest_of(office, started(office, [bo], bots=1))
    assert '<p class="badge quiet">Over</p>' in Browser(office, "bo@example.org").get("/")


def test_names_are_text(office: Office, ann: Player) -> None:
    create(office, ann, wish(OPEN, name=HOSTILE))
    page = Browser(office, "ann@example.org").get("/")
    assert "&lt;script&gt;" in page
    assert HOSTILE not in page


def test_older_games_are_on_the_next_page(office: Office, ann: Player, clock: Clock) -> None:
    for number in range(51):
        clock.now += 1
        create(office, ann, wish(OPEN, name=f"table {number}."))
    browser = Browser(office, "ann@example.org")
    page = browser.get("/")
    assert "table 0." not in page
    older = re.search(r'href="(/\?cursor=[^"]+)"', page)
    assert older
    assert "table 0." in browser.get(older[1])
    browser.get("/?cursor=nonsense", 400)


def test_a_seat_that_a_stand_in_keeps_is_not_called_ones_turn(office: Office, ann: Player, bo: Player) -> None:
    game = join(office, create(office, ann, wish(OPEN, pace=24 * 3600)).id, bo)
    Seat.update(stood_in=2).where((Seat.game == game.id) & (Seat.seat == mover(game))).execute(office.database)
    address = ("ann@example.org", "bo@example.org")[mover(game)]
    assert 'class="card my-turn"' not in Browser(office, address).get("/")


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
def test_a_page_is_in_the_best_language_that_the_browser_asks_for(office: Office, asked: str, lang: str) -> None:
    page = Browser(office, language=asked).get("/")
    assert f'<html lang="{lang}" dir="ltr">' in page
    assert ("Dresser une table" in page) == (lang == "fr")


def test_ones_own_language_wins_over_the_browsers(office: Office, ann: Player) -> None:
    Player.update(language="fr").where(Player.id == ann.id).execute(office.database)
    assert '<html lang="fr"' in Browser(office, "ann@example.org", language="en").get("/")
    assert '<html lang="en"' in Browser(office, "bo@example.org", language="fr").get("/")


def test_a_link_out_of_a_letter_speaks_to_its_holder(office: Office, ann: Player) -> None:
    Player.update(language="fr").where(Player.id == ann.id).execute(office.database)
    game = create(office, ann, wish(BOT))
    assert Game.select().count(office.database) == 1
    page = Browser(office, language="en").get(f"/s/{office.links.seat(game.id, 0, 0)}")
    assert '<html lang="fr"' in page
