"""The letters of a turn that goes on: the roll, the reminder, the stand-in, the answer to an unclear reply."""

import re
from dataclasses import replace

import pytest

from service.context import AppContext
from service.db.models import Game, Letter
from service.engine.json_reader import Json
from service.engine.marrakech.board import TURNED
from service.games.lobby import SeatRequest
from service.games.play import act
from service.games.store import StoredGame, entries
from service.mail.letters import Outdated, compose
from tests.mail.correspondence import WHY, ann_to_move, mover, post
from tests.mail.tables import ANN, BO, DAY, letters, links_in, one_step, played, started
from tests.mail.test_every_letter import check
from tests.support.clock import Clock

HOUR = 3600


def with_replies(ctx: AppContext) -> AppContext:
    """The same server, where replies play."""
    return ctx._replace(settings=replace(ctx.settings, inbound_domain="reply.example.org"))


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_roll_letter_tells_what_came_of_the_choice_and_numbers_the_places(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, first=0), 4)
    game = act(ctx, game.id, 0, game.head, {"type": "face", "direction": "left"}, "").game
    letter = compose(ctx, post(ctx, "roll", game))
    check(letter)
    view = game.rules.view(game.state, 0)
    text = flat(letter.text)
    die, colour = view["last_roll"]["die"], view["seats"][0]["next_rug"]
    assert f'You rolled {die} in "Market day". Now lay your {colour} rug.' in text
    assert "Your turn so far: * You turned Assam " in text
    assert re.search(rf", rolled {die}(,| and) (reached|looped around the edge to) ", text)
    assert "Bo sends" not in text
    places = ["-".join(action["squares"]) for action in view["legal"]]
    assert [link.partition("?do=")[2] for link in links_in(letter)] == [*places, ""]
    for number, place in enumerate(places, 1):
        assert f"<b>{number}</b>&nbsp; {place}</a>" in letter.html
        assert f"#{number}" in letter.text


def test_a_roll_letter_says_which_squares_were_paid_for(ctx: AppContext) -> None:
    game, head = started(ctx, first=0), 0
    while not (squares := ann_paid(ctx, game, head)):
        if game.status == "finished":  # Ann was lucky in all of it
            game = started(ctx, first=0)
        head, game = game.head, one_step(ctx, game)
    letter = compose(ctx, post(ctx, "roll", game))
    assert f"Squares paid for: {', '.join(sorted(squares))}." in letter.html


def ann_paid(ctx: AppContext, game: StoredGame, head: int) -> list[str] | None:
    """The squares for which Ann has just paid, if she goes on with her turn."""
    if game.state.phase != "placement" or mover(game) != 0:
        return None
    events = [game.rules.events.write(entry.event) for entry in entries(ctx.database, game, head)]
    return next((event["squares"] for event in events if event["type"] == "paid"), None)


def test_a_roll_letter_of_the_other_variant_asks_which_way_assam_turns(ctx: AppContext) -> None:
    game = started(ctx, first=0, variant="rotate-after")
    laid = game.rules.view(game.state, 0)["legal"][0]
    game = act(ctx, game.id, 0, game.head, laid, "").game
    letter = compose(ctx, post(ctx, "roll", game))
    check(letter)
    assert f"laid a {game.rules.view(game.state, 0)['board'][laid['squares'][0]]['colour']} rug on " in letter.text
    for direction in ("left", "right"):
        facing = TURNED[game.state.facing][direction]
        assert f"{direction.capitalize()}, facing {facing}:\n" in letter.text
    assert [link.partition("?do=")[2] for link in links_in(letter)] == ["left", "right", ""]


def test_letters_for_a_turn_are_not_written_once_it_is_over(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, first=0))
    turn, reminder = post(ctx, "turn", game), post(ctx, "reminder", game, part="half")
    compose(ctx, turn)
    compose(ctx, reminder)
    with pytest.raises(Outdated):  # the direction has not been chosen yet, so nothing was rolled
        compose(ctx, post(ctx, "roll", game))
    game = one_step(ctx, game)
    roll = post(ctx, "roll", game)
    compose(ctx, roll)
    one_step(ctx, game)
    for letter in (turn, reminder, roll):
        with pytest.raises(Outdated):
            compose(ctx, letter)


