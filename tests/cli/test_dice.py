"""Dice, draws and piles are worked out again from the record alone; whatever is changed in it is found."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.dice import check_record
from cli.errors import Refused, UsageError
from cli.records import read_record
from service.engine import records as service_record
from service.engine.record_text import read_text, write_text
from service.engine.records import write_record

GAMES = sorted((Path(__file__).parents[1] / "fixtures" / "games").glob("[!k]*.txt"))
SHUFFLED = next(game for game in GAMES if game.stem == "rugs-laid-2p-standard-shuffled")


def as_json(text: str) -> Any:
    return write_record(read_text(text))


@pytest.fixture
def record() -> Any:
    return as_json(SHUFFLED.read_text())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.stem)
def test_every_game_checks_out_as_text_and_as_json(game: Path) -> None:
    text = game.read_text()
    reports = [check_record(read_record(written)) for written in (text, json.dumps(as_json(text)))]
    assert reports[0] == reports[1]
    assert reports[0].ok, reports[0]
    assert len(reports[0].rolls) == text.count(" rolls ")


def failed(record: Any, commitment: str | None = None) -> list[str]:
    report = check_record(read_record(json.dumps(record)), commitment)
    return [check.what for check in report.checks if not check.ok] + [
        f"roll {roll.roll}" for roll in report.rolls if not roll.ok
    ]


def nth(record: Any, kind: str, place: int) -> Any:
    return [event for event in record["events"] if event["type"] == kind][place]


@pytest.mark.parametrize("place", [0, 7, -1])
def test_a_changed_die_is_found(record: Any, place: int) -> None:
    event = nth(record, "rolled", place)
    event["die"] = event["die"] % 4 + 1
    assert failed(record) == ["walks", f"roll {event['roll']}"]


def test_a_changed_die_is_found_in_the_text_too() -> None:
    text = SHUFFLED.read_text().replace("Blue rolls 1 (roll 1,", "Blue rolls 4 (roll 1,")
    report = check_record(read_record(text))
    assert [roll.roll for roll in report.rolls if not roll.ok] == [1]
    assert not report.ok


def test_a_changed_salt_changes_the_roll(record: Any) -> None:
    for event in record["events"]:
        if event["type"] == "rolled":
            event["salt"] += "x"
    assert len(failed(record)) > 10


def test_another_seed_first_player_pile_or_numbering_is_found(record: Any) -> None:
    seed = json.loads(json.dumps(record))
    seed["dice"]["seed"] = "00" * 32
    assert "seed" in failed(seed)
    first = json.loads(json.dumps(record))
    first["events"][0]["first"] = 1 - first["events"][0]["first"]
    assert failed(first) == ["first"]
    pile = json.loads(json.dumps(record))
    pile["events"][0]["piles"][1].reverse()
    assert failed(pile) == ["pile-1"]
    rug = json.loads(json.dumps(record))
    laid = nth(rug, "laid", 4)
    laid["colour"] = "red" if laid["colour"] == "yellow" else "yellow"
    assert failed(rug) == ["pile-0"]
    hidden = json.loads(json.dumps(record))
    del hidden["events"][0]["piles"]
    assert failed(hidden) == ["piles"]
    missing = json.loads(json.dumps(record))
    missing["events"].remove(nth(missing, "rolled", 3))
    assert "numbering" in failed(missing)


def test_a_walk_that_is_longer_than_the_roll_is_found(record: Any) -> None:
    nth(record, "moved", 2)["path"].append("a1")
    assert failed(record) == ["walks"]


def test_the_commitment_that_was_noted_down_is_compared(record: Any) -> None:
    assert failed(record, record["dice"]["commitment"].upper()) == []
    assert failed(record, "00" * 32) == ["seed"]


def test_a_game_that_is_not_over_cannot_be_checked_yet(record: Any) -> None:
    record["dice"]["seed"] = None
    with pytest.raises(Refused, match="isn't over yet"):
        check_record(record)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "{}",
        "[]",
        "null",
        '{"format": "marrakech-record/2"}',
        '{"format": "marrakech-record/1"}',
        "Marrakech by Mail, record 1\n",
    ],
)
def test_a_file_that_is_not_a_record_is_refused(words: str) -> None:
    with pytest.raises(UsageError, match="isn't a valid game record"):
        read_record(words)


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("Red rolls 1", "Red casts 1"),
        ("Seed: 58", "Seed: zz"),
        ("Turn 2", "Round 2"),
        ("Blue walks Assam", "Blue drags Assam"),
    ],
)
def test_a_line_that_cannot_be_read_is_refused(line: str, other: str) -> None:
    text = SHUFFLED.read_text()
    assert line in text
    with pytest.raises(UsageError):
        read_record(text.replace(line, other, 1))


def test_a_turn_that_a_stand_in_played_checks_out_in_both_forms(record: Any) -> None:
    for event in record["events"][5:9]:
        event["stand_in"] = True
    text = write_text(service_record.read_record(record))
    assert "Stand-in: " in text
    assert check_record(read_record(text)).ok
    assert check_record(read_record(json.dumps(record))).ok
