"""The letters that come while a game goes on: it is your turn, your roll, time runs out, time is up, an answer."""

import re
from gettext import NullTranslations
from typing import Final

from service.engine.reading import Json
from service.mail.looking_back import Glance, after_own_action, at_turn, between, in_turn, waits_for
from service.mail.matter import Context, Matter, about_table, offered, shown, time_left, told, view_at
from service.mail.said import said_since
from service.mail.story import Story
from service.mail.wording import harmless, listed, player_names

_LONGEST_ANSWER: Final = 200
_AGAIN: Final = re.compile(r"^(?:re: *)+", re.IGNORECASE)
_STAND_IN: Final = "greedy"


def turn(matter: Matter) -> Context:
    """It has become the reader's turn."""
    look = at_turn if matter.again else in_turn
    matter.only_if(_is_on(matter))
    glance = look(matter.office, matter.game, matter.seat, matter.turn)
    return {**_to_act(matter, glance), **time_left(matter, matter.created), "said": said_since(matter)}


def roll(matter: Matter) -> Context:
    """What came of the reader's own action, and what there is to choose now."""
    matter.only_if(_is_on(matter))
    glance = after_own_action(matter.office, matter.game, matter.seat, matter.turn)
    matter.only_if(bool(glance.since) and glance.head == matter.game.head)
    return {**_to_act(matter, glance), **time_left(matter, matter.office.clock())}


def reminder(matter: Matter) -> Context:
    """The reader's turn goes on, and part of its time is over."""
    matter.only_if(_is_on(matter))
    look = in_turn if _is_on(matter) else at_turn
    glance = look(matter.office, matter.game, matter.seat, matter.turn)
    now = matter.created if matter.again else matter.office.clock()
    return {**_to_act(matter, glance), **time_left(matter, now), "last": matter.details.get("part") == "last"}


def time_up(matter: Matter) -> Context:
    """The stand-in has played for the reader; or the table waits, and everybody hears of it."""
    if matter.details.get("waiting"):
        return _overdue(matter)
    first, last = matter.details["first"], matter.details["last"]
    glance = between(matter.office, matter.game, first, last)
    view = view_at(matter, glance.state, last)
    # Not the reader's own doing, so it is told with the reader's name.
    story = Story(matter.game, matter.reader.translations).told(glance.since, matter.seat)
    return {
        **about_table(matter),
        **shown(matter, view, since=glance.since),
        "story": story,
        "shortened": False,
        "overdue": "",
        "kept": bool(matter.details["kept"]),
        "stand_in": _STAND_IN,
    }


def _overdue(matter: Matter) -> Context:
    """The time of whoever is to act is up, and the others decide what comes of it."""
    matter.only_if(matter.game.status == "playing" and matter.game.turn == matter.turn)
    view = view_at(matter, matter.game.state, matter.game.head)
    names = player_names(matter.game)
    late = listed([names[seat] for seat in view["to_act"]], matter.reader.translations)
    return {
        **about_table(matter),
        **shown(matter, view),
        "story": [],
        "shortened": False,
        "overdue": late,
        "late": matter.seat in view["to_act"],
    }


def answer(matter: Matter) -> Context:
    """An answer to what the reader wrote: what was understood, why it was not done, and what can be done now."""
    game = matter.game
    context = {
        **about_table(matter),
        **answered(matter.details, matter.reader.translations),
        "board": "",
        "choices": [],
    }
    if game.state is None:
        return {**context, "waiting": ""}
    view = view_at(matter, game.state, game.head)
    names = player_names(game)
    waiting = listed([names[seat] for seat in view["to_act"]], matter.reader.translations)
    if matter.seat not in view["to_act"]:
        return {**context, **shown(matter, view), "waiting": waiting}
    now = matter._replace(turn=game.turn)
    return {
        **context,
        **shown(now, view, numbered=True),
        **offered(now, view, game.turn),
        **time_left(now, matter.office.clock()),
        "waiting": "",
    }


def answered(details: Json, translations: NullTranslations) -> Context:
    """What an answer says with or without a game."""
    return {
        "why": harmless(translations.gettext(details["why"]), 4 * _LONGEST_ANSWER),
        "understood": harmless(details.get("understood") or "", _LONGEST_ANSWER),
        "asked": bool(details.get("asked")),
        "reply_to": _AGAIN.sub("", harmless(details.get("subject") or "", _LONGEST_ANSWER)),
    }


def _is_on(matter: Matter) -> bool:
    return waits_for(matter.game, matter.seat, matter.turn)


def _to_act(matter: Matter, glance: Glance) -> Context:
    """All that a reader needs who is to act."""
    view = view_at(matter, glance.state, glance.head)
    return {
        **about_table(matter),
        **told(matter, glance),
        **shown(matter, view, numbered=True, since=glance.since),
        **offered(matter, view, matter.turn),
    }
