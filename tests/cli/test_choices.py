"""What people may type for a direction and a place."""

from typing import Any

import pytest

from cli.choices import check_turn, read_direction, read_place
from cli.errors import CliError, GameOver, NotAllowed, NotYourTurn, Refused, UsageError

PLACES = [["d5", "e5"], ["c4", "c5"]]


def view(**changes: Any) -> dict[str, Any]:
    seats = [
        {"seat": seat, "name": name, "colours": [c]} for seat, (name, c) in enumerate([("Ann", "red"), ("Bo", "blue")])
    ]
    usual = {
        "phase": "direction",
        "status": "playing",
        "you": 0,
        "to_act": [0],
        "seats": seats,
        "assam": {"at": "d4", "facing": "east"},
        "legal": [{"type": "lay", "squares": place} for place in PLACES],
    }
    return usual | changes


@pytest.mark.parametrize(
    ("words", "direction"),
    [
        *[(word, "left") for word in ("left", "l", "LEFT", " l ", "north")],
        *[(word, "ahead") for word in ("ahead", "a", "straight", "east")],
        *[(word, "right") for word in ("right", "r", "R", "South")],
    ],
)
def test_every_word_for_a_direction(words: str, direction: str) -> None:
    assert read_direction(words, view()) == {"type": "face", "direction": direction}
    if direction != "ahead":
        assert read_direction(words, view(phase="rotation")) == {"type": "turn", "direction": direction}


@pytest.mark.parametrize(
    ("words", "trouble"),
    [("up", UsageError), ("", UsageError), ("lef", UsageError), ("west", Refused), ("left right", UsageError)],
)
def test_what_is_no_direction_is_said(words: str, trouble: type[CliError]) -> None:
    with pytest.raises(trouble):
        read_direction(words, view())


def test_at_the_end_of_a_turn_he_must_turn() -> None:
    with pytest.raises(Refused, match="left or right"):
        read_direction("ahead", view(phase="rotation"))


@pytest.mark.parametrize("words", ["d5-e5", "D5-E5", "d5 e5", "d5e5", "d5,e5", "d5/e5", "1", "#1", " 1 "])
def test_every_spelling_of_a_place(words: str) -> None:
    assert read_place(words, view()) == {"type": "lay", "squares": ["d5", "e5"]}


def test_squares_that_are_not_listed_are_for_the_server_to_judge() -> None:
    assert read_place("a1-a2", view())["squares"] == ["a1", "a2"]


@pytest.mark.parametrize("words", ["0", "3", "99999999999999999999", "d5", "h1-h2", "left", "", "d5-e5-f5", "²"])
def test_what_is_no_place_is_wrong_usage(words: str) -> None:
    with pytest.raises(UsageError):
        read_place(words, view())


@pytest.mark.parametrize(
    ("changes", "trouble"),
    [
        ({"you": None}, NotAllowed),
        ({"status": "waiting"}, NotYourTurn),
        ({"status": "finished"}, GameOver),
        ({"to_act": [1]}, NotYourTurn),
    ],
)
def test_who_may_not_act_is_told_why(changes: dict[str, Any], trouble: type[CliError]) -> None:
    with pytest.raises(trouble):
        check_turn(view(**changes))
    check_turn(view())
