"""What each direction may lead to, in the words of the page."""

from gettext import NullTranslations
from typing import NamedTuple

from babel.numbers import get_decimal_symbol

from service.engine.marrakech.board import NAMES
from service.engine.marrakech.roll_preview import Outcome, preview_rolls
from service.engine.marrakech.state import State
from service.games.names import player_names
from service.games.stored import StoredGame
from service.i18n import Reader, locale_for


class Face(NamedTuple):
    """One face of the die, and what it would lead to."""

    face: int
    chances: int
    path: str
    to: str
    due: int
    payee: int | None
    words: str
    """What it would cost."""


class Outlook(NamedTuple):
    """One direction: who would walk that way, and what may come of it."""

    walker: int
    faces: list[Face]
    mean: str
    """What it costs on average."""


def outlook(game: StoredGame, reader: Reader) -> dict[str, Outlook]:
    """For each direction that can be chosen what may come of it."""
    if not isinstance(game.state, State):
        return {}
    names, point = player_names(game), get_decimal_symbol(locale_for(reader.language))
    return {
        preview.direction: Outlook(
            preview.walker,
            [_face(outcome, names, reader.translations) for outcome in preview.outcomes],
            f"{sum(outcome.due * outcome.chances for outcome in preview.outcomes) / 6:.1f}".replace(".", point),
        )
        for preview in preview_rolls(game.state)
    }


def _face(outcome: Outcome, names: list[str], translations: NullTranslations) -> Face:
    way = " ".join(NAMES[square] for square in outcome.path)
    words = _cost(outcome, names, translations)
    return Face(outcome.face, outcome.chances, way, NAMES[outcome.to], outcome.due, outcome.payee, words)


def _cost(outcome: Outcome, names: list[str], translations: NullTranslations) -> str:
    if outcome.payee is None:
        return translations.gettext("nothing")
    words = {"due": outcome.due, "owner": names[outcome.payee]}
    if outcome.ruin:
        return translations.gettext("%(due)s to %(owner)s: more than there is") % words
    return translations.gettext("%(due)s to %(owner)s") % words
