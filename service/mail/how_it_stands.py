"""How a game stands for the reader of any letter: what happened, the board, the standings, the time, the choices."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from service.engine.reading import Json
from service.engine.record import Entry
from service.engine.showing import whole_view
from service.mail.choices import choices_of, places_of
from service.mail.how_long import before_the_start, how_long, is_past
from service.mail.looking_back import Glance, as_it_is, as_it_was
from service.mail.matter import Context, Matter
from service.mail.story import Story
from service.mail.wording import player_names
from service.render.characters import board_text
from service.render.palette import DYES
from service.render.payment import squares_paid
from service.render.sentences import in_words

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


def as_it_stands(matter: Matter) -> Context:
    """The game at the letter's own moment; before the start how long the table waits, and the seat if it is offered."""
    glance = _glance_at(matter)
    if glance is None:
        seat_is_offered = matter.game.status == "waiting" and not matter.game.seats[matter.seat].accepted
        before = {"board": "", "choices": [], "time": before_the_start(matter), "seat_is_offered": seat_is_offered}
        return {**before, **offer(matter)}
    return standing_at(matter, glance)


def _glance_at(matter: Matter) -> Glance | None:
    """The game at the letter's own moment; None before the start."""
    if matter.game.state is None:
        return None
    if matter.again:
        return as_it_was(matter.office, matter.game, matter.seat, matter.moment)
    return as_it_is(matter.office, matter.game, matter.seat)


def standing_at(matter: Matter, glance: Glance) -> Context:
    """All that a letter tells of the game at a glance; the choices are there for a reader who is to act."""
    view = view_at(matter, glance.state, glance.head)
    return {
        **_told(matter, glance),
        **shown(matter, view, glance.since),
        **_offered(matter, view),
        "time": how_long(matter, view),
        "over": view["result"] is not None,
    }


def offer(matter: Matter) -> Context:
    """The two answers to somebody who offers a seat."""
    link = matter.seat_link
    return {"accept_link": f"{link}?do=accept", "decline_link": f"{link}?do=decline"}


def view_at(matter: Matter, state: Any, head: int) -> Json:
    """The game as the reader sees it at a moment, the players called as in the sentences."""
    view = whole_view(matter.game.heading, state, head, matter.seat)
    names = player_names(matter.game)
    view["seats"] = [{**seat, "name": name} for seat, name in zip(view["seats"], names, strict=True)]
    return view


def shown(matter: Matter, view: Json, since: Iterable[Entry] = ()) -> Context:
    """The board and the standings, in characters, in words and as a picture; what was paid is among the events."""
    say = matter.reader.translations.gettext
    places = places_of(view)
    paid = squares_paid(view, (matter.game.rules.events.write(entry.event) for entry in since))
    return {
        "board": board_text(view, places, say),
        "in_words": in_words(view, say, paid),
        "drawing": Drawing(view, places, paid),
        "seats": [
            {**seat, "chips": [(say(colour), DYES[colour].fill, _INK_ON[colour]) for colour in seat["colours"]]}
            for seat in view["seats"]
        ],
        "to_act": view["to_act"],
        "seat": matter.seat,
    }


def _told(matter: Matter, glance: Glance) -> Context:
    """What has happened, the end of it where it is long."""
    story = Story(matter.game, matter.reader.translations, matter.seat).told(glance.since, matter.seat)
    return {
        "story": story[-LONGEST_STORY:],
        "shortened": len(story) > LONGEST_STORY,
        "first_turn": glance.first,
    }


def _offered(matter: Matter, view: Json) -> Context:
    """The choices of the reader, one link for each, and how to say one in an answer; none while others are to act."""
    choices = choices_of(view, matter.reader.translations)
    if not choices or is_past(matter, view):
        return {"choices": []}
    link = matter.turn_link(view["turn"])
    return {
        "turn_link": link,
        "choices": [{**choice._asdict(), "link": f"{link}?do={choice.do}"} for choice in choices],
        "numbered": any(choice.numbered for choice in choices),
        "next_rug": view["seats"][matter.seat].get("next_rug"),
        "example": matter.reader.translations.gettext(choices[0].do),
        "answer_plays": view["turn"],
    }
