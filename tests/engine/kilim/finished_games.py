"""Whole games of Kilim in `tests/fixtures/games`: one for each way to end, and together everything that can happen.

`python -m tests.engine.kilim.finished_games` writes the files anew, after a change of the text record.
"""

from pathlib import Path
from typing import Final, NamedTuple

from service.engine.kilim.game import KILIM
from service.engine.match import new_heading
from service.engine.record_text import write_text
from service.engine.records import Entry, Record, RecordPlayer
from tests.engine.kilim.walks import Walk

FILES: Final = Path(__file__).parents[2] / "fixtures" / "games"
_NAMES: Final = ("Amina", "Bashir", "Chadia", "Driss", "Farida")


class Recipe(NamedTuple):
    """How a game came about, and how it ended."""

    weaving: str
    seats: int
    seed: int
    winners: tuple[int, ...]
    out: tuple[int, ...] = ()


GAMES: Final = {
    "kilim-days-over-2p-relaxed": Recipe("relaxed", 2, 21888, (0,)),
    "kilim-days-over-3p-strict": Recipe("strict", 3, 555, (0,)),
    "kilim-days-over-one-out-4p-relaxed": Recipe("relaxed", 4, 84, (3,), out=(1,)),
    "kilim-last-standing-4p-strict": Recipe("strict", 4, 61, (0,), out=(1, 2, 3)),
    "kilim-last-standing-5p-relaxed": Recipe("relaxed", 5, 102, (3,), out=(1, 2, 0, 4)),
    "kilim-shared-win-2p-relaxed": Recipe("relaxed", 2, 10064, (0, 1)),
    "kilim-tie-broken-by-squares-2p-strict": Recipe("strict", 2, 21089, (0,)),
}


def play(name: str) -> Record:
    """Play a game once more."""
    recipe = GAMES[name]
    (*_, walk) = Walk(recipe.weaving, recipe.seats, recipe.seed).steps()
    players = [RecordPlayer(player) for player in _NAMES[: recipe.seats]]
    heading = new_heading(KILIM, walk.id, name.replace("-", " "), {"weaving": recipe.weaving}, players, walk.seed)
    entries = [
        Entry(f"2026-11-16T{minute // 60:02}:{minute % 60:02}:00Z", KILIM.events.read(event, recipe.seats))
        for minute, event in enumerate(walk.events)
    ]
    return Record(heading, tuple(entries))


def main() -> None:
    """Write all files."""
    for name in GAMES:
        (FILES / f"{name}.txt").write_text(write_text(play(name)))


if __name__ == "__main__":
    main()
