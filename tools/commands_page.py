"""The part of docs/hosting.md that lists every command of the host: `python -m tools.commands_page` writes it anew."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer

from service.admin.main import program

PAGE: Final = Path(__file__).parents[1] / "docs" / "hosting.md"
MARKS: Final = (
    "<!-- made by python -m tools.commands_page -->\n",
    "<!-- up to here -->\n",
)


def every_command() -> Iterator[tuple[str, Any]]:
    """Each command with its whole name; a group that does something by itself comes before its commands."""
    yield from _below("marrakech-server", typer.main.get_command(program))


def _below(name: str, group: Any) -> Iterator[tuple[str, Any]]:
    for word, command in sorted(group.commands.items()):
        yield f"{name} {word}", command
        if hasattr(command, "commands"):
            yield from _below(f"{name} {word}", command)


def written() -> str:
    """The whole part."""
    return "\n".join(_section(name, command) for name, command in every_command())


def _section(name: str, command: Any) -> str:
    shown = [param for param in command.params if param.name != "help"]
    words, _, example = command.callback.__doc__.partition("Example:")
    lines = [f"### `{name}`", "", *_paragraphs(words), "```", *_examples(example), "```", ""]
    lines += [f"- {_called(param)}: {param.help}{_default(param)}" for param in shown]
    return "\n".join(lines).rstrip() + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.strip().split("\n\n"):
        yield " ".join(paragraph.split())
        yield ""


def _examples(text: str) -> Iterator[str]:
    yield from (line.strip() for line in text.strip().splitlines())


def _called(param: Any) -> str:
    if param.param_type_name == "argument":
        return f"`{param.name.upper()}`"
    return f"`{param.opts[0]}`" if param.is_flag else f"`{param.opts[0]} {param.name.upper()}`"


def _default(param: Any) -> str:
    if param.required or param.default in (None, False, ""):
        return ""
    return f" Default: {param.default}."


def renewed(page: str) -> str:
    """The page with the part made anew."""
    begin, end = (re.escape(mark) for mark in MARKS)
    return re.sub(f"({begin}).*({end})", lambda found: f"{found[1]}\n{written()}\n{found[2]}", page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
