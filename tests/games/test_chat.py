"""Chat messages reach the other players in digests, and never their sender."""

import json

import pytest

from service.context import AppContext
from service.db.models import Letter, Player, Seat
from service.games.chat import DIGEST_SECONDS, REPEAT_SECONDS, list_messages, post_message
from service.games.lobby import SeatRequest
from service.games.store import StoredGame
from service.mail.letters import Composed, Outdated, compose
from tests.mail.tables import ANN, BO, letters, links_in, one_step, started, table
from tests.mail.test_every_letter import check
from tests.support.clock import Clock

pytestmark = pytest.mark.databases("sqlite", "postgresql")

CY = "cy@example.org"


@pytest.fixture
def game(ctx: AppContext) -> StoredGame:
    """Ann, Bo, Cy and a bot."""
    chairs = (
        SeatRequest(email=BO, name="Bo"),
        SeatRequest(email=CY, name="Cy"),
        SeatRequest(bot="medium", name="Fatima"),
    )
    return started(ctx, *chairs, first=0)


def talk_letters(ctx: AppContext) -> list[tuple[str, float]]:
    return [(letter.address, letter.due) for letter in letters(ctx, "talk")]


def read(ctx: AppContext, place: int = 0) -> Composed:
    composed = compose(ctx, letters(ctx, "talk")[place])
    check(composed)
    return composed


def sent(ctx: AppContext, letter: Letter, now: float) -> None:
    Letter.update(status="sent", sent=now).where(Letter.id == letter.id).execute(ctx.database)


def test_other_players_get_one_digest_ten_minutes_after_the_first_message(
    ctx: AppContext, clock: Clock, game: StoredGame
) -> None:
    first = clock.now
    for text in ("Hello", "Is anybody there?", "I am moving soon"):
        post_message(ctx, game.id, 0, text)
        clock.now += 60
    assert talk_letters(ctx) == [(BO, first + DIGEST_SECONDS), (CY, first + DIGEST_SECONDS)]
    text = read(ctx).text
    assert "* Ann: Hello\n* Ann: Is anybody there?\n* Ann: I am moving soon\n" in text
    assert read(ctx).subject == "Game: Market day"
    assert [picture.name for picture in read(ctx).pictures] == ["board.png"]
    assert "dirhams" in text.lower()


def test_digests_are_enqueued_in_the_order_of_the_seats(ctx: AppContext, game: StoredGame) -> None:
    for seat in game.seats[1], game.seats[0]:  # a row that is changed moves to the end of its table in PostgreSQL
        Seat.update(name=Seat.name).where(Seat.seat == seat.seat).execute(ctx.database)
        Player.update(name=Player.name).where(Player.id == seat.player).execute(ctx.database)
    if ctx.settings.database_url.startswith("postgresql"):  # which may also go by the index
        ctx.database.execute_sql("set enable_indexscan = off; set enable_bitmapscan = off")
    post_message(ctx, game.id, 3, "From nobody in particular")
    assert [address for address, _ in talk_letters(ctx)] == [ANN, BO, CY]


def test_a_sender_is_not_mailed_their_own_messages(ctx: AppContext, game: StoredGame) -> None:
    post_message(ctx, game.id, 0, "From Ann")
    post_message(ctx, game.id, 1, "From Bo")
    assert sorted(address for address, _ in talk_letters(ctx)) == [ANN, BO, CY]
    by_address = {letter.address: compose(ctx, letter).text for letter in letters(ctx, "talk")}
    assert "From Ann" not in by_address[ANN]
    assert "From Bo" not in by_address[BO]
    assert "Ann: From Ann" in by_address[CY]
    assert "Bo: From Bo" in by_address[CY]


def test_after_a_digest_is_sent_the_next_message_starts_a_new_one(
    ctx: AppContext, clock: Clock, game: StoredGame
) -> None:
    post_message(ctx, game.id, 1, "One")
    clock.now += DIGEST_SECONDS
    post_message(ctx, game.id, 1, "Two, just in time")
    (to_ann, to_cy) = letters(ctx, "talk")
    assert "Two, just in time" in compose(ctx, to_ann).text
    sent(ctx, to_ann, clock.now)
    post_message(ctx, game.id, 1, "Three")
    assert [address for address, _ in talk_letters(ctx)] == [ANN, CY, ANN]
    third = read(ctx, 2).text
    assert "Three" in third
    assert "Two" not in third
    assert "Three" in compose(ctx, to_cy).text


