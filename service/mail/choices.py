"""The choices that a turn offers, each with its words and what stands behind `?do=` in its link."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Final, NamedTuple

from service.engine.json_reader import Json
from service.engine.marrakech.board import TURNED
from service.i18n import marked

_SENTENCES: Final = {
    "face": marked("Send Assam %(direction)s, to face %(facing)s"),
    "turn": marked("Turn Assam %(direction)s, to face %(facing)s"),
    "lay": marked("#%(number)s - lay your rug on %(place)s"),
}
_ARROWS: Final = {"north": "↑", "east": "→", "south": "↓", "west": "←"}


class Choice(NamedTuple):
    """One legal action."""

    words: str
    do: str
    """How a link or a reply names it: `left`, `d5-e5`."""
    sign: str
    """What stands for it on a button: the number of its place, or an arrow the way Assam will face."""
    numbered: bool
    """Whether it is a place with a number on the board."""


def choices_of(view: Json, translations: NullTranslations) -> list[Choice]:
    """What the view's seat may do now, in the order in which its places are numbered on the board."""
    return [_choice(view, number, action, translations) for number, action in enumerate(view["legal"], 1)]


def places_of(view: Json) -> list[Sequence[str]]:
    """The places for a rug among the choices, to be numbered on the board."""
    return [action["squares"] for action in view["legal"] if action["type"] == "lay"]


def _choice(view: Json, number: int, action: Json, translations: NullTranslations) -> Choice:
    say = translations.gettext
    sentence = say(_SENTENCES[action["type"]])
    if action["type"] == "lay":
        place = "-".join(action["squares"])
        return Choice(sentence % {"number": number, "place": place}, place, str(number), numbered=True)
    direction = action["direction"]
    facing = TURNED[view["assam"]["facing"]][direction]
    words = sentence % {"direction": say(direction), "facing": say(facing)}
    return Choice(words, direction, _ARROWS[facing], numbered=False)
