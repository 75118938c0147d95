"""How quickly a board is drawn, and how large it is: as SVG, as PNG, and a whole game as a film."""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Final

from bench.table import Row
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.marrakech.game import MARRAKECH
from service.engine.match import Match, new_heading, start_match
from service.engine.records import RecordPlayer
from service.ui.marrakech.animation import game_svg
from service.ui.marrakech.board_png import board_png
from service.ui.marrakech.board_svg import board_svg, squares_paid

GAMES: Final = 6
_TIME: Final = "2000-01-01T00:00:00Z"


def drawing_rows() -> list[Row]:
    """Every position of a few games, each drawn once: what it takes nearly always (95 of 100), the largest size."""
    tables = [table for number in range(GAMES) for table in _game(number)]
    views = [table.view(min(table.rules.to_act(table.state), default=None)) for table in tables]
    drawings = [(view, _places(view), _paid(table, view)) for table, view in zip(tables, views, strict=True)]
    svg = [_timed(partial(board_svg, view, places, paid_squares=paid)) for view, places, paid in drawings]
    png = [_timed(partial(board_png, view, places, paid_squares=paid)) for view, places, paid in drawings]
    film = [_timed(partial(game_svg, table.record())) for table in tables if table.state.result is not None]
    return [
        *_row("board as SVG", svg, 3, 40_000),
        *_row("board as PNG", png, 80, 60_000),
        *_row("whole game as a film", film, 1000, 1_500_000),
    ]


def _row(what: str, measured: list[tuple[float, int]], most: float, largest: int) -> Iterator[Row]:
    times, size = sorted(seconds * 1000 for seconds, _ in measured), max(size for _, size in measured)
    middle, slow = times[len(times) // 2], times[int(len(times) * 0.95)]
    figure = f"{middle:.2f} ms, {slow:.2f} ms"
    yield Row(f"drawing: {what} (CPU time: median, 95 of 100)", figure, f"below {most:g} ms", slow < most)
    yield Row(f"drawing: {what}, the largest", f"{size / 1000:.1f} KB", f"below {largest // 1000} KB", size < largest)


def _timed(draw: Callable[[], str | bytes]) -> tuple[float, int]:
    start = process_time()
    picture = draw()
    spent = process_time() - start
    return spent, len(picture.encode() if isinstance(picture, str) else picture)


def _game(number: int) -> Iterator[Match]:
    """A game between two, three or four of the game's own players, after each action."""
    key = hashlib.sha256(f"drawing {number}".encode()).digest()
    sitters = [RecordPlayer(name) for name in ("Ann", "Bob", "Cleo", "Dan")[: 2 + number % 3]]
    table, chance = (
        start_match(new_heading(MARRAKECH, "drawing", "Market day", {}, sitters, key), _TIME),
        Chance(key, ""),
    )
    yield table
    while waiting := table.rules.to_act(table.state):
        seat = min(waiting)
        table = table.act(seat, chance.pick(table.view(seat)["legal"]), "", _TIME)
        yield table


def _places(view: Json) -> list[list[str]]:
    return [action["squares"] for action in view["legal"] if action["type"] == "lay"]


def _paid(table: Match, view: Json) -> list[str]:
    return squares_paid(view, (table.rules.events.write(entry.event) for entry in table.entries[-12:]))
