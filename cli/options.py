"""The options that all commands share, and shell completion.

Completion prints no errors and is quick: it asks the server once, with a short timeout.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cli.context import CliContext


def complete_game(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The ids of the player's games with their names; games with a stored link come first."""
    from cli.errors import CliError

    cli = _context(ctx)
    try:
        found = dict.fromkeys(cli.server_config.links, "")
        if cli.token is not None:
            found |= {game["id"]: game["name"] for game in cli.lobby().list()}
    except CliError:
        return []
    return [(id_, name) for id_, name in found.items() if id_.startswith(incomplete)]


def complete_server(incomplete: str) -> list[str]:
    """The servers in the configuration."""
    from cli.config import Config
    from cli.errors import CliError
    from cli.links import LOCAL

    try:
        return _starting(sorted({LOCAL, *Config().servers}), incomplete)
    except CliError:
        return []


def complete_choice(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The rest of the choices that begin with what has been typed, with their labels; before that, the listed ones."""
    from cli.errors import CliError

    try:
        choices = _context(ctx).current_game().view()["choices"]
    except CliError:
        return []
    before = " ".join([*(ctx.params.get("words") or ()), ""])
    return [
        (choice["key"].removeprefix(before), choice["label"])
        for choice in choices
        if choice["key"].startswith(before + incomplete) and (before or incomplete or choice.get("listed", True))
    ]


def _starting(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]


def _context(ctx: typer.Context) -> "CliContext":
    from cli.context import CliContext

    return CliContext(ctx.params.get("game"), ctx.params.get("server"), json=True, patient=False)


GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        "-g",
        metavar="GAME",
        help="The game's name, id or link. Default: the current game.",
        autocompletion=complete_game,
    ),
]
ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="The server. Default: the last one you used.",
        autocompletion=complete_server,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
VerboseOption = Annotated[bool, typer.Option("--verbose", help="Show each request to the server.")]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show a traceback if something goes wrong.")]
"""Evaluated in `cli.main`, which reports the errors."""
