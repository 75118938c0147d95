"""Writes the part of docs/cli.md that comes from the commands themselves: `python -m tools.cli_manual`."""

from pathlib import Path
from typing import Any, Final

import typer

from cli.exits import Exit
from cli.program import COMMANDS, NAME, built_program

PAGE: Final = Path(__file__).parents[1] / "docs" / "cli.md"
BEGIN: Final = "<!-- from here on written by `python -m tools.cli_manual` -->\n"
_WIDTH: Final = 88


def manual() -> str:
    """The exit codes, and the help of every command."""
    group = built_program()
    parts = ["\n## Exit codes\n", _exits(), "## Commands\n", _block(group, NAME)]
    with typer.Context(group, info_name=NAME) as context:
        for name in COMMANDS:
            command = group.get_command(context, name)
            parts += [f"### `{name}`\n", _block(command, f"{NAME} {name}")]
    return "\n".join(parts)


def _exits() -> str:
    rows = [f"| {code.value} | {code.meaning} |" for code in Exit]
    return "\n".join(["| code | meaning |", "| --- | --- |", *rows, ""])


def _block(command: Any, name: str) -> str:
    context = typer.Context(command, info_name=name, terminal_width=_WIDTH)
    return f"```text\n{command.get_help(context)}\n```\n"


def written(page: str) -> str:
    """The page with its second part made anew."""
    return page.partition(BEGIN)[0] + BEGIN + manual()


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
