"""The board in characters: it fits its letter or terminal, and shows what the picture shows."""

import json
import re
import unicodedata
from collections.abc import Sequence

import pytest

from service.engine.json_reader import Json
from service.engine.marrakech.board import FILES, RANKS
from service.engine.marrakech.state import COLOURS
from service.i18n import Gettext, translations_for
from service.ui.marrakech.board_text import board_text
from tests.ui.marrakech.positions import HOSTILE, laid, new_table, played, resigned, rug, standing

BOARD_LINES = slice(2, 17)
WIDEST = 72


def rooms(text: str) -> dict[str, str]:
    """What is written in each square."""
    lines = text.splitlines()[BOARD_LINES]
    return {
        file + rank: lines[13 - 2 * row][6 + 8 * column : 13 + 8 * column].strip()
        for row, rank in enumerate(RANKS)
        for column, file in enumerate(FILES)
    }


def wall(text: str, one: str, other: str) -> str:
    """What stands between two neighbours, one being west or south of the other."""
    lines = text.splitlines()[BOARD_LINES]
    line, column = 13 - 2 * RANKS.index(one[1]), 5 + 8 * FILES.index(one[0])
    return lines[line][column + 8] if one[1] == other[1] else lines[line - 1][column + 1 : column + 8]


def standings_line(view: Json, seat: int) -> str:
    return board_text(view).splitlines()[-len(view["seats"]) + seat]


def with_places(view: Json, *places: Sequence[str]) -> Json:
    return view | {"legal": [{"type": "lay", "squares": list(place)} for place in places]}