def test_a_turn_letter_that_goes_out_late_offers_what_can_still_be_chosen(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, first=0), 3)
    turn = post(ctx, "turn", game)
    before = compose(ctx, turn)
    game = act(ctx, game.id, 0, game.head, {"type": "face", "direction": "ahead"}, "").game
    late = compose(ctx, turn)
    assert [link.partition("?do=")[2] for link in links_in(before)] == ["left", "ahead", "right", ""]
    assert [link.partition("?do=")[2] for link in links_in(late)] == [
        *("-".join(action["squares"]) for action in game.rules.view(game.state, 0)["legal"]),
        "",
    ]
    story = late.text.partition("Since your last turn:")[2]
    assert story == before.text.partition("Since your last turn:")[2]
    assert re.search(r"Bo [^.]* laid a ", flat(story))


@pytest.mark.parametrize(
    ("part", "passed", "said"),
    [
        ("half", 12 * HOUR, 'It\'s still your turn in "Market day". You have 12 hours left.'),
        ("last", 22 * HOUR, 'You have only 2 hours left for your turn in "Market day".'),
        ("last", DAY - 30 * 60, 'You have only 30 minutes left for your turn in "Market day".'),
    ],
)
def test_a_reminder_says_how_much_time_is_left(
    ctx: AppContext, clock: Clock, part: str, passed: int, said: str
) -> None:
    game = ann_to_move(ctx, started(ctx, first=0), 2)
    clock.now += passed
    letter = compose(ctx, post(ctx, "reminder", game, part=part))
    check(letter)
    assert said in flat(letter.text)
    assert ("After that, a stand-in plays this turn for you." in flat(letter.text)) == (part == "last")
    assert ("Your time is running out. " if part == "last" else "It's still your turn. ") in letter.html


def test_a_reminder_in_the_middle_of_a_turn_offers_the_places(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, first=0))
    game = act(ctx, game.id, 0, game.head, {"type": "face", "direction": "ahead"}, "").game
    letter = compose(ctx, post(ctx, "reminder", game, part="half"))
    assert "Where do you lay your " in letter.text


def test_without_a_clock_a_reminder_names_no_time(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, first=0))
    Game.update(pace=None, deadline=None).where(Game.id == game.id).execute(ctx.database)
    letter = compose(ctx, post(ctx, "reminder", game, part="half"))
    check(letter)
    assert 'It\'s still your turn in "Market day".\n' in letter.text
    assert "You have" not in letter.text


@pytest.mark.parametrize("kept", [True, False])
def test_who_ran_out_of_time_reads_what_the_stand_in_did_and_how_to_come_back(ctx: AppContext, kept: bool) -> None:
    game = ann_to_move(ctx, started(ctx, first=0), 3)
    before = game.head
    game = one_step(ctx, one_step(ctx, game))
    last = game.head
    letter = post(ctx, "time-up", game, first=before + 1, last=last, kept=kept)
    written = compose(ctx, letter)
    check(written)
    text = flat(written.text)
    assert 'Your time ran out in "Market day", so a stand-in played for you.' in text
    assert re.search(r"\* You (turned|sent) Assam [^.]* laid a ", text)
    assert ("plays on until you come back" in text) == kept
    assert ("I am back" in written.html) == kept
    (link,) = links_in(written)
    assert ctx.tokens.read_seat(link.rpartition("/")[2]).seat == 0
    one_step(ctx, game)
    assert compose(ctx, letter) == written


def test_at_a_table_that_waits_everybody_reads_whose_time_is_up(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, first=0))
    late = compose(ctx, post(ctx, "time-up", game, waiting=True))
    check(late)
    assert 'Your time ran out in "Market day". Which way should Assam go?' in flat(late.text)
    other = post(ctx, "time-up", game, waiting=True)
    Letter.update(seat=1, address=BO).where(Letter.id == other.id).execute(ctx.database)
    other = letters(ctx, "time-up")[-1]
    decide = compose(ctx, other)
    check(decide)
    assert 'Ann ran out of time in "Market day".' in flat(decide.text)
    played(ctx, game, 3)
    with pytest.raises(Outdated):
        compose(ctx, other)


