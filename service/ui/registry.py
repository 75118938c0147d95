"""The presentations of the games, by name. Apart from the games' own packages, only this module knows them."""

from typing import Final

from service.ui.kilim.game_ui import KILIM_UI
from service.ui.marrakech.game_ui import MARRAKECH_UI
from service.ui.protocol import GameUi

_UIS: Final[dict[str, GameUi]] = {ui.name: ui for ui in (MARRAKECH_UI, KILIM_UI)}


def game_ui(game: str) -> GameUi:
    """The presentation of a game that is in `service.engine.registry`."""
    return _UIS[game]


def register(ui: GameUi) -> None:
    """Add a game's presentation; its rules are added with `service.engine.registry.register`."""
    _UIS[ui.name] = ui


def unregister(name: str) -> None:
    """Remove what `register` added."""
    del _UIS[name]
