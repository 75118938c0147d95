"""Positions to draw: real games stopped where they are wanted, and small ones laid by hand."""

import hashlib
from typing import Any

from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.marrakech.game import MARRAKECH
from service.engine.match import Match, new_heading, start_match
from service.engine.records import RecordPlayer

TIME = "2000-01-01T00:00:00Z"
HOSTILE = "</title><script>alert(1)</script>&\"'\x00\x1b[31m\u202egnp.exe\u2066\ud800\ufffe"


def new_table(players: int = 4, names: tuple[str, ...] = ("Ann", "Bob", "Cleo", "Dan")) -> Match:
    sitters = [RecordPlayer(name) for name in names[:players]]
    seed = hashlib.sha256(b"a table to draw").digest()
    return start_match(new_heading(MARRAKECH, "drawn", "Market day", {}, sitters, seed), TIME)


def played(table: Match, turns: int = 1000, bot: str = "easy") -> Match:
    """The table after so many turns, or at the end of the game."""
    chance = Chance(b"moves", "moves")
    while (waiting := MARRAKECH.to_act(table.state)) and table.state.turn <= turns:
        seat = min(waiting)
        table = table.act(seat, MARRAKECH.bots[bot](table.view(seat), chance), "", TIME)
    return table


def resigned(table: Match, *seats: int) -> Match:
    for seat in seats:
        table = table.act(seat, {"type": "resign"}, "", TIME)
    return table


def rug(number: int, colour: str, neutral: bool = False) -> Json:
    seat = ("red", "blue", "yellow", "green").index(colour)
    return {"rug": number, "colour": colour, "seat": seat, "neutral": neutral}


def laid(**board: Json) -> Json:
    """The view of a game at its start, with these squares covered."""
    return new_table().view(None) | {"board": board}


def standing(at: str, facing: str, *path: str, **changes: Any) -> Json:
    """The view of a game at its start, with Assam standing elsewhere, having come by this path."""
    roll = {"die": len(path), "roll": 0, "path": list(path)} if path else None
    return new_table().view(None) | {"assam": {"at": at, "facing": facing}, "last_roll": roll} | changes
