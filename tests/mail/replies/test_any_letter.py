"""Whatever a letter is about: where it offers choices, an answer to it plays the turn that they belong to."""

from collections.abc import Callable
from dataclasses import replace
from email import message_from_bytes
from email.policy import SMTP
from typing import Any

import pytest

from service.mail.letters import compose
from service.mail.message import write_message
from service.mail.outbox import Addressee
from service.mail.replies.receiving import (
    GAME_IS_OVER,
    NOT_YOUR_TURN,
    OF_NO_TURN,
    TURN_IS_OVER,
    Outcome,
    Result,
    receive,
)
from service.models import Letter
from service.office import Office
from service.play import act
from service.seat_links import mail_again, revoke
from service.store import load
from service.stored import StoredGame
from service.talk import say
from tests.mail.correspondence import ann_to_move
from tests.mail.replies.post import arrive, message
from tests.mail.tables import ANN, letters, played
from tests.service.tables import plain

NOT_A_TURN = "To say something yourself, go to the table: an answer to this letter is neither said there nor played."


def talk(office: Office, game: StoredGame) -> Letter:
    say(office, game.id, 1, "Nice rug!")
    return letters(office, "talk")[-1]


def links(office: Office, game: StoredGame) -> Letter:
    mail_again(office, ANN)
    return letters(office, "links")[-1]


def answer_to_an_old_letter(office: Office, game: StoredGame) -> Letter:
    assert arrive(office, game, 0, "left", turn=1).why == TURN_IS_OVER
    return letters(office, "answer")[-1]


def reply_to(office: Office, letter: Any) -> str:
    """Where the letter as it is sent asks for an answer."""
    seat = load(office.database, letter.game_id).seats[letter.seat]
    addressee = Addressee(seat.player, {}, None, None, None, to_act=False, link_version=seat.link_version)
    sent = message_from_bytes(write_message(office, letter, addressee, compose(office, letter)), policy=SMTP)
    return str(sent["Reply-To"])


def answered(office: Office, letter: Letter, words: str) -> Outcome:
    return receive(office, message(reply_to(office, letter), words))


@pytest.mark.parametrize("kind", [links, answer_to_an_old_letter])
def test_an_answer_plays_as_one_to_the_letter_of_the_turn(
    office: Office, game: StoredGame, kind: Callable[[Office, StoredGame], Letter]
) -> None:
    game = ann_to_move(office, game, 2)
    letter = kind(office, game)
    assert "Or simply answer this letter with one line, such as left." in compose(office, letter).text
    assert answered(office, letter, "left") == Outcome(Result.PLAYED)
    rolled = load(office.database, game.id)
    assert (rolled.turn, rolled.state.phase) == (game.turn, "placement")
    assert letters(office, "roll")[-1].turn == game.turn


def test_an_answer_to_talk_is_never_taken_for_a_move(office: Office, game: StoredGame) -> None:
    game = ann_to_move(office, game, 2)
    letter = talk(office, game)
    text = " ".join(compose(office, letter).text.split())
    assert "Or simply answer" not in text
    assert NOT_A_TURN in text
    outcome = answered(office, letter, "Right!")
    assert (outcome.result, outcome.why) == (Result.REFUSED, OF_NO_TURN)
    assert plain(load(office.database, game.id)) == plain(game)
    assert answered(office, letters(office, "answer")[-1], "right") == Outcome(Result.PLAYED)


def test_an_answer_plays_that_turn_only(office: Office, game: StoredGame) -> None:
    game = ann_to_move(office, game, 2)
    address = reply_to(office, links(office, game))
    later = ann_to_move(office, played(office, game, game.turn))
    late = receive(office, message(address, "left"))
    assert (late.result, late.why) == (Result.REFUSED, TURN_IS_OVER)
    assert load(office.database, game.id).head == later.head


def test_while_others_are_to_act_an_answer_plays_nothing_and_the_letter_asks_for_none(
    office: Office, game: StoredGame
) -> None:
    say(office, game.id, 0, "Nice rug!")
    to_bo = letters(office, "talk")[-1]
    text = " ".join(compose(office, to_bo).text.split())
    assert "Or simply answer" not in text
    assert NOT_A_TURN in text
    outcome = answered(office, to_bo, "left")
    assert (outcome.result, outcome.why) == (Result.REFUSED, NOT_YOUR_TURN)
    assert plain(load(office.database, game.id)) == plain(game)


def test_after_the_end_an_answer_to_talk_is_told_that_the_game_is_over(office: Office, game: StoredGame) -> None:
    game = act(office, game.id, 1, game.head, {"type": "resign"}, "").game
    assert answered(office, talk(office, game), "left").why == GAME_IS_OVER


def test_links_that_replace_others_are_answered_with_the_new_version(office: Office, game: StoredGame) -> None:
    revoke(office, game.id, 0, game.seats[0].player or 0)
    assert answered(office, letters(office, "links")[-1], "left") == Outcome(Result.PLAYED)


def test_where_answers_are_not_read_a_letter_about_talk_does_not_speak_of_them(
    office: Office, game: StoredGame
) -> None:
    silent = office._replace(settings=replace(office.settings, inbound_domain=""))
    text = compose(silent, talk(silent, game)).text
    assert "answer" not in text
