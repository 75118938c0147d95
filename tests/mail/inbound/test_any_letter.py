"""Whatever a letter is about: where it offers choices, an answer to it plays the turn that they belong to."""

from collections.abc import Callable
from dataclasses import replace
from email import message_from_bytes
from email.policy import SMTP
from typing import Any

import pytest

from service.context import AppContext
from service.db.models import Letter
from service.games.chat import post_message
from service.games.play import act
from service.games.players import replace_links, resend_links
from service.games.store import StoredGame, load
from service.mail.inbound.answers import GAME_IS_OVER, NOT_YOUR_TURN, OF_NO_TURN, TURN_IS_OVER, Outcome, Result
from service.mail.inbound.handler import receive
from service.mail.letters import compose
from service.mail.message import write_message
from service.mail.outbox import Addressee
from tests.mail.correspondence import ann_to_move
from tests.mail.inbound.post import arrive, message
from tests.mail.tables import ANN, letters, played

NOT_A_TURN = "To say something yourself, go to the table: an answer to this letter is neither said there nor played."


def talk(ctx: AppContext, game: StoredGame) -> Letter:
    post_message(ctx, game.id, 1, "Nice rug!")
    return letters(ctx, "talk")[-1]


def links(ctx: AppContext, game: StoredGame) -> Letter:
    resend_links(ctx, ANN)
    return letters(ctx, "links")[-1]


def answer_to_an_old_letter(ctx: AppContext, game: StoredGame) -> Letter:
    assert arrive(ctx, game, 0, "left", turn=1).why == TURN_IS_OVER
    return letters(ctx, "answer")[-1]


def reply_to(ctx: AppContext, letter: Any) -> str:
    """Where the letter as it is sent asks for an answer."""
    seat = load(ctx.database, letter.game_id).seats[letter.seat]
    addressee = Addressee(seat.player, {}, None, None, None, to_act=False, link_version=seat.link_version)
    sent = message_from_bytes(write_message(ctx, letter, addressee, compose(ctx, letter)), policy=SMTP)
    return str(sent["Reply-To"])


def answered(ctx: AppContext, letter: Letter, words: str) -> Outcome:
    return receive(ctx, message(reply_to(ctx, letter), words))


@pytest.mark.parametrize("kind", [links, answer_to_an_old_letter])
def test_an_answer_plays_as_one_to_the_letter_of_the_turn(
    ctx: AppContext, game: StoredGame, kind: Callable[[AppContext, StoredGame], Letter]
) -> None:
    game = ann_to_move(ctx, game, 2)
    letter = kind(ctx, game)
    assert "Or simply answer this letter with one line, such as left." in compose(ctx, letter).text
    assert answered(ctx, letter, "left") == Outcome(Result.PLAYED)
    rolled = load(ctx.database, game.id)
    assert (rolled.turn, rolled.state.phase) == (game.turn, "placement")
    assert letters(ctx, "roll")[-1].turn == game.turn


def test_an_answer_to_talk_is_never_taken_for_a_move(ctx: AppContext, game: StoredGame) -> None:
    game = ann_to_move(ctx, game, 2)
    letter = talk(ctx, game)
    text = " ".join(compose(ctx, letter).text.split())
    assert "Or simply answer" not in text
    assert NOT_A_TURN in text
    outcome = answered(ctx, letter, "Right!")
    assert (outcome.result, outcome.why) == (Result.REFUSED, OF_NO_TURN)
    assert load(ctx.database, game.id) == game
    assert answered(ctx, letters(ctx, "answer")[-1], "right") == Outcome(Result.PLAYED)


def test_an_answer_plays_that_turn_only(ctx: AppContext, game: StoredGame) -> None:
    game = ann_to_move(ctx, game, 2)
    address = reply_to(ctx, links(ctx, game))
    later = ann_to_move(ctx, played(ctx, game, game.turn))
    late = receive(ctx, message(address, "left"))
    assert (late.result, late.why) == (Result.REFUSED, TURN_IS_OVER)
    assert load(ctx.database, game.id).head == later.head


def test_while_others_are_to_act_an_answer_plays_nothing_and_the_letter_asks_for_none(
    ctx: AppContext, game: StoredGame
) -> None:
    post_message(ctx, game.id, 0, "Nice rug!")
    to_bo = letters(ctx, "talk")[-1]
    text = " ".join(compose(ctx, to_bo).text.split())
    assert "Or simply answer" not in text
    assert NOT_A_TURN in text
    outcome = answered(ctx, to_bo, "left")
    assert (outcome.result, outcome.why) == (Result.REFUSED, NOT_YOUR_TURN)
    assert load(ctx.database, game.id) == game


def test_after_the_end_an_answer_to_talk_is_told_that_the_game_is_over(ctx: AppContext, game: StoredGame) -> None:
    game = act(ctx, game.id, 1, game.head, {"type": "resign"}, "").game
    assert answered(ctx, talk(ctx, game), "left").why == GAME_IS_OVER


def test_links_that_replace_others_are_answered_with_the_new_version(ctx: AppContext, game: StoredGame) -> None:
    replace_links(ctx, game.id, 0, game.seats[0].player or 0)
    assert answered(ctx, letters(ctx, "links")[-1], "left") == Outcome(Result.PLAYED)


def test_where_answers_are_not_read_a_letter_about_talk_does_not_speak_of_them(
    ctx: AppContext, game: StoredGame
) -> None:
    silent = ctx._replace(settings=replace(ctx.settings, inbound_domain=""))
    text = compose(silent, talk(silent, game)).text
    assert "answer" not in text
