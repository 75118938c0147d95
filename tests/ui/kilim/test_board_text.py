"""Carpets in characters: they fit, and they say what the view contains."""

import re
from gettext import NullTranslations

import pytest
from rich.cells import cell_len

from service.engine.json_reader import Json
from service.engine.kilim.carpet import COLUMNS
from service.i18n import translations_for
from service.ui.kilim.board_text import board_text
from service.ui.kilim.figures import example_carpet, lay_carpet
from tests.support.pace import seconds
from tests.ui.kilim.positions import HOSTILE, PATCHED, played, seen_by, weaving

ENGLISH = NullTranslations()
SIZES = [(width, height) for width in (40, 56, 72, 80, 100, 120) for height in (12, 16, 20, 24, 30, 40)]
STYLE = re.compile(r"\x1b\[[\d;]*m")


def with_carpet(carpet: Json, seats: int = 2) -> Json:
    view = seen_by(played(seats, 0), None)
    return {**view, "seats": [{**seat, "carpet": carpet} for seat in view["seats"]]}


def plain(text: str) -> str:
    return STYLE.sub("", text)


@pytest.mark.parametrize("ansi", [False, True])
@pytest.mark.parametrize("seats", [2, 5])
def test_it_fits_at_every_moment_of_a_game(seats: int, ansi: bool) -> None:
    for actions in (0, 30, 90, 150, 600):
        state = played(seats, actions)
        for seat in (None, *range(seats)):
            view = seen_by(state, seat)
            for width, height in SIZES:
                lines = plain(board_text(view, ENGLISH, seat, width=width, height=height, ansi=ansi)).splitlines()
                assert len(lines) <= height
                assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("seat", [None, 0])
@pytest.mark.parametrize("ansi", [False, True])
def test_the_largest_carpets_fit_too(seat: int | None, ansi: bool) -> None:
    tall = lay_carpet((f"BE{row}", f"m{row}-m{row + 1}") for row in range(1, 25, 2))
    wide = lay_carpet((f"BE{at}", f"{COLUMNS[at]}13-{COLUMNS[at + 1]}13") for at in range(0, 24, 2))
    for carpet in (tall, wide, {**tall, **wide}):
        view = with_carpet(carpet, 5)
        view["offer"] = ["BE1"] * 15
        for width, height in ((40, 12), (72, 24), (120, 40)):
            lines = plain(board_text(view, ENGLISH, seat, width=width, height=height, ansi=ansi)).splitlines()
            assert len(lines) <= height
            assert max(map(cell_len, lines)) <= width


def test_the_legend_has_the_motifs_of_dominoes_that_are_to_be_woven() -> None:
    view = {**with_carpet(lay_carpet([("BE1", "m13-n13")])), "offer": ["TT1"]}
    owes = {"weave": ["HS1"], "keep": False, "take": False}
    view["seats"] = [{**view["seats"][0], "owes": owes, "perfect": ["OO1"]}, view["seats"][1]]
    legend = board_text(view, ENGLISH, 0).partition("Legend: ")[2]
    assert " ".join(legend.split()).startswith("B = bird, E = eye, H = horn, S = star, T = tree, O = blank"), legend
    assert "horn" not in board_text(view, ENGLISH, 1).partition("Legend: ")[2]


def test_an_empty_carpet_without_an_offer_has_no_empty_sentences() -> None:
    view = {**with_carpet({}), "offer": []}
    for seat in (None, 0):
        text = board_text(view, ENGLISH, seat)
        assert "Points: " in text
        assert "Legend" not in text
        assert "On offer" not in text


def test_a_carpet_has_named_squares_and_walls_around_its_dominoes() -> None:
    lines = board_text(with_carpet(PATCHED), ENGLISH, 0).splitlines()
    start = lines.index("     j   k   l   m   n   o   p   q")
    assert [line.rstrip() for line in lines[start : start + 16]] == [
        "     j   k   l   m   n   o   p   q",
        "18   .   .   .   .   .   .   .   .",
        "",
        "17   .   .   .   .   .   .   .   .",
        "           +---+",
        "16   .   . | O | .   .   .   .   .",
        "           |   +---+-------+",
        "15   .   . | O | S | S   T | .   .",
        "           +---+   +---+---+",
        "14   .   . | H | S |(T)| T | .   .",
        "           |   +---+---+   |",
        "13   .   . |(E)| S  (S)| T | .   .",
        "           +---+-------+---+",
        "12   .   .   .   .   .   .   .   .",
        "",
        "11   .   .   .   .   .   .   .   .",
    ]


def test_halves_that_belong_together_are_in_brackets_if_there_is_no_room_for_walls() -> None:
    lines = board_text(with_carpet(example_carpet(41)), ENGLISH, 0, width=60, height=14).splitlines()
    assert "16  . /S\\[E  E]/E\\[T  T] ." in lines
    assert "13  . \\H/[H  H][T  T]\\T/ ." in lines


def test_the_smallest_form_has_a_letter_for_each_square() -> None:
    text = board_text(with_carpet(PATCHED), ENGLISH, 0, width=40, height=8)
    assert "14 .HStT." in text
    assert "13 .eSsT." in text


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_without_styles_it_is_plain_ascii(seats: int) -> None:
    for seat in (None, 0):
        text = board_text(seen_by(played(seats), None), ENGLISH, seat)
        assert text.isascii()
        assert "\x1b" not in text


