"""The pictures in docs/, drawn again with `python -m service.render.pictures`."""

import hashlib
from pathlib import Path
from typing import Final

from service.engine.dice import Chance
from service.engine.marrakech.game import MARRAKECH
from service.engine.reading import Json
from service.engine.record import Sitter
from service.engine.table import new_heading, open_table
from service.render.svg import board_svg

BOARD: Final = Path(__file__).parents[2] / "docs" / "pictures" / "board.svg"
_PLAYERS: Final = ("Amina", "Basim", "Chadia", "Driss")
_SEED: Final = "board 262"
"""A game in which, after so many turns, Assam has just taken a track and all four colours lie about."""
_TURNS: Final = 24
_TIME: Final = "2000-01-01T00:00:00Z"


def middle_game() -> Json:
    """The onlooker's view of a game between four of the game's own players, in its middle; always the same."""
    key = hashlib.sha256(_SEED.encode()).digest()
    chance = Chance(key, "move")
    sitters = [Sitter(name, "greedy") for name in _PLAYERS]
    table = open_table(new_heading(MARRAKECH, "picture", "A game of Marrakech", {}, sitters, key), _TIME)
    while table.state.turn <= _TURNS:
        seat = min(MARRAKECH.to_act(table.state))
        action = MARRAKECH.bots["greedy"](table.view(seat), chance)
        table = table.act(seat, action, "", _TIME)
    return table.view(None)


def main() -> None:
    """Write the pictures."""
    BOARD.parent.mkdir(parents=True, exist_ok=True)
    BOARD.write_text(board_svg(middle_game()), encoding="utf-8")


if __name__ == "__main__":
    main()
