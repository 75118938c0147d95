"""The console script `marrakech-cli`."""

from importlib.metadata import version
from typing import Annotated

import typer

program = typer.Typer(
    name="marrakech-cli",
    help="Play Marrakech by Mail from the terminal.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"marrakech-cli {version('marrakech-by-mail')}")
        raise typer.Exit


@program.callback(invoke_without_command=True)
def about(
    wanted: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say the version and stop.")
    ] = False,
) -> None:
    """Play Marrakech by Mail from the terminal. The commands come with the server's API."""


def main() -> None:
    """Run the client's command line."""
    program()