def without_ansi(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_an_empty_market_square_with_its_tracks() -> None:
    assert board_text(standing("d4", "north")).splitlines()[:19] == [
        "         .-------.       .-------.       .-------.       .--------.",
        "         a       b       c       d       e       f       g        |",
        "     +-------+-------+-------+-------+-------+-------+-------+    |",
        ".- 7 |       |       |       |       |       |       |       | 7 -'",
        "|    +-------+-------+-------+-------+-------+-------+-------+",
        "'- 6 |       |       |       |       |       |       |       | 6 -.",
        "     +-------+-------+-------+-------+-------+-------+-------+    |",
        ".- 5 |       |       |       |       |       |       |       | 5 -'",
        "|    +-------+-------+-------+-------+-------+-------+-------+",
        "'- 4 |       |       |       |  (^)  |       |       |       | 4 -.",
        "     +-------+-------+-------+-------+-------+-------+-------+    |",
        ".- 3 |       |       |       |       |       |       |       | 3 -'",
        "|    +-------+-------+-------+-------+-------+-------+-------+",
        "'- 2 |       |       |       |       |       |       |       | 2 -.",
        "     +-------+-------+-------+-------+-------+-------+-------+    |",
        ".- 1 |       |       |       |       |       |       |       | 1 -'",
        "|    +-------+-------+-------+-------+-------+-------+-------+",
        "|        a       b       c       d       e       f       g",
        "'--------'       '-------'       '-------'       '-------'",
    ]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_half_that_shows_stands_in_its_square(players: int) -> None:
    view = resigned(played(new_table(players), 28), 1).view(None)
    at = view["assam"]["at"]
    shown = {square: re.sub(r"[^A-Za-z0-9]", "", written) for square, written in rooms(board_text(view)).items()}
    if view["assam"]["facing"] == "south":
        shown[at] = shown[at].removeprefix("v")
    lying = {
        square: (top["colour"][0] if top["neutral"] else top["colour"][0].upper()) + str(top["rug"])
        for square, top in view["board"].items()
    }
    assert {square: written for square, written in shown.items() if written} == lying


def test_a_whole_rug_has_no_wall_between_its_halves() -> None:
    text = board_text(laid(c3=rug(12, "red"), d3=rug(12, "red"), e3=rug(3, "red"), e4=rug(3, "red"), f3=rug(4, "red")))
    assert (wall(text, "c3", "d3"), wall(text, "d3", "e3"), wall(text, "e3", "f3")) == (" ", "|", "|")
    assert (wall(text, "e3", "e4"), wall(text, "e4", "e5")) == ("       ", "-------")


def test_neutral_rugs_are_in_small_letters_and_the_text_says_so() -> None:
    neutral, coloured = board_text(laid(c3=rug(12, "green", True))), board_text(laid(c3=rug(12, "green")))
    assert (rooms(neutral)["c3"], rooms(coloured)["c3"]) == ("..g12..", "::G12::")
    assert "neutral" in neutral
    assert "neutral" not in coloured


@pytest.mark.parametrize(("facing", "arrow"), [("north", "^"), ("east", ">"), ("south", "v"), ("west", "<")])
@pytest.mark.parametrize("at", ["d4", "a1", "g7"])
def test_assam_is_an_arrow_beside_what_lies_under_him(at: str, facing: str, arrow: str) -> None:
    on_a_rug = board_text(standing(at, facing, board={at: rug(48, "blue")}))
    assert rooms(on_a_rug)[at] == f"({arrow}) B48"
    assert rooms(board_text(standing(at, facing)))[at] == f"({arrow})"
    assert f"Assam ({arrow}) is on {at}, facing {facing}." in on_a_rug


def test_numbered_places_stand_on_the_wall_between_their_squares() -> None:
    view = laid(d5=rug(11, "red"), e5=rug(22, "blue"))
    text = board_text(with_places(view, ["e5", "d5"], ["c3", "c4"]))
    assert "|<>R11 #1 \\B22/\\|" in text
    assert wall(text, "c3", "c4") == "--#2---"
    assert "#" not in board_text(view)


def test_numbers_of_two_digits_hide_no_rug() -> None:
    view = with_places(laid(d5=rug(11, "red"), e5=rug(22, "blue")), *[["a1", "b1"]] * 11, ["d5", "e5"])
    assert "|<>R11 #12 B22/\\|" in board_text(view)


def test_the_squares_of_the_last_path_are_marked() -> None:
    text = board_text(standing("d6", "north", "d5", "d6", board={"d5": rug(7, "red")}))
    assert (rooms(text)["d5"], rooms(text)["d6"]) == ("<*R7 *>", "(^)")
    assert rooms(board_text(standing("d6", "north", "d5", "d6")))["d5"] == "*"


def test_weaves_and_letters_distinguish_the_colours_without_colour() -> None:
    text = board_text(laid(**{f"{file}4": rug(1, colour) for file, colour in zip("abce", COLOURS, strict=True)}))
    weaves = [rooms(text)[f"{file}4"] for file in "abce"]
    assert len({each[:2] for each in weaves}) == len({each[2] for each in weaves}) == 4


SIZES = [
    (80, 11, "compact"),
    (80, 18, "narrow"),
    (80, 24, "narrow"),
    (80, 40, "wide"),
    (120, 24, "wide"),
    (120, 40, "wide"),
    (40, 60, "narrow"),
    (60, 24, "compact"),
]


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("ansi", [False, True])
@pytest.mark.parametrize(("width", "height", "layout"), SIZES)
def test_it_fits_a_terminal_with_its_standings(
    players: int, language: str, ansi: bool, width: int, height: int, layout: str
) -> None:
    view = resigned(played(new_table(players), 20), *([1] if players > 2 else [])).view(None)
    text = without_ansi(board_text(view, translations_for(language).gettext, width=width, height=height, ansi=ansi))
    lines = text.splitlines()
    assert len(lines) <= height
    assert max(map(len, lines)) <= width
    assert {"wide": 19, "narrow": 17, "compact": 11}[layout] <= len(lines)
    ranks = [line for line in lines if re.search(r"(^| )7 [|│]", line)]
    assert ranks[0].index("7") == {"wide": 3, "narrow": 0, "compact": 0}[layout]
    for seat in view["seats"]:
        assert re.search(rf"{seat['name']} .* {seat['total']}\b", text)


def test_where_there_is_room_for_nothing_else_the_board_stands_alone() -> None:
    lines = board_text(new_table().view(None), width=20, height=5).splitlines()
    assert len(lines) == 11
    assert max(map(len, lines)) == 31


def test_a_narrow_board_numbers_places_and_shows_assam_and_weaves() -> None:
    view = standing("d4", "east", "c4", "d4", board={"c4": rug(1, "red"), "e4": rug(2, "blue")})
    text = board_text(with_places(view, ["e4", "e5"], ["e4", "f4"]), width=80, height=18)
    assert "4 |   |   |*R*|(>)|/B\\2   |   |" in text
    assert "  +---+---+---+---+-1-+---+---+" in text


def test_a_compact_board_has_no_walls_between_its_ranks() -> None:
    view = laid(d5=rug(1, "red"), d6=rug(1, "red"), e5=rug(2, "blue"))
    view["seats"][2]["name"] = "Cleo von Marrakesch"
    assert board_text(with_places(view, ["d3", "d4"]), width=80, height=11).splitlines()[1:5] == [
        "  +---+---+---+---+---+---+---+    Name               Dirhams Squares Total Rugs",
        "7 |   |   |   |   |   |   |   |    Ann              R      30       0    30   12",
        "6 |   |   |   |<R>|   |   |   |  > Bob              B      30       0    30   12",
        "5 |   |   |   |<R>|/B\\|   |   |    Cleo von Marra.. Y      30       0    30   12",
    ]


def test_a_terminal_with_16_colours_shows_every_rug_in_a_colour_of_its_own() -> None:
    view = laid(**{f"{file}5": rug(1, colour) for file, colour in zip("abce", COLOURS, strict=True)})
    row = next(line for line in board_text(view, ansi=True).splitlines() if "R1" in line)
    basic = re.sub(r"\x1b\[[0-9;]*48;5;[0-9;]*m", "", row)
    assert re.findall(r"\x1b\[0;[0-9;]*;4(\d)m", basic) == ["1", "4", "3", "2"]


def test_for_a_terminal_a_rug_has_the_colour_of_its_owner_and_every_line_ends_without_style() -> None:
    view = laid(d5=rug(11, "yellow"), e5=rug(22, "green"), f5=rug(3, "red", True))
    lines = board_text(view, ansi=True).splitlines()
    row = next(line for line in lines if "Y11" in line)
    backgrounds = re.findall(r"48;5;(\d+)m", row)
    assert len(backgrounds) == len(set(backgrounds)) == 3
    for line in lines:
        styles = re.findall(r"\x1b\[([0-9;]*)m", line)
        assert not styles or styles[-1] == "0"


def test_the_last_roll_is_told() -> None:
    assert "Last roll: 2 (d5 d6).\n" in board_text(standing("d6", "north", "d5", "d6"))
    assert "Last roll" not in board_text(standing("d6", "north"))


def test_a_legend_explains_the_signs_on_the_board() -> None:
    view = standing(
        "d4", "east", "c4", "d4", board={"c4": rug(1, "red"), "e4": rug(2, "blue"), "f4": rug(3, "red", True)}
    )
    legend = (
        "R = red rug, B = blue rug, small letter = neutral rug (costs nothing), * = Assam's path,"
        " #1 = a place for your rug."
    )
    assert f"Legend: {legend}" in " ".join(board_text(with_places(view, ["e4", "e5"])).split())
    assert "Legend" not in board_text(new_table().view(None))


def test_the_standings_name_everything_under_its_heading() -> None:
    view = resigned(new_table(2, ("Ann", "Bob")), 1).view(None)
    view["seats"][0] |= {"dirhams": 27, "visible": 8, "total": 35, "rugs_left": 9, "next_rug": "yellow"}
    assert board_text(view).splitlines()[-3:] == [
        "  Name                Colours    Dirhams Squares Total Rugs",
        "  Ann                 red yellow      27       8    35    9 next: yellow",
        "  Bob                 blue green      30       0    30    0 (out)",
    ]


def test_in_another_language_no_heading_is_cut_and_a_rug_has_the_letter_of_its_colour() -> None:
    say = translations_for("fr").gettext
    view = resigned(new_table(2, ("Ann", "Bob")), 1).view(None)
    view["seats"][0] |= {"dirhams": 27, "visible": 8, "total": 35, "rugs_left": 9, "next_rug": "yellow"}
    assert board_text(view, say=say).splitlines()[-3:] == [
        "  Nom              Couleurs    Dirhams Cases Total Tapis",
        "  Ann              rouge jaune      27     8    35     9 suivant\N{NO-BREAK SPACE}: jaune",
        "  Bob              bleu vert        30     0    30     0 (hors jeu)",
    ]
    laid_out = laid(d5=rug(11, "yellow"), e5=rug(22, "green"))
    assert [rooms(board_text(laid_out, say=say))[square] for square in ("d5", "e5")] == ["==J11==", "::V22::"]
    assert [rooms(board_text(laid_out))[square] for square in ("d5", "e5")] == ["==Y11==", "::G22::"]


@pytest.mark.parametrize("say", [lambda text: f"[{text}]", lambda text: f"x{text}"])
def test_where_colours_cannot_be_told_by_their_letters_the_english_ones_stand(say: Gettext) -> None:
    assert rooms(board_text(laid(d5=rug(11, "yellow")), say=say))["d5"] == "==Y11=="
    assert max(len(line) for line in board_text(new_table().view(None), say=say).splitlines()) <= WIDEST


def test_a_mark_shows_who_is_to_act() -> None:
    view = new_table().view(None) | {"to_act": [2]}
    assert [standings_line(view, seat)[0] for seat in range(4)] == [" ", " ", ">", " "]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ann", "Ann"),
        ("Zoë of the long, long street", "Zoë of the long, l.."),
        ("two\nlines\tand\x1b[31m red", "two lines and[31m.."),
        ("\u202eevil\u2066 \u200bname\x00", "evil name"),
        ("\u202e", "Seat 1"),
        ("市場市場市場市場市場市場", "市場市場市場市場市.."),
        ("e\u0301" * 20, "e\u0301" * 20),
    ],
)
def test_names_are_cleaned_and_cut_to_fit(name: str, shown: str) -> None:
    line = standings_line(new_table(2, (name, "Bob")).view(None), 0)
    written = line[2 : line.index(" red yellow")]
    assert written.rstrip() == shown
    assert _columns(written) == 20


