"""What happened, in lines that can be read aloud; whoever stood in is named as such."""

from typing import Any

from cli.story import told, told_together

NAMES = ["Ann", "Bo"]
FACED: dict[str, Any] = {"type": "faced", "seat": 0, "direction": "left", "facing": "west"}
ROLLED: dict[str, Any] = {"type": "rolled", "seat": 0, "die": 3}
PAID: dict[str, Any] = {"type": "paid", "from": 0, "to": 1, "due": 2, "paid": 2}


def test_what_one_player_does_is_one_line() -> None:
    others = {"type": "resigned", "seat": 1}
    assert told_together([FACED, ROLLED, PAID, others], NAMES) == [
        "Ann sends Assam left, to face west. Ann rolls 3. Ann pays Bo 2 dirhams.",
        "Bo resigns.",
    ]


def test_a_stand_in_is_marked_once_a_line_and_ends_where_the_player_is_back() -> None:
    stood_in = [{**event, "stand_in": True} for event in (FACED, ROLLED)]
    assert told_together([*stood_in, PAID], NAMES) == [
        "Stand-in: Ann sends Assam left, to face west. Ann rolls 3.",
        "Ann pays Bo 2 dirhams.",
    ]
    assert told(stood_in[1], NAMES) == "Stand-in: Ann rolls 3."


def test_what_a_newer_server_has_invented_is_called_by_its_name() -> None:
    assert told({"type": "danced", "seat": 0}, NAMES) == "Something happened: danced."
