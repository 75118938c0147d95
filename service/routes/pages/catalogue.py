"""The games that can be played here, as pages present them: title, picture, one sentence and number of players."""

from gettext import NullTranslations
from typing import NamedTuple

from service import paths
from service.engine.registry import GAMES
from service.ui.registry import game_ui


class PresentedGame(NamedTuple):
    """A game for people who may not know it."""

    name: str
    """Its name in addresses and forms."""
    title: str
    tagline: str
    players: str
    """How many can play, in words."""
    credits: str
    picture_words: str
    """What its picture shows; empty if it has none."""
    has_rules: bool


def present_game(name: str, translations: NullTranslations) -> PresentedGame:
    """A registered game, in the reader's language."""
    ui = game_ui(name)
    return PresentedGame(
        name,
        ui.title,
        ui.tagline(translations),
        _count_players(GAMES[name].seats, translations),
        ui.credits(translations),
        ui.describe_picture(translations),
        paths.has_rules_page(ui.templates),
    )


def present_games(translations: NullTranslations) -> list[PresentedGame]:
    """All games, the default first."""
    return [present_game(name, translations) for name in GAMES]


def _count_players(seats: range, translations: NullTranslations) -> str:
    words = translations.gettext("%(least)s to %(most)s players")
    return words % {"least": seats.start, "most": seats.stop - 1}
