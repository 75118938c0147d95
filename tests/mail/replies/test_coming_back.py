"""Whose seat a stand-in keeps is told so by every answer, and comes back by a reply as well as by a click."""

import pytest

from service.languages import translations_for
from service.mail.letters import compose
from service.mail.replies.grammar import NOT_LISTED
from service.mail.replies.receiving import NOT_YOUR_TURN, SEAT_IS_KEPT, TURN_IS_OVER, WELCOME_BACK, Outcome, Result
from service.models import Player
from service.office import Office
from service.store import load
from service.stored import StoredGame
from tests.mail.replies.post import arrive
from tests.mail.tables import ANN, DAY, letters, one_step
from tests.service.conftest import Clock
from tests.service.tables import is_sound
from tests.service.timed import ring_at


def mover(game: StoredGame) -> int:
    return min(game.rules.to_act(game.state))


@pytest.fixture
def kept(office: Office, clock: Clock, game: StoredGame) -> StoredGame:
    """Ann has let her time run out twice; it is Bo's turn."""
    for _ in range(2):
        while mover(game) == 1:
            game = one_step(office, game)
        ring_at(office, clock, clock.now + DAY)
        game = load(office.database, game.id)
    assert (game.seats[0].kept, mover(game)) == (True, 1)
    return game


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_letter_says_how_to_come_back_and_the_answer_to_it_does(office: Office, kept: StoredGame) -> None:
    letter = compose(office, letters(office, "time-up")[-1])
    assert "Or simply answer this letter with one line: I am back." in flat(letter.text)
    assert "a stand-in plays for you until you come back." in flat(letter.text)
    turn = letters(office, "time-up")[-1].turn
    assert arrive(office, kept, 0, "I am back!", turn=turn) == Outcome(Result.PLAYED, True, WELCOME_BACK)
    assert not load(office.database, kept.id).seats[0].kept
    answer = compose(office, letters(office, "answer")[-1])
    assert "welcome back: your seat is yours again." in answer.text
    assert "you will get a letter when it is your turn" in flat(answer.text)
    assert is_sound(office, kept.id)


@pytest.mark.parametrize(("language", "words"), [("en", "back"), ("de", "Ich bin wieder da"), ("fr", "de retour !")])
def test_it_can_be_said_in_the_players_language(office: Office, kept: StoredGame, language: str, words: str) -> None:
    Player.update(language=language).where(Player.email == ANN).execute(office.database)
    assert arrive(office, kept, 0, words).result is Result.PLAYED
    assert not load(office.database, kept.id).seats[0].kept


@pytest.mark.parametrize("words", ["left", "what now", "help"])
def test_every_answer_says_that_the_seat_is_kept_and_not_that_a_newer_letter_is_there(
    office: Office, kept: StoredGame, words: str
) -> None:
    assert arrive(office, kept, 0, words, turn=1).why == SEAT_IS_KEPT
    assert "I am back" in flat(compose(office, letters(office, "answer")[-1]).text)
    assert load(office.database, kept.id).seats[0].kept


def test_the_sentence_names_words_that_are_understood(office: Office, kept: StoredGame) -> None:
    say = translations_for("fr").gettext
    Player.update(language="fr").where(Player.email == ANN).execute(office.database)
    words = say(SEAT_IS_KEPT).rpartition(":")[2]
    assert arrive(office, kept, 0, words).result is Result.PLAYED


def test_whoever_is_there_already_does_not_come_back(office: Office, game: StoredGame) -> None:
    assert arrive(office, game, 0, "back").why == NOT_LISTED
    assert arrive(office, game, 1, "back").why == NOT_YOUR_TURN
    assert arrive(office, game, 1, "back", turn=7).why == TURN_IS_OVER


def test_who_comes_back_while_nobody_else_is_there_gets_the_letter_of_the_turn(
    office: Office, clock: Clock, kept: StoredGame
) -> None:
    game = kept
    while not (game.seats[1].kept and mover(game) == 0):
        ring_at(office, clock, clock.now + DAY)
        game = load(office.database, game.id)
    assert arrive(office, game, 0, "back") == Outcome(Result.PLAYED)
    assert letters(office, "turn")[-1].turn == game.turn
    assert letters(office, "answer") == []


def test_what_the_stand_in_did_is_not_told_as_the_readers_own_deed(office: Office, kept: StoredGame) -> None:
    arrive(office, kept, 0, "help")
    told = flat(compose(office, letters(office, "answer")[-1]).text)
    assert "Stand-in: Ann sends Assam " in told
    assert "Stand-in: You " not in told
    arrive(office, kept, 1, "help")
    assert "Stand-in: Ann sends Assam " in flat(compose(office, letters(office, "answer")[-1]).text)
