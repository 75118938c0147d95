"""Messages for people: one sentence on standard error, what to do next, no traceback; the same as JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.people import Person

FOLDER = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["shwo"], 2, "Did you mean 'show'?"),
        (["move", "--fast"], 2, "No such option"),
        (["show", "--after", "x"], 2, "Input should be a valid integer"),
        (["games"], 5, "You are not signed in here"),
        (["show"], 5, "You are not signed in here"),
        (["login"], 2, "Name your address"),
        (["show", "--game", "x", "--server", "http://127.0.0.1:1"], 6, "does not answer"),
        (["show", "--server", "ftp://x"], 6, "is not the address of a server"),
    ],
)
def test_each_trouble_is_one_sentence(stranger: Person, words: list[str], code: int, sentence: str) -> None:
    done = stranger.run(*words)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.err
    assert len(done.err.splitlines()) == 1
    problem = stranger.run(*words, "--json")
    assert problem.out == ""
    assert problem.problem["exit"] == code
    assert sentence in problem.problem["detail"]


def test_debug_shows_where_it_went_wrong(stranger: Person) -> None:
    done = stranger.run("games", "--debug")
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1].startswith("You are not signed in here")


def test_no_words_at_all_show_what_there_is(stranger: Person) -> None:
    done = stranger.run()
    assert done.code == 2
    assert "Commands:" in done.err
    assert "  move " in done.err


def test_settings_that_cannot_be_read_are_left_alone(stranger: Person) -> None:
    path = stranger.folder / "marrakech" / "servers.json"
    path.parent.mkdir(parents=True)
    path.write_text("{broken")
    done = stranger.run("games")
    assert done.code == 2
    assert str(path) in done.err
    assert path.read_text() == "{broken"


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, json, cli.main; from cli.program import built_program\n"
        "try: built_program().main(['--version'], 'marrakech-cli', standalone_mode=False)\n"
        "finally: print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=FOLDER)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert not loaded & {"requests", "rich", "urllib3", "pydantic", "cli.desk", "cli.client", "cli.commands"}
    assert not {name for name in loaded if name.split(".")[0] == "service"}
