"""Letters that are about something else offer the reader's choices as a turn's letter does, below their own matter."""

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from service.clocks.requests import list_requests
from service.context import AppContext
from service.db.models import LONGEST_MESSAGE, Game, Letter
from service.games.chat import post_message
from service.games.lobby import SeatRequest
from service.games.players import replace_links
from service.games.store import StoredGame, load
from service.mail.letters import Composed, compose
from service.mail.message import write_message
from service.mail.outbox import Addressee
from tests.mail.correspondence import ann_to_move, post
from tests.mail.html_reading import Read
from tests.mail.tables import BO, letters, links_in, one_step, played, started
from tests.mail.test_every_letter import check
from tests.support.apps import app_for
from tests.support.clock import Clock
from tests.support.tables import database_contents
from tests.support.timed import tick_at


@pytest.fixture
def game(ctx: AppContext) -> StoredGame:
    """Ann is to move in a game with Bo."""
    return ann_to_move(ctx, started(ctx, first=0), 2)


def talk(ctx: AppContext, game: StoredGame) -> Letter:
    post_message(ctx, game.id, 1, "Nice rug!")
    return letters(ctx, "talk")[-1]


def links(ctx: AppContext, game: StoredGame) -> Letter:
    replace_links(ctx, game.id, 0, game.host)
    return letters(ctx, "links")[-1]


def overdue(ctx: AppContext, game: StoredGame) -> Letter:
    Game.update(time_up="wait").where(Game.id == game.id).execute(ctx.database)
    return post(ctx, "time-up", game, waiting=True)


def written(ctx: AppContext, letter: Letter) -> Composed:
    composed = compose(ctx, letter)
    check(composed)
    return composed


def choices(composed: Composed) -> dict[str, str]:
    """The links of a letter by what stands behind `?do=` in them, as paths."""
    paths = (link.removeprefix("http://127.0.0.1:8000") for link in links_in(composed))
    return {do: path for path in paths if (do := path.partition("?do=")[2])}


def press(client: FlaskClient, path: str) -> None:
    """Open the page of a link and send what is chosen on it already."""
    page = client.get(path).text
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    (chosen,) = re.findall(r'name="do" value="([^"]*)"[^>]* required checked', page)
    assert client.post(path.partition("?")[0], data={**hidden, "do": chosen}).status_code == 303


@pytest.mark.parametrize("kind", [talk, links, overdue])
def test_its_links_choose_and_only_the_button_on_the_page_plays(
    ctx: AppContext, game: StoredGame, kind: Callable[[AppContext, StoredGame], Letter]
) -> None:
    client, offered = app_for(ctx).test_client(), choices(written(ctx, kind(ctx, game)))
    assert list(offered) == ["left", "ahead", "right"]
    before = database_contents(ctx)
    for path in offered.values():
        assert client.get(path).status_code == 200
    assert database_contents(ctx) == before
    press(client, offered["ahead"])
    rolled = load(ctx.database, game.id)
    assert (rolled.turn, rolled.state.phase) == (game.turn, "placement")


@pytest.mark.parametrize("kind", [talk, links, overdue])
def test_in_the_middle_of_a_turn_it_numbers_the_places_on_the_board_and_links_each(
    ctx: AppContext, game: StoredGame, kind: Callable[[AppContext, StoredGame], Letter]
) -> None:
    game = one_step(ctx, game)
    composed = written(ctx, kind(ctx, game))
    places = ["-".join(action["squares"]) for action in game.rules.view(game.state, 0)["legal"]]
    offered = choices(composed)
    assert list(offered) == places
    board = composed.text.partition("         .---")[2]
    for number, place in enumerate(places, 1):
        assert f"#{number}" in board
        assert f"<b>{number}</b>&nbsp; {place}</a>" in composed.html
    press(app_for(ctx).test_client(), offered[places[-1]])
    assert load(ctx.database, game.id).turn == game.turn + 1


