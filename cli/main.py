"""The console script `marrakech-cli`: runs the program and answers for whatever it could not handle."""

import io
import sys
from gettext import gettext as say

import typer

from cli.errors import Trouble, Usage
from cli.exits import Exit
from cli.program import NAME, built_program


def main() -> None:
    """Run the client's command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="replace"
            )  # a name must not stop the program where the terminal lacks its letters
    sys.exit(_run())


def _run() -> int:
    try:
        ended = built_program().main(prog_name=NAME, standalone_mode=False)
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as failure:
        return _answer_for(failure)
    return ended if isinstance(ended, int) else Exit.DONE


def _answer_for(failure: BaseException) -> Exit:
    if "--debug" in sys.argv:
        import traceback  # noqa: PLC0415 - hardly ever needed

        traceback.print_exception(failure)
    if isinstance(failure, KeyboardInterrupt):
        return Exit.INTERRUPTED
    trouble = _trouble(failure)
    from cli.output import JsonOutput, TextOutput  # noqa: PLC0415 - as above

    (JsonOutput() if "--json" in sys.argv else TextOutput()).trouble(trouble)
    return trouble.exit


def _trouble(failure: BaseException) -> Trouble:
    """What a person is told of the failure."""
    match failure:
        case Trouble():
            return failure
        case typer.TyperException():
            return _usage(failure)
        case typer.Abort() | EOFError():
            return Usage(say("Nothing more was typed, so nothing more was done."))
        case _:
            sentence = say(
                "Something went wrong in this program (%(what)s); run it again with --debug and tell its makers."
            )
            return Trouble(sentence % {"what": type(failure).__name__})


def _usage(failure: typer.TyperException) -> Trouble:
    context = getattr(failure, "ctx", None)
    if type(failure).__name__ == "NoArgsIsHelpError":
        return Usage(failure.format_message())
    path = context.command_path if context else NAME
    message = failure.format_message().rstrip(".")
    return Usage(say("%(message)s; see %(path)s --help.") % {"message": message, "path": path})
