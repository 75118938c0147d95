"""What every command needs: settings, context, a progress bar, and plain errors instead of tracebacks."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer
from peewee import InterfaceError, OperationalError
from rich.console import Console
from rich.progress import Progress

from service.app import create_context
from service.config import Settings, load_settings
from service.config_values import SettingsError
from service.context import AppContext
from service.db.backup import BackupError
from service.db.connection import Database, NewerDatabase, open_database
from service.errors import Problem


def host_settings() -> Settings:
    """Load the settings."""
    with report_errors():
        return load_settings(os.environ, Path.cwd())


@contextmanager
def host_context() -> Iterator[AppContext]:
    """Open the context for a command, with the database up to date."""
    settings = host_settings()
    with report_errors(), open_context(settings) as ctx:
        yield ctx


@contextmanager
def open_context(settings: Settings) -> Iterator[AppContext]:
    """Open the context, and close its database at the end."""
    ctx = create_context(settings, time.time)
    try:
        yield ctx
    finally:
        ctx.database.close()


@contextmanager
def host_database() -> Iterator[Database]:
    """Open the database without migrating it."""
    database = open_database(host_settings().database_url)
    with report_errors():
        try:
            database.connect()
            yield database
        finally:
            database.close()


@contextmanager
def report_errors(code: int = 1) -> Iterator[None]:
    """Report what the server host can fix, without a traceback."""
    try:
        yield
    except (SettingsError, NewerDatabase, BackupError, Problem) as error:
        fail(str(error), code)
    except (OperationalError, InterfaceError) as error:
        fail(f"Can't use the database: {' '.join(str(error).split())}", code)


def fail(sentence: str, code: int = 1) -> NoReturn:
    """Print what is wrong and exit."""
    typer.echo(sentence, err=True)
    raise typer.Exit(code)


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that takes the work done and the total. Draws a bar on terminals only."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
