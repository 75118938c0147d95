"""Whose seat a stand-in keeps is told so by every answer, and comes back by a reply as well as by a click."""

import re

import pytest

from service.context import AppContext
from service.db.models import Player
from service.games.store import StoredGame, load
from service.i18n import translations_for
from service.mail.inbound.answers import NOT_YOUR_TURN, SEAT_IS_KEPT, TURN_IS_OVER, WELCOME_BACK, Outcome, Result
from service.mail.inbound.commands import NOT_LISTED
from service.mail.letters import compose
from tests.mail.inbound.post import arrive
from tests.mail.tables import ANN, DAY, letters, one_step
from tests.support.clock import Clock
from tests.support.tables import snapshot_matches
from tests.support.timed import tick_at


def mover(game: StoredGame) -> int:
    return min(game.rules.to_act(game.state))


@pytest.fixture
def kept(ctx: AppContext, clock: Clock, game: StoredGame) -> StoredGame:
    """Ann has let her time run out twice; it is Bo's turn."""
    for _ in range(2):
        while mover(game) == 1:
            game = one_step(ctx, game)
        tick_at(ctx, clock, clock.now + DAY)
        game = load(ctx.database, game.id)
    assert (game.seats[0].played_by_stand_in, mover(game)) == (True, 1)
    return game


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_letter_says_how_to_come_back_and_the_answer_to_it_does(ctx: AppContext, kept: StoredGame) -> None:
    letter = compose(ctx, letters(ctx, "time-up")[-1])
    assert "Or reply with: I am back." in flat(letter.text)
    assert "A stand-in plays for you until you come back." in flat(letter.text)
    turn = letters(ctx, "time-up")[-1].turn
    assert arrive(ctx, kept, 0, "I am back!", turn=turn) == Outcome(Result.PLAYED, True, WELCOME_BACK)
    assert not load(ctx.database, kept.id).seats[0].played_by_stand_in
    answer = compose(ctx, letters(ctx, "answer")[-1])
    assert "Welcome back! Your seat is yours again." in answer.text
    assert "We'll e-mail you when it's your turn" in flat(answer.text)
    assert snapshot_matches(ctx, kept.id)


@pytest.mark.parametrize(("language", "words"), [("en", "back"), ("de", "Ich bin wieder da"), ("fr", "de retour !")])
def test_it_can_be_said_in_the_players_language(ctx: AppContext, kept: StoredGame, language: str, words: str) -> None:
    Player.update(language=language).where(Player.email == ANN).execute(ctx.database)
    assert arrive(ctx, kept, 0, words).result is Result.PLAYED
    assert not load(ctx.database, kept.id).seats[0].played_by_stand_in


@pytest.mark.parametrize("words", ["left", "what now", "help"])
def test_every_answer_says_that_the_seat_is_kept_and_not_that_a_newer_letter_is_there(
    ctx: AppContext, kept: StoredGame, words: str
) -> None:
    assert arrive(ctx, kept, 0, words, turn=1).why == SEAT_IS_KEPT
    assert "I am back" in flat(compose(ctx, letters(ctx, "answer")[-1]).text)
    assert load(ctx.database, kept.id).seats[0].played_by_stand_in


def test_the_sentence_names_words_that_are_understood(ctx: AppContext, kept: StoredGame) -> None:
    say = translations_for("fr").gettext
    Player.update(language="fr").where(Player.email == ANN).execute(ctx.database)
    words = say(SEAT_IS_KEPT).rpartition(":")[2]
    assert arrive(ctx, kept, 0, words).result is Result.PLAYED


def test_whoever_is_there_already_does_not_come_back(ctx: AppContext, game: StoredGame) -> None:
    assert arrive(ctx, game, 0, "back").why == NOT_LISTED
    assert arrive(ctx, game, 1, "back").why == NOT_YOUR_TURN
    assert arrive(ctx, game, 1, "back", turn=7).why == TURN_IS_OVER


def test_who_comes_back_while_nobody_else_is_there_gets_the_letter_of_the_turn(
    ctx: AppContext, clock: Clock, kept: StoredGame
) -> None:
    game = kept
    while not (game.seats[1].played_by_stand_in and mover(game) == 0):
        tick_at(ctx, clock, clock.now + DAY)
        game = load(ctx.database, game.id)
    assert arrive(ctx, game, 0, "back") == Outcome(Result.PLAYED)
    assert letters(ctx, "turn")[-1].turn == game.turn
    assert letters(ctx, "answer") == []


def test_what_the_stand_in_did_is_not_told_as_the_readers_own_deed(ctx: AppContext, kept: StoredGame) -> None:
    arrive(ctx, kept, 0, "help")
    told = flat(compose(ctx, letters(ctx, "answer")[-1]).text)
    assert re.search("Your stand-in (turned|sent) Assam ", told)
    assert "You turned" not in told
    arrive(ctx, kept, 1, "help")
    assert re.search("Ann's stand-in (turned|sent) Assam ", flat(compose(ctx, letters(ctx, "answer")[-1]).text))
