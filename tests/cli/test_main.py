"""Errors are one sentence on standard error that says what to do next, without a traceback; or the same as JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.fake_servers import Answer, Received, fake_server
from tests.cli.players import SCRIPT, LocalServer, Player, start_two_player_game
from tests.cli.terminal import terminal

FOLDER = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["shwo"], 2, "Did you mean 'show'?"),
        (["move", "--fast"], 2, "No such option"),
        (["show", "--after", "x"], 2, "Input should be a valid integer"),
        (["games"], 5, "You're not signed in"),
        (["show"], 5, "You're not signed in"),
        (["login"], 2, "Add your e-mail address"),
        (["show", "--game", "x", "--server", "http://127.0.0.1:1"], 6, "Can't reach http://127.0.0.1:1"),
        (["show", "--server", "ftp://x"], 6, "isn't a server address"),
    ],
)
def test_each_error_is_one_sentence(stranger: Player, words: list[str], code: int, sentence: str) -> None:
    done = stranger.run(*words)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.err
    assert len(done.err.splitlines()) == 1
    problem = stranger.run(*words, "--json")
    assert problem.out == ""
    assert problem.problem["exit"] == code
    assert sentence in problem.problem["detail"]


def test_debug_shows_where_it_went_wrong(stranger: Player) -> None:
    done = stranger.run("games", "--debug")
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1].startswith("You're not signed in")


def test_without_arguments_the_help_is_shown(stranger: Player) -> None:
    done = stranger.run()
    assert done.code == 2
    assert "Commands:" in done.err
    assert "  move " in done.err


def test_an_unreadable_configuration_is_reported_and_not_overwritten(stranger: Player) -> None:
    path = stranger.folder / "marrakech" / "servers.json"
    path.parent.mkdir(parents=True)
    path.write_text("{broken")
    done = stranger.run("games")
    assert done.code == 2
    assert str(path) in done.err
    assert path.read_text() == "{broken"


def test_a_token_in_the_wrong_place_is_not_repeated(
    local: LocalServer, ann: Player, bo: Player, stranger: Player
) -> None:
    link = local.turn_link(start_two_player_game(ann, bo), 0)
    token = link.rpartition("/")[2]
    for words in (["show", "--game", token], ["use", token], ["games", "--server", link], ["show", "--server", link]):
        done = stranger.run(*words, "--verbose")
        assert done.code != 0
        assert token[20:] not in done.out + done.err


def test_what_a_hostile_server_sends_does_not_reach_the_terminal_raw(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    evil = "\x1b]0;owned\x07[blink]\x9b2J\u202eevil"
    view |= {"name": evil, "choices": [], "seats": [{**seat, "name": evil} for seat in view["seats"]]}
    board = f"\x1b[31mboard\x1b[0m {evil}\n".encode()

    def answer(asked: Received) -> Answer:
        if asked.path.partition("?")[0].endswith("/board.txt"):
            return 200, {"Content-Type": "text/plain; charset=utf-8"}, board
        return 200, {"Content-Type": "application/json"}, json.dumps(view).encode()

    with fake_server(answer) as server:
        ann.server = server
        ann.remember()
        with terminal(ann, "show", "--game", view["id"]) as screen:
            assert screen.ends() == 0
        with terminal(ann, "resign", "--game", view["id"]) as asked:
            asked.sees("undo this")
            asked.types("n\n")
            asked.ends()
        piped = ann.run_ok("show", "--game", view["id"]).out
    assert "\x1b[31m" in screen.raw
    assert "\x1b[31m" not in piped
    assert "board ]0;owned[blink]2Jevil" in piped
    for shown in (screen.raw, asked.raw, piped):
        assert "]0;owned[blink]2Jevil" in shown
        assert not any(raw in shown for raw in ("\x1b]", "\x07", "\x9b", "\u202e"))


def test_the_client_works_without_the_servers_dependencies() -> None:
    code = (
        "import sys, pkgutil, importlib, cli\n"
        "for name in ('service', 'flask', 'peewee', 'itsdangerous', 'waitress', 'babel', 'resvg_py', 'aiosmtpd'):\n"
        "    sys.modules[name] = None\n"
        "for module in pkgutil.walk_packages(cli.__path__, 'cli.'): importlib.import_module(module.name)\n"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=FOLDER)


def modules_loaded_by(words: list[str], environ: dict[str, str] | None = None) -> set[str]:
    """The modules that a command imports."""
    command = [sys.executable, "-X", "importtime", str(SCRIPT), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ, cwd=FOLDER)
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_nothing_heavy_is_imported_before_it_is_needed(ann: Player, bo: Player) -> None:
    loaded = modules_loaded_by(["--version"])
    assert "typer" in loaded
    assert not loaded & {"requests", "rich", "urllib3", "pydantic", "service"}
    shown = modules_loaded_by(["show", "--game", start_two_player_game(ann, bo)["id"]], ann.environ())
    assert "requests" in shown
    assert "rich" not in shown
