"""Whatever a letter is about: where it offers choices, an answer to it plays the turn that they belong to."""

from collections.abc import Callable
from email import message_from_bytes
from email.policy import SMTP
from typing import Any

import pytest

from service.context import AppContext
from service.db.models import Letter
from service.games.players import replace_links
from service.games.store import StoredGame, load
from service.mail.inbound.answers import TURN_IS_OVER, Outcome, Result
from service.mail.inbound.handler import receive
from service.mail.letters import compose
from service.mail.message import write_message
from service.mail.outbox import Addressee
from tests.mail.correspondence import ann_to_move
from tests.mail.inbound.post import arrive, message
from tests.mail.tables import letters, played


def links(ctx: AppContext, game: StoredGame) -> Letter:
    replace_links(ctx, game.id, 0, game.host)
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
    assert "Reply with one word: left, ahead or right." in compose(ctx, letter).text
    assert answered(ctx, letter, "left") == Outcome(Result.PLAYED)
    rolled = load(ctx.database, game.id)
    assert (rolled.turn, rolled.state.phase) == (game.turn, "placement")
    assert letters(ctx, "roll")[-1].turn == game.turn


def test_an_answer_plays_that_turn_only(ctx: AppContext, game: StoredGame) -> None:
    game = ann_to_move(ctx, game, 2)
    address = reply_to(ctx, links(ctx, game))
    later = ann_to_move(ctx, played(ctx, game, game.turn))
    late = receive(ctx, message(address, "left"))
    assert (late.result, late.why) == (Result.REFUSED, TURN_IS_OVER)
    assert load(ctx.database, game.id).head == later.head


def test_links_that_replace_others_are_answered_with_the_new_version(ctx: AppContext, game: StoredGame) -> None:
    replace_links(ctx, game.id, 0, game.seats[0].player or 0)
    assert answered(ctx, letters(ctx, "links")[-1], "left") == Outcome(Result.PLAYED)
