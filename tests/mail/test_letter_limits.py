"""Nobody can be flooded with letters: limits for each address, no invitations for who wants none, all links in one."""

import json
from collections.abc import Iterator

import pytest

from service.auth.login import create_login_code, find_or_create_player
from service.auth.rate_limits import LETTERS_BY_ADDRESS, LETTERS_TO_STRANGER, LINKS_BY_ADDRESS, LINKS_BY_NETWORK
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Game, Letter, Player
from service.games.lobby import NewGameRequest, SeatRequest, accept, cancel, create_game
from service.games.players import resend_links
from service.games.store import StoredGame, load
from service.mail.delivery import Delivery
from service.mail.letters import Outdated, compose
from tests.mail.tables import ANN, BO, letters, links_in, started, table
from tests.mail.test_every_letter import check
from tests.support.clock import Clock
from tests.support.people import Cast

TOO_MANY = "This address has had too many e-mails of this kind lately."
NOT_WANTED = "The player has turned off e-mails of this kind."
STRANGER = LETTERS_TO_STRANGER["invitation"].most
DAY = 24 * 3600


@pytest.fixture
def delivery(ctx: AppContext) -> Iterator[Delivery]:
    opened = Delivery(ctx)
    yield opened
    opened.close()


def invite_bo(ctx: AppContext, host: str) -> StoredGame:
    wish = NewGameRequest("marrakech", "", (SeatRequest(email=BO),), {}, None)
    return create_game(ctx, find_or_create_player(ctx, host), wish)


def deliver_all(delivery: Delivery) -> None:
    while delivery.deliver():
        pass


def outcomes(ctx: AppContext, kind: str) -> list[tuple[str, str | None]]:
    return [(letter.status, letter.trouble) for letter in letters(ctx, kind)]


def test_a_stranger_gets_few_letters_a_day_from_everybody_together(
    ctx: AppContext, delivery: Delivery, clock: Clock
) -> None:
    games = [invite_bo(ctx, f"eve{number}@example.org") for number in range(STRANGER - 1)]
    deliver_all(delivery)
    for game in games:
        cancel(ctx, game.id, game.host)
    invite_bo(ctx, "cy@example.org")
    deliver_all(delivery)
    assert outcomes(ctx, "invitation") == [("kept", None)] * (STRANGER - 1) + [("dropped", TOO_MANY)]
    assert outcomes(ctx, "cancelled") == [("kept", None)] + [("dropped", TOO_MANY)] * (STRANGER - 2)
    clock.now += DAY
    invite_bo(ctx, "cy@example.org")
    deliver_all(delivery)
    assert outcomes(ctx, "invitation")[-1] == ("kept", None)


def test_a_player_gets_more_invitations_and_every_letter_about_a_turn(ctx: AppContext, delivery: Delivery) -> None:
    most = LETTERS_BY_ADDRESS["invitation"].most
    games = [invite_bo(ctx, f"eve{number}@example.org") for number in range(most + 3)]
    accept(ctx, games[0].id, 1, find_or_create_player(ctx, BO).id)
    deliver_all(delivery)
    # The first of them was dropped because its game has started.
    assert [status for status, _ in outcomes(ctx, "invitation")].count("kept") == most
    assert outcomes(ctx, "invitation")[-2:] == [("dropped", TOO_MANY)] * 2
    for game in games[1:]:
        accept(ctx, game.id, 1, find_or_create_player(ctx, BO).id)
    deliver_all(delivery)
    assert {status for status, _ in outcomes(ctx, "turn")} == {"kept"}
    assert len(letters(ctx, "turn")) == len(games)


def test_a_letter_that_is_tried_again_counts_once(ctx: AppContext, delivery: Delivery) -> None:
    for _ in range(STRANGER):
        invite_bo(ctx, ANN)
    Letter.update(tries=1).where(Letter.id > letters(ctx)[0].id).execute(ctx.database)
    deliver_all(delivery)
    for _ in range(STRANGER):
        invite_bo(ctx, ANN)
    deliver_all(delivery)
    assert [status for status, _ in outcomes(ctx, "invitation")].count("kept") == 2 * STRANGER - 1


def test_sign_in_letters_to_a_stranger_are_limited_for_a_day(ctx: AppContext, delivery: Delivery) -> None:
    most = LETTERS_TO_STRANGER["sign-in"].most
    for _ in range(most + 1):
        create_login_code(ctx, BO)
    deliver_all(delivery)
    assert outcomes(ctx, "sign-in") == [("kept", None)] * most + [("dropped", TOO_MANY)]


