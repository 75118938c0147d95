"""The replay of a game, and the page of its end."""

import re
from html import unescape
from xml.etree import ElementTree as ET

import pytest

from service.context import AppContext
from service.db.models import Player
from service.games.names import player_names
from service.games.store import StoredGame
from service.games.views import visible_record
from service.routes.pages.replay import replay_game
from service.ui.marrakech.finished import course_of, sum_payments
from tests.routes.pages.test_join import browser
from tests.routes.pages.test_table import shown
from tests.support.tables import database_contents, play_one_action, play_to_end, start_game


@pytest.fixture
def over(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> StoredGame:
    """A game of three that is over."""
    return play_to_end(ctx, start_game(ctx, [ann, bo, cy]))


def test_every_step_of_a_game_is_a_page_and_looking_changes_nothing(ctx: AppContext, over: StoredGame) -> None:
    client, before = browser(ctx), database_contents(ctx)
    told = set()
    for number in range(0, over.head + 1, 7):
        page = shown(client, f"/g/{over.id}/replay?step={number}")
        assert f"step {number} of {over.head}" in page
        told.add(re.findall(r'<p class="whose">(.*?)</p>', page)[0])
    assert len(told) > 5
    assert database_contents(ctx) == before


def find_steps(page: str) -> dict[str, int]:
    """The links to other steps by their words."""
    links = re.findall(r'<a class="[^"]*" href="\?step=(\d+)" data-step="\1"([^>]*)>(.*?)</a>', page)
    labels = [
        re.findall(r'aria-label="(.*?)"', more) or [re.sub(r"<span.*?</span>", "", inside)] for _, more, inside in links
    ]
    return {label[0].strip(): int(step) for (step, _, _), label in zip(links, labels, strict=True)}


def test_the_steps_lead_to_one_another(ctx: AppContext, over: StoredGame) -> None:
    # The first turn are steps 1 to 5: Ann starts, turns Assam, rolls, walks and lays a rug, so 7 is in the second.
    page = shown(browser(ctx), f"/g/{over.id}/replay?step=7")
    third = replay_game(ctx, over).parts.index(3)
    assert find_steps(page) == {
        "start": 0,
        "Previous turn": 5,
        "One step back": 6,
        "One step forward": 8,
        "Next turn": third - 1,
        "end": over.head,
    }
    first = shown(browser(ctx), f"/g/{over.id}/replay")
    assert 'rel="prev"' not in first
    last = shown(browser(ctx), f"/g/{over.id}/replay?step={over.head}")
    assert 'rel="next"' not in last
    assert f'href="/g/{over.id}/over"' in last


def test_next_turn_shows_each_turn_once_after_its_last_event_and_tells_all_of_it(
    ctx: AppContext, over: StoredGame
) -> None:
    client, step, shown_turns = browser(ctx), 0, []
    while step < over.head:
        step = find_steps(shown(client, f"/g/{over.id}/replay?step={step}"))["Next turn"]
        shown_turns.append(step)
    assert len(shown_turns) == over.turn
    page = unescape(shown(client, f"/g/{over.id}/replay?step={shown_turns[1]}"))
    assert f"Turn 2 of {over.turn}" in page
    told = re.findall(r'<p class="whose">(.*?)</p>', page)[0]
    assert [word in told for word in (" Assam ", " rolled ", " laid a ")] == [True] * 3


@pytest.mark.parametrize(
    ("query", "status", "sentence"),
    [
        ("step=x", 400, "The step must be a number"),
        ("step=-1", 400, "The step must be a number"),
        ("step=9999999999999999999999", 400, "The step must be a number"),
        ("step=100000", 404, "steps so far"),
    ],
)
def test_a_step_that_is_not_there_is_refused_in_words(
    ctx: AppContext, over: StoredGame, query: str, status: int, sentence: str
) -> None:
    page = browser(ctx).get(f"/g/{over.id}/replay?{query}")
    assert page.status_code == status
    assert sentence in page.text
    assert "<h1>" in page.text


def test_a_game_that_is_still_on_can_be_looked_back_at(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    game = play_one_action(ctx, play_one_action(ctx, game).game).game
    page = shown(browser(ctx), f"/g/{game.id}/replay?step={game.head}")
    assert f"step {game.head} of {game.head}" in page
    assert "/over" not in page


def test_the_replay_can_be_kept(ctx: AppContext, over: StoredGame) -> None:
    client = browser(ctx)
    page = shown(client, f"/g/{over.id}/replay?step=9")
    kept = re.findall(r'<a href="(/api[^"]+)" download="([^"]+)"', page)
    assert [name.rpartition(".")[2] for _, name in kept] == ["png", "svg", "txt", "json"]
    for address, _ in kept:
        assert client.get(address).status_code == 200
    assert f'value="{ctx.settings.base_url}/g/{over.id}/replay?step=9"' in page


def test_the_game_can_be_downloaded_as_an_animation(ctx: AppContext, over: StoredGame) -> None:
    client = browser(ctx)
    page = shown(client, f"/g/{over.id}/replay")
    address, name = re.findall(r'<a class="button" href="(/g/[^"]+)" download="([^"]+)"', page)[0]
    assert name == f"{over.id}-game.svg"
    film = client.get(address)
    assert film.mimetype == "image/svg+xml"
    assert len(film.data) < 1_000_000
    assert len(ET.fromstring(film.text).findall(".//{*}animate")) > over.turn  # noqa: S314 - the picture is our own
    assert browser(ctx).get(address).data == film.data


def test_the_animation_of_a_game_that_is_still_on_says_nothing_about_the_future(
    ctx: AppContext, ann: Player, bo: Player
) -> None:
    game = play_one_action(ctx, start_game(ctx, [ann, bo])).game
    film = browser(ctx).get(f"/g/{game.id}/game.svg")
    assert film.status_code == 200
    assert game.seed not in film.text
    players = browser(ctx, "ann@example.org").get(f"/g/{game.id}/game.svg")
    assert players.data == film.data, "a player's animation has no more in it than an onlooker's"


def test_the_end_shows_scores_payments_and_how_to_check_the_dice(ctx: AppContext, over: StoredGame) -> None:
    page = shown(browser(ctx), f"/g/{over.id}/over")
    result = over.state.result
    scores = re.findall(
        r"<td>(\d+)</td><td>(\d+)</td><td><strong>(\d+)</strong></td>\s*</tr>\s*<tr class=\"bar\"", page
    )
    ranked = [result.scores[seat] for seat in result.ranking]
    assert [tuple(map(int, row)) for row in scores] == [(each.dirhams, each.rugs, each.total) for each in ranked]
    assert f"marrakech-cli verify {over.id}.json" in page
    assert over.seed in page
    assert page.count('aria-labelledby="course-') == 2


def test_what_was_paid_and_owned_adds_up(ctx: AppContext, over: StoredGame) -> None:
    record = visible_record(ctx, over)
    course, payments = course_of(record), sum_payments(record.entries, 3)
    for seat in range(3):
        paid, got = sum(payments[seat]), sum(row[seat] for row in payments)
        assert course.dirhams[seat].values[-1] == 30 - paid + got
        assert course.squares[seat].values[-1] == over.state.visible(seat)
    assert sum(map(sum, payments)) > 0
    assert len(course.dirhams[0].values) == over.turn
    page = shown(browser(ctx), f"/g/{over.id}/over")
    rows = re.findall(
        r"<tr><th scope=\"row\"><bdi>(\w+)</bdi></th>((?:<td>[\d·]+</td>)+)<td><strong>(\d+)</strong>", page
    )
    assert [(name, int(total)) for name, _, total in rows] == [
        (name, sum(row)) for name, row in zip(player_names(over), payments, strict=True)
    ]


def test_the_end_of_a_game_that_goes_on_is_the_game(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    answer = browser(ctx).get(f"/g/{game.id}/over")
    assert (answer.status_code, answer.location) == (302, f"/g/{game.id}")


@pytest.mark.parametrize("page", ["", "/replay", "/over"])
def test_there_is_no_page_of_a_game_that_is_not_there(ctx: AppContext, page: str) -> None:
    answer = browser(ctx).get(f"/g/nowhere{page}")
    assert answer.status_code == 404
    assert "Check the link or the ID" in answer.text
