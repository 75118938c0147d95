"""The pages behind the links in letters: looking never plays, posting plays once."""

import re
import threading
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Event, Letter, Player
from service.games.lobby import NewGameRequest, SeatRequest, accept, create_game
from service.games.store import StoredGame, load
from service.mail.letters import compose
from service.routes.current import SESSION_COOKIE
from tests.mail.tables import links_in
from tests.support.apps import app_for
from tests.support.clock import Clock
from tests.support.tables import OPEN, join
from tests.support.timed import tick_at


class Link:
    """A link out of a letter, opened in a browser without JavaScript."""

    def __init__(self, ctx: AppContext, path: str) -> None:
        self.client = app_for(ctx).test_client()
        self.path = path

    def open(self, query: str = "") -> TestResponse:
        return self.client.get(self.path + query)

    def form(self) -> dict[str, str]:
        """The hidden fields of the page's form."""
        return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', self.open().text))

    def choices(self) -> list[str]:
        return re.findall(r'type="radio" name="do" value="([^"]*)"', self.open().text)

    def press(self, do: str, **fields: str) -> TestResponse:
        return self.client.post(self.path, data={**self.form(), "do": do, **fields})


@pytest.fixture
def game(ctx: AppContext) -> StoredGame:
    """Ann and Bo play, and Ann is to move."""
    ann, bo = (find_or_create_player(ctx, f"{name}@example.org") for name in ("ann", "bo"))
    wish = NewGameRequest(
        "marrakech", "<b>Souk</b>", [SeatRequest("bo@example.org", "<i>Bo</i>")], {"first": 0}, 86_400
    )
    table = create_game(ctx, ann, wish)
    return accept(ctx, table.id, 1, bo.id)


def turn_link(ctx: AppContext, game: StoredGame, seat: int = 0, turn: int = 1) -> Link:
    return Link(ctx, f"/t/{ctx.tokens.turn(game.id, seat, turn, 0)}")


def count(ctx: AppContext, model: Any) -> int:
    return int(model.select().count(ctx.database))


def test_a_turn_is_played_in_two_steps_and_the_page_then_says_whose_turn_it_is(
    ctx: AppContext, game: StoredGame
) -> None:
    link = turn_link(ctx, game)
    assert link.choices() == ["left", "ahead", "right"]
    assert "It's your turn." in link.open().text
    rolled = link.press("left")
    assert (rolled.status_code, rolled.headers["Location"]) == (303, f"{link.path}?played")
    places = link.choices()
    assert all(re.fullmatch("[a-g][1-7]-[a-g][1-7]", place) for place in places)
    assert 'class="place"' in link.open().text
    link.press(places[0])
    assert "Waiting for &lt;i&gt;Bo&lt;/i&gt;." in link.open().text
    assert link.choices() == []
    assert load(ctx.database, game.id).turn == 2


def test_opening_a_link_never_plays_however_often(ctx: AppContext, game: StoredGame) -> None:
    letters = list(Letter.select().execute(ctx.database))
    links = [link for letter in letters for link in links_in(compose(ctx, letter))]
    assert len(links) >= 5
    before = count(ctx, Event), count(ctx, Letter), load(ctx.database, game.id)
    for link in links * 2:
        opened = Link(ctx, link.removeprefix(ctx.settings.base_url)).open()
        assert opened.status_code == 200, link
    assert (count(ctx, Event), count(ctx, Letter), load(ctx.database, game.id)) == before


def test_a_link_with_a_choice_has_it_chosen_already(ctx: AppContext, game: StoredGame) -> None:
    page = turn_link(ctx, game).open("?do=right").text
    assert re.findall(r'value="(\w+)" required checked', page) == ["right"]
    assert " checked>" not in turn_link(ctx, game).open("?do=nonsense").text


def test_a_used_link_still_shows_the_game_and_plays_no_more(ctx: AppContext, game: StoredGame) -> None:
    link = turn_link(ctx, game)
    link.press("ahead")
    link.press(link.choices()[0])
    events = count(ctx, Event)
    again = link.client.post(link.path, data={"do": "left", "head": str(events), "salt": ""})
    assert again.status_code == 409
    assert "This link is for a turn that" in again.text
    assert count(ctx, Event) == events


def test_a_used_link_says_so_when_it_is_the_readers_turn_again(ctx: AppContext) -> None:
    ann = find_or_create_player(ctx, "ann@example.org")
    game = create_game(ctx, ann, NewGameRequest("marrakech", "", [SeatRequest(bot="medium")], {"first": 0}, None))
    link = turn_link(ctx, game)
    link.press("ahead")
    link.press(link.choices()[0])
    events = count(ctx, Event)
    page = link.open()
    assert page.status_code == 200
    assert "You have already played this turn." in page.text
    assert "The link for your next turn is in your newest e-mail." in page.text
    assert f'<a href="/g/{game.id}">Or sign in on the game' in page.text
    assert link.choices() == []
    link.client.set_cookie(SESSION_COOKIE, ctx.tokens.session(ann.id, ann.token_version, ctx.clock()))
    assert f'<a href="/g/{game.id}">Play your turn</a>' in link.open().text
    assert count(ctx, Event) == events