def test_what_was_said_comes_before_the_game(ctx: AppContext, game: StoredGame) -> None:
    composed = written(ctx, talk(ctx, game))
    for part in (composed.text, Read(composed.html).text):
        order = ["Bo: Nice rug!", "Open the game", "Which way should Assam go?", "Since your last turn"]
        assert sorted(order, key=part.index) == order


def test_who_has_just_moved_reads_that_nothing_has_happened_since(ctx: AppContext, game: StoredGame) -> None:
    played(ctx, game, game.turn)
    composed = written(ctx, talk(ctx, game))
    assert "Nothing has happened since your last turn." in composed.text
    assert "Nothing has happened since your last turn." in Read(composed.html).said
    assert choices(composed) == {}


def test_a_turn_that_a_stand_in_has_finished_is_told(ctx: AppContext, clock: Clock, game: StoredGame) -> None:
    game = one_step(ctx, game)
    tick_at(ctx, clock, game.deadline or 0)
    told = " ".join(written(ctx, talk(ctx, game)).text.split())
    assert "Since your last turn: * Your stand-in laid a " in told
    assert "rolled" not in told


def test_the_others_have_a_link_for_each_decision_and_none_decides_by_being_opened(
    ctx: AppContext, clock: Clock, game: StoredGame
) -> None:
    Game.update(time_up="wait").where(Game.id == game.id).execute(ctx.database)
    tick_at(ctx, clock, game.deadline or 0)
    (to_bo,) = [letter for letter in letters(ctx, "time-up") if letter.address == BO]
    offered, client, before = choices(written(ctx, to_bo)), app_for(ctx).test_client(), database_contents(ctx)
    assert list(offered) == ["stand-in", "more-time"]
    for do, path in offered.items():
        assert re.findall(r'value="([a-z-]+)" autofocus', client.get(path).text) == [do]
    assert database_contents(ctx) == before
    client.post(offered["stand-in"].partition("?")[0], data={"do": "stand-in"})
    assert load(ctx.database, game.id).turn == game.turn + 1


def test_who_is_out_reads_that_the_others_decide_and_is_asked_nothing(
    ctx: AppContext, clock: Clock, game: StoredGame
) -> None:
    cy = SeatRequest(email="cy@example.org", name="Cy")
    game = ann_to_move(ctx, started(ctx, SeatRequest(email=BO, name="Bo"), cy, first=0))
    game = one_step(ctx, game)
    client = app_for(ctx).test_client()
    seat = f"/s/{ctx.tokens.seat(game.id, 2, 0)}"
    client.post(seat, data={"do": "resign", "sure": "yes", "head": str(game.head)})
    Game.update(time_up="wait").where(Game.id == game.id).execute(ctx.database)
    tick_at(ctx, clock, game.deadline or 0)
    (to_cy,) = [letter for letter in letters(ctx, "time-up") if letter.seat == 2]
    composed = written(ctx, to_cy)
    said = 'Ann ran out of time in "Market day". The other players decide what happens next.'
    assert said in " ".join(composed.text.split())
    assert choices(composed) == {}
    assert list_requests(ctx, load(ctx.database, game.id)) == []


@pytest.mark.parametrize("sign", ["y ", '"', "<", "絨", "é", "=", "\N{PILE OF POO}", "\U000e0101"])
def test_a_wall_of_any_sign_keeps_to_the_size_of_a_letter(ctx: AppContext, sign: str) -> None:
    game = ann_to_move(ctx, started(ctx, first=0), 16)
    game = one_step(ctx, game)
    for number in range(25):
        post_message(ctx, game.id, 1, f"{number}{sign * LONGEST_MESSAGE}"[:LONGEST_MESSAGE])
    letter = letters(ctx, "talk")[-1]
    addressee = Addressee(1, {}, None, "playing", game.turn, to_act=True, link_version=0)
    composed = compose(ctx, letter)
    assert "(The game's page shows the earlier messages.)" in composed.text
    assert "Bo: 24" in " ".join(composed.text.split())
    assert len(write_message(ctx, letter, addressee, composed)) < 150_000
    assert len(composed.html.encode()) < 60_000