def test_an_answer_says_what_was_read_why_it_was_refused_and_what_is_legal_now(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, first=0))
    details: Json = {
        "why": WHY,
        "understood": "h9-h8",
        "asked": False,
        "message_id": "<x@y>",
        "subject": "Your turn: Souk",
    }
    letter = compose(with_replies(ctx), post(ctx, "answer", game, **details))
    check(letter)
    assert letter.subject == "Game: Market day"
    text = flat(letter.text)
    assert "We couldn't use your reply." in text
    assert "You wrote: h9-h8" in text
    assert WHY in text
    assert "Which way should Assam go? Reply with one word: left, ahead or right." in text
    assert "Write your choice above the quoted e-mail. You can also write resign to give up the game or help to" in text
    assert [link.partition("?do=")[2] for link in links_in(letter)] == ["left", "ahead", "right", ""]


def test_an_answer_names_the_word_and_what_can_be_said_in_this_phase(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, first=0))
    details: Json = {"why": WHY, "understood": "go wset", "word": "wset", "asked": False}
    facing = compose(with_replies(ctx), post(ctx, "answer", game, **details))
    placing = one_step(ctx, game)
    keys = ["-".join(action["squares"]) for action in game.rules.view(placing.state, 0)["legal"]]
    laying = compose(with_replies(ctx), post(ctx, "answer", placing, **details))
    check(laying)
    for letter in (flat(facing.text), flat(laying.text), facing.html, laying.html):
        assert "We didn't understand this word: wset" in letter
    assert "Which way should Assam go? Reply with one word: left, ahead or right." in flat(facing.text)
    colour = game.rules.view(placing.state, 0)["seats"][0]["next_rug"]
    asked = f"Where do you lay your {colour} rug? Reply with one of these, such as {keys[0]}, or just its number."
    assert asked in flat(laying.text)


def test_an_answer_to_somebody_who_is_not_to_act_says_whom_the_game_waits_for(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, first=0))
    letter = compose(ctx, post(ctx, "answer", game, 1, why="It is not your turn.", understood="", asked=False))
    check(letter)
    assert "Waiting for Ann. We'll e-mail you when it's your turn." in flat(letter.text)
    assert [link.partition("/s/")[0] for link in links_in(letter)] == ["http://127.0.0.1:8000"]


def test_who_asks_for_help_gets_it(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, first=0))
    letter = compose(ctx, post(ctx, "answer", game, why="You asked for help.", understood="help", asked=True))
    assert "Here's how to play by e-mail." in letter.text
    assert "not been played" not in letter.text


def test_an_answer_without_a_game_only_says_why(ctx: AppContext) -> None:
    letter = compose(ctx, post(ctx, "answer", why="No game has this address.", understood="", asked=False))
    check(letter)
    assert "No game has this address." in letter.text
    assert links_in(letter) == ()
    assert letter.pictures == ()


def test_a_subject_is_answered_with_one_re(ctx: AppContext) -> None:
    details: Json = {"why": WHY, "understood": "", "asked": False, "subject": "RE: re: Aw:\r\nBcc: x@example.org"}
    letter = compose(ctx, post(ctx, "answer", **details))
    assert letter.subject == "Re: Aw: Bcc: x@example.org"


def test_the_test_letter_is_what_was_asked_for(ctx: AppContext) -> None:
    letter = compose(ctx, post(ctx, "test"))
    check(letter)
    assert "This is the test e-mail you asked for." in letter.text


def test_a_long_game_against_bots_fits_into_its_letters(ctx: AppContext) -> None:
    game = started(
        ctx, SeatRequest(email=BO, name="Bo"), SeatRequest(bot="medium", name="F"), SeatRequest(bot="easy", name="R")
    )
    game = ann_to_move(ctx, game, 40)
    check(compose(ctx, post(ctx, "turn", game)))
    inbound = ctx._replace(settings=replace(ctx.settings, inbound_domain="reply.example.org"))
    game = one_step(ctx, game)
    check(compose(inbound, post(inbound, "roll", game)))
    assert game.seats[0].address == ANN
