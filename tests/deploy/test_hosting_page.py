"""docs/hosting.md lists every command with its help, and every figure; and every command says how it is used."""

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.admin.main import program
from service.app import create_app
from service.context import AppContext
from tests.support.servers import BIN
from tools.commands_page import PAGE, every_command, renewed

COMMANDS = [name for name, _ in every_command()]


def test_the_page_has_every_command_as_it_is_now() -> None:
    text = PAGE.read_text()
    assert renewed(text) == text, "run python -m tools.commands_page"
    assert [name for name in COMMANDS if f"### `{name}`\n" not in text] == []


def test_the_commands_of_the_contract_are_there() -> None:
    ours = [name.removeprefix("marrakech-server ") for name in COMMANDS]
    assert {"run", "worker", "listen", "migrate", "check", "simulate", "receive"} <= set(ours)
    assert {"backup", "restore", "games", "players", "link", "letters", "replay-diff", "rotate-key"} <= set(ours)
    assert {"letters retry", "letters drop", "players export", "players delete"} <= set(ours)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_of_itself(name: str) -> None:
    words = name.split()[1:]
    done = CliRunner().invoke(program, [*words, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert done.exit_code == 0
    assert re.search(rf"Example: .*{name}", done.stdout), done.stdout
    for command, meant in every_command():
        if command == name:
            assert all(param.help for param in meant.params if param.name != "help")


def test_the_page_has_every_figure(ctx: AppContext) -> None:
    text = create_app(ctx).test_client().get("/metrics").text
    names = set(re.findall(r"^# TYPE (marrakech_\w+)", text, re.MULTILINE))
    names = {name.removesuffix("_created") for name in names}
    assert len(names) >= 8
    page = PAGE.read_text()
    assert sorted(name for name in names if f"`{name}`" not in page) == []


def test_a_terminal_gets_a_progress_bar_and_a_file_does_not(ctx: AppContext, tmp_path: Path) -> None:
    """The bar goes to standard error, and only where that is a terminal."""
    watched, end = pty.openpty()
    environ = {
        **os.environ,
        "TERM": "xterm",
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
    }
    words = [str(BIN / "marrakech-server"), "backup", str(tmp_path / "backup.jsonl")]
    done = subprocess.run(words, env=environ, stdout=subprocess.PIPE, stderr=end, check=True, timeout=60, cwd=tmp_path)
    os.close(end)
    seen = os.read(watched, 100_000).decode()
    os.close(watched)
    assert "Backing up" in seen
    assert done.stdout.startswith(b"Backed up to ")