def test_styles_are_closed_on_every_line() -> None:
    for seat in (None, 1):
        for line in board_text(seen_by(played(4), None), ENGLISH, seat, ansi=True).splitlines():
            styles = STYLE.findall(line)
            assert not styles or styles[-1] == "\x1b[0m"


def test_with_styles_it_says_the_same() -> None:
    view = weaving()
    lines = {
        ansi: re.findall(r"\w+", plain(board_text(view, ENGLISH, view["you"], ansi=ansi))) for ansi in (False, True)
    }
    assert lines[True] == lines[False]


def test_the_squares_that_a_domino_can_cover_are_marked() -> None:
    view = weaving()
    free = {square for action in view["legal"] if action["type"] == "weave" for square in action["squares"]}
    text = board_text(view, ENGLISH, view["you"])
    carpet = text.split("Points")[0]
    assert carpet.count("*") == len(free)
    assert "* = free for your domino" in text
    assert "*" not in board_text(view, ENGLISH, (view["you"] + 1) % 4)


def test_the_offer_and_what_is_owed_are_named() -> None:
    view = weaving()
    text = board_text(view, ENGLISH, view["you"])
    assert f"On offer: {' '.join(view['offer'])}." in text
    assert f"To weave: {' '.join(view['seats'][view['you']]['owes']['weave'])}." in text
    assert f"On offer: {' '.join(view['offer'])}." in board_text(view, ENGLISH)


def test_the_hand_what_is_sealed_and_what_is_left_today_are_named() -> None:
    view = seen_by(played(3, 1), 0)  # Ann has sealed a card
    own, sealed = view["seats"][0], view["mine"]["card"]
    cards = " ".join(str(card) for card in (*own["gold"], *own["specials"]) if card != sealed)
    text = board_text(view, ENGLISH, 0, height=40)
    assert f"Cards: {cards}. Sealed: {sealed}." in text
    assert "Scraps in the bag: 5. Tokens: perfect, turn, remove, move." in text
    assert f"Day 1, round 1 of 45. On offer: {view['offer'][0]}." in text
    other = board_text(view, ENGLISH, 1, height=40)
    assert "Sealed" not in other
    assert "Cards: 1 2 3" in other


def test_pieces_that_can_be_used_are_named_and_other_players_scraps_only_counted() -> None:
    view = seen_by(played(2, 0), 0)
    view["mine"] |= {"scraps": ["star", "eye"]}
    held = {"scraps": 2, "perfect": ["OO1"], "token": {"token": "turn", "used": False}}
    view["seats"] = [{**seat, **held} for seat in view["seats"]]
    assert 'Unused: OO1, the star, the eye, the token "turn".' in board_text(view, ENGLISH, 0)
    assert 'Unused: OO1, 2 scraps, the token "turn".' in board_text(view, ENGLISH, 1)


def test_while_a_spy_bids_the_cards_that_were_shown_are_named() -> None:
    view = {**seen_by(played(2, 0), 0), "phase": "spy", "shown": ["spy", 9]}
    assert "Shown: Ann the spy, Bo 9." in board_text(view, ENGLISH, 0)
    assert "Shown: Ann the spy, Bo 9." in board_text(view, ENGLISH)


def test_a_terminal_gets_a_table_of_the_final_scores() -> None:
    view = seen_by(played(5), 0)
    text = board_text(view, ENGLISH, width=80, height=22)
    assert "Rect. Motifs Groups Largest Torn Total Squares" in text
    assert "Points:" not in text
    assert "Rect." not in board_text(view, ENGLISH)


@pytest.mark.parametrize("seat", [None, 0])
def test_points_of_everybody_are_in_it(seat: int | None) -> None:
    view = seen_by(played(4), None)
    listed = ", ".join(f"{each['name']} {each['points']['total']}" for each in view["seats"])
    assert f"Points: {listed}." in board_text(view, ENGLISH, seat)


def test_the_legend_explains_every_letter() -> None:
    text = board_text({**with_carpet(PATCHED), "offer": ["HT1"]}, ENGLISH, 0)
    legend = text[text.index("Legend") :].replace("\n", " ")
    for sign in ("E = eye", "H = horn", "S = star", "T = tree", "O = blank", "( ) = scrap"):
        assert sign in legend
    assert "B = bird" not in legend


def test_wide_names_are_counted_and_invisible_characters_left_out() -> None:
    names = ["王小明王小明王小明王小明", HOSTILE, "Zoë", "ليلى", "x" * 60]
    view = seen_by(played(5), None, names)
    for seat in (None, 0):
        for width, height in SIZES:
            text = board_text(view, ENGLISH, seat, width=width, height=height)
            assert max(map(cell_len, text.splitlines())) <= width
            assert "\x1b" not in text
            assert "\u202e" not in text


def test_it_is_in_the_language_of_the_reader() -> None:
    view = weaving()
    text = board_text(view, translations_for("fr"), view["you"])
    assert "Points" in text
    assert "= œil" in text or "= étoile" in text
    assert "On offer" not in text


@pytest.mark.parametrize("seat", [None, 0])
def test_writing_is_quick(seat: int | None) -> None:
    view = seen_by(played(5), None)
    assert seconds(lambda: board_text(view, ENGLISH, seat, width=40, height=12), 0.05) < 0.05
