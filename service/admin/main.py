"""`marrakech-server`: the program, and its commands `run` and `migrate`."""

from importlib.metadata import version
from typing import Annotated, Final

import typer

from service.admin.backup import backup_commands
from service.admin.check import check_commands
from service.admin.context import fail, host_context, host_database, host_settings, report_errors
from service.admin.inbound import inbound
from service.admin.lists import list_commands
from service.admin.mail import mail_commands
from service.admin.simulate import app as simulate_commands
from service.config_values import is_loopback
from service.db.connection import migrate

_USE_A_PROXY: Final = (
    "Other machines can reach {host}. Put a proxy such as Caddy or nginx in front of it (see docs/hosting.md)."
)

program = typer.Typer(
    name="marrakech-server",
    help="Host Marrakech by Mail for your play group.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
program.add_typer(inbound)
program.add_typer(backup_commands)
program.add_typer(list_commands)
program.add_typer(check_commands)
program.add_typer(simulate_commands)
mail_commands(program, host_context)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"marrakech-server {version('marrakech-by-mail')}")
        raise typer.Exit


@program.callback()
def about(
    wanted: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Host Marrakech by Mail for your play group."""


@program.command()
def run(
    host: Annotated[
        str, typer.Option(help="The address to listen on. With the default, only this machine can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
) -> None:
    """Start the server.

    Example: marrakech-server run --port 8000
    """
    settings = host_settings()
    from service.server import CannotListen, serve  # noqa: PLC0415 - other commands need no web server

    if not is_loopback(host) and not settings.proxies:
        typer.echo(_USE_A_PROXY.format(host=host), err=True)
    with report_errors():
        try:
            serve(settings, host, port)
        except CannotListen as error:
            fail(str(error))


@program.command(name="migrate")
def migrate_database() -> None:
    """Update the database to this version. `run` does this, too.

    Example: marrakech-server migrate
    """
    with host_database() as database:
        done = migrate(database)
    typer.echo(f"Updated: {', '.join(done)}." if done else "The database is up to date.")
