"""The host's commands: `marrakech-server`."""

import json
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer
from peewee import OperationalError

from service.admin_inbound import inbound
from service.admin_mail import check_mail, mail_commands
from service.app import open_office
from service.database import NewerDatabase, migrate, open_database, pending_migrations
from service.engine.errors import Malformed
from service.engine.record import write_record
from service.engine.registry import GAMES
from service.links import Links
from service.office import Office
from service.serving import serve
from service.settings import Settings, SettingsError, load_settings
from service.simulate import simulated_games
from service.store import checked_snapshots

_WRONG_USAGE: Final = 2

program = typer.Typer(
    name="marrakech-server",
    help="Host Marrakech by Mail for your play group.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
program.add_typer(inbound)


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
    settings = _settings()
    with _one_sentence():
        serve(settings, host, port)


@program.command(name="migrate")
def bring_up_to_date() -> None:
    """Bring the database up to date; `run` does so by itself.

    Example: marrakech-server migrate
    """
    database = open_database(_settings().database_url)
    with _one_sentence():
        done = migrate(database)
    typer.echo(f"Done: {', '.join(done)}." if done else "The database is up to date.")


@program.command()
def check(
    letter_to: Annotated[str | None, typer.Option(help="Send a test letter to this address as well.")] = None,
) -> None:
    """Check the settings, the database, every game's snapshot against its events, and whether mail works.

    Example: marrakech-server check --letter-to ann@example.org
    """
    settings = _settings()
    typer.echo("settings   good")
    database = open_database(settings.database_url)
    with _one_sentence():
        pending = pending_migrations(database)
    if pending:
        _fail(f"database   not up to date: run `marrakech-server migrate` ({', '.join(pending)})")
    typer.echo("database   good")
    wrong = [game_id for game_id, sound in checked_snapshots(database) if not sound]
    if wrong:
        _fail(f"snapshots  {len(wrong)} differ from their events: {', '.join(wrong[:10])}")
    typer.echo("snapshots  good")
    works, words = check_mail(Office(settings, database, Links(settings.secret_keys), time.time), letter_to)
    if not works:
        _fail(f"mail       {words}")
    typer.echo(f"mail       {words}")


def _settings() -> Settings:
    with _one_sentence():
        return load_settings(os.environ, Path.cwd())


@contextmanager
def _office() -> Iterator[Office]:
    """The server's tools for a command."""
    settings = _settings()
    with _one_sentence():
        office = open_office(settings, time.time)
        try:
            yield office
        finally:
            office.database.close()


mail_commands(program, _office)


@contextmanager
def _one_sentence() -> Iterator[None]:
    """What a host can put right is said in one sentence, without a traceback."""
    try:
        yield
    except (SettingsError, NewerDatabase) as problem:
        _fail(str(problem))
    except OperationalError as problem:
        _fail(f"The database cannot be used: {str(problem).strip()}")


def _fail(sentence: str) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(1)


def _close_quietly() -> None:
    """Whoever read the output has gone, as `head` does; there is nobody left to complain to."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
