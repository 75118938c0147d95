"""How a game stands for the reader of any letter: what happened, the board, the standings, the time, the choices."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from service.engine.json_reader import Json
from service.engine.records import Entry, build_view
from service.games.names import player_names
from service.mail.choices import choices_of, places_of
from service.mail.deadline_text import before_the_start, how_long, is_past
from service.mail.history import Snapshot, as_it_is
from service.mail.letter_context import Context, LetterContext
from service.mail.story import Story
from service.ui.marrakech.alt_text import in_words
from service.ui.marrakech.board_svg import squares_paid
from service.ui.marrakech.board_text import board_text
from service.ui.marrakech.palette import DYES

LONGEST_STORY: Final = 12
"""How many paragraphs a letter tells at most; who left a game early would get most of it otherwise."""
_INK_ON: Final = {"red": "#ffffff", "blue": "#ffffff", "yellow": "#3a1a0e", "green": "#0d0603"}
"""What can be read on a rug of each colour."""


class Drawing(NamedTuple):
    """What the picture in a letter shows."""

    view: Json
    places: Sequence[Sequence[str]]
    paid: Sequence[str]
    """The squares of the last payment."""


def as_it_stands(letter_ctx: LetterContext) -> Context:
    """The game at the letter's own moment; before the start how long the table waits, and the seat if it is offered."""
    if letter_ctx.game.state is None:
        seat_is_offered = letter_ctx.game.status == "waiting" and not letter_ctx.game.seats[letter_ctx.seat].accepted
        before = {"board": "", "choices": [], "time": before_the_start(letter_ctx), "seat_is_offered": seat_is_offered}
        return {**before, **offer(letter_ctx)}
    return standing_at(letter_ctx, as_it_is(letter_ctx.ctx, letter_ctx.game, letter_ctx.seat))


def standing_at(letter_ctx: LetterContext, snapshot: Snapshot) -> Context:
    """All that a letter tells of the game at a glance; the choices are there for a reader who is to act."""
    view = view_at(letter_ctx, snapshot.state, snapshot.head)
    return {
        **_told(letter_ctx, snapshot),
        **shown(letter_ctx, view, snapshot.since),
        **_offered(letter_ctx, view),
        "time": how_long(letter_ctx, view),
        "over": view["result"] is not None,
    }


def offer(letter_ctx: LetterContext) -> Context:
    """The two answers to somebody who offers a seat."""
    link = letter_ctx.seat_link
    return {"accept_link": f"{link}?do=accept", "decline_link": f"{link}?do=decline"}


def view_at(letter_ctx: LetterContext, state: Any, head: int) -> Json:
    """The game as the reader sees it at a moment, the players called as in the sentences."""
    view = build_view(letter_ctx.game.heading, state, head, letter_ctx.seat)
    names = player_names(letter_ctx.game)
    view["seats"] = [{**seat, "name": name} for seat, name in zip(view["seats"], names, strict=True)]
    return view


def shown(letter_ctx: LetterContext, view: Json, since: Iterable[Entry] = ()) -> Context:
    """The board and the standings, in characters, in words and as a picture; what was paid is among the events."""
    say = letter_ctx.reader.translations.gettext
    places = places_of(view)
    paid = squares_paid(view, (letter_ctx.game.rules.events.write(entry.event) for entry in since))
    return {
        "board": board_text(view, say),
        "in_words": in_words(view, say, paid),
        "drawing": Drawing(view, places, paid),
        "seats": [
            {**seat, "chips": [(say(colour), DYES[colour].fill, _INK_ON[colour]) for colour in seat["colours"]]}
            for seat in view["seats"]
        ],
        "to_act": view["to_act"],
        "seat": letter_ctx.seat,
    }


def _told(letter_ctx: LetterContext, snapshot: Snapshot) -> Context:
    """What has happened, the end of it where it is long."""
    story = Story(letter_ctx.game, letter_ctx.reader.translations, letter_ctx.seat).told(
        snapshot.since, letter_ctx.seat
    )
    return {
        "story": story[-LONGEST_STORY:],
        "shortened": len(story) > LONGEST_STORY,
        "first_turn": snapshot.first,
    }


def _offered(letter_ctx: LetterContext, view: Json) -> Context:
    """The choices of the reader, one link for each, and how to say one in an answer; none while others are to act."""
    choices = choices_of(view, letter_ctx.reader.translations)
    if not choices or is_past(letter_ctx, view):
        return {"choices": []}
    link = letter_ctx.turn_link(view["turn"])
    return {
        "turn_link": link,
        "choices": [{**choice._asdict(), "link": f"{link}?do={choice.do}"} for choice in choices],
        "numbered": any(choice.numbered for choice in choices),
        "next_rug": view["seats"][letter_ctx.seat].get("next_rug"),
        "example": letter_ctx.reader.translations.gettext(choices[0].do),
        "answer_plays": view["turn"],
    }
