"""The client in a terminal of 80 columns and 24 rows, or fewer: nothing is cut off, and lines end between words."""

import re
from gettext import NullTranslations
from typing import Any

import pytest

from cli.api import Game, HttpClient
from cli.output import Drawing, Line, TextOutput
from cli.table import choice_prompt, table_lines
from cli.text import wrap_words
from service.ui.kilim.game_ui import KILIM_UI
from tests.cli.players import Player, create_game, start_two_player_game
from tests.cli.terminal import terminal
from tests.ui.kilim.positions import played, seen_by

CHOICE = r"\n(Which way should Assam go|Where do you lay your \w+ rug)\?( \(\? for help\):)? $"
BOT = {"bot": "easy"}
ENGLISH = NullTranslations()


def check_fits(shown: str, columns: int = 80) -> None:
    """All of it is on the screen, with the standings."""
    lines = shown.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= columns
    assert "Dirhams" in shown


@pytest.mark.parametrize("bots", [1, 2, 3])
def test_a_turn_with_all_that_happened_since_fits_the_screen(ann: Player, bots: int) -> None:
    view = create_game(ann, *[BOT] * bots)
    with terminal(ann, "play", "--every", "0.2", "--game", view["id"], lines=24) as screen:
        direction = screen.sees(CHOICE)
        check_fits(direction)
        assert re.search(r"Turn Assam left, facing \w+ \(.*\)\n", direction)
        assert "marrakech-cli" not in direction
        screen.types("ahead\n")
        placing = screen.sees(CHOICE).partition("\n")[2]
        check_fits(placing)
        choices = ann.api("GET", f"/games/{view['id']}")["choices"]
        assert all(choice["key"] in placing for choice in choices)
        screen.types("1\n")
        again = screen.sees(rf"turn {bots + 2}[\s\S]*Which way[^\n]*: $").partition("\n")[2]
        story = again.rpartition("You laid a")[2]
        check_fits(f"You laid a{story}")
        assert "7 │" in story


def test_a_long_story_leaves_room_for_a_compact_board_with_its_standings(ann: Player) -> None:
    view = create_game(ann, *[{"bot": "medium", "name": f"A bot with quite a long name {n}"} for n in range(3)])
    ann.run_ok("move", "-d", "ahead", "-g", view["id"])
    with terminal(ann, "place", "1", "--game", view["id"], lines=20) as screen:
        assert screen.ends() == 0
    shown = screen.sees("Dirhams").splitlines()
    assert any(line.startswith("7 │") for line in shown[-16:])
    assert not any("┼" in line for line in shown)


def test_of_a_very_long_story_the_end_is_shown(ann: Player) -> None:
    view = create_game(ann, BOT, BOT)
    with terminal(ann, "resign", "--yes", "--game", view["id"], lines=24) as screen:
        assert screen.ends() == 0
    shown = screen.sees("rematch")
    check_fits(shown)
    assert shown.startswith("(For earlier events, see marrakech-cli log.) ")
    assert re.search(r"\bwins?\b", shown)


def test_the_lines_of_a_long_sentence_in_the_log_are_indented(ann: Player) -> None:
    view = create_game(ann, *[{"bot": "easy", "name": f"A bot with quite a long name {n}"} for n in range(3)])
    ann.run_ok("resign", "--yes", "-g", view["id"])
    with terminal(ann, "log", "--game", view["id"], lines=24) as screen:
        assert screen.ends() == 0
    lines = screen.sees("share the win|wins").splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith(" " * 24) for line in lines)
    assert all(re.match(r" {24}\S| *\d+  20", line) for line in lines)


def test_every_step_of_a_replay_fits_and_names_the_keys_that_do_something(ann: Player) -> None:
    view = create_game(ann, BOT, BOT)
    ann.run_ok("resign", "--yes", "-g", view["id"])
    with terminal(ann, "replay", "--game", view["id"], lines=24) as screen:
        first = screen.sees("q: quit")
        check_fits(first.rpartition("\x1b[H")[2])
        assert "\nRight arrow: next, G: last, q: quit\n" in first
        screen.types("G")
        last = screen.sees(r"Step (\d+) of \1:[\s\S]*q: quit")
        check_fits(last.rpartition("\x1b[H")[2])
        assert "\nLeft arrow: back, g: first, q: quit\n" in last
        assert "marrakech-cli" not in last
        screen.types("q")
        assert screen.ends() == 0


def test_a_long_name_leaves_the_title_on_one_row(ann: Player) -> None:
    name = "The long evening at the bazaar with everyone from work"
    wish = {"game": "marrakech", "name": name, "seats": [BOT], "options": {"first": 0}, "pace": 172800}
    view = ann.api("POST", "/games", wish)
    with terminal(ann, "show", "--game", view["id"], lines=24) as screen:
        assert screen.ends() == 0
    title, captions, *_ = screen.sees("Dirhams").splitlines()
    assert re.fullmatch(rf"The long evening.*\.\.  {view['id']}, turn 1\. It's your turn \(\d+ hours left\)\.", title)
    assert len(title) <= 80
    assert captions.split() == list("abcdefg")


