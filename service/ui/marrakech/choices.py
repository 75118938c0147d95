"""The choices of a turn of Marrakech: their labels, and the words that name them."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from gettext import NullTranslations
from itertools import groupby
from typing import Final

from service.engine.json_reader import Json
from service.engine.marrakech.board import FACINGS, TURNED, Direction
from service.i18n import marked
from service.ui.protocol import Choice, Question, Step
from service.ui.words import SEVERAL, ReplyWords, SeveralChoices, read_fillers, read_meanings

NUMBER_TOO_EARLY: Final = marked(
    "Places are numbered only after the roll. To play your whole turn in one reply, name the squares: left d5-e5."
)
_DIRECTIONS: Final = (marked("left"), marked("ahead"), marked("right"))
_WINDS: Final = (marked("north"), marked("east"), marked("south"), marked("west"))
_ALL_DIRECTIONS: Final = frozenset((*_DIRECTIONS, *_WINDS))
_ARROWS: Final = {"north": "↑", "east": "→", "south": "↓", "west": "←"}
_LABELS: Final = {
    "left": marked("Turn Assam left, facing %(facing)s"),
    "ahead": marked("Send Assam ahead, facing %(facing)s"),
    "right": marked("Turn Assam right, facing %(facing)s"),
}
_ANSWERS: Final = {
    "left": marked("Left, facing %(facing)s"),
    "ahead": marked("Ahead, facing %(facing)s"),
    "right": marked("Right, facing %(facing)s"),
}
_QUESTIONS: Final = {
    "face": (marked("Which way should Assam go?"), marked("Roll the die")),
    "turn": (marked("Which way do you turn Assam?"), marked("Turn Assam")),
}
_SQUARE_PATTERN: Final = "[a-g][1-7]"
_SQUARE: Final = re.compile(_SQUARE_PATTERN)
_MEANINGS: Final = {
    "en": {
        "left": "left",
        "ahead": "ahead | straight | straight ahead | straight on | forward | forwards",
        "right": "right",
        "north": "north",
        "east": "east",
        "south": "south",
        "west": "west",
    },
    "de": {
        "left": "links",
        "ahead": "geradeaus | gerade aus | gradeaus | vorwärts | vorwaerts",
        "right": "rechts",
        "north": "nord | norden",
        "east": "ost | osten",
        "south": "süd | süden | sued | sueden",
        "west": "west | westen",
    },
    "fr": {
        "left": "gauche",
        "ahead": "tout droit | devant | droit devant | en avant",
        "right": "droite",
        "north": "nord",
        "east": "est | l'est",
        "south": "sud",
        "west": "ouest | l'ouest",
    },
}
_FILLERS: Final = {
    "en": "go turn face facing send assam lay place put rug your on direction",
    "de": "nach gehe geh dreh drehe schick schicke assam lege leg platz feld teppich meinen auf richtung",
    "fr": "va vais vers tourne tourner envoie envoyer assam pose place case tapis sur direction",
}


def list_choices(view: Json, translations: NullTranslations) -> list[Choice]:
    """The choices of the view's seat, in the order in which places are numbered on the board."""
    return [_choice(view, number, action, translations) for number, action in enumerate(view["legal"], 1)]


def _choice(view: Json, number: int, action: Json, translations: NullTranslations) -> Choice:
    gettext = translations.gettext
    if action["type"] == "lay":
        place = "-".join(action["squares"])
        label = gettext("#%(number)s - lay your rug on %(place)s") % {"number": number, "place": place}
        answer = gettext("#%(number)s - rug on %(place)s") % {"number": number, "place": place}
        aliases = frozenset({_place(action["squares"])})
        return Choice(place, label, action, str(number), number, aliases, answer)
    direction = action["direction"]
    facing = TURNED[view["assam"]["facing"]][direction]
    words = {"facing": gettext(facing)}
    return Choice(
        direction,
        gettext(_LABELS[direction]) % words,
        action,
        _ARROWS[facing],
        aliases=frozenset({facing, f"{direction} {facing}"}),
        answer=gettext(_ANSWERS[direction]) % words,
    )


def list_places(view: Json) -> list[Sequence[str]]:
    """The places for a rug among the choices."""
    return [action["squares"] for action in view["legal"] if action["type"] == "lay"]


def list_directions(view: Json) -> list[Direction]:
    """The directions for Assam among the choices."""
    return [action["direction"] for action in view["legal"] if action["type"] in {"face", "turn"}]


