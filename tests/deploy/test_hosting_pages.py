"""docs/commands.md has the help of every command; docs/hosting.md has every metric, and its examples are valid."""

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.admin.main import program
from service.app import create_app
from service.config import SETTINGS, load_settings
from service.context import AppContext
from service.mail.smtp import server_at
from tests.support.servers import BIN
from tools.commands_page import PAGE, every_command, page

HOSTING = PAGE.parent / "hosting.md"
COMMANDS = [name for name, _ in every_command()]


def test_the_page_has_every_command_as_it_is_now() -> None:
    text = PAGE.read_text()
    assert page() == text, "run python -m tools.commands_page"
    assert [name for name in COMMANDS if f"## `{name}`\n" not in text] == []


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


def test_the_hosting_page_has_every_metric(ctx: AppContext) -> None:
    text = create_app(ctx).test_client().get("/metrics").text
    names = set(re.findall(r"^# TYPE (marrakech_\w+)", text, re.MULTILINE))
    names = {name.removesuffix("_created") for name in names}
    assert len(names) >= 8
    text = HOSTING.read_text()
    assert sorted(name for name in names if f"`{name}`" not in text) == []


def test_the_mail_servers_on_the_hosting_page_are_valid(tmp_path: Path) -> None:
    urls = re.findall(r"`(smtp[^`]+@[^`]+)`", HOSTING.read_text())
    assert len(urls) >= 5
    for url in urls:
        settings = load_settings({"MARRAKECH_SMTP_URL": url}, tmp_path)
        server = server_at(settings.smtp_url)
        assert server.user == "USER" or server.user.startswith("ann@"), "the @ is decoded"
        assert server.password in {"password", "app-password"}


def test_the_settings_file_on_the_hosting_page_is_valid(tmp_path: Path) -> None:
    [example] = re.findall(r"^```toml\n(.*?)^```$", HOSTING.read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "marrakech.toml").write_text(example)
    settings = load_settings({}, tmp_path)
    assert (settings.proxies, settings.hosts) == (1, ("ann@gmail.com",))
    assert server_at(settings.smtp_url).user == "ann@gmail.com"


def test_the_settings_that_the_hosting_page_names_exist() -> None:
    assert set(re.findall(r"`MARRAKECH_(\w+)`", HOSTING.read_text())) <= {name.upper() for name in SETTINGS}


def test_a_terminal_gets_a_progress_bar_and_a_file_does_not(ctx: AppContext, tmp_path: Path) -> None:
    """The bar goes to standard error, if that is a terminal."""
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
