"""The reference has the help texts of all commands, and the guide describes the JSON of each."""

import re

import pytest

from cli.main import NAME
from tools.cli_manual import GUIDE, PAGE, command_names, help_text, manual, shared_options

COMMANDS = command_names()
CONTRACT = (
    *("login", "logout", "whoami", "use", "new", "games", "join", "show", "move", "place", "turn", "act", "resign"),
    *("say", "log", "replay", "record", "verify", "watch", "open", "group"),
)
ABOUT_NO_GAME = {"login", "logout", "whoami", "use", "games", "next", "doctor", "verify"}


def test_the_page_is_up_to_date() -> None:
    assert manual() == PAGE.read_text(), "run: python -m tools.cli_manual"


def test_the_shared_options_are_described_once() -> None:
    page = PAGE.read_text()
    assert len(shared_options()) == 6
    assert [page.count(option) for option in shared_options()] == [1] * 6


def test_every_command_of_the_contract_is_there() -> None:
    assert set(CONTRACT) <= set(COMMANDS)
    assert {"play", "doctor"} <= set(COMMANDS)


def test_no_description_in_the_list_of_commands_is_cut_off() -> None:
    listed = help_text().partition("Commands:")[2].splitlines()
    assert [line for line in listed if line.endswith("...")] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_ends_in_an_example_and_names_the_shared_options(name: str) -> None:
    words = help_text(name)
    last = " ".join(words.split("\n\n")[-1].split())
    assert re.fullmatch(rf"Example: {NAME} {name}\b.*", last), last
    assert all(option in words for option in ("--json", "--server", "--verbose", "--debug"))
    assert ("--game" in words.replace("--game and", "")) == (name not in ABOUT_NO_GAME) or name == "use"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_object_of_every_command_is_documented(name: str) -> None:
    table = GUIDE.read_text().partition("| command | object |")[2].partition("\n\n")[0]
    commands = {word for line in table.splitlines()[2:] for word in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert name in commands
