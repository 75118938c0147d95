"""Text from the server: safe for a terminal, as wide as its column, and of any game."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from cli.table import choice_lines, choice_prompt, status_line, time_left
from cli.text import one_line, pad_or_truncate, sanitize, sanitize_drawing, seat_names, width_of
from tests.cli.fake_servers import Answer, Received, fake_server
from tests.cli.players import Player

HOSTILE = [
    "\x1b[2J\x1b]0;owned\x07",
    "\u202eevil",
    "[bold red]x[/]",
    "名" * 60,
    "a\nb\tc",
    "e\u0301" * 50,
    "",
    "\ud800",
]
CHOICES = [
    {"key": "bid-3", "label": "Bid three coins", "action": {"bid": 3}},
    {"key": "pass", "label": "pass", "action": {}},
]
VIEW: dict[str, Any] = {
    "id": "x",
    "game": "auction",
    "name": "Friday",
    "status": "playing",
    "head": 1,
    "turn": 1,
    "to_act": [0],
    "you": 0,
    "deadline": None,
    "seats": [{"seat": 0, "name": "Ann"}, {"seat": 1, "name": "Bo"}],
    "choices": CHOICES,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_breaks_a_line(name: str) -> None:
    view = VIEW | {"you": 1, "seats": [{"seat": seat, "name": name} for seat in range(2)]}
    assert sanitize(status_line(view)).isprintable()
    assert len(set(seat_names(view["seats"]))) == 2
    assert all(width_of(sanitize(shown)) <= 40 for shown in seat_names(view["seats"]))


def test_names_are_cut_by_columns_and_not_by_letters() -> None:
    assert one_line("名" * 10, 9) == "名名名.."
    assert width_of(pad_or_truncate("名", 5)) == 5
    assert one_line("x" * 30, 10) == "xxxxxxxx.."
    assert sanitize("a\x1b[2Jb\u2028\u202e") == "a[2Jb"


def test_of_all_escape_sequences_only_colours_stay_in_a_drawing() -> None:
    drawing = "\x1b[1;31mred\x1b[0m\x1b[2J\x1b]0;owned\x07\x9b2J\u202e\n\x1b[?25lsecond\r"
    assert sanitize_drawing(drawing, colours=True) == ["\x1b[1;31mred\x1b[0m[2J]0;owned2J", "[?25lsecond"]
    assert sanitize_drawing(drawing, colours=False) == ["red[2J]0;owned2J", "[?25lsecond"]


def test_choices_stand_in_columns_with_the_key_to_type() -> None:
    assert choice_lines(VIEW, 80) == ["bid-3: Bid three coins  pass"]
    assert choice_lines(VIEW, 30) == ["bid-3: Bid three coins", "pass"]
    many = [{"key": f"e{number}", "label": f"#{number} - on e{number}", "action": {}} for number in range(1, 13)]
    assert all(width_of(line) <= 40 for line in choice_lines(VIEW | {"choices": many}, 40))
    assert choice_lines(VIEW | {"choices": many}, 80, 40) == choice_lines(VIEW | {"choices": many}, 80)
    assert choice_lines(VIEW | {"choices": many}, 20, 24)[0] == "#1 e1    #2 e2"


def test_short_choices_keep_their_numbers_in_every_language() -> None:
    places = ["d4-d5", "c5-d5", "b2-b3", "e1-f1"]
    choices = [{"key": key, "label": f"N° {n} - poser votre tapis en {key}"} for n, key in enumerate(places, 1)]
    assert choice_lines(VIEW | {"choices": choices}, 40, 24)[0] == "#1 d4-d5  #2 c5-d5  #3 b2-b3  #4 e1-f1"


def test_choices_that_are_not_listed_are_explained_instead() -> None:
    places = [{"key": f"weave BE1 m{n}-n{n}", "label": f"Weave BE1 on m{n}-n{n}", "listed": False} for n in range(9)]
    view = VIEW | {"choices": [*CHOICES, *places], "unlisted": "You can also write weave BE1 m0-n0."}
    for height in (None, 24):
        assert choice_lines(view, 80, height) == ["bid-3: Bid three coins  pass", "You can also write weave BE1 m0-n0."]
    assert choice_lines(view | {"choices": places}, 80) == ["You can also write weave BE1 m0-n0."]


def test_many_cards_stand_on_one_line_in_a_low_terminal() -> None:
    cards = [{"key": str(n), "label": f"Play {n}"} for n in range(1, 10)] + [{"key": "spy", "label": "Play the spy"}]
    assert choice_lines(VIEW | {"choices": cards}, 80, 24) == ["1  2  3  4  5  6  7  8  9  spy"]
    assert len(choice_lines(VIEW | {"choices": cards}, 80, 40)) == 2
    keep = [{"key": f"keep {motif}", "label": f"Keep the {motif}"} for motif in ("bird", "eye")]
    assert choice_lines(VIEW | {"choices": keep}, 80, 24) == ["Keep the bird  Keep the eye"]


def test_the_prompt_is_the_question_of_the_server() -> None:
    asked = VIEW | {"question": "Which card do you play?"}
    assert choice_prompt(asked) == "Which card do you play?"
    assert choice_prompt(asked, has_help=True) == "Which card do you play? (? for help):"
    assert choice_prompt(VIEW | {"question": ""}) == choice_prompt(VIEW) == "Your choice:"


def test_time_left_in_words() -> None:
    now = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
    said = {
        None: "",
        "2026-11-16T08:59:00Z": "time is up",
        "2026-11-16T09:01:00Z": "1 minute left",
        "2026-11-16T10:30:00Z": "90 minutes left",
        "2026-11-17T09:00:00Z": "24 hours left",
        "2026-11-20T09:00:00Z": "4 days left",
    }
    assert {deadline: time_left(deadline, now) for deadline in said} == said


def test_an_unknown_game_is_shown_and_played(ann: Player) -> None:
    sent: list[dict[str, Any]] = []

    def answer(asked: Received) -> Answer:
        if asked.path.partition("?")[0].endswith("/board.txt"):
            return 200, {"Content-Type": "text/plain"}, b"3 coins on the table\n"
        value: dict[str, Any] = VIEW
        if asked.method == "POST":
            sent.append(json.loads(asked.body))
            over = VIEW | {"to_act": [1], "choices": []}
            value = {"events": [{"seq": 2}], "view": over, "story": [{"seq": 2, "text": "Ann bids."}]}
        return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()

    with fake_server(answer) as ann.server:
        shown = ann.run_ok("show", "--game", "x" * 12).out
        played = ann.run_ok("act", "b", "--game", "x" * 12).out
        ann.run_ok("act", "three", "coins", "--game", "x" * 12)
    assert shown == "Friday  x, turn 1. It's your turn.\n3 coins on the table\nbid-3: Bid three coins  pass\n"
    assert played.startswith("Ann bids.\nFriday")
    assert [(each["head"], each["do"]) for each in sent] == [(1, "bid-3"), (1, "three coins")]
    assert sent[0]["salt"] != sent[1]["salt"]
