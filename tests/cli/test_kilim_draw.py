"""The draw of Kilim is computed again from the record alone; whatever is changed in it is found."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from cli.dice import check_record
from cli.errors import UsageError
from cli.records import read_record
from service.engine.dice import Chance
from service.engine.kilim.game import KILIM
from service.engine.match import new_heading, start_match
from service.engine.record_text import write_text
from service.engine.records import Record, RecordPlayer, write_record

AT = "2026-11-18T12:00:00Z"


def play(seats: int, rounds: int = 4) -> Record:
    """A game in which everybody but the first player resigns after some rounds."""
    players = [RecordPlayer(f"Player {seat}") for seat in range(seats)]
    match = start_match(new_heading(KILIM, "souk", "Souk", {}, players, bytes(range(32))), AT)
    chance = Chance(bytes(32), "draw")
    while waiting := KILIM.to_act(match.state):
        seat = max(waiting)
        ends = match.state.round > rounds
        resigning = next((each for each in range(1, seats) if each not in match.state.out), seat)
        action = {"type": "resign"} if ends else KILIM.bots["easy"](match.view(seat), chance)
        match = match.act(resigning if ends else seat, action, "", AT)
    return match.record()


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_whole_draw_is_right_as_text_and_as_json(seats: int) -> None:
    record = play(seats)
    reports = [check_record(read_record(written)) for written in (write_text(record), json.dumps(write_record(record)))]
    assert reports[0] == reports[1]
    assert reports[0].ok
    assert [check.what for check in reports[0].checks] == ["seed", "piles", "revealed", "numbering"]


def test_a_game_to_the_end_of_the_days_can_be_read_as_text() -> None:
    assert check_record(read_record(write_text(play(2, 100)))).ok


def swap_pile(record: Any) -> None:
    pile = record["events"][0]["piles"][2]
    pile[0], pile[1] = pile[1], pile[0]


def swap_aside(record: Any) -> None:
    record["events"][0]["aside"].reverse()


def change_domino(record: Any) -> None:
    next(event for event in record["events"] if event["type"] == "revealed")["domino"] = "OO3"


def change_seed(record: Any) -> None:
    record["dice"]["seed"] = "00" * 32


def drop_event(record: Any) -> None:
    record["events"].pop(5)


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        (swap_pile, ["piles"]),
        (swap_aside, ["piles"]),
        (change_domino, ["revealed"]),
        (change_seed, ["seed", "piles", "revealed"]),
        (drop_event, ["numbering"]),
    ],
)
def test_a_change_is_found(change: Callable[[Any], None], failed: list[str]) -> None:
    record = json.loads(json.dumps(write_record(play(3))))
    change(record)
    report = check_record(read_record(json.dumps(record)))
    assert [check.what for check in report.checks if not check.ok] == failed


def test_a_changed_domino_is_found_in_the_text_too() -> None:
    text = write_text(play(3))
    report = check_record(read_record(text.replace(" of day 1 shows BH1;", " of day 1 shows TT3;", 1)))
    assert [check.detail for check in report.checks if not check.ok] == [
        "In round 1, TT3 was revealed, but it wasn't next in the pile."
    ]


def test_the_record_of_an_unknown_game_is_refused() -> None:
    record = json.loads(json.dumps(write_record(play(2))))
    record["game"] = "chess"
    with pytest.raises(UsageError, match="doesn't know its game"):
        read_record(json.dumps(record))
