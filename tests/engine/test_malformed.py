"""Malformed values are refused with a sentence that names the field; an illegal action is another exception."""

import copy
import json
from typing import Any

import pytest

from service.admin.simulate import simulated_games
from service.engine.errors import IllegalAction, Malformed
from service.engine.marrakech.game import MARRAKECH
from service.engine.match import new_heading, start_match
from service.engine.record_text import read_text, write_text
from service.engine.records import RecordPlayer, read_record, write_record

RECORD = next(simulated_games(MARRAKECH, 1, 2, {}, ["medium"], "malformed"))
JSON = json.loads(json.dumps(write_record(RECORD)))
TEXT = write_text(RECORD)


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (None, "action must be an object, not None."),
        ([], "action must be an object, not []."),
        ({}, "action.type is missing."),
        ({"type": "jump"}, "action.type must be face, lay, turn or resign, not 'jump'."),
        ({"type": ["face"]}, "action.type must be face, lay, turn or resign, not ['face']."),
        ({"type": "face"}, "action.direction is missing."),
        ({"type": "face", "direction": "back"}, "action.direction must be left, ahead or right, not 'back'."),
        ({"type": "turn", "direction": "ahead"}, "action.direction must be left or right, not 'ahead'."),
        ({"type": "face", "direction": "left", "die": 4}, "action has an unknown field 'die'."),
        ({"type": "lay", "squares": "d5-e5"}, "action.squares must be a list of 2, not 'd5-e5'."),
        ({"type": "lay", "squares": ["d5"]}, "action.squares must be a list of 2, not ['d5']."),
        ({"type": "lay", "squares": ["d5", "h5"]}, "action.squares[1] must be a square from a1 to g7, not 'h5'."),
        ({"type": "lay", "squares": ["d5", 5]}, "action.squares[1] must be a square from a1 to g7, not 5."),
        (
            {"type": "lay", "squares": ["d5", "e6"]},
            "action.squares must be two squares that share an edge, not ['d5', 'e6'].",
        ),
        (
            {"type": "lay", "squares": ["d5", "d5"]},
            "action.squares must be two squares that share an edge, not ['d5', 'd5'].",
        ),
        ({"type": "resign", "seat": 1}, "action has an unknown field 'seat'."),
    ],
)
def test_malformed_actions_are_refused(action: object, sentence: str) -> None:
    with pytest.raises(Malformed) as refusal:
        MARRAKECH.actions.read(action)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("options", "seats", "sentence"),
    [
        ({"variant": "fast"}, 2, "options.variant must be standard or rotate-after, not 'fast'."),
        ({"pile": None}, 2, "options.pile must be shuffled or alternating, not None."),
        ({"first": 3}, 3, "options.first must be a whole number from 0 to 2, not 3."),
        ({"first": True}, 3, "options.first must be a whole number from 0 to 2, not True."),
        ({"house": "rule"}, 3, "options has an unknown field 'house'."),
        ({}, 1, "Marrakech is for 2 to 4 players, not 1."),
        ({}, 5, "Marrakech is for 2 to 4 players, not 5."),
    ],
)
def test_malformed_options_are_refused(options: object, seats: int, sentence: str) -> None:
    with pytest.raises(Malformed) as refusal:
        MARRAKECH.read_options(options, seats)
    assert str(refusal.value) == sentence


def set_in(value: Any, path: list[Any], entry: object) -> Any:
    """A copy of the value with something else in one place."""
    changed = copy.deepcopy(value)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = entry
    return changed


