"""The page of a game's analysis: the chances at every moment, luck and skill, mistakes and rolls."""

import re
from html import unescape

import pytest

from service.context import AppContext
from service.db.models import GameAnalysis, Player
from service.games.analysis import compute_next, get_analysis
from service.games.lobby import create_game
from service.games.play import act
from service.games.store import StoredGame
from service.ui.analysis import find_costliest
from tests.support.browsers import Browser
from tests.support.tables import BOT, database_contents, new_game, play_one_action, seat_to_act, start_bids, start_game


@pytest.fixture
def over(ctx: AppContext, ann: Player, bo: Player, cy: Player, analysed_bids: object) -> StoredGame:
    """A game of three that is over; everyone bids another card in each round."""
    game = start_bids(ctx, ann, bo, cy)
    while game.status == "playing":
        seat = seat_to_act(game)
        bid = {"type": "bid", "card": (seat + game.turn) % 4 + 1}
        game = act(ctx, game.id, seat, game.head, bid, "").game
    compute_next(ctx)
    return game


def test_every_moment_is_a_page_and_looking_changes_nothing(ctx: AppContext, over: StoredGame) -> None:
    reader, before, told = Browser(ctx), database_contents(ctx), set()
    analysis = get_analysis(ctx, over)
    assert analysis
    for number in range(0, over.head + 1, 3):
        page = reader.get(f"/g/{over.id}/analysis?at={number}")
        assert f"step {number} of {over.head}" in page
        told.add(re.sub(r"\s+", " ", page.partition('id="now"')[2].partition("</ul>")[0]))
    assert len(told) > 3
    assert database_contents(ctx) == before
    end = reader.get(f"/g/{over.id}/analysis")
    assert f"step {over.head} of {over.head}" in end
    chances = re.findall(r"<strong>(\d+%)</strong>", end.partition('id="now"')[2].partition("</ul>")[0])
    assert sorted(chances) == ["0%", "0%", "100%"]


def test_figures_of_each_player_are_listed_and_add_up(ctx: AppContext, over: StoredGame) -> None:
    page = Browser(ctx).get(f"/g/{over.id}/analysis")
    tables = re.findall(r'<h3 id="player-\d">.*?<bdi>(\w+)</bdi></h3>\s*<table class="bars">(.*?)</table>', page, re.S)
    assert [name for name, _ in tables] == ["ann", "bo", "cy"]
    for _, table in tables:
        numbers = [int(number.replace("−", "-")) for number in re.findall(r'<span dir="ltr">([+−\d]+)%</span>', table)]  # noqa: RUF001
        assert sum(numbers[:-1]) == numbers[-1]
        assert re.findall(r'<th scope="row">(.*?)</th>', table) == [
            *("At the start", "Luck", "Own choices", "Others&#39; choices", "Rest", "At the end")
        ]


def test_the_costliest_choices_lead_to_their_positions(ctx: AppContext, over: StoredGame) -> None:
    analysis = get_analysis(ctx, over)
    assert analysis
    worst = find_costliest(analysis)
    reader = Browser(ctx)
    page = reader.get(f"/g/{over.id}/analysis")
    listed = page.partition('id="mistakes-title"')[2].partition("</section>")[0]
    assert re.findall(r'href="\?at=(\d+)"', listed) == [str(decision.seq - 1) for decision in worst]
    assert listed.count("Better: ") == len(worst)
    for decision in worst:
        place = unescape(reader.get(f"/g/{over.id}/analysis?at={decision.seq - 1}"))
        shown = place.partition('id="decision"')[2].partition("</div>")[0]
        assert f"{('ann', 'bo', 'cy')[decision.seat]}'s choice: " in shown
        assert "Better: " in shown


def test_a_best_choice_is_praised(ctx: AppContext, over: StoredGame) -> None:
    analysis = get_analysis(ctx, over)
    assert analysis
    best = next(decision for decision in analysis.decisions if decision.cost == 0)
    page = Browser(ctx).get(f"/g/{over.id}/analysis?at={best.seq - 1}")
    assert "That was the best choice." in page
    assert "Better: " not in page.partition('id="decision"')[2].partition("</div>")[0]


@pytest.mark.parametrize(
    ("query", "status"), [("at=x", 400), ("at=-1", 400), ("at=99999999999", 400), ("at=100000", 404)]
)
def test_a_moment_that_is_not_there_is_refused(ctx: AppContext, over: StoredGame, query: str, status: int) -> None:
    Browser(ctx).get(f"/g/{over.id}/analysis?{query}", status)


def test_until_it_is_computed_the_page_says_so(ctx: AppContext, over: StoredGame) -> None:
    GameAnalysis.update(body=None, due=0.0).execute(ctx.database)
    page = Browser(ctx).get(f"/g/{over.id}/analysis", 202)
    assert "The game is being analysed." in page
    assert f'href="/g/{over.id}/analysis">Look again</a>' in page
    compute_next(ctx)
    assert "Luck and skill" in Browser(ctx).get(f"/g/{over.id}/analysis")


def test_the_pages_of_a_finished_game_link_to_its_analysis(ctx: AppContext, over: StoredGame) -> None:
    link = f'href="/g/{over.id}/analysis">Analysis</a>'
    for path in (f"/g/{over.id}", f"/g/{over.id}/over"):
        assert link in Browser(ctx).get(path)
    GameAnalysis.update(body=None).execute(ctx.database)
    for path in (f"/g/{over.id}", f"/g/{over.id}/over"):
        assert "/analysis" not in Browser(ctx).get(path), "there is none, and there will be none"
    assert "couldn&#39;t be analysed" in Browser(ctx).get(f"/g/{over.id}/analysis", 404)


def test_a_game_without_analysis_has_no_link_and_no_page(ctx: AppContext, ann: Player, bo: Player) -> None:
    request = new_game(*[BOT], options={})._replace(game="kilim")
    game = create_game(ctx, ann, request)
    game = act(ctx, game.id, 0, game.head, {"type": "resign"}, "").game
    assert game.status == "finished"
    for path in (f"/g/{game.id}", f"/g/{game.id}/over"):
        assert "/analysis" not in Browser(ctx).get(path)
    page = unescape(Browser(ctx).get(f"/g/{game.id}/analysis", 404))
    assert "There's no analysis for this game. Watch the replay instead." in page
    assert f'href="/g/{game.id}/replay">Replay</a>' in page
    assert "Look again" not in page


def test_a_position_of_marrakech_is_shown_as_the_player_saw_it(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    for _ in range(8):
        game = play_one_action(ctx, game).game
    game = act(ctx, game.id, 1, game.head, {"type": "resign"}, "").game
    compute_next(ctx)
    analysis = get_analysis(ctx, game)
    assert analysis
    laid = next(each for each in analysis.decisions if each.action["type"] == "lay")
    page = unescape(Browser(ctx).get(f"/g/{game.id}/analysis?at={laid.seq - 1}"))
    place = "-".join(laid.action["squares"])
    assert f"{('ann', 'bo')[laid.seat]}'s choice: #1 - rug on {place}" in page
    assert f'data-place="{place}"' in page, "the places are numbered on the board"


def test_a_running_game_leads_to_the_game(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    for browser in (Browser(ctx), Browser(ctx, "ann@example.org")):
        answer = browser.client.get(f"/g/{game.id}/analysis")
        assert (answer.status_code, answer.location) == (302, f"/g/{game.id}")
