"""The bots. They get the view of their seat as JSON, as any program outside would.

`easy` takes almost any legal action. `medium` weighs what is near (see `medium`). `strong` looks for the best winning
chance (see `expectimax`).
"""

from collections.abc import Mapping
from typing import Final

from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.marrakech.board import TURNED
from service.engine.marrakech.codecs import ActionCodec
from service.engine.marrakech.expectimax import value_options_further
from service.engine.marrakech.medium import best_actions, count_ruinous_faces
from service.engine.marrakech.position import read_position
from service.engine.protocol import Bot

_write_action: Final = ActionCodec().write


def play_easy(view: Json, chance: Chance) -> Json:
    """Take any legal action, but don't risk being eliminated more than necessary."""
    legal = view["legal"]
    if view["phase"] == "direction":
        position = read_position(view)
        risks = [count_ruinous_faces(position, TURNED[position.facing][action["direction"]]) for action in legal]
        legal = [action for action, risk in zip(legal, risks, strict=True) if risk == min(risks)]
    action: Json = chance.pick(legal)
    return action


def play_medium(view: Json, chance: Chance) -> Json:
    """Take the action with the highest value; chance decides between equal ones."""
    return _write_action(chance.pick(best_actions(read_position(view), view["phase"])))


def play_strong(view: Json, chance: Chance) -> Json:
    """Take the action with the best winning chance; chance decides between equal ones."""
    position = read_position(view)
    options = value_options_further(position, view["phase"])
    best = max(option.chances[position.mover] for option in options)
    return _write_action(
        chance.pick([option.action for option in options if option.chances[position.mover] > best - 1e-9])
    )


BOTS: Final[Mapping[str, Bot]] = {"easy": play_easy, "medium": play_medium, "strong": play_strong}
