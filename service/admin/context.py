"""What every command of the host needs: the settings, the office, and one sentence instead of a traceback."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer
from peewee import InterfaceError, OperationalError

from service.app import create_context
from service.config import Settings, load_settings
from service.config_values import SettingsError
from service.context import AppContext
from service.db.backup import BackupTrouble
from service.db.connection import Database, NewerDatabase, open_database
from service.errors import Problem


def host_settings() -> Settings:
    """The settings as the host has made them."""
    with one_sentence():
        return load_settings(os.environ, Path.cwd())


@contextmanager
def host_office() -> Iterator[AppContext]:
    """The server's tools for a command, the database up to date."""
    settings = host_settings()
    with one_sentence(), opened(settings) as ctx:
        yield ctx


@contextmanager
def opened(settings: Settings) -> Iterator[AppContext]:
    """The server's tools, put away at the end."""
    ctx = create_context(settings, time.time)
    try:
        yield ctx
    finally:
        ctx.database.close()


@contextmanager
def host_database() -> Iterator[Database]:
    """The database as it is, without bringing it up to date."""
    database = open_database(host_settings().database_url)
    with one_sentence():
        try:
            database.connect()
            yield database
        finally:
            database.close()


@contextmanager
def one_sentence(code: int = 1) -> Iterator[None]:
    """What a host can put right is said in one sentence, without a traceback."""
    try:
        yield
    except (SettingsError, NewerDatabase, BackupTrouble, Problem) as problem:
        fail(str(problem), code)
    except (OperationalError, InterfaceError) as problem:
        fail(f"The database cannot be used: {' '.join(str(problem).split())}", code)


def fail(sentence: str, code: int = 1) -> NoReturn:
    """Say what is wrong and end."""
    typer.echo(sentence, err=True)
    raise typer.Exit(code)
