"""In a letter, the question comes first: what to reply and the first link stand within the first lines."""

from dataclasses import replace
from gettext import NullTranslations

import pytest

from service.context import AppContext
from service.games.lobby import SeatRequest
from service.mail.letters import Composed, compose
from tests.mail.correspondence import ann_to_move, post
from tests.mail.html_reading import Read
from tests.mail.tables import BO, one_step, started
from tests.mail.test_what_letters_say import (
    Situation,
    answer,
    invitation,
    links,
    reminder,
    roll,
    time_up_of_the_late,
    turn,
)
from tests.support.clock import Clock

FIRST_LINES = 15
ASKING: list[Situation] = [turn, roll, reminder, time_up_of_the_late, answer, links, invitation]
"""Letters that ask for something."""


def with_replies(ctx: AppContext) -> AppContext:
    return ctx._replace(settings=replace(ctx.settings, inbound_domain="reply.example.org"))


def compose_asking(ctx: AppContext, clock: Clock, situation: Situation) -> Composed:
    return compose(with_replies(ctx), situation(ctx, clock)[0])


@pytest.mark.parametrize("situation", ASKING)
def test_the_words_to_reply_with_and_the_first_link_are_among_the_first_lines(
    ctx: AppContext, clock: Clock, situation: Situation
) -> None:
    text = compose_asking(ctx, clock, situation).text
    head = "\n".join(text.splitlines()[:FIRST_LINES])
    if situation is not invitation:  # it is explained before it can be accepted
        assert "Reply with one " in head
    assert "?do=" in head


@pytest.mark.parametrize("situation", [turn, roll, reminder, answer, links])
def test_the_question_stands_above_the_board_and_everything_else_below(
    ctx: AppContext, clock: Clock, situation: Situation
) -> None:
    letter = compose_asking(ctx, clock, situation)
    text = letter.text
    order = [text.index("Reply with"), text.rindex("?do="), text.index("     +-------+"), text.index("  Name ")]
    since = "Your turn so far" if situation is roll else "Since your last turn"
    order += [text.index(f"{since}:"), text.index("Keep these links private"), text.index("\n-- \n")]
    assert order == sorted(order)
    html = letter.html
    order = [html.index("Reply with"), html.rindex("?do="), html.index("<img "), html.index("Rugs left")]
    order += [html.index(f">{since}<"), html.index("Keep these links private"), html.index(">Unsubscribe<")]
    assert order == sorted(order)


def test_each_direction_says_what_it_may_cost(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, SeatRequest(email=BO, name="Bo"), SeatRequest(bot="medium"), first=0), 12)
    letter = compose(ctx, post(ctx, "turn", game))
    hints = game.ui.choice_hints(game.state, [seat.name for seat in game.seats], NullTranslations())
    assert set(hints) == {"left", "ahead", "right"}
    links = {link.partition("?do=")[2]: words for link, words in Read(letter.html).links}
    lines = letter.text.splitlines()
    for key, hint in hints.items():
        place = next(number for number, line in enumerate(lines) if line.endswith(f"?do={key}"))
        assert lines[place - 1] == hint
        assert lines[place - 2].startswith(f"{key.capitalize()}, facing ")
        assert links[key].endswith(hint)


def test_places_have_no_cost_and_take_two_lines_each(ctx: AppContext) -> None:
    game = one_step(ctx, ann_to_move(ctx, started(ctx, first=0)))
    text = compose(ctx, post(ctx, "roll", game)).text
    places = ["-".join(action["squares"]) for action in game.rules.view(game.state, 0)["legal"]]
    lines = text.splitlines()
    start = lines.index(f"#1 {places[0]}:")
    assert lines[start : start + 2 * len(places) : 2] == [
        f"#{number} {place}:" for number, place in enumerate(places, 1)
    ]
