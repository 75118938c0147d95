"""How long there is, in sentences: for the reader, for whoever the game waits for, and for a table that fills up."""

from collections.abc import Iterator
from typing import Final

from service.clocks.company import is_away
from service.engine.reading import Json
from service.lobby import called_off_at
from service.mail.matter import Matter
from service.mail.story import ending_told
from service.mail.wording import listed, span
from service.statements import run

_FIND_BEGINNING: Final = "select min(created) from letter where game = ? and turn = ? and kind = 'turn'"


def how_long(matter: Matter, view: Json) -> str:
    """Whom the game waits for in the view and until when, on the reader's clock; or that it waits no longer."""
    say = matter.reader.translations.gettext
    if view["result"] is not None:
        names = [seat["name"] for seat in view["seats"]]
        return f"{say('The game is over.')} {ending_told(names, view['result'], matter.reader.translations)}"
    if is_past(matter, view):
        return say("The game has gone on since then.")
    time = [_own_time] if matter.seat in view["to_act"] else [_whom, _their_time]
    return " ".join([*(told(matter, view) for told in time), *_absences(matter, view)])


def is_past(matter: Matter, view: Json) -> bool:
    """Whether the view is of a turn that is over by now, which does not matter where a letter is looked at again."""
    return not (matter.again or _is_on(matter, view["turn"]))


def deadline_of(matter: Matter, turn: int) -> float | None:
    """When the time of a turn is up, or was: only the deadline of the turn that is on is in the game's row."""
    game = matter.game
    if _is_on(matter, turn) or not game.pace:
        return game.deadline
    ((began,),) = run(matter.office.database, _FIND_BEGINNING, [game.id, turn]).fetchall()
    return float(began or matter.created) + game.pace


def time_left(matter: Matter, deadline: float) -> str:
    """How much of the time is left at the letter's moment."""
    return span(max(0.0, deadline - matter.moment), matter.reader.translations)


def before_the_start(matter: Matter) -> str:
    """How long a table waits that has not filled up yet; or that it was called off."""
    say = matter.reader.translations.gettext
    if matter.game.status in {"cancelled", "expired"}:
        return say("This table was called off before the game started.")
    until = matter.reader.moment(called_off_at(matter.office.database, matter.game.id))
    return " ".join(
        [
            say("The game starts by itself when every seat is taken."),
            say("A table that has not filled up by %(until)s is called off.") % {"until": until},
        ]
    )


def _is_on(matter: Matter, turn: int) -> bool:
    return matter.game.status == "playing" and matter.game.turn == turn


def _own_time(matter: Matter, view: Json) -> str:
    say, deadline = matter.reader.translations.gettext, deadline_of(matter, view["turn"])
    if deadline is None:
        return _stopped(matter) or say("There is no clock at this table: take your time.")
    words = {"deadline": matter.reader.moment(deadline), "left": time_left(matter, deadline)}
    if deadline > matter.moment:
        return say("You have %(left)s for this turn: until %(deadline)s.") % words
    if matter.game.time_up == "wait":
        return say("Your time was up on %(deadline)s; the table waits until you play or the others decide.") % words
    return say("Your time was up on %(deadline)s; you can still play until the stand-in does.") % words


def _their_time(matter: Matter, view: Json) -> str:
    say, deadline = matter.reader.translations.gettext, deadline_of(matter, view["turn"])
    if deadline is None:
        return _stopped(matter) or say("There is no clock at this table.")
    words = {"deadline": matter.reader.moment(deadline), "left": time_left(matter, deadline)}
    if deadline > matter.moment:
        return say("Time left: %(left)s, until %(deadline)s.") % words
    if matter.game.time_up == "wait":
        return say("The time was up on %(deadline)s; the table waits for the turn, or for a decision.") % words
    return say("The time was up on %(deadline)s; the stand-in plays next.") % words


def _stopped(matter: Matter) -> str:
    say = matter.reader.translations.gettext
    return say("The table's clocks stand still: everybody has agreed to a pause.") if matter.game.paused else ""


def _whom(matter: Matter, view: Json) -> str:
    """Whom the game waits for; who is out, or has left the seat to a stand-in, gets no more letters about turns."""
    say, names = matter.reader.translations.gettext, [view["seats"][seat]["name"] for seat in view["to_act"]]
    words = {"names": listed(names, matter.reader.translations)}
    if view["seats"][matter.seat].get("out"):
        return say("The game waits for %(names)s.") % words
    if matter.game.seats[matter.seat].kept:
        return say("The game waits for %(names)s; a stand-in plays for you until you come back.") % words
    return say("The game waits for %(names)s; you will get a letter when it is your turn.") % words


def _absences(matter: Matter, view: Json) -> Iterator[str]:
    """Who of those that are to act is away, so that their time stands still."""
    say = matter.reader.translations.gettext
    for seat in (matter.game.seats[place] for place in view["to_act"]):
        if is_away(seat, matter.moment):
            words = {"name": view["seats"][seat.seat]["name"], "until": matter.reader.moment(seat.away_until or 0.0)}
            if seat.seat == matter.seat:
                yield say("You are away until %(until)s; your time stands still until then.") % words
            else:
                yield say("%(name)s is away until %(until)s.") % words
