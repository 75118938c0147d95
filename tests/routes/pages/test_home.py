"""The start page: what this is, and a player's games with boards, scores and the time left; and the manifest."""

import re
from gettext import NullTranslations
from html import unescape

import pytest

from service.clocks.requests import pause
from service.context import AppContext
from service.db.models import Game, Player, Seat
from service.engine.registry import GAMES
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.names import player_names, with_display_names
from service.games.store import StoredGame
from service.ui.registry import game_ui
from tests.support.browsers import Browser
from tests.support.clock import Clock
from tests.support.tables import BOT, OPEN, join, new_game, play_one_action, play_to_end, seat_to_act, start_game
from tests.support.timed import start_timed_game

HOSTILE = "<script>alert('x')</script>"


def test_a_visitor_reads_what_this_is_and_how_to_start(ctx: AppContext) -> None:
    page = Browser(ctx).get("/")
    assert "you get an e-mail with the board" in page
    assert 'href="/new"' in page
    assert 'href="/login"' in page
    assert "/mailbox" in page
    assert "Sign out" not in page


def test_a_visitor_sees_every_game_with_its_makers(ctx: AppContext) -> None:
    page = Browser(ctx).get("/")
    for game in GAMES:
        ui = game_ui(game)
        assert ui.tagline(NullTranslations()) in page
        assert ui.credits(NullTranslations()) in page
        assert f'href="/new?game={game}"' in page
        assert f'src="/rules/{game}/picture.svg' in page


def test_the_list_says_which_game_each_is_and_shows_your_own_carpet(ctx: AppContext, ann: Player) -> None:
    carpets = create_game(ctx, ann, NewGameRequest("kilim", "Friday", [BOT], {}, None))
    create_game(ctx, ann, new_game(BOT, name="Saturday"))
    browser = Browser(ctx, "ann@example.org")
    titles = dict(re.findall(r"<bdi>(\w+)</bdi></a></h2>\n<p class=\"note\">(\w+)</p>", browser.get("/")))
    assert titles == {"Friday": "Kilim", "Saturday": "Marrakech"}
    own, all_of_them = (each.client.get(f"/g/{carpets.id}/board.svg").text for each in (browser, Browser(ctx)))
    assert (own.count('class="carpet"'), all_of_them.count('class="carpet"')) == (1, 2)
    assert re.search(r'viewBox="0 0 (\d+) \1"', own), "it is square, like the place in the list"


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
    assert "You're invited" in Browser(ctx, "bo@example.org").get("/")
    game = play_to_end(ctx, start_game(ctx, [bo], bots=1))
    winner = game.state.result.winners[0]
    who = ("You", names_of(game)[1])[winner]
    sentence = f"{who} won with {game.state.result.scores[winner].total}."
    assert f'<p class="badge quiet">{sentence}</p>' in Browser(ctx, "bo@example.org").get("/")


def names_of(game: StoredGame) -> list[str]:
    return player_names(with_display_names(game, NullTranslations()))


def players_in(page: str) -> list[str]:
    """The players of the only game on the page, as they are read."""
    listed = page.partition('<ul class="players"')[2].partition("</ul>")[0]
    return [unescape(re.sub(r"<[^>]+>", "", each)) for each in re.findall(r"<li.*?>(.*?)</li>", listed)]


def test_a_game_is_listed_with_its_board_its_players_their_scores_and_whose_turn_it_is(
    ctx: AppContext, ann: Player, bo: Player
) -> None:
    game = start_game(ctx, [ann, bo], bots=1)
    while seat_to_act(game) != 1:
        game = play_one_action(ctx, game).game
    browser = Browser(ctx, "ann@example.org")
    page = browser.get("/")
    names = ["You", *names_of(game)[1:]]
    totals = [seat["total"] for seat in game.rules.view(game.state, None)["seats"]]
    assert players_in(page) == [f"{name}\xa0{total}" for name, total in zip(names, totals, strict=True)]
    assert re.findall(r'<li class="acts"><bdi>(.*?)</bdi>', page) == ["bo"]
    assert "Waiting for bo" in page
    board = browser.client.get(re.findall(r'<img class="thumbnail" src="([^"]+)"', page)[0])
    assert (board.status_code, board.mimetype) == (200, "image/svg+xml")


def test_a_table_that_waits_shows_who_is_invited_and_what_is_free(ctx: AppContext, ann: Player) -> None:
    create_game(ctx, ann, new_game(SeatRequest("bo@example.org", "Bo"), OPEN))
    assert players_in(Browser(ctx, "ann@example.org").get("/")) == ["You", "Bo (invited)", "open seat"]


def test_a_listed_board_has_no_numbers_of_places_even_for_the_player_whose_turn_it_is(
    ctx: AppContext, ann: Player, bo: Player
) -> None:
    game = play_one_action(ctx, start_game(ctx, [ann, bo])).game
    where = f"/g/{game.id}/board.svg"
    browsers = (Browser(ctx, "ann@example.org"), Browser(ctx, "bo@example.org"), Browser(ctx))
    boards = [browser.client.get(where) for browser in browsers]
    assert [board.status_code for board in boards] == [200] * 3
    assert len({board.data for board in boards}) == 1
    assert Browser(ctx).client.get("/g/nowhere/board.svg").status_code == 404


def test_a_paused_game_says_so(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_timed_game(ctx, ann, bo)
    for seat in (0, 1):
        pause(ctx, game.id, seat)
    page = Browser(ctx, "ann@example.org").get("/")
    assert "The game is paused." in page
    assert " left, until" not in page


def test_fifty_games_take_as_many_queries_as_two(
    ctx: AppContext, ann: Player, bo: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count_queries() -> int:
        asked.clear()
        page = browser.get("/")
        return len(asked) if page.count('class="thumbnail"') == len(games) else 0

    def execute(sql: str, *more: object) -> object:
        asked.append(sql)
        return real(sql, *more)

    browser, asked, real = Browser(ctx, "ann@example.org"), list[str](), ctx.database.execute_sql
    monkeypatch.setattr(ctx.database, "execute_sql", execute)
    games = [start_game(ctx, [ann, bo]) for _ in range(2)]
    few = count_queries()
    games += [start_game(ctx, [ann, bo]) for _ in range(48)]
    assert 0 < count_queries() == few


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


@pytest.mark.databases("sqlite", "postgresql")
def test_your_turn_comes_before_fifty_newer_games_and_a_finished_game_after_them(
    ctx: AppContext, ann: Player, clock: Clock
) -> None:
    mine, finished = (start_game(ctx, [ann], bots=1) for _ in range(2))
    while seat_to_act(mine) != 0:
        mine = play_one_action(ctx, mine).game
    clock.now += 1
    for number in range(50):
        clock.now += 1
        create_game(ctx, ann, new_game(OPEN, name=f"table {number}."))
    play_to_end(ctx, finished)
    browser = Browser(ctx, "ann@example.org")
    page = browser.get("/")
    assert f"/g/{mine.id}/board.svg" in page
    assert page.index("Your turn") < page.index("table 49.")
    assert f"/g/{finished.id}/board.svg" not in page
    older = re.search(r'href="(/\?cursor=[^"]+)"', page)
    assert older
    rest = browser.get(older[1])
    assert [name for name in re.findall(r"<bdi>(.*?)</bdi></a>", rest) if name.startswith("table")] == ["table 0."]
    assert f"/g/{finished.id}/board.svg" in rest
    assert f"/g/{mine.id}/board.svg" not in rest


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
    assert ("Invitez vos amis" in page) == (lang == "fr")


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