def test_the_end_is_told_once_and_offers_a_rematch(ann: Player) -> None:
    view = create_game(ann, BOT)
    with terminal(ann, "play", "--game", view["id"], lines=24) as screen:
        screen.sees(CHOICE)
        screen.types("resign\n")
        screen.sees("undo this")
        screen.types("y\n")
        assert screen.ends() == 0
        end = screen.sees("rematch").partition("\n")[2]
    check_fits(end)
    assert end.count("wins") == 1
    assert f"Play again with: marrakech-cli rematch -g {view['id']}" in end


def test_a_game_that_has_not_started_lists_its_seats_instead_of_an_empty_board(ann: Player) -> None:
    view = create_game(ann, {"open": True}, {"email": "bo@example.org", "name": "Bo"}, BOT)
    with terminal(ann, "play", "--game", view["id"], lines=24) as screen:
        waiting = screen.sees("come back later.")
        assert screen.interrupts() == 130
    title, *seats = waiting.splitlines()[:5]
    assert title == f"Friday  {view['id']}, waiting for players."
    bot = view["seats"][3]["name"]
    assert seats == ["  1. ann (you), ready", "  2. open seat", "  3. Bo, invited", f"  4. {bot}, easy bot"]
    assert "\nAnyone with this link can take an open seat:\n" in waiting


def test_red_is_red_in_a_terminal_of_16_colours(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo, pile="alternating")
    with terminal(ann, "move", "-d", "l", "-p", "1", "-g", view["id"], TERM="xterm") as screen:
        assert screen.ends() == 0
    assert "\x1b[1;37;41m" in screen.raw
    assert "8;5;" not in screen.raw


def test_questions_and_notes_are_wrapped_at_words(ann: Player) -> None:
    with terminal(ann, "new", columns=32) as screen:
        asked = screen.sees(r"Player 2: ")
        assert max(map(len, asked.splitlines())) <= 32
        screen.types("nobody\n")
        refused = screen.sees(r"Unknown\s+player[\s\S]*Player 2: ")
        assert max(map(len, refused.splitlines())) <= 32
        screen.types("greedy\n")
        screen.sees(r"Player 3: ")
        screen.types("\n")
        named = screen.sees(r"default\): $")
    words = " ".join(f"{asked} {refused} {named}".split())
    assert "Press Enter when the list is complete." in words
    assert "(Enter for the default)" in words


class DrawnGame(Game):
    """A game whose boards are drawn here."""

    def __init__(self, view: Any) -> None:
        super().__init__(HttpClient("http://127.0.0.1:1", print, print), None, view["id"])
        self._view = view

    def board_text(self, after: int | None = None, *_: Any, **options: Any) -> str:
        return KILIM_UI.board_text(self._view, ENGLISH, **options)


class LowTerminal(TextOutput):
    width, height = 80, 24


def with_choices(view: Any) -> Any:
    choices = KILIM_UI.choices(view, ENGLISH)
    unlisted = [choice for choice in choices if not choice.is_listed]
    return {
        **view,
        "id": "AbCdEfGhIjKl",
        "status": "playing",
        "head": 99,
        "deadline": None,
        "choices": [{"key": each.key, "label": each.label, "listed": each.is_listed} for each in choices],
        "question": KILIM_UI.question(view, ENGLISH).legend if choices else "",
        "unlisted": KILIM_UI.explain_unlisted(view, unlisted, ENGLISH) if unlisted else "",
    }


def rows_of(line: Line) -> int:
    return len(line.text.splitlines() if isinstance(line, Drawing) else wrap_words(line, 80))


@pytest.mark.parametrize("seats", [2, 5])
def test_a_large_carpet_its_hand_and_a_long_story_fit_at_every_moment_of_a_game(seats: int) -> None:
    happened = "You played 7. All cards are shown: you 7, Bo 1, Cleo 2, Dan 9, Eve 9. Cleo wove BE1 on m14-m13."
    story = [{"seq": seq, "text": f"{text}."} for seq, text in enumerate(f"{happened} {happened}".split(". "))]
    for actions in (0, 40, 80, 120, 160, 200, 280):
        for seat in range(seats):
            view = with_choices(seen_by(played(seats, actions), seat))
            if view["result"]:
                continue
            prompt = choice_prompt(view, has_help=True)
            lines = table_lines(DrawnGame(view), view, LowTerminal(), story, "", [prompt])
            assert sum(map(rows_of, [*lines, prompt])) <= 24
            (board,) = (line.text for line in lines if isinstance(line, Drawing))
            own = view["seats"][seat]
            assert {square[1:] for square in own["carpet"]} <= set(re.findall(r"^ ?(\d+) ", board, re.MULTILINE))
            for text in ("Cards: ", f"{own['name']} {own['points']['total']}", *view["offer"], *own["owes"]["weave"]):
                assert text in board or view["phase"] == "evening"