def ask_question(view: Json, translations: NullTranslations) -> Question:
    """What the view's seat has to decide now."""
    gettext = translations.gettext
    kind = view["legal"][0]["type"] if view["legal"] else "face"
    if kind == "lay":
        colour = gettext(view["seats"][view["you"]]["next_rug"])
        legend = gettext("Where do you lay your %(colour)s rug?") % {"colour": colour}
        return Question(legend, gettext("Lay the rug"))
    legend, button = _QUESTIONS[kind]
    return Question(gettext(legend), gettext(button))


@lru_cache(maxsize=32)
def reply_words(language: str) -> ReplyWords:
    """The words for directions and points of the compass, in English and in this language."""
    return ReplyWords(
        read_meanings(_MEANINGS, language), read_fillers(_FILLERS, language), _SQUARE_PATTERN, frozenset(_WINDS)
    )


def read_place(tokens: Sequence[str]) -> str | None:
    """Two squares in one spelling, whether or not a rug can lie there."""
    return _place(tokens) if len(tokens) == 2 and all(map(_SQUARE.fullmatch, tokens)) else None


def read_direction(tokens: Sequence[str], language: str) -> str | None:
    """A direction, a point of the compass, or both, as in a label: left, facing north."""
    meanings = reply_words(language).meanings
    whole = meanings.get(" ".join(tokens))
    if whole or len(tokens) != 2:
        return whole
    meant = [meanings.get(token, "") for token in tokens]
    directions = [each for each in meant if each in _DIRECTIONS]
    winds = [each for each in meant if each in FACINGS]
    return f"{directions[0]} {winds[0]}" if directions and winds else None


def build_action(reading: str, view: Json) -> Json | None:
    """The action that a reading means although it isn't legal now; None for a point of the compass alone."""
    if reading in _DIRECTIONS:
        return {"type": "turn" if view.get("phase") == "rotation" else "face", "direction": reading}
    return {"type": "lay", "squares": reading.split("-")} if "-" in reading else None


def plan_turn(readings: Sequence[str], view: Json) -> Sequence[Step]:
    """A direction and then places, of which the first legal one is used; or a place and then a direction.

    Which of the two comes first depends on the variant.
    """
    steps = [tuple(group) for _, group in groupby(readings, _is_direction)]
    directions = [reading for reading in readings if _is_direction(reading)]
    if len(steps) > 2 or len(steps[0]) > 1 or len(directions) > 1:
        raise SeveralChoices
    if len(steps) == 2:
        if _is_direction(readings[0]) == _rotates_after(view):
            raise SeveralChoices
        if any(reading.startswith("#") for reading in steps[1]):
            raise SeveralChoices(NUMBER_TOO_EARLY)
    return steps


def describe_whole_turn(view: Json, translations: NullTranslations) -> str:
    """How a reply plays the direction and the rug at once, in the order of the variant."""
    gettext = translations.gettext
    kind = view["legal"][0]["type"] if view["legal"] else ""
    left, auto = gettext("left"), gettext("auto")
    if kind == "face":
        return gettext(
            'Or play your whole turn in one reply: "%(direction)s d5-e5 e5-e6" lays your rug on the first of these'
            ' places that the rules allow, and "%(direction)s %(auto)s" lets the computer lay it.'
        ) % {"direction": left, "auto": auto}
    if kind == "lay" and _rotates_after(view):
        place = "-".join(view["legal"][0]["squares"])
        words = {"example": f"{place} {left}", "auto": f"{place} {auto}"}
        return gettext('Or play your whole turn in one reply: "%(example)s" or "%(auto)s".') % words
    return ""


def _rotates_after(view: Json) -> bool:
    return bool(view.get("options", {}).get("variant") == "rotate-after")


def _is_direction(reading: str) -> bool:
    return reading.split(maxsplit=1)[0] in _ALL_DIRECTIONS


def explain_several(mentioned: Collection[str]) -> str:
    """Why the choices in a reply can't be one; empty if they can, or if they may be a whole turn."""
    directions = _ALL_DIRECTIONS.intersection(mentioned)
    places = set(mentioned) - directions
    squares = {each for each in places if _SQUARE.fullmatch(each)}
    if len(directions) > 1:
        return SEVERAL
    return SEVERAL if not directions and (len(squares) > 2 or len(places - squares) > 1) else ""


def _place(squares: Sequence[str]) -> str:
    return "-".join(sorted(squares, key=lambda square: (square[1], square[0])))