@pytest.mark.parametrize(
    ("path", "entry", "sentence"),
    [
        (["format"], "marrakech-record/2", "record.format must be marrakech-record/1, not 'marrakech-record/2'."),
        (["game"], "chess", "record.game must be marrakech or kilim, not 'chess'."),
        (["id"], "a/b", "record.id must be 1 to 64 letters, digits, - or _, not 'a/b'."),
        (["name"], "x" * 201, "record.name must be text of at most 200 characters, not 'xxx"),
        (["options", "pile"], "heap", "options.pile must be shuffled or alternating, not 'heap'."),
        (["seats"], [], "record.seats must be a list of 2 to 4, not []."),
        (["seats", 1, "colours"], ["red"], "record.seats[1].colours must be ['blue', 'green'], not ['red']."),
        (["seats", 0, "seat"], 1, "record.seats[0].seat must be 0, not 1."),
        (["seats", 0, "bot"], "genius", "record.seats[0].bot must be easy, medium or strong, not 'genius'."),
        (["dice"], 6, "record.dice must be an object, not 6."),
        (["dice", "seed"], "AB", "record.dice.seed must be 64 hexadecimal digits in lower case, not 'AB'."),
        (["events", 3, "seq"], 9, "record.events[3].seq must be 4, not 9."),
        (
            ["events", 3, "at"],
            "noon",
            "record.events[3].at must be a UTC time such as 2026-11-16T09:30:00Z, not 'noon'.",
        ),
        (["events", 1, "at"], "2026-02-29T00:00:00Z", "record.events[1].at must be a UTC time"),
        (["events", 2, "die"], 5, "In record.events[2]: event.die must be 1, 2, 3 or 4, not 5."),
        (["events", 2, "seat"], 2, "In record.events[2]: event.seat must be a whole number from 0 to 1, not 2."),
        (["events", 3, "to"], "a1", "In record.events[3]: event.to must be the last square of the path"),
        (["events", 0, "piles", 0, 0], "blue", "In record.events[0]: event.piles[0] must be 12 rugs each of red and"),
        (
            ["events", 0, "first"],
            None,
            "In record.events[0]: event.first must be a whole number from 0 to 1, not None.",
        ),
        (["result"], None, "record.result must be the result in the last event, and null while there is none."),
        (["result", "winners"], [0, 1], "record.result must be the result in the last event"),
        (["events", -1, "result", "ranking"], [0, 0], "event.result.ranking must be every seat once, not [0, 0]."),
        (["events", -1, "result", "scores", 0, "total"], 0, "event.result.scores[0].total must be the sum of dirhams"),
        (["extra"], 1, "record has an unknown field 'extra'."),
    ],
)
def test_malformed_records_are_refused(path: list[Any], entry: object, sentence: str) -> None:
    with pytest.raises(Malformed) as refusal:
        read_record(set_in(JSON, path, entry))
    assert sentence in str(refusal.value)


@pytest.mark.parametrize(
    ("path", "entry", "sentence"),
    [
        (["format"], "marrakech-state/1", "state.format must be marrakech-state/2"),
        (["seats"], 5, "state.seats must be a whole number from 2 to 4, not 5."),
        (["mover"], 2, "state.mover must be a whole number from 0 to 1, not 2."),
        (["phase"], "tea", "state.phase must be direction, placement, rotation or over, not 'tea'."),
        (["assam", "facing"], "up", "state.assam.facing must be north, east, south or west, not 'up'."),
        (["assam"], "d4", "state.assam must be an object, not 'd4'."),
        (["board"], {}, "state.board must be 128 hexadecimal digits, not {}."),
        (["board"], "0" * 127, "state.board must be 128 hexadecimal digits, not '0"),
        (["board"], "0" * 127 + "x", "state.board must be 128 hexadecimal digits, not '0"),
        (["board"], "00" * 7 + "01" + "00" * 56, "state.board must be a rug from 1 to 48 on each square that is not"),
        (["board"], "31" + "00" * 63, "state.board must be a rug from 1 to 48 on each square that is not bare"),
        (["board"], "40" + "00" * 63, "state.board must be a rug from 1 to 48 on each square that is not bare"),
        (["dirhams"], [30], "state.dirhams must be a list of 2, not [30]."),
        (["dirhams", 0], -1, "state.dirhams[0] must be a whole number from 0 to 60, not -1."),
        (["out"], [1, 1], "state.out must be a list of"),
        (["piles"], [[], []], "state.piles[0] must be text of at most 24 characters, not []."),
        (["piles"], ["ry" * 12, "bx" * 12], "state.piles must be letters out of rbyg, not 'bxbx"),
        (["piles"], ["ry" * 12, "bg" * 11], "state.piles[1] must be 12 rugs each of blue and green"),
        (["piles"], ["ry" * 12, "ry" * 12], "state.piles[1] must be 12 rugs each of blue and green"),
        (["die"], 5, "state.die must be 1, 2, 3 or 4, not 5."),
    ],
)
def test_malformed_states_are_refused(path: list[Any], entry: object, sentence: str) -> None:
    state = json.loads(json.dumps(MARRAKECH.states.write(RECORD.states()[40])))
    with pytest.raises(Malformed) as refusal:
        MARRAKECH.states.read(set_in(state, path, entry))
    assert sentence in str(refusal.value)


