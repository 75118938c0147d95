"""A reply to a letter about the chat is posted there: it is never a move, and nobody gets their own words back."""

from dataclasses import replace

import pytest

from service.auth.rate_limits import MESSAGES_BY_PLAYER
from service.context import AppContext
from service.db.models import LONGEST_MESSAGE, Letter
from service.games.chat import DIGEST_SECONDS, latest_messages, post_message
from service.games.lobby import cancel
from service.games.play import act
from service.games.players import replace_links
from service.games.store import StoredGame, load
from service.mail.inbound.answers import CALLED_OFF, OF_NO_TURN, TOO_LONG, TOO_MANY, Outcome, Result
from service.mail.inbound.commands import EMPTY
from service.mail.inbound.handler import receive
from service.mail.letters import Outdated, compose
from tests.mail.inbound.post import address, answers, message
from tests.mail.inbound.test_any_letter import answered, reply_to
from tests.mail.tables import ANN, BO, letters, table
from tests.support.clock import Clock

POSTED = Outcome(Result.POSTED)


def talk(ctx: AppContext, game: StoredGame) -> Letter:
    """The letter that tells Ann what Bo said; it is her turn."""
    post_message(ctx, game.id, 1, "Nice rug!")
    return letters(ctx, "talk")[-1]


def said(ctx: AppContext, game: StoredGame) -> list[tuple[int, str]]:
    return [(line.seat, line.text) for line in latest_messages(ctx, game.id, 100)]


@pytest.mark.parametrize("words", ["Right.", "left", "resign", "help", "1", "left auto"])
def test_whatever_is_answered_to_talk_is_said_and_not_played(ctx: AppContext, game: StoredGame, words: str) -> None:
    assert answered(ctx, talk(ctx, game), words) == POSTED
    assert said(ctx, game) == [(1, "Nice rug!"), (0, words)]
    assert load(ctx.database, game.id).head == game.head
    assert answers(ctx) == []


def test_the_letter_says_that_an_answer_goes_to_the_chat(ctx: AppContext, game: StoredGame) -> None:
    sentence = "just reply to this e-mail. Your reply goes to the chat and doesn't play a turn."
    letter = compose(ctx, talk(ctx, game))
    assert sentence in " ".join(letter.text.split())
    assert sentence in letter.html
    assert "Or simply answer" not in letter.text
    silent = ctx._replace(settings=replace(ctx.settings, inbound_domain=""))
    assert "answer" not in compose(silent, letters(ctx, "talk")[-1]).text


def test_the_others_are_mailed_and_the_writer_is_not(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    to_ann = talk(ctx, game)
    clock.now += DIGEST_SECONDS
    assert answered(ctx, to_ann, "Thank you,\nBo!") == POSTED
    to_bo = letters(ctx, "talk")[-1]
    assert [letter.address for letter in letters(ctx, "talk")] == [ANN, BO]
    assert "Thank you, Bo!" in " ".join(compose(ctx, to_bo).text.split())
    to_ann.details = f'{{"after": {latest_messages(ctx, game.id, 2)[0].id}}}'
    with pytest.raises(Outdated):
        compose(ctx, to_ann)


def test_only_what_the_person_wrote_is_posted(ctx: AppContext, game: StoredGame) -> None:
    raw = message(reply_to(ctx, talk(ctx, game)), "Well\u202e played,\n\n  Bo! \U0001f44d\n\n-- \nAnn\n+49 30 12 34 56")
    assert receive(ctx, raw) == POSTED
    assert said(ctx, game)[-1] == (0, "Well played,\nBo! \U0001f44d")


def test_the_same_message_is_posted_once(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    to = reply_to(ctx, talk(ctx, game))
    raw = message(to, "Thanks!")
    assert receive(ctx, raw) == POSTED
    for again in (raw, *(message(to, "Thanks!") for _ in range(10))):
        clock.now += 60
        assert receive(ctx, again) == Outcome(Result.REPEATED)
    assert said(ctx, game) == [(1, "Nice rug!"), (0, "Thanks!")]


def test_what_is_empty_or_too_long_is_refused_with_an_answer(ctx: AppContext, game: StoredGame) -> None:
    letter = talk(ctx, game)
    assert answered(ctx, letter, "x " * (LONGEST_MESSAGE // 2)) == POSTED
    assert answered(ctx, letter, "x" * 700 + "\n" + "y" * 700) == Outcome(Result.REFUSED, True, TOO_LONG)
    assert answered(ctx, letter, "x" * 5000) == Outcome(Result.REFUSED, True, TOO_LONG)
    assert answered(ctx, letter, "\u200b") == Outcome(Result.REFUSED, True, EMPTY)
    assert len(said(ctx, game)) == 2
    text = " ".join(compose(ctx, letters(ctx, "answer")[0]).text.split())
    assert "We couldn't post your message." in text
    assert TOO_LONG in text


def test_the_limit_of_the_chat_counts_replies(ctx: AppContext, game: StoredGame) -> None:
    letter = talk(ctx, game)
    for number in range(MESSAGES_BY_PLAYER.most):
        assert answered(ctx, letter, f"No {number}") == POSTED
    assert answered(ctx, letter, "one more") == Outcome(Result.REFUSED, True, TOO_MANY)
    assert len(said(ctx, game)) == MESSAGES_BY_PLAYER.most + 1


def test_people_talk_after_the_end(ctx: AppContext, game: StoredGame) -> None:
    over = act(ctx, game.id, 1, game.head, {"type": "resign"}, "").game
    assert answered(ctx, talk(ctx, over), "Well played!") == POSTED


def test_who_has_no_valid_link_is_not_heard(ctx: AppContext, game: StoredGame) -> None:
    to = reply_to(ctx, talk(ctx, game))
    replace_links(ctx, game.id, 0, game.host)
    assert receive(ctx, message(to, "It's me, Eve")) == Outcome(Result.UNKNOWN)
    closed = table(ctx)
    to = reply_to(ctx, talk(ctx, closed))
    cancel(ctx, closed.id, closed.host)
    assert receive(ctx, message(to, "Why?")) == Outcome(Result.REFUSED, True, CALLED_OFF)


def test_an_answer_to_an_old_letter_about_talk_is_told_so(ctx: AppContext, game: StoredGame) -> None:
    """Before replies were posted, these letters had an address without a turn."""
    outcome = receive(ctx, message(address(ctx, game, 0, 0), "Right!"))
    assert outcome == Outcome(Result.REFUSED, True, OF_NO_TURN)
    assert said(ctx, game) == []


def test_saying_the_same_again_later_is_no_repetition(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    letter = talk(ctx, game)
    assert answered(ctx, letter, "Yes!") == POSTED
    clock.now += 3600
    assert answered(ctx, letter, "Yes!") == POSTED
    assert said(ctx, game) == [(1, "Nice rug!"), (0, "Yes!"), (0, "Yes!")]