def test_who_wants_no_invitations_gets_none_and_the_host_cannot_tell(ctx: AppContext, delivery: Delivery) -> None:
    cast = Cast(ctx)
    wish = {"game": "marrakech", "seats": [{"email": BO, "name": "Guest"}]}
    before = cast.ann.post("/games", wish, 201)
    deliver_all(delivery)
    Player.update(mail=json.dumps({"invitations": False})).where(Player.email == BO).execute(ctx.database)
    after = cast.ann.post("/games", wish, 201)
    deliver_all(delivery)
    assert outcomes(ctx, "invitation") == [("kept", None), ("dropped", NOT_WANTED)]
    assert letters(ctx, "undeliverable") == []
    unlike = {"id", "dice", "invitation"}
    seen = [cast.ann.get(f"/games/{view['id']}") for view in (before, after)]
    first, second = ({key: value for key, value in view.items() if key not in unlike} for view in seen)
    assert first == second
    cast.ann.call("DELETE", f"/games/{after['id']}")
    deliver_all(delivery)
    assert outcomes(ctx, "cancelled") == [("dropped", NOT_WANTED)]


def test_who_has_taken_a_seat_hears_that_the_table_is_called_off(ctx: AppContext, delivery: Delivery) -> None:
    game = table(ctx, SeatRequest(email=BO), SeatRequest())
    accept(ctx, game.id, 1, find_or_create_player(ctx, BO).id)
    Player.update(mail=json.dumps({"invitations": False})).where(Player.email == BO).execute(ctx.database)
    cancel(ctx, game.id, game.host)
    deliver_all(delivery)
    assert outcomes(ctx, "cancelled") == [("kept", None)]


def test_all_links_come_in_one_letter_with_the_state_of_each_game(ctx: AppContext) -> None:
    playing, waiting = started(ctx, name="Friday", first=1), table(ctx, name="Sunday")
    over = table(ctx, name="Never")
    Game.update(status="cancelled").where(Game.id == over.id).execute(ctx.database)
    resend_links(ctx, BO)
    (letter,) = letters(ctx, "links")
    assert letter.game is None
    composed = compose(ctx, letter)
    check(composed)
    assert composed.subject == "The links to your games"
    tokens = [link.rpartition("/s/")[2] for link in links_in(composed)]
    assert {ctx.tokens.read_seat(token).game for token in tokens} == {playing.id, waiting.id}
    assert "Friday (Your turn):\n" in composed.text
    assert "Sunday (You're invited):\n" in composed.text
    assert "Never" not in composed.text


def test_fifty_games_fit_into_the_letter_with_all_links(ctx: AppContext) -> None:
    for _ in range(51):
        table(ctx, name="絨毯" * 20)
    resend_links(ctx, BO)
    composed = compose(ctx, letters(ctx, "links")[-1])
    check(composed)
    assert len(links_in(composed)) == 50


def test_a_stranger_who_asks_for_links_gets_no_letter(ctx: AppContext, delivery: Delivery) -> None:
    resend_links(ctx, "stranger@example.org")
    with pytest.raises(Outdated):
        compose(ctx, letters(ctx, "links")[-1])
    deliver_all(delivery)
    assert [status for status, _ in outcomes(ctx, "links")] == ["dropped"]


def test_links_are_limited_by_address_and_network_and_apart_from_signing_in(ctx: AppContext) -> None:
    nobody = Cast(ctx).nobody
    for email in (ANN, "stranger@example.org"):
        for _ in range(LINKS_BY_ADDRESS.most):
            nobody.post("/links", {"email": email}, 202)
        nobody.post("/links", {"email": email}, 429)
    for number in range(LINKS_BY_NETWORK.most - 2 * LINKS_BY_ADDRESS.most):
        nobody.post("/links", {"email": f"p{number}@example.org"}, 202)
    nobody.post("/links", {"email": "another@example.org"}, 429)
    nobody.post("/login", {"email": ANN}, 202)


def test_replacing_links_is_limited(ctx: AppContext) -> None:
    cast = Cast(ctx)
    game = cast.table()["id"]
    for _ in range(10):
        cast.ann.post(f"/games/{game}/seats/0/links", status=202)
    cast.ann.post(f"/games/{game}/seats/0/links", status=429)
    assert load(ctx.database, game).seats[0].link_version == 10


def test_talk_is_limited_and_nothing_of_it_is_lost(ctx: AppContext, delivery: Delivery, clock: Clock) -> None:
    game = started(ctx)
    most = LETTERS_BY_ADDRESS["talk"].most
    due = [NewLetter("talk", BO, f"talk/{number}", game.id, 1, details='{"after": 0}') for number in range(most + 1)]
    cast = Cast(ctx)
    cast.ann.post(f"/games/{game.id}/messages", {"text": "Hello"}, 201)
    with ctx.database.atomic():
        enqueue_letters(ctx.database, due, clock.now)
    deliver_all(delivery)
    assert outcomes(ctx, "talk").count(("dropped", TOO_MANY)) == 1
