"""`make pictures`: redraws the pictures in docs/."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.marrakech.game import MARRAKECH
from service.engine.match import Match, new_heading, start_match
from service.engine.records import RecordPlayer
from service.ui.kilim.figures import draw_example
from service.ui.marrakech.board_svg import board_svg, squares_paid

FOLDER: Final = Path(__file__).parents[1] / "docs" / "pictures"
_PLAYERS: Final = ("Amina", "Basim", "Chadia", "Driss")
_SEED: Final = "board 262"
"""In this game, Assam has just used a track after 24 turns, and all four colours are visible."""
_TURNS: Final = 24
_SQUARES_PAID: Final = 4
"""The smallest payment to show."""
_TIME: Final = "2000-01-01T00:00:00Z"


def middle_game() -> Json:
    """A spectator's view of the middle of a game between four bots, always the same."""
    return next(table for table in _game() if table.state.turn > _TURNS).view(None)


def _game() -> Iterator[Match]:
    """The game after each action."""
    key = hashlib.sha256(_SEED.encode()).digest()
    chance = Chance(key, "move")
    players = [RecordPlayer(name, "medium") for name in _PLAYERS]
    table = start_match(new_heading(MARRAKECH, "picture", "A game of Marrakech", {}, players, key), _TIME)
    yield table
    while waiting := MARRAKECH.to_act(table.state):
        seat = min(waiting)
        action = MARRAKECH.bots["medium"](table.view(seat), chance)
        table = table.act(seat, action, "", _TIME)
        yield table


def _draw_placing(tables: Iterable[Match]) -> str:
    """The board while a player who has just paid chooses a place for a rug."""
    for table in tables:
        view = table.view(table.state.mover)
        paid = squares_paid(view, (table.rules.events.write(entry.event) for entry in table.entries))
        if view["phase"] == "placement" and len(paid) >= _SQUARES_PAID:
            return board_svg(view, [action["squares"] for action in view["legal"]], paid_squares=paid)
    raise LookupError("Nobody paid for that many squares in this game.")


def draw_pictures() -> dict[str, str]:
    """Draw the pictures, by the names of their files."""
    return {
        "board.svg": board_svg(middle_game()),
        "placing.svg": _draw_placing(_game()),
        "carpet.svg": draw_example(
            41, "A carpet of Kilim", "Twelve dominoes fill a rectangle. Its groups are outlined."
        ),
    }


def main() -> None:
    """Write the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, svg in draw_pictures().items():
        (FOLDER / name).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