def test_only_two_player_states_have_piles() -> None:
    heading = new_heading(MARRAKECH, "souk", "", {}, [RecordPlayer("")] * 3, bytes(32))
    state = MARRAKECH.states.write(start_match(heading, "2026-11-16T09:30:00Z").state)
    with pytest.raises(Malformed, match=r"state\.piles must be null where each seat has one colour"):
        MARRAKECH.states.read({**state, "piles": []})


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("Marrakech by Mail, record 1", "Marrakech by Mail, record 2", 1, "a record begins with"),
        ("Game: marrakech", "Game: chess", 3, "Game must be marrakech or kilim, not 'chess'."),
        ("Game: marrakech", "Played: marrakech", 3, "this line must begin with 'Game: '."),
        ('Name: "Simulated game"', "Name: Simulated game", 5, "is not a text in double quotes."),
        ("variant standard", "variant fast", 6, "options.variant must be standard or rotate-after, not 'fast'."),
        ("Commitment: ", "Commitment: x", 7, "Commitment must be 64 hexadecimal digits"),
        ("with red and yellow rugs", "with red rugs", 9, "this line must read"),
        ("Blue: ", "Yellow: ", 10, "this line must name the next seat and who sits there."),
        ("played by medium", "played by genius", 9, "played by must be easy, medium or strong, not 'genius'."),
        ("   1  2000", "   2  2000", 13, "this line must be event 1: its number, its time and what happened."),
        ("   2  2000-01-01T", "   2  2000-13-01T", 14, "the time must be a UTC time"),
        ("sends Assam", "pushes Assam", 14, "is nothing that happens in a game of Marrakech."),
        ("rolls ", "rolls 6", 15, "event.die must be 1, 2, 3 or 4, not 6"),
        ("salt ", "salt \\", 15, "is nothing that happens in a game of Marrakech."),
        (", facing", "  facing", 14, "is nothing that happens in a game of Marrakech."),
        ("Turn 1", "Turn 2", 12, "this line must read 'Turn 1'."),
        ("Assam along ", "Assam along h9 ", 16, "is nothing that happens in a game of Marrakech."),
        ("lays ", "lays pink ", 17, "is nothing that happens in a game of Marrakech."),
    ],
)
def test_a_malformed_text_is_refused_with_the_line_number(old: str, new: str, line: int, sentence: str) -> None:
    assert old in TEXT
    with pytest.raises(Malformed) as refusal:
        read_text(TEXT.replace(old, new, 1))
    assert refusal.value.line == line
    assert str(refusal.value).startswith(f"Line {line}: ")
    assert sentence in str(refusal.value)


def test_a_text_that_is_too_short_or_too_long_is_refused() -> None:
    lines = TEXT.split("\n")
    with pytest.raises(Malformed, match="Line 5: the record breaks off here"):
        read_text("\n".join(lines[:5]))
    with pytest.raises(Malformed, match=f"Line {len(lines)}: this line must be event"):
        read_text(TEXT + "and they lived happily\n")
    with pytest.raises(Malformed, match=f"Line {len(lines)}: "):
        read_text(TEXT + "\n")
    with pytest.raises(Malformed, match="Line 1: a record begins with"):
        read_text("")


@pytest.mark.parametrize("name", ["Ann", "", 'A "B" \\ C', "two\nlines", "\u202eright to left", "Zoë 🐪", "x" * 200])
def test_any_name_is_written_on_one_line_and_reads_back(name: str) -> None:
    record = RECORD._replace(heading=RECORD.heading._replace(name=name, seats=(RecordPlayer(name), RecordPlayer("Bo"))))
    text = write_text(record)
    assert len(text.split("\n")) == len(TEXT.split("\n"))
    assert "\u202e" not in text
    assert read_text(text) == record


def test_an_illegal_action_is_not_malformed() -> None:
    heading = new_heading(MARRAKECH, "souk", "", {"first": 0}, [RecordPlayer("")] * 2, bytes(32))
    table = start_match(heading, "2026-11-16T09:30:00Z")
    with pytest.raises(IllegalAction, match="First choose a direction for Assam") as refusal:
        table.act(0, {"type": "lay", "squares": ["d5", "e5"]}, "", "2026-11-16T09:30:00Z")
    assert not isinstance(refusal.value, Malformed)
    assert refusal.value.code == "illegal_action"
    with pytest.raises(
        IllegalAction, match=r"It isn't the turn of seat 1\. The game is waiting for seat 0\."
    ) as refusal:
        table.act(1, {"type": "face", "direction": "left"}, "", "2026-11-16T09:30:00Z")
    assert refusal.value.code == "not_your_turn"
