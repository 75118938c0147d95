"""The game's own players. They get the view of their seat as JSON, as any program outside would."""

from collections.abc import Mapping
from typing import Final

from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.marrakech.greedy import greedy
from service.engine.protocol import Bot


def random(view: Json, chance: Chance) -> Json:
    """Any legal move, each as likely as another."""
    action: Json = chance.pick(view["legal"])
    return action


BOTS: Final[Mapping[str, Bot]] = {"random": random, "greedy": greedy}
