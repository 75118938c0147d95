"""A player who has the game open gets no letter about a turn that they play within five minutes."""

from contextlib import closing

import pytest
from flask.testing import FlaskClient

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.letter_texts import TURN_PLAYED
from service.db.models import Player, Seat
from service.games.presence import HELD_SECONDS, OPEN_SECONDS
from service.games.store import StoredGame, load
from service.mail.delivery import Delivery
from tests.mail.smtp_server import SmtpServer
from tests.mail.tables import ANN, letters
from tests.support.apps import app_for
from tests.support.clock import Clock
from tests.support.people import Cast
from tests.support.tables import legal_actions, play_one_action, start_game

pytestmark = pytest.mark.databases("sqlite", "postgresql")

OPEN = {"Game-Open": "yes"}


@pytest.fixture
def client(mailing: AppContext) -> FlaskClient:
    return app_for(mailing).test_client()


def against_a_bot(ctx: AppContext) -> StoredGame:
    """Ann begins a game against a bot."""
    return start_game(ctx, [find_or_create_player(ctx, ANN)], bots=1)


def seat_link(ctx: AppContext, game: StoredGame) -> str:
    return f"/s/{ctx.tokens.seat(game.id, 0, 0)}"


def press(client: FlaskClient, ctx: AppContext, game: StoredGame, **headers: str) -> None:
    """Play Ann's first legal action on the page."""
    now = load(ctx.database, game.id)
    action = legal_actions(now)[0]
    do = action["direction"] if action["type"] == "face" else "-".join(action["squares"])
    answer = client.post(seat_link(ctx, game), data={"do": do, "head": str(now.head)}, headers=headers)
    assert answer.status_code == 303, answer.text


def deliver_all(delivery: Delivery) -> None:
    while delivery.deliver():
        pass


def test_six_turns_at_the_page_send_no_letter(
    mailing: AppContext, client: FlaskClient, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    game = against_a_bot(mailing)
    client.get(seat_link(mailing, game), headers=OPEN)
    for _ in range(12):
        deliver_all(delivery)
        clock.now += 20
        press(client, mailing, game, **OPEN)
    found = letters(mailing, "turn")
    assert [(letter.status, letter.trouble) for letter in found[:-1]] == [("dropped", TURN_PLAYED)] * 6
    deliver_all(delivery)
    clock.now += HELD_SECONDS - 1
    deliver_all(delivery)
    assert server.letters == []
    clock.now += 1
    deliver_all(delivery)
    assert [letter.address for letter in server.letters] == [ANN]  # Ann did not play the seventh turn


def test_a_new_game_against_bots_sends_no_letter_before_its_host_can_open_it(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    cast = Cast(mailing)
    view = cast.ann.post("/games", {"game": "marrakech", "seats": [{"bot": "medium"}], "options": {"first": 0}}, 201)
    assert view["to_act"] == [0]
    deliver_all(delivery)
    assert server.letters == []
    clock.now += HELD_SECONDS
    deliver_all(delivery)
    assert [letter.address for letter in server.letters] == [ANN]


def test_who_has_closed_the_page_gets_the_letter_at_once(
    mailing: AppContext, client: FlaskClient, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    game = against_a_bot(mailing)
    client.get(seat_link(mailing, game), headers=OPEN)
    clock.now += OPEN_SECONDS + 1
    deliver_all(delivery)
    assert [letter.address for letter in server.letters] == [ANN]


def test_opening_a_link_without_the_page_s_script_holds_nothing_back(
    mailing: AppContext, client: FlaskClient, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    game = against_a_bot(mailing)
    clock.now += OPEN_SECONDS + 1
    client.get(seat_link(mailing, game))
    deliver_all(delivery)
    assert len(server.letters) == 1


def test_the_setting_sends_every_letter_at_once(
    mailing: AppContext, client: FlaskClient, delivery: Delivery, server: SmtpServer
) -> None:
    cast = Cast(mailing)
    assert cast.ann.get("/me")["mail"]["at_once"] is False
    assert cast.ann.call("PATCH", "/me", {"mail": {"at_once": True}}).status_code == 200
    game = against_a_bot(mailing)
    client.get(seat_link(mailing, game), headers=OPEN)
    deliver_all(delivery)
    assert len(server.letters) == 1


def test_a_program_that_plays_says_so_in_a_header(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    cast, game = Cast(mailing), against_a_bot(mailing)
    cast.ann.get(f"/games/{game.id}", 200, **OPEN)
    deliver_all(delivery)
    assert server.letters == []
    assert [(letter.status, letter.due) for letter in letters(mailing, "turn")] == [
        ("waiting", clock.now + HELD_SECONDS)
    ]


def test_nobody_else_can_hold_a_letter_back(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, eve: Player, clock: Clock
) -> None:
    cast, game = Cast(mailing), against_a_bot(mailing)
    clock.now += OPEN_SECONDS + 1
    cast.eve.get(f"/games/{game.id}", 200, **OPEN)
    cast.nobody.get(f"/games/{game.id}", 200, **OPEN)
    deliver_all(delivery)
    assert len(server.letters) == 1


def test_a_held_letter_survives_the_end_of_the_worker(
    mailing: AppContext, client: FlaskClient, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    game = against_a_bot(mailing)
    client.get(seat_link(mailing, game), headers=OPEN)
    deliver_all(delivery)
    clock.now += HELD_SECONDS
    with closing(Delivery(mailing)) as another:
        deliver_all(another)
    assert len(server.letters) == 1


def test_presence_is_written_twice_a_minute_at_most(mailing: AppContext, client: FlaskClient, clock: Clock) -> None:
    game, written = against_a_bot(mailing), set()
    for _ in range(21):
        client.get(seat_link(mailing, game), headers=OPEN)
        written.add(Seat.select(Seat.seen).where((Seat.game == game.id) & (Seat.seat == 0)).scalar(mailing.database))
        clock.now += 3
    assert len(written) == 3


def test_a_turn_that_was_played_by_mail_drops_the_letter_that_was_held(
    mailing: AppContext, client: FlaskClient, delivery: Delivery, server: SmtpServer
) -> None:
    game = against_a_bot(mailing)
    client.get(seat_link(mailing, game), headers=OPEN)
    deliver_all(delivery)
    while load(mailing.database, game.id).turn == 1:
        play_one_action(mailing, load(mailing.database, game.id))
    assert letters(mailing, "turn")[0].trouble == TURN_PLAYED
