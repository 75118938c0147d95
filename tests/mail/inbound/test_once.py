"""The same message plays once, whatever happens in between; nothing is answered that a program wrote, nor too often."""

from collections.abc import Iterator

import pytest

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Event, Incoming
from service.games.store import StoredGame
from service.mail.inbound.answers import ANSWERS_A_DAY, NOTHING_YET, REMEMBERED_SECONDS, Outcome, Result
from service.mail.inbound.handler import receive
from service.mail.letters import compose
from tests.mail.inbound.post import address, answers, arrive, message, noted
from tests.mail.inbound.test_handler import PLAYED, now
from tests.mail.inbound.test_mime import FOLDER
from tests.mail.tables import ANN, BO, DAY, letters, played, started
from tests.support.clock import Clock
from tests.support.crowd import another_context, run_at_once
from tests.support.tables import database_contents, snapshot_matches

pytestmark = pytest.mark.databases("sqlite", "postgresql")


def test_the_same_message_delivered_twice_plays_once(ctx: AppContext, game: StoredGame) -> None:
    raw = message(address(ctx, game, 0), "left")
    assert receive(ctx, raw) == PLAYED
    before = database_contents(ctx)
    assert receive(ctx, raw) == Outcome(Result.REPEATED)
    assert receive(ctx, b"Received: from elsewhere\n" + raw) == Outcome(Result.REPEATED)
    assert receive(ctx, raw.replace(b"\n", b"\r\n")) == Outcome(Result.REPEATED)
    assert receive(ctx, raw, address(ctx, game, 0).upper()) == Outcome(Result.REPEATED)
    assert database_contents(ctx) == before


def test_the_same_message_is_refused_and_answered_once(ctx: AppContext, game: StoredGame) -> None:
    raw = message(address(ctx, game, 0), "west?")
    assert [receive(ctx, raw).result for _ in range(3)] == [Result.REFUSED, Result.REPEATED, Result.REPEATED]
    assert len(answers(ctx)) == 1


