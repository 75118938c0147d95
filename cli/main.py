"""The console script `marrakech-cli`: collects all commands and reports their errors."""

import io
import sys
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from cli import __version__
from cli.commands import account, analyse, doctor, group, lobby, play, show, turn, verify
from cli.errors import CliError, ExitCode, UsageError
from cli.output import JsonOutput, TextOutput

NAME: Final = "marrakech-cli"

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=f"Start with: {NAME} login, then {NAME} new --bot medium, then {NAME} play",
)
for module in (account, lobby, turn, play, show, analyse, group, verify, doctor):
    app.add_typer(module.app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"{NAME} {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def about(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Play Marrakech by Mail from the terminal."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), err=True)
        raise typer.Exit(ExitCode.USAGE)


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # names may have letters that the terminal can't show
    sys.exit(run(sys.argv[1:]))


def run(args: Sequence[str]) -> int:
    """Run a command, report its error if there is one, and return the exit code."""
    try:
        code = app(args=args, prog_name=NAME, standalone_mode=False)
    except Exception as failure:
        if "--debug" in args:
            import traceback

            traceback.print_exception(failure)
        error = _explain(failure)
        (JsonOutput() if "--json" in args else TextOutput()).error(error)
        return error.exit_code
    if code == ExitCode.INTERRUPTED and sys.stderr.isatty():
        sys.stderr.write("\n")  # so that the shell's prompt starts on a line of its own
    return code if isinstance(code, int) else ExitCode.DONE


def _explain(failure: Exception) -> CliError:
    match failure:
        case CliError():
            return failure
        case typer.TyperException():
            return UsageError(_usage_sentence(failure))
        case typer.Abort():
            return UsageError("The input ended, so the command stopped. Run it again to continue.")
        case _:
            name = type(failure).__name__
            return CliError(
                f"Something went wrong in {NAME} ({name}). Run it again with --debug and report the output."
            )


def _usage_sentence(failure: typer.TyperException) -> str:
    context = getattr(failure, "ctx", None)
    message = failure.format_message()
    end = "" if message.endswith((".", "?")) else "."
    return f"{message}{end} See {context.command_path if context else NAME} --help."
