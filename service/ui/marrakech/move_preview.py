"""What each direction may lead to, in words: for each face of the die where Assam would stop and what it would cost."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import NamedTuple

from babel.numbers import get_decimal_symbol

from service.engine.marrakech.board import NAMES
from service.engine.marrakech.roll_preview import Outcome, preview_rolls
from service.engine.marrakech.state import State
from service.i18n import ENGLISH, locale_for, marked, translations_for


class FacePreview(NamedTuple):
    """One face of the die, and what it would lead to."""

    face: int
    chances: int
    path: str
    to: str
    due: int
    words: str
    """What it would cost."""


class DirectionPreview(NamedTuple):
    """One direction: who would roll and pay, and what it may cost."""

    walker: int
    faces: list[FacePreview]
    mean: str
    """What it costs on average."""
    most: int
    """What it costs at most."""


def preview_directions(state: State, names: Sequence[str], language: str) -> dict[str, DirectionPreview]:
    """What each direction may lead to; empty if the seat has to lay a rug."""
    translations, point = translations_for(language), get_decimal_symbol(locale_for(language))
    return {
        preview.direction: DirectionPreview(
            preview.walker,
            [_face(outcome, names, translations) for outcome in preview.outcomes],
            f"{sum(outcome.due * outcome.chances for outcome in preview.outcomes) / 6:.1f}".replace(".", point),
            max(outcome.due for outcome in preview.outcomes),
        )
        for preview in preview_rolls(state)
    }


def describe_costs(state: State, names: Sequence[str], translations: NullTranslations) -> dict[str, str]:
    """What each direction costs, in a few words."""
    language = translations.info().get("language", ENGLISH)
    return {
        direction: _describe_cost(
            preview, None if preview.walker == state.mover else names[preview.walker], translations
        )
        for direction, preview in preview_directions(state, names, language).items()
    }


def _describe_cost(preview: DirectionPreview, other: str | None, translations: NullTranslations) -> str:
    """The average and the highest cost; `other` is the player who pays, if it isn't the one who chooses."""
    words = {"mean": preview.mean, "most": preview.most, "name": other}
    if other is None:
        nothing, something = marked("costs nothing"), marked("%(mean)s dirhams on average, at most %(most)s")
    else:
        nothing = marked("%(name)s pays nothing")
        something = marked("%(name)s pays %(mean)s dirhams on average, at most %(most)s")
    return translations.gettext(something if preview.most else nothing) % words


def _face(outcome: Outcome, names: Sequence[str], translations: NullTranslations) -> FacePreview:
    path = " ".join(NAMES[square] for square in outcome.path)
    cost = _cost(outcome, names, translations)
    return FacePreview(outcome.face, outcome.chances, path, NAMES[outcome.to], outcome.due, cost)


def _cost(outcome: Outcome, names: Sequence[str], translations: NullTranslations) -> str:
    if outcome.payee is None:
        return translations.gettext("nothing")
    words = {"due": outcome.due, "owner": names[outcome.payee]}
    if outcome.ruin:
        return translations.gettext("%(due)s to %(owner)s, which can't be paid in full") % words
    return translations.gettext("%(due)s to %(owner)s") % words