def test_a_message_sent_while_a_digest_is_being_delivered_is_not_lost(
    ctx: AppContext, clock: Clock, game: StoredGame
) -> None:
    post_message(ctx, game.id, 1, "One")
    clock.now += DIGEST_SECONDS
    Letter.update(claimed_until=clock.now + 60).where(Letter.kind == "talk").execute(ctx.database)
    post_message(ctx, game.id, 1, "Two")
    assert [json.loads(letter.details)["after"] for letter in letters(ctx, "talk")] == [0, 0, 1, 1]


def test_a_player_who_turned_digests_off_gets_none(ctx: AppContext, game: StoredGame) -> None:
    Player.update(mail=json.dumps({"talk": False})).where(Player.email == BO).execute(ctx.database)
    post_message(ctx, game.id, 0, "Hello")
    assert [address for address, _ in talk_letters(ctx)] == [CY]


def test_an_invited_player_gets_no_digest_before_accepting(ctx: AppContext) -> None:
    waiting = table(ctx)
    post_message(ctx, waiting.id, 0, "Where is everybody?")
    assert talk_letters(ctx) == []


def test_messages_in_a_turn_letter_are_not_mailed_again_in_a_digest(
    ctx: AppContext, clock: Clock, game: StoredGame
) -> None:
    clock.now += 1
    post_message(ctx, game.id, 0, "Your move, Bo!")
    clock.now += 1
    while game.turn < 2:
        game = one_step(ctx, game)
    (turn,) = [letter for letter in letters(ctx, "turn") if letter.address == BO]
    written = compose(ctx, turn)
    check(written)
    assert "Chat:\n\n* Ann: Your move, Bo!\n" in written.text
    to_bo = next(letter for letter in letters(ctx, "talk") if letter.address == BO)
    assert "Your move" in compose(ctx, to_bo).text  # the turn's letter has not gone out yet
    sent(ctx, turn, clock.now)
    with pytest.raises(Outdated):
        compose(ctx, to_bo)
    clock.now += 1
    post_message(ctx, game.id, 2, "And mine is next")
    told = compose(ctx, to_bo).text
    assert "And mine is next" in told
    assert "Your move" not in told


def test_a_turn_letter_has_only_messages_since_the_previous_one(
    ctx: AppContext, clock: Clock, game: StoredGame
) -> None:
    said = []
    for round_ in range(2):
        while 0 not in game.rules.to_act(game.state) or game.turn < 1 + 4 * round_:
            game = one_step(ctx, game)
            clock.now += 1
        letter = [letter for letter in letters(ctx, "turn") if letter.address == ANN][-1]
        said.append(compose(ctx, letter).text)
        clock.now += 1
        post_message(ctx, game.id, 1, f"Round {round_}")
        clock.now += 1
        game = one_step(ctx, one_step(ctx, game))
    assert ["Round 0" in text for text in said] == [False, True]
    assert "Round 1" not in "".join(said)


def test_a_message_sent_twice_is_stored_once(ctx: AppContext, clock: Clock, game: StoredGame) -> None:
    first = post_message(ctx, game.id, 0, "Tea?")
    clock.now += REPEAT_SECONDS - 1
    assert post_message(ctx, game.id, 0, "Tea?") == first
    assert post_message(ctx, game.id, 1, "Tea?") != first  # somebody else
    assert post_message(ctx, game.id, 0, "Tea?").id > first.id  # no longer right after itself
    clock.now += REPEAT_SECONDS
    assert [line.text for line in list_messages(ctx, game.id, 0)] == ["Tea?"] * 3
    post_message(ctx, game.id, 0, "Tea?")  # long after
    assert len(list_messages(ctx, game.id, 0)) == 4


def test_a_long_message_breaks_no_line_and_places_no_link(ctx: AppContext, game: StoredGame) -> None:
    links = "https://evil.example/?do=left\nhttp://127.0.0.1:8000/t/x"
    for text in ("x" * 1000, links, "<b>" * 100, "\u202ebidi", "絨" * 500):
        post_message(ctx, game.id, 0, text)
    for number in range(20):
        post_message(ctx, game.id, 0, f"{number:02}" + "y " * 498)
    letter = read(ctx)
    assert len(links_in(letter)) == 1
    assert "(The game's page shows the earlier messages.)" in letter.text
    assert "<b><b>" not in letter.html
