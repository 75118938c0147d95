"""The client in a real terminal: prompts, colours, waiting, the bell, arrow keys and Ctrl-C."""

import re
from typing import Any

from tests.cli.players import LocalServer, Player, create_game, start_two_player_game
from tests.cli.terminal import terminal

CHOICE = r"\n(Which way should Assam go|Where do you lay your \w+ rug)\?( \(\? for help\):)? $"


def head(person: Player, view: Any) -> int:
    return int(person.api("GET", f"/games/{view['id']}")["head"])


def test_move_asks_for_the_direction_and_for_the_place(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    with terminal(ann, "move", "--game", view["id"]) as screen:
        screen.sees(CHOICE)
        screen.types("\n")
        screen.sees(r"^\s+Type a choice, such as left\.\s+Which way should Assam go\? $")
        screen.types("sideways\n")
        screen.sees(r"one of the listed choices\.\s+For example:\s+left\s+Which way should Assam go\? $")
        screen.types("l\n")
        shown = screen.sees(CHOICE)
        assert re.search(r"rolled \d", shown)
        assert "#1" in shown
        screen.types("a1-a2\n")
        screen.sees(r"isn't next to Assam[\s\S]*\nWhere do you lay your \w+ rug\? $")
        screen.types("1\n")
        screen.sees("Waiting for bo")
        assert screen.ends() == 0
    assert "\x1b[" in screen.raw
    assert ann.api("GET", f"/games/{view['id']}")["to_act"] == [1]


def test_play_goes_on_from_turn_to_turn_and_stops_when_told(ann: Player) -> None:
    view = create_game(ann, {"bot": "easy"}, {"bot": "easy"})
    with terminal(ann, "play", "--game", view["id"]) as screen:
        for _ in range(2):
            screen.sees(CHOICE)
            screen.types("ahead\n")
            screen.sees(CHOICE)
            screen.types("1\n")
        screen.sees(CHOICE)
        screen.types("say Well played!\n")
        screen.sees(r"Message sent\.\s+Which way should Assam go\? \(\? for help\): $")
        for typed in ("?", "say"):
            screen.types(f"{typed}\n")
            screen.sees(r"such as left\.\s[\s\S]*q +stop for now\s+Which way[^\n]* \(\? for help\): $")
        screen.types("q\n")
        screen.sees("Continue later with: marrakech-cli play")
        assert screen.ends() == 0
    assert ann.api("GET", f"/games/{view['id']}/messages")["messages"][0]["text"] == "Well played!"


def test_play_waits_for_the_others_rings_and_ends_with_the_game(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    with terminal(bo, "play", "--every", "0.2", "--game", view["id"]) as screen:
        screen.sees(r"Waiting for ann[\s\S]*You can press Ctrl-C and come back later\.")
        ann.run_ok("move", "-d", "left", "-p", "1", "-g", view["id"])
        screen.sees(CHOICE)
        assert "\a" in screen.raw
        # Meanwhile Bo plays with another client, so this choice is stale and nothing happens.
        bo.run_ok("move", "-d", "right", "-g", view["id"])
        screen.types("left\n")
        screen.sees(r"The game has changed since[\s\S]*Where do you lay[^\n]*: $")
        screen.types("resign\n")
        screen.sees("undo this")
        screen.types("y\n")
        screen.sees("ann wins")
        assert screen.ends() == 0


def test_ctrl_c_ends_quietly(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    with terminal(ann, "move", "--game", view["id"]) as screen:
        screen.sees(CHOICE)
        assert screen.interrupts() == 130
    assert "Traceback" not in screen.raw
    assert screen.raw.endswith("\n")  # the shell's prompt is on a line of its own
    assert head(ann, view) == view["head"]


def test_the_end_of_the_input_does_nothing(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    with terminal(ann, "resign", "--game", view["id"]) as screen:
        screen.sees("undo this")
        screen.types("\x04")
        assert screen.ends() == 2
    assert "so the command stopped" in screen.raw
    with terminal(ann, "resign", "--game", view["id"]) as screen:
        screen.sees("undo this")
        screen.types("n\n")
        assert screen.ends() == 2
    assert head(ann, view) == view["head"]


def test_replay_steps_with_the_arrow_keys(ann: Player) -> None:
    view = create_game(ann, {"bot": "easy"}, {"bot": "easy"})
    ann.run_ok("resign", "--yes", "-g", view["id"])
    with terminal(ann, "replay", "--game", view["id"]) as screen:
        screen.sees(r"Step 1 of \d+[\s\S]*q: quit")
        screen.types("\x1b[C")
        screen.sees("Step 2 of")
        screen.types(" ")
        screen.sees("Step 3 of")
        screen.types("\x1b[D\x1b[D")  # pressed quickly
        screen.sees("Step 1 of")
        screen.types("G")
        last = screen.sees(r"Step (\d+) of \1:[\s\S]*q: quit")
        assert "wins" in last
        steps = int(re.findall(r"Step (\d+) of", last)[-1])
        screen.types("\x1b[5~")  # Page Up
        screen.sees(f"Step {max(1, steps - 10)} of")
        screen.types("\x1b[6~")  # Page Down
        screen.sees(f"Step {steps} of")
        screen.types("q")
        assert screen.ends() == 0


def test_without_colour_and_in_a_narrow_terminal_the_board_can_be_read(ann: Player) -> None:
    view = create_game(ann, {"bot": "easy"}, {"bot": "easy"})
    with terminal(ann, "move", "-d", "l", "-p", "1", "-g", view["id"], NO_COLOR="1") as screen:
        assert screen.ends() == 0
    assert not re.search(r"\x1b\[[0-9;]*[34][0-9]", screen.raw)
    assert re.search(r"(<>|/\\|==)\s?[RBY]\d", screen.raw)
    with terminal(ann, "show", "-g", view["id"], columns=40) as screen:
        assert screen.ends() == 0
    shown = re.sub(r"\x1b\[[0-9;]*m", "", screen.raw).replace("\r\n", "\n")
    assert max(len(line) for line in shown.splitlines()) <= 40
    assert "    a   b   c   d   e   f   g" in shown


def test_a_long_link_stays_on_one_line(ann: Player) -> None:
    with terminal(ann, "new", "--seat", "open", columns=60) as screen:
        assert screen.ends() == 0
    assert re.search(r"http://[^ ]+/join/[^ ]{60,}\r\n", screen.raw)


def test_colours_say_whose_rugs_they_are(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo, pile="alternating")
    with terminal(ann, "move", "-d", "l", "-p", "1", "-g", view["id"]) as screen:
        assert screen.ends() == 0
    assert "48;5;124" in screen.raw  # red's background
    assert "┼" in screen.raw
    with terminal(ann, "show", "-g", view["id"], LANG="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0") as screen:
        assert screen.ends() == 0
    assert screen.raw.isascii()
    assert "+-------+" in screen.raw


def test_login_and_new_ask_in_a_terminal(local: LocalServer, stranger: Player) -> None:
    with terminal(stranger, "login") as screen:
        screen.sees("Your e-mail address: $")
        screen.types("fay\n")
        screen.sees(r"'fay' isn't an e-mail address[\s\S]*Your e-mail address: $")
        screen.types("fay@example.org\n")
        screen.sees(r"Code: ")
        screen.types(local.mailed_code("fay@example.org").lower() + "\n")
        screen.sees(r"You're signed in[\s\S]*Your name[^\n]*skip\): $")
        screen.types("Fay\n")
        assert screen.ends() == 0
    assert "Fay <fay@example.org>" in stranger.run_ok("whoami").out
    with terminal(stranger, "new") as screen:
        screen.sees(r"Player 2: ")
        screen.types("nobody\n")
        screen.sees(r"Unknown player 'nobody'[\s\S]*Player 2: ")
        screen.types("\n")
        screen.sees(r"Add at least one player[\s\S]*Player 2: ")
        screen.types("greedy\n")
        screen.sees(r"Player 3: ")
        screen.types("\n")
        screen.sees("Name of the game")
        screen.types("Rainy Sunday\n")
        screen.sees("Rainy Sunday  [\\s\\S]*Fay")
        assert screen.ends() == 0
