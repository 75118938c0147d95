"""Letters with a tiny picture: drawing a board would take most of the time that a test of a letter needs."""

import base64
from collections.abc import Iterable
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.ui.kilim.game_ui import KILIM_UI, KilimUi
from service.ui.marrakech.game_ui import MARRAKECH_UI, MarrakechUi
from service.ui.registry import register

TINY_PNG: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class TinyPicture:
    """One pixel instead of a drawn board."""

    def board_png(
        self, view: Json, translations: NullTranslations, events: Iterable[Json] = (), *, seat: int | None = None
    ) -> bytes:
        return TINY_PNG


class TinyMarrakech(TinyPicture, MarrakechUi):
    pass


class TinyKilim(TinyPicture, KilimUi):
    pass


def use_tiny_pictures() -> None:
    register(TinyMarrakech())
    register(TinyKilim())


def use_drawn_boards() -> None:
    register(MARRAKECH_UI)
    register(KILIM_UI)
