"""The host's commands: `marrakech-server`."""

import json
import os
import secrets
import sys
from importlib.metadata import version
from typing import Annotated, Final

import typer

from service.admin.backup import keeping
from service.admin.check import checking
from service.admin.context import fail, host_database, host_office, host_settings, one_sentence
from service.admin.inbound import inbound
from service.admin.lists import looking
from service.admin.mail import mail_commands
from service.admin.simulate import simulated_games
from service.db.connection import migrate
from service.engine.errors import Malformed
from service.engine.records import write_record
from service.engine.registry import GAMES

_WRONG_USAGE: Final = 2

program = typer.Typer(
    name="marrakech-server",
    help="Host Marrakech by Mail for your play group.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
program.add_typer(inbound)
program.add_typer(keeping)
program.add_typer(looking)
program.add_typer(checking)
mail_commands(program, host_office)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"marrakech-server {version('marrakech-by-mail')}")
        raise typer.Exit


@program.callback()
def about(
    wanted: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say the version and stop.")
    ] = False,
) -> None:
    """Host Marrakech by Mail for your play group."""


@program.command()
def simulate(
    games: Annotated[int, typer.Option(min=1, help="How many games to play.")] = 1,
    players: Annotated[int, typer.Option(help="How many sit at the table: 2, 3 or 4.")] = 4,
    variant: Annotated[str, typer.Option(help="The turn order: standard or rotate-after.")] = "standard",
    pile: Annotated[str, typer.Option(help="With two players, the piles: shuffled or alternating.")] = "shuffled",
    bots: Annotated[
        str, typer.Option(help="Who plays, separated by commas, in turn round the seats: random, greedy.")
    ] = "random",
    seed: Annotated[str, typer.Option(help="A word; the same seed gives the same games.")] = "",
) -> None:
    """Play whole games through the real engine and print a record a line.

    Example: marrakech-server simulate --games 100 --players 4 --bots greedy,random --seed 7
    """
    rules = GAMES["marrakech"]
    if not seed:
        seed = secrets.token_hex(4)
        typer.echo(f"The seed is {seed}; --seed {seed} plays these games again.", err=True)
    try:
        records = simulated_games(rules, games, players, {"variant": variant, "pile": pile}, bots.split(","), seed)
        for record in records:
            typer.echo(json.dumps(write_record(record), ensure_ascii=False))
    except Malformed as problem:
        typer.echo(problem.sentence, err=True)
        raise typer.Exit(_WRONG_USAGE) from None
    except BrokenPipeError:
        _close_quietly()


@program.command()
def run(
    host: Annotated[
        str, typer.Option(help="The address to listen on; one that only this machine reaches.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
) -> None:
    """Serve the games.

    Example: marrakech-server run --port 8000
    """
    settings = host_settings()
    from service.server import CannotListen, serve  # noqa: PLC0415 - other commands need no web server

    with one_sentence():
        try:
            serve(settings, host, port)
        except CannotListen as trouble:
            fail(f"{trouble}; choose another place with --host and --port.")


@program.command(name="migrate")
def bring_up_to_date() -> None:
    """Bring the database up to date; `run` does so by itself.

    Example: marrakech-server migrate
    """
    with host_database() as database:
        done = migrate(database)
    typer.echo(f"Done: {', '.join(done)}." if done else "The database is up to date.")


def _close_quietly() -> None:
    """Whoever read the output has gone, as `head` does; there is nobody left to complain to."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
