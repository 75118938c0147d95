"""The client folds events into the very views that the engine shows."""

from pathlib import Path
from typing import Any

import pytest

from cli.replay import steps_of, view_after
from service.engine.record_text import read_text
from service.engine.records import Record, build_view, write_record

GAMES = sorted((Path(__file__).parents[1] / "fixtures" / "games").glob("*.txt"))
SAME = (
    "status",
    "head",
    "turn",
    "phase",
    "to_act",
    "assam",
    "seats",
    "board",
    "last_roll",
    "result",
    "dice",
    "options",
)


def views(record: Record) -> list[Any]:
    return [build_view(record.heading, state, head, None) for head, state in enumerate(record.states())]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.stem)
def test_every_position_of_a_game_is_the_engines(game: Path) -> None:
    record = read_text(game.read_text())
    events, shown = write_record(record)["events"], views(record)
    for count in range(1, len(events) + 1):
        folded = view_after(shown[-1], events, count)
        assert {key: folded[key] for key in SAME} == {key: shown[count][key] for key in SAME}


def test_while_the_piles_are_hidden_the_next_rug_is_known_from_what_was_laid() -> None:
    record = read_text(next(game for game in GAMES if "2p-standard-shuffled" in game.stem).read_text())
    events, shown = write_record(record)["events"], views(record)
    del events[0]["piles"]
    until = 60
    folded = view_after(shown[until], events[:until], 20)
    assert [seat["next_rug"] for seat in folded["seats"]] == [seat["next_rug"] for seat in shown[20]["seats"]]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.stem)
def test_steps_hold_every_event_once_and_begin_with_an_action(game: Path) -> None:
    events = write_record(read_text(game.read_text()))["events"]
    steps = steps_of(events)
    assert [event for step in steps for event in step] == events
    assert all(step[0]["type"] not in {"moved", "paid", "eliminated"} for step in steps)
