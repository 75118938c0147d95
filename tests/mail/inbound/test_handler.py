"""A reply plays: once, for the seat of its token alone, and what is not done is answered by a letter."""

from typing import Any

import pytest

from service.context import AppContext
from service.db.models import Event, Letter, Player
from service.games.lobby import SeatRequest, cancel
from service.games.play import act
from service.games.players import replace_links
from service.games.store import StoredGame, load
from service.mail.inbound import answers as answers_module
from service.mail.inbound import handler
from service.mail.inbound.answers import (
    CALLED_OFF,
    GAME_IS_OVER,
    NOT_STARTED,
    NOT_YOUR_TURN,
    NOTHING_YET,
    OF_NO_TURN,
    SEAT_IS_FIXED,
    TURN_IS_OVER,
    TWO_LETTERS,
    Outcome,
    Result,
)
from service.mail.inbound.commands import NO_SUCH_NUMBER, NOT_INVITED, NOT_LISTED, NOT_UNDERSTOOD
from service.mail.inbound.handler import receive
from service.ui.marrakech.choices import NUMBER_TOO_EARLY
from tests.mail.inbound.post import DOMAIN, address, answers, arrive, message, noted
from tests.mail.tables import ANN, BO, letters, played, started, table
from tests.support.clock import Clock
from tests.support.tables import database_contents, snapshot_matches

PLAYED = Outcome(Result.PLAYED)


def now(ctx: AppContext, game: StoredGame) -> StoredGame:
    return load(ctx.database, game.id)


def refused(ctx: AppContext, game: StoredGame, seat: int, words: str, turn: int | None = None) -> str:
    """Why; and nothing but a letter has come of it."""
    before = database_contents(ctx)
    outcome = arrive(ctx, game, seat, words, turn=turn)
    assert (outcome.result, outcome.answered) == (Result.REFUSED, True)
    after = database_contents(ctx)
    assert [name for name in before if before[name] != after[name]] == ["letter", "incoming"]
    (to, details) = answers(ctx)[-1]
    assert to == game.seats[seat].address
    assert (details["why"], details["asked"]) == (outcome.why, False)
    return outcome.why


# Playing


def test_a_direction_rolls_and_the_next_letter_asks_for_the_place(ctx: AppContext, game: StoredGame) -> None:
    assert arrive(ctx, game, 0, "left") == PLAYED
    after = now(ctx, game)
    assert (after.turn, after.state.phase) == (1, "placement")
    roll: Any = letters(ctx, "roll")[0]
    assert (roll.address, roll.game_id, roll.seat, roll.turn) == (ANN, game.id, 0, 1)
    assert roll.about == f"{game.id}/0/1/roll-{after.head}"
    assert arrive(ctx, after, 0, "2") == PLAYED
    assert now(ctx, game).turn == 2
    assert [letter.address for letter in letters(ctx, "turn")] == [ANN, BO]
    assert snapshot_matches(ctx, game.id)


def test_a_place_by_its_number_is_the_one_that_the_letter_lists(ctx: AppContext, game: StoredGame) -> None:
    arrive(ctx, game, 0, "ahead")
    legal = game.rules.view(now(ctx, game).state, 0)["legal"]
    arrive(ctx, game, 0, f"#{len(legal)}")
    laid = Event.select(Event.action).where(Event.action.contains("lay")).scalar(ctx.database)
    assert laid.count(legal[-1]["squares"][0]) == laid.count(legal[-1]["squares"][1]) == 1


def test_with_the_other_variant_the_next_letter_asks_how_assam_turns(ctx: AppContext) -> None:
    game = started(ctx, first=0, variant="rotate-after")
    assert arrive(ctx, game, 0, "1") == PLAYED
    assert now(ctx, game).state.phase == "rotation"
    assert [letter.about for letter in letters(ctx, "roll")] == [f"{game.id}/0/1/roll-{now(ctx, game).head}"]
    assert arrive(ctx, game, 0, "left") == PLAYED
    assert now(ctx, game).turn == 2


def test_the_player_is_understood_in_his_language(ctx: AppContext, game: StoredGame) -> None:
    assert refused(ctx, game, 0, "Links!") == NOT_UNDERSTOOD
    Player.update(language="de").where(Player.email == ANN).execute(ctx.database)
    assert arrive(ctx, game, 0, "links") == PLAYED


def test_resigning_by_mail_ends_a_game_of_two(ctx: AppContext, game: StoredGame) -> None:
    assert arrive(ctx, game, 0, "resign") == PLAYED
    assert now(ctx, game).status == "finished"
    assert letters(ctx, "roll") == []


