"""The page of the group, its filters and its downloads."""

import csv
import io
import re
from html import unescape

import pytest

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Player
from service.games.high_scores import store_high_scores
from service.games.ratings import RankedGame, rate_games
from tests.support.browsers import Browser
from tests.support.clock import Clock
from tests.support.finished_games import DAY, add_figures, add_game
from tests.support.tables import database_contents

ANN = "ann@example.org"
SECOND_WINS = "rugs-laid-2p-standard-shuffled"
KILIM = "kilim-days-over-2p-relaxed"
PATHS = ["/group", "/group.csv", "/group.json"]


def named(ctx: AppContext, name: str, address: str = "") -> Player:
    player = find_or_create_player(ctx, address or f"{name.lower()}@example.org")
    Player.update(name=name).where(Player.id == player.id).execute(ctx.database)
    return player


def words(page: str) -> str:
    """What the page says, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.partition("<main")[2].partition("</main>")[0])).split())


@pytest.fixture
def evening(ctx: AppContext, clock: Clock) -> list[str]:
    """Three games: Bo wins one of Marrakech, Ann one of Kilim, and Bo one without Ann."""
    ann, bo, cy = (named(ctx, name) for name in ("Ann", "Bo", "Cy"))
    games = [
        add_game(ctx, SECOND_WINS, [ann, bo], clock.now - 40 * DAY),
        add_game(ctx, KILIM, [ann, bo], clock.now - 2 * DAY),
        add_game(ctx, SECOND_WINS, [cy, bo], clock.now - DAY),
    ]
    store_high_scores(ctx)
    return games


@pytest.mark.parametrize("path", PATHS)
def test_visitors_are_sent_to_sign_in(ctx: AppContext, evening: list[str], path: str) -> None:
    asked = Browser(ctx).client.get(path)
    assert (asked.status_code, asked.location) == (303, "/login?next=/group")


def test_the_menu_leads_to_the_page_only_for_players_who_are_signed_in(ctx: AppContext, ann: Player) -> None:
    assert 'href="/group"' in Browser(ctx, ANN).get("/")
    assert 'href="/group"' not in Browser(ctx).get("/")


def test_without_a_finished_game_the_page_says_what_will_be_there(ctx: AppContext, ann: Player) -> None:
    page = Browser(ctx, ANN).get("/group")
    assert "Nobody has finished a game yet." in page
    assert 'href="/new">Start a game' in page
    assert "/group.csv" not in page


def test_the_page_shows_results_ratings_head_to_head_and_records(ctx: AppContext, evening: list[str]) -> None:
    page = Browser(ctx, ANN).get("/group")
    said = words(page)
    assert "3 finished games." in said
    assert "Player Games Wins Average place Bo 3 2 1.3 Ann You 2 1 1.5 Cy 1 0 2.0" in said
    rated = list(rate_games([RankedGame(["Ann", "Bo"], [2, 1]), RankedGame(["Cy", "Bo"], [2, 1])]))[-1]["Bo"]
    assert f"Bo {rated.mu:.1f} ± {rated.uncertainty:.1f} 2 games · 2 wins · average place 1.0" in said
    assert "Head to head: Ann Against Games Ahead Behind Tied Bo 2 1 1 0" in said
    assert "Records in Kilim Most points 21 Ann" in said
    assert page.count('<svg class="history"') == 5
    assert 'aria-label="Bo: 25.0 at the start, ' in page
    assert re.search(r'aria-label="Ann: .*? class="line" d="M4 30L120 ', page)
    assert re.search(r'aria-label="Cy: .*? class="line" d="M120 30L236 ', page), "Cy hadn't played the first game"
    assert "@example.org" not in page


def test_only_those_who_played_a_game_are_led_to_it(ctx: AppContext, evening: list[str]) -> None:
    seen_by_ann, seen_by_cy = Browser(ctx, ANN).get("/group"), Browser(ctx, "cy@example.org").get("/group")
    assert f'href="/g/{evening[0]}/over"' in seen_by_ann
    assert f'href="/g/{evening[1]}/over"' in seen_by_ann
    assert not any(f"/g/{game}/" in seen_by_cy for game in evening[:2])


def test_the_filters_are_a_form_and_keep_what_was_chosen(ctx: AppContext, evening: list[str], clock: Clock) -> None:
    page = Browser(ctx, ANN).get("/group?game=marrakech&since=2026-01-01&until=&player=2")
    assert '<option value="marrakech" selected>' in page
    assert 'name="since" type="date" value="2026-01-01"' in page
    assert "Head to head: Bo" in page
    assert "Ratings in Kilim" not in page
    assert 'href="/group.csv?game=marrakech&amp;since=2026-01-01"' in page
    links = re.findall(r'<a href="(/group[^"]*)"[^>]*>(?:All time|This year|Last 30 days)', page)
    assert len(links) == 3
    assert all("game=marrakech&amp;player=2" in link for link in links)
    recent = Browser(ctx, ANN).get(unescape(links[2]))
    assert "One finished game." in recent
    assert re.search(r'aria-current="page">Last 30 days', recent)
    assert "No finished games match." in Browser(ctx, ANN).get("/group?until=1999-01-01")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("game=chess", 'There\'s no game "chess" here. Use one of these: marrakech, kilim.'),
        ("since=soon", "Write a day like this: 2026-01-31."),
        ("until=2026-02-30", "Write a day like this: 2026-01-31."),
        ("until=9999-12-31", "Write a day like this: 2026-01-31."),
        ("since=2026-02-01&until=2026-01-31", "The first day comes after the last one. Swap them."),
    ],
)
def test_a_filter_that_makes_no_sense_is_explained(ctx: AppContext, ann: Player, query: str, sentence: str) -> None:
    page = Browser(ctx, ANN).get(f"/group?{query}", 400)
    assert f'role="alert"><strong>{sentence}' in unescape(page)
    for path in PATHS[1:]:
        assert sentence in unescape(Browser(ctx, ANN).get(f"{path}?{query}", 400))


def test_a_day_is_one_of_the_readers_time_zone(ctx: AppContext, ann: Player, bo: Player) -> None:
    add_game(ctx, SECOND_WINS, [ann, bo], 1_800_000_000 - 1_800_000_000 % DAY + 20 * 3600)  # 20:00 UTC
    query = "/group?since=2027-01-16&until=2027-01-16"
    assert "No finished games match." in Browser(ctx, ANN).get(query)
    Player.update(time_zone="Asia/Tokyo").where(Player.id == ann.id).execute(ctx.database)
    assert "One finished game." in Browser(ctx, ANN).get(query)


def test_a_hidden_player_is_on_no_page_and_in_no_download(ctx: AppContext, evening: list[str]) -> None:
    before = {path: Browser(ctx, ANN).client.get(path).text for path in PATHS}
    assert all("Bo" in text for text in before.values())
    Player.update(hidden=True).where(Player.name == "Bo").execute(ctx.database)
    for path in PATHS:
        for reader in (ANN, "bo@example.org"):
            assert not re.search(r"\bBo\b", Browser(ctx, reader).client.get(path).text), path
    assert "You're hidden on this page." in unescape(Browser(ctx, "bo@example.org").get("/group"))
    assert "You're hidden" not in unescape(Browser(ctx, ANN).get("/group"))


def test_the_downloads_have_what_the_filters_include(ctx: AppContext, evening: list[str]) -> None:
    client = Browser(ctx, ANN).client
    table = client.get("/group.csv?game=kilim")
    assert table.headers["Content-Disposition"] == 'attachment; filename="group.csv"'
    assert table.mimetype == "text/csv"
    assert table.headers["Cache-Control"] == "no-store"
    assert table.data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(table.data.decode("utf-8-sig"))))
    assert [(row["name"], row["bot"], row["game"], row["games"], row["wins"]) for row in rows] == [
        ("Ann", "", "kilim", "1", "1"),
        ("Bo", "", "kilim", "1", "0"),
    ]
    whole = client.get("/group.json")
    assert whole.headers["Content-Disposition"] == 'attachment; filename="group.json"'
    assert (whole.json or {})["games"] == 3
    assert "@example.org" not in whole.text + table.text


@pytest.mark.parametrize("name", ["=1+2", "+1", "-1", "@SUM(A1)", "\uff1d1+2", '"; =1', "Ann, Bo"])
def test_a_spreadsheet_calculates_no_name(ctx: AppContext, bo: Player, name: str) -> None:
    add_game(ctx, SECOND_WINS, [named(ctx, name, ANN), bo], 1e9)
    text = Browser(ctx, ANN).client.get("/group.csv").data.decode("utf-8-sig")
    [row] = [row for row in csv.reader(io.StringIO(text)) if name in row[0]]
    assert row[0] == (name if name[0] in '"A' else f"'{name}")
    assert all(line.startswith('"') for line in text.splitlines())  # so that no part of a name begins a cell


def test_looking_changes_nothing(ctx: AppContext, evening: list[str]) -> None:
    before = database_contents(ctx)
    for path in PATHS:
        Browser(ctx, ANN).client.get(path)
    assert database_contents(ctx) == before


def test_luck_and_skill_are_shown_once_games_were_analysed(ctx: AppContext, evening: list[str]) -> None:
    assert "luck" not in words(Browser(ctx, ANN).get("/group")).lower()
    add_figures(ctx, evening[1], {"seat": 0, "luck": 0.1, "skill": -0.2}, {"seat": 1, "luck": -0.1, "skill": 0.0})
    said = words(Browser(ctx, ANN).get("/group")).replace("\N{MINUS SIGN}", "-")
    assert "Average place Luck Skill Bo 3 2 1.3 -10% 0% Ann You 2 1 1.5 +10% -20% Cy 1 0 2.0 Luck is" in said
    assert "1 game · 1 win · average place 1.0 · luck +10%, skill -20%" in said
    client = Browser(ctx, ANN).client
    assert '"kilim",1,1,1.0,27.635,16.132,0.1,-0.2' in client.get("/group.csv").text
    players = {player["name"]: player for player in (client.get("/group.json").json or {})["players"]}
    assert {name: (each["luck"], each["skill"]) for name, each in players.items()} == {
        "Bo": (-0.1, 0.0),
        "Ann": (0.1, -0.2),
        "Cy": (None, None),
    }


def test_the_filter_by_game_is_about_kinds_of_games_in_french_too(ctx: AppContext, ann: Player) -> None:
    Player.update(language="fr").where(Player.id == ann.id).execute(ctx.database)
    page = Browser(ctx, ANN).get("/group")
    assert '<label for="game">Jeu</label>' in page
    assert '<option value="">Tous les jeux</option>' in page
