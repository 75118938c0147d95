"""The pictures in docs/, drawn again with `python -m service.ui.marrakech.pictures`."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.marrakech.game import MARRAKECH
from service.engine.match import Match, new_heading, start_match
from service.engine.records import RecordPlayer
from service.ui.marrakech.board_svg import board_svg, squares_paid
from service.ui.marrakech.plots import course_of, plot_svg, scores_svg

FOLDER: Final = Path(__file__).parents[3] / "docs" / "pictures"
_PLAYERS: Final = ("Amina", "Basim", "Chadia", "Driss")
_SEED: Final = "board 262"
"""A game in which, after so many turns, Assam has just taken a track and all four colours lie about."""
_TURNS: Final = 24
_WIDELY: Final = 4
"""For how many squares is paid in the picture of a payment."""
_TIME: Final = "2000-01-01T00:00:00Z"


def middle_game() -> Json:
    """The onlooker's view of a game between four of the game's own players, in its middle; always the same."""
    return next(table for table in _game() if table.state.turn > _TURNS).view(None)


def _game() -> Iterator[Match]:
    """That game, after each action."""
    key = hashlib.sha256(_SEED.encode()).digest()
    chance = Chance(key, "move")
    sitters = [RecordPlayer(name, "greedy") for name in _PLAYERS]
    table = start_match(new_heading(MARRAKECH, "picture", "A game of Marrakech", {}, sitters, key), _TIME)
    yield table
    while waiting := MARRAKECH.to_act(table.state):
        seat = min(waiting)
        action = MARRAKECH.bots["greedy"](table.view(seat), chance)
        table = table.act(seat, action, "", _TIME)
        yield table


def _placing(tables: Iterable[Match]) -> str:
    """The board while somebody who has just paid looks for a place for a rug."""
    for table in tables:
        view = table.view(table.state.mover)
        paid = squares_paid(view, (table.rules.events.write(entry.event) for entry in table.entries))
        if view["phase"] == "placement" and len(paid) >= _WIDELY:
            return board_svg(view, [action["squares"] for action in view["legal"]], paid_squares=paid)
    raise LookupError("nobody ever paid for so many squares in this game")


def drawn() -> dict[str, str]:
    """The pictures by the names of their files."""
    tables = list(_game())
    course = course_of(tables[-1].record())
    return {
        "board.svg": board_svg(middle_game()),
        "placing.svg": _placing(tables),
        "dirhams.svg": plot_svg("Dirhams", course.dirhams),
        "scores.svg": scores_svg(tables[-1].view(None)),
    }


def main() -> None:
    """Write the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, svg in drawn().items():
        (FOLDER / name).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