def test_who_wrote_it_does_not_matter_and_the_token_does(ctx: AppContext, game: StoredGame) -> None:
    raw = message(address(ctx, game, 0), "left").replace(b"eve@example.net", BO.encode())
    assert receive(ctx, raw) == PLAYED


def test_a_whole_game_is_played_by_replies_alone(ctx: AppContext, clock: Clock) -> None:
    game = table(ctx)
    assert arrive(ctx, game, 1, "accept", turn=0) == PLAYED
    game = now(ctx, game)
    spoken = {0: ["left", "ahead", "right"], 1: ["links", "geradeaus", "rechts"]}
    Player.update(language="de").where(Player.email == BO).execute(ctx.database)
    replies = 0
    while game.status == "playing":
        (seat,) = game.rules.to_act(game.state)
        clock.now += 60
        if game.state.phase == "direction":
            words = spoken[seat][replies % 3]
        else:
            legal = game.rules.view(game.state, seat)["legal"]
            chosen = legal[replies % len(legal)]["squares"]
            words = f"{chosen[1].upper()} \u2013 {chosen[0]}" if seat else str(replies % len(legal) + 1)
        assert arrive(ctx, game, seat, words) == PLAYED, words
        replies += 1
        game = now(ctx, game)
    assert snapshot_matches(ctx, game.id)
    assert answers(ctx) == []
    assert len(letters(ctx, "roll")) in range(game.turn - 1, game.turn + 1)
    assert len(letters(ctx, "over")) == 2
    assert noted(ctx) == [("played", False)] * (replies + 1)


# Invitations


def test_an_invitation_is_accepted_or_declined_by_reply(ctx: AppContext) -> None:
    accepted, declined = table(ctx), table(ctx)
    assert arrive(ctx, accepted, 1, "Maybe\n", turn=0).result is Result.REFUSED
    assert arrive(ctx, accepted, 1, "Yes please\n", turn=0) == PLAYED
    assert now(ctx, accepted).status == "playing"
    assert arrive(ctx, declined, 1, "decline", turn=0) == PLAYED
    assert now(ctx, declined).seats[1].player is None
    assert [letter.address for letter in letters(ctx, "declined")] == [ANN]


def test_an_old_invitation_says_so(ctx: AppContext) -> None:
    game = started(ctx, first=0)
    assert refused(ctx, game, 1, "accept", turn=0) == NOT_INVITED
    assert refused(ctx, game, 0, "left", turn=0) == OF_NO_TURN


def test_before_the_start_nothing_is_played(ctx: AppContext) -> None:
    game = table(ctx, SeatRequest(email=BO), SeatRequest())
    assert refused(ctx, game, 0, "left", turn=0) == NOT_STARTED
    assert refused(ctx, game, 1, "left", turn=0) == NOT_LISTED
    assert refused(ctx, game, 0, "decline", turn=0) == SEAT_IS_FIXED
    cancel(ctx, game.id, game.host)
    assert refused(ctx, game, 1, "accept", turn=0) == CALLED_OFF


# Refusals


def test_what_is_refused_changes_nothing_and_the_answer_says_why(ctx: AppContext, game: StoredGame) -> None:
    assert refused(ctx, game, 0, "perhaps to the left?") == NOT_UNDERSTOOD
    assert refused(ctx, game, 0, "left, 3") == NUMBER_TOO_EARLY
    assert refused(ctx, game, 0, "1") == NO_SUCH_NUMBER
    assert refused(ctx, game, 0, "d5-e5") == "First choose a direction for Assam: left, ahead or right."
    assert refused(ctx, game, 1, "left") == NOT_YOUR_TURN
    assert refused(ctx, game, 0, "left", turn=2) == TURN_IS_OVER
    arrive(ctx, game, 0, "left")
    assert refused(ctx, game, 0, "ahead") == "Assam has moved. Now lay a rug next to him."
    arrive(ctx, game, 0, "1")
    assert refused(ctx, game, 0, "right", turn=1) == TURN_IS_OVER
    assert refused(ctx, game, 0, "resign", turn=1) == TURN_IS_OVER
    over = played(ctx, now(ctx, game))
    assert refused(ctx, over, 0, "left") == GAME_IS_OVER
    assert refused(ctx, over, 0, "resign") == GAME_IS_OVER


