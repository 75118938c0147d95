"""The letters that come while a game goes on: it is your turn, your roll, time runs out, time is up, an answer."""

import re
from gettext import NullTranslations
from typing import Final

from service.engine.reading import Json
from service.mail.how_it_stands import as_it_stands, standing_at
from service.mail.how_long import deadline_of, time_left
from service.mail.looking_back import after_own_action, as_it_is, at_turn, between, waits_for
from service.mail.matter import Context, Matter, about_table
from service.mail.replies.receiving import WELCOME_BACK
from service.mail.replies.vocabulary import MEANINGS
from service.mail.said import said_since
from service.mail.story import Story
from service.mail.wording import harmless, listed
from service.naming import house_player
from service.play import STAND_IN
from service.store import deed_after

_LONGEST_ANSWER: Final = 200
_AGAIN: Final = re.compile(r"^(?:re: *)+", re.IGNORECASE)


def turn(matter: Matter) -> Context:
    """It has become the reader's turn."""
    matter.only_if(_is_on(matter))
    return {**about_table(matter), **_in_turn(matter, begun=matter.again), "said": said_since(matter)}


def roll(matter: Matter) -> Context:
    """What came of the reader's own action, and what there is to choose now."""
    matter.only_if(_is_on(matter))
    glance = after_own_action(matter.office, matter.game, matter.seat, matter.turn)
    matter.only_if(bool(glance.since) and glance.head == matter.game.head)
    return {**about_table(matter), **standing_at(matter, glance)}


def reminder(matter: Matter) -> Context:
    """The reader's turn goes on, and part of its time is over."""
    matter.only_if(_is_on(matter))
    last, deadline = matter.details.get("part") == "last", deadline_of(matter, matter.turn)
    standing, left = _in_turn(matter, begun=not _is_on(matter)), ""
    if deadline and deadline > matter.moment:
        left = time_left(matter, deadline)
        standing["time"] += f" {_after_that(matter)}" if last else ""
    return {**about_table(matter), **standing, "left": left, "last": last}


def _in_turn(matter: Matter, *, begun: bool) -> Context:
    """The game in a turn of the reader's: as it is, or as it was when the turn had just begun."""
    if begun:
        return standing_at(matter, at_turn(matter.office, matter.game, matter.seat, matter.turn))
    return standing_at(matter, as_it_is(matter.office, matter.game, matter.seat))


def _after_that(matter: Matter) -> str:
    say = matter.reader.translations.gettext
    if matter.game.time_up == "wait":
        return say("After that the others decide: more time, or a stand-in for this turn.")
    return say("After that a stand-in plays this turn for you.")


def time_up(matter: Matter) -> Context:
    """The stand-in has played for the reader; or the table waits, and everybody hears of it."""
    if matter.details.get("waiting"):
        return _overdue(matter)
    first, last = matter.details["first"], matter.details["last"]
    # Bots that were next have played in the same breath, and the game waits for none of them.
    breath = deed_after(matter.office.database, matter.game.id, first - 1)
    glance = between(matter.office, matter.game, first, max(last, breath.last if breath else 0))
    # Not the reader's own doing, so it is told with the reader's name.
    story = Story(matter.game, matter.reader.translations).told(glance.since, matter.seat)
    return {
        **about_table(matter),
        **standing_at(matter, glance),
        "story": story,
        "shortened": False,
        "overdue": "",
        "kept": bool(matter.details["kept"]),
        "stand_in": house_player(STAND_IN, matter.reader.translations.gettext),
    }


def _overdue(matter: Matter) -> Context:
    """The time of whoever is to act is up, and the others decide what comes of it."""
    matter.only_if(matter.game.status == "playing" and matter.game.turn == matter.turn)
    standing = as_it_stands(matter)
    names = [seat["name"] for seat in standing["seats"] if seat["seat"] in standing["to_act"]]
    return {
        **about_table(matter),
        **standing,
        "overdue": listed(names, matter.reader.translations),
        "late": matter.seat in standing["to_act"],
        "votes": not standing["seats"][matter.seat].get("out"),
        "stand_in_link": f"{matter.seat_link}?do=stand-in",
        "more_time_link": f"{matter.seat_link}?do=more-time",
    }


def answer(matter: Matter) -> Context:
    """An answer to what the reader wrote: what was understood, why it was not done, and what can be done now."""
    return {**about_table(matter), **answered(matter.details, matter.reader.translations), **as_it_stands(matter)}


def answered(details: Json, translations: NullTranslations) -> Context:
    """What an answer says with or without a game."""
    said = details.get("understood") or ""
    return {
        "why": harmless(translations.gettext(details["why"]), 4 * _LONGEST_ANSWER),
        "understood": harmless(translations.gettext(said) if said in MEANINGS else said, _LONGEST_ANSWER),
        "asked": bool(details.get("asked")),
        "back": details["why"] == WELCOME_BACK,
        "reply_to": _AGAIN.sub("", harmless(details.get("subject") or "", _LONGEST_ANSWER)),
    }


def _is_on(matter: Matter) -> bool:
    return waits_for(matter.game, matter.seat, matter.turn)