def test_without_an_id_the_date_tells_messages_apart(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    monday, tuesday = (
        message(address(ctx, game, 0), "west?", f"Date: {day}, 16 Nov 2026 10:00:00 +0000\n", message_id="")
        for day in ("Mon", "Tue")
    )
    results = []
    for raw in (monday, tuesday, monday):
        results.append(receive(ctx, raw).result)
        clock.now += DAY + 1
    assert results == [Result.REFUSED, Result.REFUSED, Result.REPEATED]


def test_the_same_message_at_the_same_moment_plays_once(ctx: AppContext, game: StoredGame) -> None:
    raw = message(address(ctx, game, 0), "left")
    outcomes = run_at_once(ctx, [lambda: receive(ctx, raw)] * 6)
    assert sorted(outcome.result.value for outcome in outcomes if isinstance(outcome, Outcome)) == [
        "played",
        *["repeated"] * 5,
    ]
    assert len(letters(ctx, "roll")) == 1
    assert snapshot_matches(ctx, game.id)


def test_different_replies_at_the_same_moment_play_one_and_answer_the_others(ctx: AppContext, game: StoredGame) -> None:
    raws = [message(address(ctx, game, 0), words) for words in ("left", "right", "ahead", "north")]
    outcomes = run_at_once(ctx, [lambda raw=raw: receive(ctx, raw) for raw in raws])  # type: ignore[misc]
    results = [outcome.result for outcome in outcomes if isinstance(outcome, Outcome)]
    assert sorted(result.value for result in results) == ["played", "refused", "refused", "refused"]
    assert snapshot_matches(ctx, game.id)


class Cut(Exception):
    """The power goes."""


@pytest.fixture(params=["handler._perform", "handler._next_step", "answers.Incoming.update"])
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Before it is played, after that, and when it was played and is about to be noted."""

    def fails(*args: object, **kwargs: object) -> None:
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(f"service.mail.inbound.{request.param}", fails)
        yield patch


def test_a_crash_at_any_moment_leaves_nothing_and_the_next_delivery_plays(
    ctx: AppContext, game: StoredGame, cut: pytest.MonkeyPatch
) -> None:
    raw, before = message(address(ctx, game, 0), "left"), database_contents(ctx)
    with pytest.raises(Cut):
        receive(ctx, raw)
    assert database_contents(ctx) == before
    cut.undo()
    assert receive(ctx, raw) == PLAYED


def test_a_message_whose_note_was_lost_does_not_play_again(ctx: AppContext, game: StoredGame) -> None:
    raw = message(address(ctx, game, 0), "left")
    receive(ctx, raw)
    head = now(ctx, game).head
    Incoming.delete().execute(ctx.database)
    assert receive(ctx, raw).result is Result.REFUSED
    assert now(ctx, game).head == head


def test_a_message_again_rolls_what_it_would_have_rolled(ctx: AppContext, game: StoredGame) -> None:
    raw = message(address(ctx, game, 0), "left")
    rolls = set()
    for _ in range(2):
        with ctx.database.atomic() as transaction:
            assert receive(ctx, raw) == PLAYED
            rolls.add(tuple(Event.select(Event.body).order_by(Event.seq).tuples().execute(ctx.database)))
            transaction.rollback()
    assert len(rolls) == 1


# Programs and limits


def test_no_program_is_answered_and_nothing_is_played_for_it(ctx: AppContext, game: StoredGame) -> None:
    before = database_contents(ctx)
    for header in ("Auto-Submitted: auto-replied\n", "Precedence: bulk\n", "Return-Path: <>\n", "List-Id: <a.b>\n"):
        assert arrive(ctx, game, 0, "left", headers=header) == Outcome(Result.DROPPED)
    assert database_contents(ctx) == before


def bounce(ctx: AppContext, game: StoredGame, name: str) -> Outcome:
    """A bounce out of the corpus, of a letter to Bo."""
    raw = (FOLDER / f"{name}.eml").read_text()
    start = raw.index("Reply-To: ")
    end = raw.index("\n", start)
    return receive(ctx, f"{raw[:start]}Reply-To: {address(ctx, game, 1)}{raw[end:]}".encode())


def test_a_bounce_flags_the_player(ctx: AppContext, game: StoredGame) -> None:
    assert bounce(ctx, game, "bounce-postfix") == Outcome(Result.BOUNCED)
    assert find_or_create_player(ctx, BO).mail_trouble == (
        "smtp; 550 5.1.1 <bo@example.com>: Recipient address rejected: User unknown"
    )
    assert find_or_create_player(ctx, ANN).mail_trouble is None
    assert answers(ctx) == []


def test_a_forged_bounce_to_the_address_of_an_old_turn_flags_nobody(ctx: AppContext, game: StoredGame) -> None:
    old = game
    assert played(ctx, game, turns=2).turn > old.turn
    assert bounce(ctx, old, "bounce-postfix") == Outcome(Result.DROPPED)


def test_a_bounce_of_a_full_mailbox_flags_nobody(ctx: AppContext, game: StoredGame) -> None:
    assert bounce(ctx, game, "bounce-headers-only") == Outcome(Result.BOUNCED)
    assert find_or_create_player(ctx, BO).mail_trouble is None


def test_a_letter_that_is_only_delayed_flags_nobody(ctx: AppContext, game: StoredGame) -> None:
    assert bounce(ctx, game, "delayed") == Outcome(Result.DROPPED)
    assert find_or_create_player(ctx, BO).mail_trouble is None


def test_a_bounce_without_a_token_of_ours_flags_nobody(ctx: AppContext, game: StoredGame) -> None:
    assert receive(ctx, (FOLDER / "bounce-postfix.eml").read_bytes()) == Outcome(Result.UNKNOWN)
    assert find_or_create_player(ctx, BO).mail_trouble is None


def test_ten_answers_a_day_and_no_more_whoever_seems_to_send_them(
    ctx: AppContext, game: StoredGame, clock: Clock
) -> None:
    other = started(ctx, first=0)
    for number in range(ANSWERS_A_DAY + 3):
        clock.now += 60
        raw = message(address(ctx, other if number % 2 else game, 0), f"what about {number}?")
        outcome = receive(ctx, raw.replace(b"eve@", f"eve{number}@".encode()))
        assert (outcome.result, outcome.answered) == (Result.REFUSED, number < ANSWERS_A_DAY)
    assert len(answers(ctx)) == ANSWERS_A_DAY
    assert arrive(ctx, game, 1, "help").answered, "Bo has ten of his own"
    assert arrive(ctx, game, 0, "left") == PLAYED, "playing is not answering"
    clock.now += DAY
    assert arrive(ctx, game, 0, "help", turn=1).answered


def test_answers_at_the_same_moment_are_no_more_than_ten(ctx: AppContext, game: StoredGame) -> None:
    for number in range(ANSWERS_A_DAY - 1):
        arrive(ctx, game, 0, f"help {number}?")
    raws = [message(address(ctx, game, 0), f"or {number}?") for number in range(5)]
    outcomes = run_at_once(ctx, [lambda raw=raw: receive(ctx, raw) for raw in raws])  # type: ignore[misc]
    assert [outcome.result for outcome in outcomes if isinstance(outcome, Outcome)] == [Result.REFUSED] * 5
    assert len(answers(ctx)) == ANSWERS_A_DAY


def test_help_is_not_counted_and_the_last_answer_of_the_day_says_so(ctx: AppContext, game: StoredGame) -> None:
    assert arrive(ctx, game, 0, "help") == Outcome(Result.HELPED, True, NOTHING_YET)
    for number in range(ANSWERS_A_DAY + 1):
        arrive(ctx, game, 0, f"what about {number}?")
    refusals = [details["last"] for _, details in answers(ctx) if not details["asked"]]
    assert refusals == [False] * (ANSWERS_A_DAY - 1) + [True]
    last = " ".join(compose(ctx, letters(ctx, "answer")[-1]).text.split())
    assert "This is our last answer for today, but you can still play by e-mail." in last
    assert "last answer" not in compose(ctx, letters(ctx, "answer")[-2]).text
    assert arrive(ctx, game, 0, "left") == PLAYED
    assert arrive(ctx, game, 0, "Help!").answered


# The same words with another id: some mail programs and gateways send a message again and again.


def test_ten_messages_with_the_same_words_get_one_answer(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    for words in ("west?", "help", "Help!"):
        outcomes = [arrive(ctx, game, 0, words) for _ in range(10)]
        assert [outcome.result for outcome in outcomes[1:]] == [Result.REPEATED] * 9
    assert [details["understood"] for _, details in answers(ctx)] == ["west?", "help"]
    clock.now += DAY + 1
    assert arrive(ctx, game, 0, "west?").answered, "the next day it may be a person again"


def test_ten_messages_with_the_same_words_play_once(ctx: AppContext, game: StoredGame) -> None:
    outcomes = [arrive(ctx, game, 0, "left") for _ in range(10)]
    assert [outcome.result for outcome in outcomes] == [Result.PLAYED, *[Result.REPEATED] * 9]
    assert answers(ctx) == []
    assert arrive(ctx, game, 0, "1") == PLAYED
    assert arrive(ctx, game, 0, "left", turn=1).result is Result.REPEATED


def test_the_same_question_is_answered_again_when_the_game_has_gone_on(ctx: AppContext, game: StoredGame) -> None:
    assert arrive(ctx, game, 0, "help").answered
    assert arrive(ctx, game, 0, "1").answered
    assert arrive(ctx, game, 0, "left") == PLAYED
    assert arrive(ctx, game, 0, "help").answered
    assert arrive(ctx, game, 0, "1") == PLAYED, "what was refused before is no repetition"


def test_no_address_and_no_word_of_a_message_is_noted(ctx: AppContext, game: StoredGame) -> None:
    arrive(ctx, game, 0, "left")
    arrive(ctx, game, 0, "sesame?")
    rows = str(list(Incoming.select().tuples().execute(ctx.database)))
    assert len(noted(ctx)) == 2
    assert not [word for word in ("@", "ann", "eve", "example", "sesame") if word in rows]


def test_what_was_noted_long_ago_is_forgotten(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    arrive(ctx, game, 0, "left")
    clock.now += REMEMBERED_SECONDS + 1
    arrive(ctx, game, 0, "1")
    assert noted(ctx) == [("played", False)]


def test_another_process_has_the_same_say(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    raw = message(address(ctx, game, 0), "left")
    other = another_context(ctx.settings, clock.now)
    assert receive(other, raw) == PLAYED
    other.database.close()
    assert receive(ctx, raw) == Outcome(Result.REPEATED)
