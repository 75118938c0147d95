"""Writes the part of docs/cli.md that comes from the commands themselves: `python -m tools.cli_manual`."""

import re
from pathlib import Path
from typing import Final

from typer.testing import CliRunner

from cli.errors import ExitCode
from cli.main import NAME, app

PAGE: Final = Path(__file__).parents[1] / "docs" / "cli.md"
BEGIN: Final = "<!-- from here on written by `python -m tools.cli_manual` -->\n"


def manual() -> str:
    """The exit codes, and the help of every command."""
    parts = ["\n## Exit codes\n", _exit_codes(), "## Commands\n", _block(help_text())]
    for name in command_names():
        parts += [f"### `{name}`\n", _block(help_text(name))]
    return "\n".join(parts)


def help_text(*command: str) -> str:
    """What `--help` prints in a terminal of 80 columns."""
    return CliRunner().invoke(app, [*command, "--help"], prog_name=NAME).stdout.strip()


def command_names() -> list[str]:
    """The commands in the order in which the help lists them."""
    return re.findall(r"^  (\w+)  ", help_text().partition("Commands:")[2], re.MULTILINE)


def _exit_codes() -> str:
    rows = [f"| {code.value} | {code.meaning} |" for code in ExitCode]
    return "\n".join(["| code | meaning |", "| --- | --- |", *rows, ""])


def _block(text: str) -> str:
    return f"```text\n{text}\n```\n"


def update(page: str) -> str:
    """The page with its second part written again."""
    return page.partition(BEGIN)[0] + BEGIN + manual()


if __name__ == "__main__":
    PAGE.write_text(update(PAGE.read_text()))
