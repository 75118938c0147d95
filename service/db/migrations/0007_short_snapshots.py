"""Store the snapshots of Marrakech, which every action writes, in their short form."""

import json
from typing import Any

LONG, SHORT = "marrakech-state/1", "marrakech-state/2"
COLOURS = ("red", "blue", "yellow", "green")
SQUARES = 64


def up(migrator: Any, db: Any) -> None:
    """Write every snapshot in the new form; what happened in the games is not touched."""
    found = db.execute_sql("select id, state from game where state is not null").fetchall()
    statement = "update game set state = ? where id = ?".replace("?", db.param)
    for id_, text in found:
        state = json.loads(text)
        if state["format"] == LONG:
            db.execute_sql(statement, (json.dumps(shortened(state), separators=(",", ":")), id_))


def shortened(state: dict[str, Any]) -> dict[str, Any]:
    """The same state: a letter for each rug of a pile, two hexadecimal digits for each of eight times eight squares.

    The upper two bits of a square are the colour that shows there, the others the number of the rug.
    """
    piles = state["piles"] and ["".join(colour[0] for colour in pile) for pile in state["piles"]]
    board = bytearray(SQUARES)
    for (file, rank), shows in state["board"].items():
        board["abcdefg".index(file) + 8 * (int(rank) - 1)] = COLOURS.index(shows["colour"]) << 6 | shows["rug"]
    return {**state, "format": SHORT, "piles": piles, "board": board.hex()}
