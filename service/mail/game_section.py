"""How a game stands for the reader of any letter: what happened, the board, the standings, the time, the choices."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from service.engine.json_reader import Json
from service.engine.records import Entry, build_view
from service.games.names import player_names
from service.games.story import Story
from service.games.views import visible_events
from service.mail.deadline_text import before_the_start, how_long, is_past
from service.mail.history import Snapshot, as_it_is
from service.mail.letter_context import Context, LetterContext
from service.ui.protocol import GameUi

LONGEST_STORY: Final = 12
"""How many paragraphs a letter tells at most; who left a game early would get most of it otherwise."""


class Drawing(NamedTuple):
    """What the picture in a letter shows."""

    ui: GameUi
    view: Json
    events: list[Json]
    """The latest events."""


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
    """The board and the standings, in characters, in words and as a picture; a board may mark the latest events."""
    ui, translations = letter_ctx.game.ui, letter_ctx.reader.translations
    events = visible_events(letter_ctx.game, 1, since, letter_ctx.seat)
    return {
        "board": ui.board_text(view, translations),
        "in_words": ui.alt_text(view, translations, events),
        "drawing": Drawing(ui, view, events),
        "standings": ui.standings(view, [seat["name"] for seat in view["seats"]], translations),
        "to_act": view["to_act"],
        "seat": letter_ctx.seat,
        "usual_example": translations.gettext(ui.example_reply),
        "templates": ui.templates,
    }


def _told(letter_ctx: LetterContext, snapshot: Snapshot) -> Context:
    """What has happened, the end of it where it is long."""
    story = Story(letter_ctx.game, letter_ctx.reader.translations, letter_ctx.seat).paragraphs(snapshot.since)
    return {
        "story": story[-LONGEST_STORY:],
        "shortened": len(story) > LONGEST_STORY,
        "first_turn": snapshot.first,
    }


def _offered(letter_ctx: LetterContext, view: Json) -> Context:
    """The choices of the reader, one link for each, and how to say one in an answer; none while others are to act."""
    ui, translations = letter_ctx.game.ui, letter_ctx.reader.translations
    choices = ui.choices(view, translations)
    if not choices or is_past(letter_ctx, view):
        return {"choices": []}
    link = letter_ctx.turn_link(view["turn"])
    return {
        "turn_link": link,
        "choices": [{**choice._asdict(), "link": f"{link}?do={quote(choice.key)}"} for choice in choices],
        "numbered": choices[0].number is not None,
        "question": ui.question(view, translations),
        "example": translations.gettext(choices[0].key),
        "answer_plays": view["turn"],
    }
