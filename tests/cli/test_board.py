"""The board in characters: what lies where, wide and narrow; and no hostile name gets through."""

from datetime import UTC, datetime
from typing import Any

import pytest

from cli.board import WEAVES, board_lines
from cli.output import JsonOutput, Line
from cli.table_text import die_lines, places_of, standings, table_lines, time_left
from cli.text import one_line, pad_or_truncate, sanitize, seat_names, width_of
from service.engine.match import Match, new_heading, start_match
from service.engine.records import RecordPlayer
from service.engine.registry import GAMES

NOW = "2026-11-16T09:30:00Z"
HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "a\nb\rc",
    "\u202egnirts",
    "[bold]x[/bold]",
    "\x9b2J",
    "名" * 60,
    "é́́́",
    "",
    "\ud800",
    "x" * 500,
]


class Plain(JsonOutput):
    """A paper of some width."""

    def __init__(self, width: int) -> None:
        self.width = width


def table(names: tuple[str, ...] = ("Ann", "Bo", "Cy")) -> Match:
    sitters = [RecordPlayer(name) for name in names]
    return start_match(new_heading(GAMES["marrakech"], "friday", "Friday", {"first": 0}, sitters, bytes(32)), NOW)


def played(turns: int) -> Any:
    """The view of the mover after so many turns, with the rug still in hand."""
    now = table()
    for _ in range(turns):
        for _ in range(2):
            mover = min(GAMES["marrakech"].to_act(now.state))
            now = now.act(mover, now.view(mover)["legal"][0], "", NOW)
    mover = min(GAMES["marrakech"].to_act(now.state))
    now = now.act(mover, {"type": "face", "direction": "ahead"}, "", NOW)
    return now.view(mover)


def text(lines: list[Line]) -> list[str]:
    return [line if isinstance(line, str) else "".join(span for span, _ in line) for line in lines]


def drawn(view: Any, width: int = 80, unicode: bool = False, **more: Any) -> list[str]:
    return text(list(board_lines(view, width, unicode, **more)))


def test_every_rug_shows_its_letter_its_number_and_its_weave() -> None:
    view = played(9)
    lines = drawn(view)
    for square, rug in view["board"].items():
        cell = lines[16 - 2 * int(square[1]) + 1][6 + 8 * "abcdefg".index(square[0]) :][:7]
        assert f"{rug['colour'][0].upper()}{rug['rug']}" in cell, (square, cell)
        if square != view["assam"]["at"]:
            assert cell.startswith(WEAVES[rug["colour"]])


def test_weaves_and_letters_tell_all_colours_apart() -> None:
    assert len(set(WEAVES.values())) == len({colour[0] for colour in WEAVES}) == 4


def test_neutral_rugs_have_small_letters() -> None:
    view = played(9)
    for rug in view["board"].values():
        rug["neutral"] = rug["colour"] == "red"
    joined = "\n".join(drawn(view))
    assert "..r" in joined
    assert "R1" not in joined


@pytest.mark.parametrize(("width", "widest"), [(200, 67), (80, 67), (67, 67), (66, 31), (31, 31), (10, 31)])
def test_the_board_fits_its_terminal(width: int, widest: int) -> None:
    assert max(len(line.rstrip()) for line in drawn(played(5), width)) <= widest


@pytest.mark.parametrize("turns", range(12))
@pytest.mark.parametrize("width", [80, 40])
def test_every_place_has_its_number_on_the_wall_between_its_squares(turns: int, width: int) -> None:
    view = played(turns)
    places = places_of(view)
    lines = drawn(view, width, places=places)
    for number, place in enumerate(places, 1):
        wide = width == 80
        top, left, step = (2, 6, 8) if wide else (1, 3, 4)
        rows = [top + 1 + 2 * (7 - int(square[1])) for square in place]
        middles = [left + step * "abcdefg".index(square[0]) + (step - 2) // 2 for square in place]
        row, column = sum(rows) // 2, sum(middles) // 2
        shown = lines[row][column - 1 : column + 3]
        assert f"#{number}" in lines[row][column - 2 : column + 3] if wide else str(number) in shown


def test_ascii_is_ascii_and_unicode_is_not() -> None:
    assert "".join(drawn(played(3))).isascii()
    assert not "".join(drawn(played(3), unicode=True)).isascii()
    assert "".join(text(die_lines(3, unicode=False))).isascii()


def test_the_way_is_marked_and_assam_faces_his_way() -> None:
    view = table().view(0)
    way = ["d5", "d6"]
    lines = drawn(view | {"assam": {"at": "d6", "facing": "north"}}, path=way)
    assert lines[7][30:37] == "   *   "
    assert "(^)" in lines[5]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_breaks_the_table(name: str) -> None:
    view = table((name, "Bo", name)).view(0)
    view["name"] = name
    for width in (80, 40):
        lines = text(table_lines(view, Plain(width), now=datetime(2026, 11, 16, tzinfo=UTC)))
        assert all(sanitize(line).isprintable() for line in lines)
    assert all(width_of(line) <= 80 for line in text(standings(view, 80)))
    assert len(set(seat_names(view["seats"]))) == 3


def test_names_are_cut_by_columns_and_not_by_letters() -> None:
    assert one_line("名" * 10, 9) == "名名名.."
    assert width_of(pad_or_truncate("名", 5)) == 5
    assert one_line("x" * 30, 10) == "xxxxxxxx.."
    assert sanitize("a\x1b[2Jb\u2028\u202e") == "a[2Jb"


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
