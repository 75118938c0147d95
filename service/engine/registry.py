"""The games that can be played here, by name. Nothing else in the house knows a game by name."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from service.engine.marrakech.game import MARRAKECH
from service.engine.protocol import Rules

AnyRules: TypeAlias = Rules[Any, Any, Any]

GAMES: Final[Mapping[str, AnyRules]] = {rules.name: rules for rules in (MARRAKECH,)}
