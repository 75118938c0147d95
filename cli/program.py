"""The command line: every command by name, loaded when it is called, with the options that all of them share."""

from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from cli.completing import games, servers
from cli.version import installed_version

NAME: Final = "marrakech-cli"

COMMANDS: Final = {
    "login": "account",
    "logout": "account",
    "whoami": "account",
    "use": "use",
    "new": "tables",
    "games": "tables",
    "join": "tables",
    "show": "show",
    "move": "turn",
    "place": "turn",
    "turn": "turn",
    "resign": "turn",
    "play": "play",
    "say": "chat",
    "log": "show",
    "replay": "replay",
    "record": "show",
    "verify": "verify",
    "watch": "watch",
    "open": "open",
    "doctor": "doctor",
}
"""Every command and the module it lives in: only the one that is called is imported."""

_GAME = Annotated[
    str | None,
    typer.Option(
        "--game",
        "-g",
        metavar="ID",
        help="The game, by its id or a link; left out: the one in hand, or the only one that it can be.",
        autocompletion=games,
    ),
]
_SERVER = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="The server; left out: MARRAKECH_SERVER, or the one used last.",
        autocompletion=servers,
    ),
]
_JSON = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]
_VERBOSE = Annotated[bool, typer.Option("--verbose", help="Say on standard error what is asked of the server.")]
_DEBUG = Annotated[bool, typer.Option("--debug", help="Show where in the program something went wrong.")]


def command(example: str, *, game: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command: it takes a `CliContext` and its own options, and the shared options are added."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        def run(**given: Any) -> None:
            from cli.context import CliContext, GlobalOptions  # noqa: PLC0415 - not needed to say the version, or what there is
            from cli.output import reader_left  # noqa: PLC0415 - as above

            wishes = GlobalOptions(**{name: given.pop(name) for name in GlobalOptions._fields if name in given})
            try:
                function(CliContext(wishes), **given)
            except BrokenPipeError:
                reader_left()

        own = list(signature(function).parameters.values())[1:]
        shared: dict[str, tuple[Any, object]] = {"game": (_GAME, None)} if game else {}
        shared |= {
            "server": (_SERVER, None),
            "json": (_JSON, False),
            "verbose": (_VERBOSE, False),
            "debug": (_DEBUG, False),
        }
        options = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for name, (kind, default) in shared.items()
        ]
        parameters = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own]
        run.__signature__ = Signature([*parameters, *options])  # type: ignore[attr-defined]
        run.__annotations__ = {}
        run.__doc__ = function.__doc__
        run.example = f"Example: {example}"  # type: ignore[attr-defined]
        return run

    return decorate


class Commands(TyperGroup):
    """The commands, each built when it is asked for."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._built: dict[str, Any] = {}
        self.commands = dict.fromkeys(COMMANDS, None)  # type: ignore[assignment] # only the names; see `get_command`

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name."""
        if cmd_name in COMMANDS and cmd_name not in self._built:
            self._built[cmd_name] = _built(cmd_name)
        return self._built.get(cmd_name)


def built_program() -> Any:
    """The whole command line."""
    return _quick(program)


def _built(name: str) -> Any:
    module = import_module(f"cli.commands.{COMMANDS[name]}")
    function = getattr(module, f"{name}_")
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, epilog=function.example)(function)
    return _quick(alone)


def _quick(app: typer.Typer) -> Any:
    """The command of an app, which takes text as it was typed."""
    command = get_command(app)
    for parameter in command.get_params(typer.Context(command)):
        vars(parameter)["_runtime_param"] = _AsTyped()
    return command


class _AsTyped:
    """Takes text as it was typed, and calls for Typer's own conversion, and pydantic with it, where a number was typed.

    Importing pydantic takes as long as the rest of `show`; see docs/decisions/12-the-client.md.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        if param.type_descriptor.annotation is str or not (several or isinstance(value, str)):
            return value
        param._runtime_param = None  # noqa: SLF001 - Typer makes its own then
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


program = typer.Typer(
    name=NAME,
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=f"Example: {NAME} login, then {NAME} new --bot greedy, then {NAME} play",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"{NAME} {installed_version()}")
        raise typer.Exit


@program.callback(invoke_without_command=True)
def about(
    wanted: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say the version and stop.")
    ] = False,
) -> None:
    """Play Marrakech by Mail from the terminal."""
