"""A whole turn in one reply: the direction is played, and the rug is laid as the same reply says."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from service.context import AppContext
from service.db.models import Event, Player, Seat
from service.games import play
from service.games.store import StoredGame, load
from service.mail.inbound import commands
from service.mail.inbound.answers import Outcome, Result
from service.mail.inbound.commands import NOT_UNDERSTOOD, Command
from service.mail.inbound.handler import receive
from service.mail.letters import compose
from service.ui.protocol import Step
from tests.mail.correspondence import ann_to_move
from tests.mail.inbound.post import address, answers, arrive, message
from tests.mail.tables import ANN, BO, letters, started
from tests.support.tables import database_contents, snapshot_matches
from tests.ui.sealed_bids_ui import SealedBidsUi

PLAYED = Outcome(Result.PLAYED)
PLACES = ["d6-d7", "d5-e5", "c4-c5", "b4-b5", "e4-e5", "f4-f5", "d2-d3", "d2-e2"]


def now(ctx: AppContext, game: StoredGame) -> StoredGame:
    return load(ctx.database, game.id)


def events(ctx: AppContext, game: StoredGame) -> list[Any]:
    """What has happened since."""
    rows = Event.select(Event.body).where((Event.game == game.id) & (Event.seq > game.head)).order_by(Event.seq)
    return [json.loads(body) for (body,) in rows.tuples().execute(ctx.database)]


def legal_places(ctx: AppContext, game: StoredGame) -> list[str]:
    return ["-".join(action["squares"]) for action in game.rules.view(now(ctx, game).state, 0)["legal"]]


def reply_that(ctx: AppContext, game: StoredGame, words: str, *, ends_turn: bool) -> bytes:
    """A message whose roll makes one of its places legal, or none of them; the roll depends on the message's id."""
    for number in range(200):
        raw = message(address(ctx, game, 0), words, message_id=f"<{number}@example.com>")
        with ctx.database.atomic() as transaction:
            assert receive(ctx, raw) == PLAYED
            ended = now(ctx, game).turn > game.turn
            transaction.rollback()
        if ended is ends_turn:
            return raw
    raise AssertionError("No message rolls what is needed.")


def test_the_rug_is_laid_on_the_first_place_that_is_legal(ctx: AppContext, game: StoredGame) -> None:
    raw = reply_that(ctx, game, f"left {' '.join(PLACES)}", ends_turn=True)
    between = receive_and_look(ctx, game, raw)
    *_, laid = events(ctx, game)
    first_legal = next(place for place in PLACES if place in between)
    assert (laid["type"], "-".join(laid["squares"])) == ("laid", first_legal)
    assert now(ctx, game).turn == 2
    assert [letter.address for letter in letters(ctx, "turn")] == [ANN, BO]
    assert letters(ctx, "roll") == answers(ctx) == []
    assert snapshot_matches(ctx, game.id)


def receive_and_look(ctx: AppContext, game: StoredGame, raw: bytes) -> list[str]:
    """Play a message, and say which places were legal after its first step."""
    seen: list[str] = []
    whole = play.apply_action

    def act(*args: Any) -> Any:
        done = whole(*args)
        seen.extend([] if seen else legal_places(ctx, game))
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play, "apply_action", act)
        assert receive(ctx, raw) == PLAYED
    return seen


def test_where_no_place_is_legal_the_usual_letter_asks_for_one(ctx: AppContext, game: StoredGame) -> None:
    assert receive(ctx, reply_that(ctx, game, "left d5-e5", ends_turn=False)) == PLAYED
    assert (now(ctx, game).turn, now(ctx, game).state.phase) == (1, "placement")
    (roll,) = letters(ctx, "roll")
    told = flat(compose(ctx, roll).text)
    assert ", rolled " in told
    assert "We couldn't play \"d5-e5\" or anything after it in your reply. d5-e5 isn't next to Assam" in told
    assert answers(ctx) == []
    assert arrive(ctx, game, 0, f"{legal_places(ctx, game)[0]}") == PLAYED
    assert now(ctx, game).turn == 2


@pytest.mark.parametrize("words", ["left auto", "left\nauto", "Left, automatically please!", "auto"])
def test_the_stand_in_lays_the_rug_as_the_players_own_action(ctx: AppContext, game: StoredGame, words: str) -> None:
    Seat.update(stood_in=1).where((Seat.game == game.id) & (Seat.seat == 0)).execute(ctx.database)
    assert arrive(ctx, game, 0, words) == PLAYED
    after = now(ctx, game)
    assert after.turn == 2
    assert after.seats[0].stood_in == 0, "a player who acts has returned"
    assert [event["type"] for event in events(ctx, game)][-1] == "laid"
    rows = Event.select(Event.actor).where((Event.seq > game.head) & Event.action.is_null(False)).tuples()
    assert list(rows.execute(ctx.database)) == [(0,), (0,)]
    assert not Event.select().where(Event.stand_in == True).exists(ctx.database)  # noqa: E712 - peewee makes SQL of it
    assert letters(ctx, "roll") == letters(ctx, "time-up") == []
    assert snapshot_matches(ctx, game.id)


def test_after_the_roll_the_place_can_be_left_to_the_stand_in(ctx: AppContext, game: StoredGame) -> None:
    arrive(ctx, game, 0, "left")
    assert arrive(ctx, game, 0, "auto") == PLAYED
    assert now(ctx, game).turn == 2