def test_an_answer_has_what_its_letter_needs(ctx: AppContext, game: StoredGame) -> None:
    raw = message(address(ctx, game, 0), "go west?", message_id="<7@example.com>")
    assert receive(ctx, raw) == Outcome(Result.REFUSED, True, NOT_UNDERSTOOD)
    letter: Any = letters(ctx, "answer")[0]
    assert (letter.game_id, letter.seat, letter.turn, letter.address) == (game.id, 0, 1, ANN)
    assert letter.about.startswith(f"{game.id}/0/answer/")
    assert answers(ctx) == [
        (
            ANN,
            {
                "why": NOT_UNDERSTOOD,
                "understood": "go west?",
                "word": "west?",
                "line": None,
                "asked": False,
                "last": False,
                "chat": False,
                "message_id": "<7@example.com>",
                "subject": "Re: Your turn",
            },
        )
    ]


def test_help_is_answered(ctx: AppContext, game: StoredGame) -> None:
    assert arrive(ctx, game, 0, "help") == Outcome(Result.HELPED, True, NOTHING_YET)
    assert arrive(ctx, game, 1, "Help!") == Outcome(Result.HELPED, True, NOT_YOUR_TURN)
    told = [(to, details["asked"], details["why"], details["understood"]) for to, details in answers(ctx)]
    assert told == [(ANN, True, NOTHING_YET, "help"), (BO, True, NOT_YOUR_TURN, "Help!")]


def test_a_message_to_two_turns_at_once_is_refused(ctx: AppContext, game: StoredGame) -> None:
    other = started(ctx, first=0)
    raw = message(f"{address(ctx, game, 0)}, {address(ctx, other, 0)}", "left")
    assert receive(ctx, raw) == Outcome(Result.REFUSED, True, TWO_LETTERS)
    assert receive(ctx, raw, address(ctx, other, 0)) == PLAYED, "each mail server says for whom it delivers"


# Who may not


def unknown(ctx: AppContext, raw: bytes, envelope_to: str | None = None) -> None:
    before = database_contents(ctx)
    assert receive(ctx, raw, envelope_to) == Outcome(Result.UNKNOWN)
    assert database_contents(ctx) == before


def test_a_token_that_is_not_ours_does_nothing_and_is_not_answered(ctx: AppContext, game: StoredGame) -> None:
    good = address(ctx, game, 0)
    unknown(ctx, message(good.replace(good[10], "2" if good[10] != "2" else "3", 1), "left"))
    unknown(ctx, message(f"play+{'a' * 48}@{DOMAIN}", "left"))
    unknown(ctx, message(good.replace(DOMAIN, "reply.example.com"), "left"))
    unknown(ctx, message(good, "left"), "ann@example.org")
    unknown(ctx, b"")
    token = ctx.tokens.reply("NoSuchGame12", 0, 1, 0)
    unknown(ctx, message(f"play+{token}@{DOMAIN}", "left"))
    token = ctx.tokens.reply(game.id, 3, 1, 0)
    unknown(ctx, message(f"play+{token}@{DOMAIN}", "left"))


def test_a_seat_whose_links_were_replaced_refuses_old_tokens(ctx: AppContext, game: StoredGame) -> None:
    old = message(address(ctx, game, 0), "left")
    replace_links(ctx, game.id, 0, game.host)
    unknown(ctx, old)
    assert arrive(ctx, now(ctx, game), 0, "left") == PLAYED


def test_who_declined_has_no_say_any_more(ctx: AppContext) -> None:
    game = table(ctx)
    arrive(ctx, game, 1, "decline", turn=0)
    unknown(ctx, message(address(ctx, game, 1, 0), "accept"))


def test_a_seat_that_is_given_up_while_its_reply_is_read_is_not_played_for(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = table(ctx)
    raw = message(address(ctx, game, 1, 0), "accept")
    arrive(ctx, game, 1, "decline", turn=0)
    # As it was before the seat was given up: the first look says that the token is good.
    monkeypatch.setattr(handler, "find_link", lambda ctx, token: ctx.tokens.read_reply(token))
    unknown(ctx, raw)


def test_a_turn_that_was_played_meanwhile_is_not_played_by_a_reply(ctx: AppContext, game: StoredGame) -> None:
    act(ctx, game.id, 0, game.head, {"type": "face", "direction": "right"}, "salt")
    assert refused(ctx, game, 0, "left") == "Assam has moved. Now lay a rug next to him."


def test_every_sentence_of_a_refusal_can_be_translated_as_it_stands() -> None:
    sentences = [value for name, value in vars(answers_module).items() if name.isupper() and isinstance(value, str)]
    assert len(sentences) >= 9
    assert not [sentence for sentence in sentences if "%" in sentence or "{" in sentence]


def test_letters_name_the_answered_turn(ctx: AppContext, game: StoredGame) -> None:
    arrive(ctx, game, 0, "left", turn=7)
    assert [letter.turn for letter in Letter.select().where(Letter.kind == "answer").execute(ctx.database)] == [7]
