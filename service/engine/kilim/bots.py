"""Computer players. They get the view of their seat, so they know no more than a person there."""

from collections.abc import Mapping
from typing import Final

from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.protocol import Bot

_MOST: Final = 256
"""A draw is below this number."""


def play_randomly(view: Json, chance: Chance) -> Json:
    """Choose any legal action."""
    legal = view["legal"]
    if len(legal) > _MOST:
        start = chance.below(-(-len(legal) // _MOST)) * _MOST
        legal = legal[start : start + _MOST]
    action: Json = chance.pick(legal)
    return action


BOTS: Final[Mapping[str, Bot]] = {"random": play_randomly}
