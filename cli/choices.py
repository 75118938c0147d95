"""What people type for a direction or a place, read as an action."""

import re
from gettext import gettext as say
from typing import Any, Final

from cli.errors import GameOver, NotAllowed, NotYourTurn, Refused, UsageError
from cli.table_text import next_step, places_of
from cli.text import join_names, seat_names

View = dict[str, Any]
Action = dict[str, Any]

_DIRECTIONS: Final = {
    "left": "left",
    "l": "left",
    "ahead": "ahead",
    "a": "ahead",
    "straight": "ahead",
    "right": "right",
    "r": "right",
}
_FACINGS: Final = ("north", "east", "south", "west")
_PLACE: Final = re.compile(r"([a-g][1-7])[\s,/-]*([a-g][1-7])")


def check_turn(view: View) -> None:
    """Refuse with a sentence where the game does not wait for who asks."""
    if view["you"] is None:
        raise NotAllowed(say("You have no seat in this game; you can look on, or take a seat with marrakech-cli use."))
    if view["status"] == "waiting":
        raise NotYourTurn(say("The game has not started yet; it starts by itself when every seat is taken."))
    if view["status"] == "finished":
        raise GameOver(say("The game is over; begin another with marrakech-cli new."))
    if view["you"] not in view["to_act"]:
        names = seat_names(view["seats"])
        who = join_names([names[seat] for seat in view["to_act"]])
        sentence = say("It is the turn of %(who)s; marrakech-cli watch waits until it is yours.")
        raise NotYourTurn(sentence % {"who": who})


def check_phase(view: View, phase: str) -> None:
    """Refuse where something else is to be done first, and say what."""
    if view["phase"] != phase:
        wanted = {
            "direction": say("Assam has not walked yet."),
            "placement": say("Assam has walked; now a rug is to be laid."),
            "rotation": say("The rug is laid; now Assam is to be turned."),
        }
        raise Refused(f"{wanted.get(view['phase'], '')} {next_step(view)}.".strip())


def read_direction(words: str, view: View) -> Action:
    """The action for a direction; the four winds are seen from the way Assam faces."""
    word = words.strip().lower()
    direction = _towards(word, view) if word in _FACINGS else _DIRECTIONS.get(word)
    if direction is None:
        raise UsageError(
            say("Type left, ahead or right (or l, a, r, or a wind such as north), not %(word)s.")
            % {"word": repr(words[:40])}
        )
    turning = view["phase"] == "rotation"
    if turning and direction == "ahead":
        raise Refused(say("Here Assam must be turned a quarter: left or right."))
    return {"type": "turn" if turning else "face", "direction": direction}


def _towards(wind: str, view: View) -> str:
    facing = view["assam"]["facing"]
    quarters = (_FACINGS.index(wind) - _FACINGS.index(facing)) % 4
    if quarters == 2:
        sentence = say(
            "Assam faces %(facing)s and never turns right round; choose another wind, or left, ahead or right."
        )
        raise Refused(sentence % {"facing": facing})
    return {0: "ahead", 1: "right", 3: "left"}[quarters]


def read_place(words: str, view: View) -> Action:
    """The action for a place, by its number on the board or by its squares; whether it is legal the server says."""
    word = words.strip().lower().removeprefix("#")
    places = places_of(view)
    if word.isdecimal():
        if not 1 <= int(word) <= len(places):
            raise UsageError(
                say("There is no place %(word)s; they are numbered from 1 to %(last)s.")
                % {"word": word[:9], "last": len(places)}
            )
        return {"type": "lay", "squares": places[int(word) - 1]}
    found = _PLACE.fullmatch(word)
    if found is None:
        raise UsageError(
            say("Type a place as its number or as two squares such as d5-e5, not %(word)s.")
            % {"word": repr(words[:40])}
        )
    return {"type": "lay", "squares": [found[1], found[2]]}