def test_a_page_that_was_open_when_its_turn_was_played_doesnt_call_its_link_old(
    ctx: AppContext, game: StoredGame
) -> None:
    link = turn_link(ctx, game)
    link.press("ahead")
    followed = link.client.get(link.press(link.choices()[0]).headers["Location"]).text
    polled = link.client.get(link.path, headers={"Game-Open": "yes"}).text
    for page in (followed, polled):
        assert "Waiting for &lt;i&gt;Bo&lt;/i&gt;." in page
        assert "already played" not in page
        assert "See the game as it is now" not in page
    assert "You have already played this turn." in link.open().text
    assert "You have already played this turn." in link.open("?do=left").text

    bo = turn_link(ctx, game, 1, 2)
    bo.press("ahead")
    bo.press(bo.choices()[0])
    again = link.client.get(f"{link.path}?played").text
    assert "already played" not in again
    assert "The link for your next turn is in your newest e-mail." in again


def test_an_old_link_doesnt_say_that_the_reader_played_what_a_stand_in_played(
    ctx: AppContext, game: StoredGame, clock: Clock
) -> None:
    tick_at(ctx, clock, game.deadline or 0)
    page = turn_link(ctx, game).open().text
    assert "This turn is over." in page
    assert "You have already played" not in page
    assert "See the game as it is now" in page


def test_an_old_link_says_who_was_on_time_although_a_stand_in_played_for_another(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, clock: Clock
) -> None:
    game = create_game(ctx, ann, NewGameRequest("kilim", "", [OPEN, OPEN], {}, 86_400))
    for player in (bo, cy):
        game = join(ctx, game.id, player)
    turn_link(ctx, game, 1).press("7")
    tick_at(ctx, clock, game.deadline or 0)
    assert "You have already played this turn." in turn_link(ctx, game, 1).open().text
    for late in (0, 2):
        page = turn_link(ctx, game, late).open().text
        assert "This turn is over." in page
        assert "You have already played" not in page


def test_a_link_opened_on_two_devices_plays_once(ctx: AppContext, game: StoredGame) -> None:
    app = app_for(ctx)
    path, form = turn_link(ctx, game).path, turn_link(ctx, game).form()
    start, answers = threading.Barrier(8), []

    def press() -> None:
        start.wait(30)
        answers.append(app.test_client().post(path, data={**form, "do": "left"}).status_code)
        ctx.database.close()

    devices = [threading.Thread(target=press) for _ in range(8)]
    for device in devices:
        device.start()
    for device in devices:
        device.join(60)
    assert answers == [303] * 8
    assert count(ctx, Event) == game.head + 3


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"do": "a1-a2"}, "next to Assam"),
        ({"do": "upwards"}, "Something is missing in this form"),
        ({"do": ""}, "Something is missing in this form"),
        ({"do": "left", "head": "x"}, "Something is missing in this form"),
        ({"do": "left", "head": "99"}, "The game has changed since you last looked"),
    ],
)
def test_a_refusal_is_said_on_the_page_and_nothing_changes(
    ctx: AppContext, game: StoredGame, fields: dict[str, str], sentence: str
) -> None:
    link = turn_link(ctx, game)
    if fields["do"] == "a1-a2":
        link.press("left")
    before = count(ctx, Event)
    refused = link.press(**fields)
    assert refused.status_code in {400, 409}
    assert sentence in refused.text
    assert "<h1>" in refused.text
    assert count(ctx, Event) == before


def test_a_seat_is_taken_or_given_back_by_the_link_in_the_invitation(ctx: AppContext) -> None:
    ann = find_or_create_player(ctx, "ann@example.org")
    table = create_game(
        ctx,
        ann,
        NewGameRequest("marrakech", "", [SeatRequest("bo@example.org"), SeatRequest("cy@example.org")], {}, None),
    )
    bo, cy = (Link(ctx, f"/s/{ctx.tokens.seat(table.id, seat, 0)}") for seat in (1, 2))
    assert "Accept</button>" in bo.open().text
    assert bo.press("accept").status_code == 303
    assert "Accept</button>" not in bo.open().text
    cy.press("decline")
    assert load(ctx.database, table.id).seats[2].player is None
    assert cy.open().status_code == 410


def test_onlookers_see_the_game_and_can_do_nothing(ctx: AppContext, game: StoredGame) -> None:
    page = Link(ctx, f"/g/{game.id}")
    assert page.choices() == []
    assert "<form" not in page.open().text
    assert "example.org" not in page.open().text
    assert page.client.post(page.path, data={"do": "left", "head": str(game.head)}).status_code == 401
    assert load(ctx.database, game.id).head == game.head


def test_a_name_is_text_and_the_page_lets_nothing_in_or_out(ctx: AppContext, game: StoredGame) -> None:
    page = turn_link(ctx, game).open()
    assert "<b>Souk</b>" not in page.text
    assert "&lt;b&gt;Souk&lt;/b&gt;" in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "unsafe-inline" not in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/t/nonsense", "/s/nonsense", "/g/nowhere"])
def test_a_link_that_is_no_good_leads_to_a_friendly_page(ctx: AppContext, path: str) -> None:
    page = Link(ctx, path).open()
    assert page.status_code in {401, 404}
    assert page.mimetype == "text/html"
    assert "<h1>" in page.text


def test_a_seat_link_does_not_open_a_turn_page(ctx: AppContext, game: StoredGame) -> None:
    assert Link(ctx, f"/t/{ctx.tokens.seat(game.id, 0, 0)}").open().status_code == 401
    assert Link(ctx, f"/s/{ctx.tokens.turn(game.id, 0, 1, 0)}").open().status_code == 401