def _columns(text: str) -> int:
    narrow = sum(not unicodedata.combining(character) for character in text)
    return narrow + sum(unicodedata.east_asian_width(character) == "W" for character in text)


def test_no_line_is_too_wide_and_all_ranks_are_aligned() -> None:
    view = played(new_table(2, (HOSTILE, "W" * 200))).view(None)
    lines = board_text(with_places(view, *[["d5", "e5"]] * 12)).splitlines()
    assert max(len(line) for line in lines) <= WIDEST
    ranks = lines[BOARD_LINES][1::2]
    assert [line[3] for line in ranks] == list(reversed(RANKS))
    assert [line[63] for line in ranks] == list(reversed(RANKS))
    assert {(line[5], line[61]) for line in ranks} == {("|", "|")}


def test_it_is_plain_ascii_where_the_names_are() -> None:
    text = board_text(with_places(resigned(played(new_table(), 20), 1).view(None), ["d5", "e5"]))
    assert text.isascii()
    assert all(character.isprintable() for character in text.replace("\n", ""))
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_the_same_view_gives_the_same_text_and_is_left_as_it_was() -> None:
    view = played(new_table(), 20).view(0)
    kept = json.dumps(view)
    assert board_text(view) == board_text(json.loads(kept))
    assert json.dumps(view) == kept