def test_the_stand_in_lays_the_rug_where_no_named_place_is_legal(ctx: AppContext, game: StoredGame) -> None:
    for number in range(6):
        with ctx.database.atomic() as transaction:
            assert arrive(ctx, game, 0, "left d5-e5 auto", message_id=f"<{number}@example.com>") == PLAYED
            assert now(ctx, game).turn == 2
            transaction.rollback()


def test_with_the_other_variant_the_place_comes_before_the_direction(ctx: AppContext) -> None:
    for words in ("%s left", "%s\nleft", "1 left", "%s auto"):
        game = started(ctx, first=0, variant="rotate-after")
        place = legal_places(ctx, game)[0]
        assert arrive(ctx, game, 0, words.replace("%s", place)) == PLAYED
        made = events(ctx, game)
        assert [event["type"] for event in made[:2]] == ["laid", "turned"]
        assert "-".join(made[0]["squares"]) == place
        assert now(ctx, game).turn == 2


def test_nothing_is_played_of_a_turn_that_is_not_understood(ctx: AppContext, game: StoredGame) -> None:
    assert arrive(ctx, game, 0, "left d5-e5 perhaps").why == NOT_UNDERSTOOD
    assert arrive(ctx, game, 0, "left d5-e5?").why == NOT_UNDERSTOOD
    assert now(ctx, game).head == game.head
    arrive(ctx, game, 0, "left")
    assert arrive(ctx, game, 0, "right d5-e5").why == "Assam has moved. Now lay a rug next to him."


@pytest.mark.databases("sqlite", "postgresql")
def test_the_same_message_again_plays_nothing_more(ctx: AppContext, game: StoredGame) -> None:
    raw = reply_that(ctx, game, "left d5-e5", ends_turn=False)
    assert receive(ctx, raw) == PLAYED
    before = database_contents(ctx)
    assert receive(ctx, raw) == Outcome(Result.REPEATED)
    assert database_contents(ctx) == before


@pytest.mark.databases("sqlite", "postgresql")
def test_a_crash_between_the_steps_leaves_nothing(ctx: AppContext, game: StoredGame) -> None:
    raw, before, whole = message(address(ctx, game, 0), "left auto"), database_contents(ctx), play.apply_action
    made: list[object] = []

    def act(*args: Any) -> Any:
        if made:
            raise ConnectionError("the power goes")
        made.append(whole(*args))
        return made[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play, "apply_action", act)
        with pytest.raises(ConnectionError):
            receive(ctx, raw)
    assert made
    assert database_contents(ctx) == before
    assert receive(ctx, raw) == PLAYED
    assert now(ctx, game).turn == 2


def test_every_step_has_a_salt_of_the_message(ctx: AppContext) -> None:
    standard, rotating = started(ctx, first=0), started(ctx, first=0, variant="rotate-after")
    for game, end in ((standard, ""), (rotating, "-2")):
        arrive(ctx, game, 0, "auto")
        (salt,) = {event["salt"] for event in events(ctx, game) if event["type"] == "rolled"}
        assert len(salt) == 32 + len(end)
        assert salt.endswith(end)


# What letters say


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", 'Or play your whole turn in one reply: "left d5-e5 e5-e6" lays your rug on the first of these places'),
        ("fr", "Ou jouez tout votre tour en une réponse : « à gauche d5-e5 e5-e6 » pose votre tapis"),
    ],
)
def test_the_letter_of_a_turn_says_that_the_whole_turn_can_be_played(
    ctx: AppContext, game: StoredGame, language: str, sentence: str
) -> None:
    Player.update(language=language).where(Player.email == ANN).execute(ctx.database)
    letter = compose(ctx, letters(ctx, "turn")[0])
    assert sentence in flat(letter.text)
    assert sentence.partition(":")[0] in letter.html
    words = "à gauche auto" if language == "fr" else "left auto"
    assert words in flat(letter.text)
    assert arrive(ctx, game, 0, words) == PLAYED
    assert now(ctx, game).turn == 2


def test_the_letter_of_the_other_variant_gives_the_other_order(ctx: AppContext) -> None:
    game = started(ctx, first=0, variant="rotate-after")
    place = legal_places(ctx, game)[0]
    assert f'in one reply: "{place} left" or "{place} auto".' in flat(compose(ctx, letters(ctx, "turn")[0]).text)
    arrive(ctx, game, 0, place)
    assert "in one reply" not in flat(compose(ctx, letters(ctx, "roll")[0]).text)


def test_the_next_letter_tells_what_came_of_the_whole_turn(ctx: AppContext, game: StoredGame) -> None:
    arrive(ctx, game, 0, "left auto")
    after = ann_to_move(ctx, now(ctx, game))
    told = flat(compose(ctx, letters(ctx, "turn")[-1]).text)
    assert after.turn > 2
    assert "You turned Assam west, rolled " in told
    assert "stand-in" not in told


# Games with one action on each line


class ManyBidsUi(SealedBidsUi):
    def plan_turn(self, readings: Sequence[str], view: Any) -> list[Step]:
        return [(reading,) for reading in readings]


def test_each_line_is_an_action_where_the_game_wants_it_so() -> None:
    view = {"legal": [{"type": "bid", "card": card} for card in (1, 2, 3)]}
    command = commands.parse_reply("Bid 1\n#2\ncard 3\nauto", ManyBidsUi(), view, "en")
    assert command == Command("act", "card-1 #2 card-3 auto", view["legal"][0], (("#2",), ("card-3",)), auto=True)
    assert isinstance(commands.parse_reply("Bid 1\nBid 9\n#2", ManyBidsUi(), view, "en"), commands.ParseFailure)
    assert isinstance(commands.parse_reply("1\n2", SealedBidsUi(), view, "en"), commands.ParseFailure)
