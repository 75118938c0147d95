"""The games that can be played here, by name; the first one is the default. Only this module knows their rules."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from service.engine.kilim.game import KILIM
from service.engine.marrakech.game import MARRAKECH
from service.engine.protocol import Rules

AnyRules: TypeAlias = Rules[Any, Any, Any]

_GAMES: Final[dict[str, AnyRules]] = {rules.name: rules for rules in (MARRAKECH, KILIM)}
GAMES: Final[Mapping[str, AnyRules]] = MappingProxyType(_GAMES)


def default_game() -> str:
    """The game that forms offer first."""
    return next(iter(GAMES))


def register(rules: AnyRules) -> None:
    """Add a game; its presentation is added with `service.ui.registry.register`."""
    _GAMES[rules.name] = rules


def unregister(name: str) -> None:
    """Remove what `register` added."""
    del _GAMES[name]
