"""What a letter about a table is about, and what every such letter shows of it."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from service.clock import written
from service.engine.reading import Json
from service.engine.record import Entry
from service.engine.showing import whole_view
from service.mail.choices import choices_of, places_of
from service.mail.looking_back import Glance
from service.mail.readers import Reader
from service.mail.story import Story
from service.mail.wording import player_names, span, table_name
from service.office import Office
from service.render.characters import board_text
from service.render.palette import DYES
from service.render.payment import squares_paid
from service.render.sentences import in_words
from service.store import StoredGame, load

LONGEST_STORY: Final = 12
"""How many paragraphs a letter tells at most; who left a game early would get most of it otherwise."""

Context: TypeAlias = dict[str, Any]


class Outdated(Exception):
    """The moment of the letter is over: its turn is played, or its seat belongs to somebody else by now."""


class Drawing(NamedTuple):
    """What the picture in a letter shows."""

    view: Json
    places: Sequence[Sequence[str]]
    paid: Sequence[str]
    """The squares of the last payment."""


class Matter(NamedTuple):
    """What a letter about a table is about."""

    office: Office
    reader: Reader
    game: StoredGame
    seat: int
    turn: int
    created: float
    details: Json
    again: bool
    """Whether the letter is only looked at again, so that it does not matter that its moment is over."""

    @property
    def base(self) -> str:
        """What every link begins with."""
        return self.office.settings.base_url

    def only_if(self, holds: bool) -> None:
        """Give the letter up where what it is about no longer holds."""
        if not holds and not self.again:
            raise Outdated

    def turn_link(self, turn: int) -> str:
        """The link that plays a turn of the reader's seat."""
        version = self.game.seats[self.seat].link_version
        return f"{self.base}/t/{self.office.links.turn(self.game.id, self.seat, turn, version)}"


def matter_of(office: Office, letter: Any, reader: Reader, again: bool) -> Matter:
    """The letter's matter; raises `Outdated` where its seat is not its reader's any more."""
    game = load(office.database, letter.game_id)
    if game.seats[letter.seat].address != letter.address:
        raise Outdated
    details = json.loads(letter.details)
    return Matter(office, reader, game, letter.seat, letter.turn or 0, letter.created, details, again)


def about_table(matter: Matter) -> Context:
    """What every letter about a table needs."""
    game, names = matter.game, player_names(matter.game)
    version = game.seats[matter.seat].link_version
    return {
        "table": table_name(game),
        "you": names[matter.seat],
        "host": names[0],
        "seat_link": f"{matter.base}/s/{matter.office.links.seat(game.id, matter.seat, version)}",
        "game_link": f"{matter.base}/g/{game.id}",
    }


def view_at(matter: Matter, state: Any, head: int) -> Json:
    """The game as the reader sees it at a moment, the players called as in the sentences."""
    deadline = deadline_of(matter)
    at = None if deadline is None else written(deadline)
    view = whole_view(matter.game.heading, state, head, matter.seat, at)
    names = player_names(matter.game)
    view["seats"] = [{**seat, "name": name} for seat, name in zip(view["seats"], names, strict=True)]
    return view


def shown(matter: Matter, view: Json, numbered: bool = False, since: Iterable[Entry] = ()) -> Context:
    """The board and the standings, in characters, in words and as a picture; what was paid is among the events."""
    say = matter.reader.translations.gettext
    places = places_of(view) if numbered else []
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


_INK_ON: Final = {"red": "#ffffff", "blue": "#ffffff", "yellow": "#3a1a0e", "green": "#0d0603"}
"""What can be read on a rug of each colour."""


def told(matter: Matter, glance: Glance) -> Context:
    """What has happened, the end of it where it is long."""
    story = Story(matter.game, matter.reader.translations, matter.seat).told(glance.since, matter.seat)
    return {
        "story": story[-LONGEST_STORY:],
        "shortened": len(story) > LONGEST_STORY,
        "first_turn": glance.first,
    }


def offered(matter: Matter, view: Json, turn: int) -> Context:
    """The choices of a turn, one link for each, and how to say one in an answer."""
    link, choices = matter.turn_link(turn), choices_of(view, matter.reader.translations)
    return {
        "turn_link": link,
        "choices": [{**choice._asdict(), "link": f"{link}?do={choice.do}"} for choice in choices],
        "numbered": any(choice.numbered for choice in choices),
        "next_rug": view["seats"][matter.seat].get("next_rug"),
        "may_answer": bool(matter.office.settings.inbound_domain),
        "example": choices[0].do if choices else "",
    }


def deadline_of(matter: Matter) -> float | None:
    """When the time of the letter's turn is up, or was: only the turn that is on is in the game's row."""
    game = matter.game
    if game.turn == matter.turn and game.status == "playing":
        return game.deadline
    return matter.created + game.pace if game.pace else None


def time_left(matter: Matter, now: float) -> Context:
    """How long there is, and until when by the reader's clock."""
    deadline = deadline_of(matter)
    if deadline is None:
        return {"deadline": "", "left": ""}
    left = span(max(0.0, deadline - now), matter.reader.translations)
    return {"deadline": matter.reader.moment(deadline), "left": left}


def board_now(matter: Matter) -> Context:
    """The board as it is, or as it will be when the game begins."""
    game = matter.game
    state = game.rules.set_up(game.options, len(game.seats)) if game.state is None else game.state
    view = view_at(matter, state, game.head)
    if game.state is None:
        view["to_act"] = []
    return shown(matter, view)


def board_if_begun(matter: Matter) -> Context:
    """The same, and no board before the start."""
    return board_now(matter) if matter.game.state is not None else {"board": ""}
